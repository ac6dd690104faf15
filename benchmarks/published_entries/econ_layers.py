"""Entry points of econ-layers: its perceptrons that scale by an input, and its sets of values and of moments."""

import sys
import types

import torch

_package = sys.modules["jsonargparse"] = types.ModuleType("jsonargparse")
_package.lazy_instance = lambda kind: kind()  # of which the package only makes defaults

from econ_layers import layers  # noqa: E402

del sys.modules["jsonargparse"]


class _Trained(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, states, wanted):
        return torch.nn.functional.mse_loss(self.model(states), wanted)


def scaled():
    options = {"OutputRescalingLayer": layers.RescaleOutputsByInput(0, bias=True)}
    options["InputRescalingLayer"] = layers.RescaleAllInputsbyInput(0)
    model = layers.FlexibleSequential(3, 1, 2, 8, torch.nn.Tanh(), last_activator=torch.nn.Softplus(), **options)
    return _Trained(model), (0.5 + torch.rand(6, 3), torch.rand(6, 1))


def sets():
    model = layers.DeepSet(1, 1, 4, 2, 2, 8, 8, torch.nn.Tanh(), rho_activator=torch.nn.ReLU())
    return _Trained(model), (torch.rand(3, 6), torch.rand(3, 1))


def moments():
    model = layers.DeepSetMoments(1, 1, 3, 2, 8, torch.nn.Softplus())
    return _Trained(model), (torch.rand(3, 6), torch.rand(3, 1))


class _Growing(torch.nn.Module):
    """What grows in time at a rate that is learned."""

    def __init__(self):
        super().__init__()
        self.model = layers.FlexibleSequential(2, 1, 1, 8, torch.nn.Tanh(), last_activator=layers.Exponential())
        self.growth = layers.ScalarExponentialRescaling()

    def forward(self, times, states, wanted):
        return torch.nn.functional.mse_loss(self.growth(times, self.model(states)), wanted)


def growing():
    return _Growing(), (torch.rand(6, 1), torch.randn(6, 2), torch.rand(6, 1))
