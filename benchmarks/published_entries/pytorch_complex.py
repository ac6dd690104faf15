"""Entry points of pytorch-complex: small networks of its complex layers with real losses."""

import torch
from torchcomplex import nn


class _Restored(torch.nn.Module):
    """Complex images by complex layers."""

    def __init__(self, *layers):
        super().__init__()
        self.layers = torch.nn.Sequential(*layers)

    def forward(self, real, imaginary, wanted_real, wanted_imaginary):
        given = self.layers(torch.complex(real, imaginary))
        return (given.real - wanted_real).square().mean() + (given.imag - wanted_imaginary).square().mean()


def _images():
    return tuple(torch.randn(2, 2, 6, 6) for _ in range(4))


def convolutions():
    return _Restored(nn.Conv2d(2, 4, 3, padding=1), nn.CReLU(), nn.Conv2d(4, 2, 3, padding=1)), _images()


def phases():
    return _Restored(nn.Conv2d(2, 4, 3, padding=1), nn.zReLU(), nn.Conv2d(4, 2, 1)), _images()


def normalised():
    return _Restored(nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.CReLU(), nn.Conv2d(4, 2, 1)), _images()


class _Classified(torch.nn.Module):
    """Signals by the magnitudes of a complex network."""

    def __init__(self, *layers):
        super().__init__()
        self.layers = torch.nn.Sequential(*layers)

    def forward(self, real, imaginary, labels):
        magnitudes = self.layers(torch.complex(real, imaginary)).abs()
        return torch.nn.functional.cross_entropy(magnitudes, labels)


def _signals():
    return torch.randn(4, 6), torch.randn(4, 6), torch.tensor([0, 2, 1, 1])


def hirose():
    return _Classified(nn.Linear(6, 8), nn.Hirose(), nn.Linear(8, 3)), _signals()


def tangent():
    return _Classified(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3)), _signals()
