"""Entry points of kazane: signals sampled less and more often, alone and in a network that restores them."""

import torch
from kazane import Decimate, Upsample


def decimated():
    return Decimate(q=2), (torch.randn(2, 1, 64),)


def upsampled():
    return Upsample(q=3, num_zeros=8), (torch.randn(2, 1, 40),)


class _Restored(torch.nn.Module):
    """A signal sampled half as often that layers bring back."""

    def __init__(self):
        super().__init__()
        self.down, self.up = Decimate(q=2, num_zeros=4), Upsample(q=2, num_zeros=4)
        self.layers = torch.nn.Sequential(
            torch.nn.Conv1d(1, 4, 3, padding=1), torch.nn.Tanh(), torch.nn.Conv1d(4, 1, 1)
        )

    def forward(self, signals):
        return torch.nn.functional.mse_loss(self.up(self.layers(self.down(signals))), signals)


def restored():
    return _Restored(), (torch.randn(2, 1, 64),)


def long_signals():
    return Decimate(q=2, num_zeros=4), (torch.randn(2, 300),)
