"""Entry points of ezgatr: networks that keep the geometry of multivectors, as in its README, over points."""

import torch
from ezgatr.interfaces import point
from ezgatr.nets.mv_only_gatr import MVOnlyGATrConfig, MVOnlyGATrModel
from ezgatr.nn import EquiLinear, EquiRMSNorm
from ezgatr.nn.functional import scaler_gated_gelu


class _Simple(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.norm, self.fc2 = EquiLinear(1, 4), EquiRMSNorm(4), EquiLinear(4, 1)

    def forward(self, x):
        return self.fc2(scaler_gated_gelu(self.norm(self.fc1(x))))


def simple():
    return _Simple(), (torch.randn(2, 5, 1, 16),)


def _config():
    sizes = {"size_channels_hidden": 4, "size_channels_intermediate": 4, "attn_num_heads": 2}
    return MVOnlyGATrConfig(num_layers=1, size_context=8, **sizes)


def transformer():
    return MVOnlyGATrModel(_config()), (torch.randn(2, 5, 1, 16),)


class _Moved(torch.nn.Module):
    """Where points will be, from where they are."""

    def __init__(self):
        super().__init__()
        self.model = MVOnlyGATrModel(_config())

    def forward(self, points, wanted):
        given = point.decode(self.model(point.encode(points).unsqueeze(-2)).squeeze(-2))
        return torch.nn.functional.mse_loss(given, wanted)


def moved():
    return _Moved(), (torch.randn(2, 5, 3), torch.randn(2, 5, 3))
