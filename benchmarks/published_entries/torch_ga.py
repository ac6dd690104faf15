"""Entry points of torch-ga: layers on multivectors, trained on the multivectors that are wanted."""

import sys
from unittest.mock import MagicMock

import torch

for _name in ("matplotlib", "matplotlib.pyplot", "mpl_toolkits", "mpl_toolkits.mplot3d", "icecream"):
    sys.modules[_name] = MagicMock()  # plots and printing, which nothing here needs

from torch_ga import GeometricAlgebra  # noqa: E402
from torch_ga.layers import (  # noqa: E402
    GeometricAlgebraExp,
    GeometricProductDense,
    GeometricProductElementwise,
    GeometricSandwichProductDense,
)


class _Trained(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = torch.nn.Sequential(*layers)

    def forward(self, multivectors, wanted):
        return torch.nn.functional.mse_loss(self.layers(multivectors), wanted)


def _trained(layers, inputs, wanted):
    model = _Trained(*layers)
    model(inputs, wanted)
    return model, (inputs, wanted)


def _algebra():
    return GeometricAlgebra([1, 1, 1])


def _everything():
    return list(range(8))


def dense():
    algebra, blades = _algebra(), _everything()
    layers = [
        GeometricProductDense(algebra, 4, blades, blades, activation="relu"),
        GeometricProductDense(algebra, 2, blades, blades),
    ]
    return _trained(layers, torch.randn(3, 5, 8), torch.randn(3, 2, 8))


def sandwich():
    layer = GeometricSandwichProductDense(_algebra(), 3, [0, 4, 5, 6], _everything())
    return _trained([layer], torch.randn(3, 5, 8), torch.randn(3, 3, 8))


def elementwise():
    layer = GeometricProductElementwise(_algebra(), _everything(), _everything())
    return _trained([layer], torch.randn(3, 4, 8), torch.randn(3, 4, 8))


class _Rotors(torch.nn.Module):
    """Rotors as exponentials of the bivectors that a layer gives."""

    def __init__(self):
        super().__init__()
        self.layer, self.algebra = torch.nn.Linear(6, 3), _algebra()
        self.exponential = GeometricAlgebraExp(self.algebra)

    def forward(self, features, vectors, wanted):
        bivectors = torch.nn.functional.pad(self.layer(features), (4, 1))
        rotors = self.exponential(bivectors)
        turned = self.algebra.geom_prod(self.algebra.geom_prod(rotors, vectors), self.algebra.reversion(rotors))
        return torch.nn.functional.mse_loss(turned, wanted)


def rotors():
    def vectors():
        return torch.nn.functional.pad(torch.randn(4, 3), (1, 4))

    return _Rotors(), (torch.randn(4, 6), vectors(), vectors())
