"""Entry points of torch-kindling: its reversible norm of instances, around forecasts of series."""

import torch
from torch_kindling.norm import RIN


class _Forecast(torch.nn.Module):
    """Normalised series, forecast and brought back to their scale."""

    def __init__(self, **options):
        super().__init__()
        self.norm, self.layer = RIN(**options), torch.nn.Linear(8, 4)

    def forward(self, series, wanted):
        ahead = self.layer(self.norm(series).transpose(1, 2)).transpose(1, 2)
        return torch.nn.functional.mse_loss(self.norm.reverse(ahead), wanted)


def plain():
    return _Forecast(), (10 + torch.randn(2, 8, 3), 10 + torch.randn(2, 4, 3))


def affine():
    return _Forecast(affine=True), (10 + torch.randn(2, 8, 3), 10 + torch.randn(2, 4, 3))


def rows():
    return torch.nn.Sequential(torch.nn.Linear(6, 8), RIN(affine=True)), (torch.randn(4, 6),)
