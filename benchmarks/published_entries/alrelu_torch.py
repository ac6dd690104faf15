"""Entry points of alrelu-torch: its activation, fixed and learned, in small networks with a loss."""

import torch
from alrelu_torch import ALReLU, TrainableALReLU


class _Classifier(torch.nn.Module):
    def __init__(self, activation):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(6, 8), activation, torch.nn.Linear(8, 3))

    def forward(self, features, labels):
        return torch.nn.functional.cross_entropy(self.layers(features), labels)


def fixed():
    return _Classifier(ALReLU()), (torch.randn(5, 6), torch.tensor([0, 2, 1, 1, 0]))


def learned():
    return _Classifier(TrainableALReLU()), (torch.randn(5, 6), torch.tensor([0, 2, 1, 1, 0]))


def images():
    layers = [torch.nn.Conv2d(3, 4, 3), ALReLU(alpha=0.05), torch.nn.Flatten(), torch.nn.Linear(144, 2)]
    return torch.nn.Sequential(*layers), (torch.rand(2, 3, 8, 8),)
