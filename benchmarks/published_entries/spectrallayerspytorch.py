"""Entry points of spectrallayerspytorch: networks of signals and images around its layers that begin as transforms."""

import torch
from spectral import DctII2d, Dft1d, Dft2d, NaiveDct1d, iDctII1d, iDctII2d, iDft2d
from torch import nn


class _Trained(nn.Module):
    def __init__(self, *layers, loss=nn.functional.mse_loss):
        super().__init__()
        self.layers, self.loss = nn.Sequential(*layers), loss

    def forward(self, x, wanted):
        return self.loss(self.layers(x), wanted)


def spectrum_classifier():
    layers = Dft1d(16, mode="amp", redundance=True), nn.BatchNorm1d(32), nn.Linear(32, 8), nn.ReLU(), nn.Linear(8, 3)
    model = _Trained(*layers, loss=nn.functional.cross_entropy)
    return model, (torch.randn(4, 16), torch.tensor([0, 2, 1, 1]))


def cosine_filter():
    layers = NaiveDct1d(12, fixed=True), nn.Linear(12, 12), nn.Tanh(), iDctII1d(12)
    return _Trained(*layers), (torch.randn(4, 12), torch.randn(4, 12))


def complex_images():
    layers = Dft2d(8, 8, mode="complex"), nn.Conv2d(2, 4, 1), nn.ReLU(), nn.Conv2d(4, 2, 1), iDft2d(8, 8)
    return _Trained(*layers), (torch.rand(2, 1, 8, 8), torch.rand(2, 2, 8, 8))


def cosine_images():
    start = nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), DctII2d(8, 8, weight_normalization=True), nn.BatchNorm2d(4)
    layers = *start, iDctII2d(8, 8, random_init=True, scaling_factor=1), nn.Flatten(), nn.Linear(256, 3)
    model = _Trained(*layers, loss=nn.functional.cross_entropy)
    return model, (torch.rand(2, 3, 8, 8), torch.tensor([2, 0]))
