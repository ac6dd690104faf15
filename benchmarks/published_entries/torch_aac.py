"""Entry points of torch-aac: its differentiable coding of sounds behind one convolution, by kind of rounding."""

import torch
from torch_aac.differentiable import DifferentiableAAC


class _Coded(torch.nn.Module):
    """As its documentation trains networks that are robust to coding, with the loss of the rate if wished."""

    def __init__(self, rated=False, **options):
        super().__init__()
        self.layer, self.rated = torch.nn.Conv1d(1, 1, 9, padding=4), rated
        self.codec = DifferentiableAAC(sample_rate=48000, bitrate=128000, device="cpu", **options)

    def forward(self, sounds, wanted):
        given = self.codec(self.layer(sounds), return_rate_loss=self.rated)
        coded, rate = given if self.rated else (given, 0.0)
        return torch.nn.functional.mse_loss(coded, wanted) + rate


def _sounds():
    return 0.1 * torch.randn(1, 1, 4096), 0.1 * torch.randn(1, 1, 4096)


def straight_through():
    return _Coded(), _sounds()


def with_noise():
    return _Coded(quant_mode="noise"), _sounds()


def rated():
    return _Coded(rated=True, quant_mode="cubic"), _sounds()
