"""Entry points of torchrtm: light in leaves, fitted to measured spectra, and its network that inverts spectra."""

import sys
import types
from unittest.mock import MagicMock

import torch

_package = sys.modules["torchrtm"] = types.ModuleType("torchrtm")
_package.__path__ = ["torchrtm"]
WANTING = {"pandas"} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # tables, which nothing here needs

from torchrtm.leaf.prospect import prospectd  # noqa: E402
from torchrtm.retrieval.fastNN import Inverse_Net  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


def _coefficients(bands=12):
    """An index of refraction and absorptions of pigments, water and dry matter over some bands."""
    waves = torch.linspace(0, 1, bands)
    scales = enumerate([0.04, 0.03, 0.02, 0.5, 8, 20])
    absorbed = torch.stack([(waves * (k + 1) * 3).sin().abs() * scale for k, scale in scales])
    return torch.cat([400 + 2100 * waves[:, None], 1.5 - 0.1 * waves[:, None], absorbed.T + 1e-4], dim=1)


class _Fitted(torch.nn.Module):
    """Traits of leaves, found from what is known of each, whose reflectance meets the measured one."""

    def __init__(self):
        super().__init__()
        self.network = torch.nn.Sequential(torch.nn.Linear(12, 16), torch.nn.ReLU(), torch.nn.Linear(16, 7))
        self.register_buffer("most", torch.tensor([60.0, 15.0, 5.0, 0.5, 0.03, 0.015]))
        self.register_buffer("coefficients", _coefficients())

    def forward(self, reflected, passed):
        found = self.network(reflected).sigmoid()
        given, through = prospectd(found[:, :6] * self.most, 1 + found[:, 6], self.coefficients, with_power=True)
        return ((given - reflected) ** 2).mean() + ((through - passed) ** 2).mean()


def leaves():
    return _Fitted(), (0.1 + 0.3 * torch.rand(3, 12), 0.1 + 0.3 * torch.rand(3, 12))


class _Inverted(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, spectra, traits):
        return torch.nn.functional.mse_loss(self.model(spectra), traits)


def inverted():
    return _Inverted(Inverse_Net([20, 6])), (torch.rand(3, 20), torch.rand(3, 6))


def inverted_by_layers():
    return _Inverted(Inverse_Net([20, 16, 6], use_attention=False)), (torch.rand(3, 20), torch.rand(3, 6))
