"""Entry points of julius: networks of sound with its bands, filters, resampling and Fourier convolutions."""

import torch
from julius import BandPassFilter, FFTConv1d, HighPassFilter, LowPassFilter, ResampleFrac, SplitBands
from torch import nn


class _Bands(nn.Module):
    """The error of a signal in each of its bands."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv1d(1, 4, 5, padding=2), nn.ReLU(), nn.Conv1d(4, 1, 5, padding=2))
        self.bands = SplitBands(sample_rate=800, n_bands=4)

    def forward(self, noisy, clean):
        return (self.bands(self.net(noisy)) - self.bands(clean)).abs().mean(dim=(1, 2, 3))


def errors_of_bands():
    return _Bands(), (torch.randn(2, 1, 64), torch.randn(2, 1, 64))


def fourier_convolutions():
    layers = FFTConv1d(2, 4, 33, padding=16), nn.GELU(), FFTConv1d(4, 3, 24, stride=4), nn.Flatten(), nn.Linear(45, 2)
    return nn.Sequential(*layers), (torch.randn(2, 2, 80),)


class _Resampled(nn.Module):
    """What a network hears at a lower rate, heard at the first one again."""

    def __init__(self):
        super().__init__()
        self.down, self.up = ResampleFrac(4, 3, zeros=8), ResampleFrac(3, 4, zeros=8)
        self.conv = nn.Conv1d(1, 1, 5, padding=2)

    def forward(self, x):
        return self.up(self.conv(self.down(x)), output_length=x.shape[-1])


def resampled():
    return _Resampled(), (torch.randn(2, 1, 64),)


class _Filtered(nn.Module):
    def __init__(self):
        super().__init__()
        self.filters = nn.ModuleList([LowPassFilter(0.1), HighPassFilter(0.3), BandPassFilter(0.1, 0.3, fft=True)])
        self.head = nn.Linear(3, 2)

    def forward(self, x):
        powers = [filtered(x).square().mean(-1).add(1e-5).log() for filtered in self.filters]
        return self.head(torch.cat(powers, dim=1))


def powers_of_filters():
    return _Filtered(), (torch.randn(2, 1, 128),)
