"""Entry points of torchdeform: sources under the ground found by gradients, and losses of wrapped phases."""

import math

import torch
from torchdeform import MogiSource, PCDMSource
from torchdeform.atmosphere import StratifiedAPS
from torchdeform.observation.insar import WrappedPhaseLoss


class _Phases(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution, self.loss = torch.nn.Conv2d(2, 1, 3, padding=1), WrappedPhaseLoss()

    def forward(self, circle, phase):
        return self.loss(self.convolution(circle), phase)


def wrapped_phases():
    phase = (2 * torch.rand(2, 1, 8, 8) - 1) * math.pi
    return _Phases(), (torch.cat([phase.cos(), phase.sin()], 1), phase)


class _Found(torch.nn.Module):
    """A source whose numbers are learned from what is seen on the ground."""

    def __init__(self, source, **numbers):
        super().__init__()
        self.source, self.numbers = source, torch.nn.ParameterDict({k: torch.tensor(v) for k, v in numbers.items()})

    def forward(self, east, north, seen):
        moved = self.source(east, north, **dict(self.numbers.items()))
        return torch.nn.functional.mse_loss(torch.stack([moved.e, moved.n, moved.u], -1).float(), seen)


def _ground():
    return 1e4 * torch.rand(2, 16) - 5e3, 1e4 * torch.rand(2, 16) - 5e3, 0.02 * torch.randn(2, 16, 3)


def point():
    source = MogiSource()
    return _Found(source, source_x=[0.0, 200.0], source_y=[50.0, 0.0], depth=[3e3, 2e3], delta_v=[1e6, 2e6]), _ground()


def point_dislocations():
    place = {"source_x": [0.0, 200.0], "source_y": [50.0, 0.0], "depth": [3e3, 2e3]}
    turned = {"omega_x": [0.1, 0.0], "omega_y": [0.0, 0.2], "omega_z": [0.3, 0.1]}
    opened = {"dv_x": [1e6, 5e5], "dv_y": [2e6, 5e5], "dv_z": [1e6, 1e6]}
    return _Found(PCDMSource(), **place, **turned, **opened), _ground()


class _Stratified(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.layer, self.screen = torch.nn.Linear(3, 1), StratifiedAPS(model)

    def forward(self, weather, heights, seen):
        return torch.nn.functional.mse_loss(self.screen(heights, 0.01 * self.layer(weather)[:, 0]).float(), seen)


def _heights():
    return torch.randn(2, 3), 2e3 * torch.rand(2, 8, 8), torch.randn(2, 8, 8)


def stratified():
    return _Stratified("linear"), _heights()


def stratified_exponentially():
    return _Stratified("exponential"), _heights()
