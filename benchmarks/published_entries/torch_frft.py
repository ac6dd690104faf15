"""Entry points of torch-frft: fractional Fourier layers, their order learned, in front of a classifier."""

import torch
from torch_frft.dfrft_module import dfrft, idfrft
from torch_frft.layer import DFrFTLayer, FrFTLayer


class _Classified(torch.nn.Module):
    """Signals by the magnitude of their transform."""

    def __init__(self, layer):
        super().__init__()
        self.layer, self.head = layer, torch.nn.Linear(8, 3)

    def forward(self, signals, labels):
        return torch.nn.functional.cross_entropy(self.head(self.layer(signals).abs()), labels)


def _signals():
    return torch.randn(4, 8), torch.tensor([0, 2, 1, 1])


def fast():
    return _Classified(FrFTLayer(order=1.25)), _signals()


def discrete():
    return _Classified(DFrFTLayer(order=0.75)), _signals()


class _Filtered(torch.nn.Module):
    """Signals filtered in a fractional domain, as its examples restore them."""

    def __init__(self):
        super().__init__()
        self.order, self.gains = torch.nn.Parameter(torch.tensor(0.5)), torch.nn.Parameter(torch.ones(8))

    def forward(self, signals, wanted):
        given = idfrft(self.gains * dfrft(signals, self.order), self.order)
        return torch.nn.functional.mse_loss(given.real, wanted)


def filtered():
    return _Filtered(), (torch.randn(4, 8), torch.randn(4, 8))
