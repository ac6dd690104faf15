"""Entry points of pytorchfire: how a fire spreads over cells, fitted to what burned by its differentiable chances."""

import torch
from pytorchfire.model import WildfireModel


def _model(size=8):
    ignition = torch.zeros(size, size, dtype=torch.bool)
    ignition[3:5, 3:5] = True
    environment = {
        "p_veg": torch.rand(size, size) - 0.5,
        "p_den": torch.rand(size, size) - 0.5,
        "wind_velocity": torch.rand(size, size) * 10,
        "wind_towards_direction": torch.rand(size, size) * 360,
        "slope": torch.rand(size, size, 3, 3) * 20 - 10,
        "initial_ignition": ignition,
    }
    numbers = {"a": 0.05, "p_h": 0.3, "c_1": 0.05, "c_2": 0.1, "p_continue": 0.3}
    return WildfireModel(environment, {name: torch.tensor(value) for name, value in numbers.items()})


class _Chances(torch.nn.Module):
    """The chance of each cell to catch fire next, against what did."""

    def __init__(self):
        super().__init__()
        self.model = _model()

    def forward(self, burned):
        return torch.nn.functional.mse_loss(self.model.p_ignite(), burned)


def chances():
    return _Chances(), (torch.randint(2, (8, 8)).float(),)


class _Spread(torch.nn.Module):
    """Steps of the fire from its start, whose newly burning cells are accumulated."""

    def __init__(self):
        super().__init__()
        self.model = _model()

    def forward(self, burned):
        self.model.reset(seed=7)
        for _ in range(2):
            self.model.compute(attach=True)
        return torch.nn.functional.mse_loss(self.model.accumulator, burned)


def spread():
    return _Spread(), (torch.randint(2, (8, 8)).float(),)
