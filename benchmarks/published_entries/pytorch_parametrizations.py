"""Entry points of pytorch-parametrizations: convolutions whose kernels are learned in their spectra."""

import torch
from pytorch_parametrizations.spectral.utils import register_spectral_parametrization


class _Classified(torch.nn.Module):
    def __init__(self, layers, *head):
        super().__init__()
        self.layers = torch.nn.Sequential(*layers, torch.nn.Flatten(), *head)
        register_spectral_parametrization(self.layers)

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.layers(images), labels)


def _images():
    return torch.rand(2, 3, 8, 8), torch.tensor([0, 2])


def one_layer():
    return _Classified([torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU()], torch.nn.Linear(4 * 6 * 6, 3)), _images()


def two_layers():
    first = torch.nn.Conv2d(3, 4, 3, padding=1), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.MaxPool2d(2)
    second = torch.nn.Conv2d(4, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1)
    return _Classified([*first, *second], torch.nn.Linear(8, 3)), _images()
