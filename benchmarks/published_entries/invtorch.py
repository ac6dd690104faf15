"""Entry points of invtorch: networks of its invertible layers, which free what enters them, with their loss."""

import torch
from invtorch import nn as invertible


class _Classified(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, features, labels):
        return torch.nn.functional.cross_entropy(self.model(features.clone()).flatten(1), labels)


def perceptron():
    model = invertible.Sequential(invertible.Linear(6, 8), invertible.Linear(8, 10))
    return _Classified(model), (torch.randn(4, 6), torch.tensor([0, 9, 3, 3]))


def plain_convolutions():
    layers = invertible.Conv2d(3, 12, 2, stride=2), invertible.BatchNorm2d(12), invertible.Flatten()
    for layer in layers:
        layer.checkpoint = False
    return _Classified(torch.nn.Sequential(*layers)), (torch.rand(4, 3, 4, 4), torch.tensor([0, 9, 3, 3]))


def shuffled_pixels():
    layers = invertible.Conv2d(4, 16, 2, stride=2), invertible.PixelShuffle(2)
    for layer in layers:
        layer.checkpoint = False
    return _Classified(torch.nn.Sequential(*layers)), (torch.randn(4, 4, 4, 4), torch.tensor([0, 9, 3, 3]))


class _Inverted(torch.nn.Module):
    """How far the inverse is from what entered."""

    def __init__(self):
        super().__init__()
        self.layer = invertible.Linear(6, 8)

    def forward(self, features):
        return torch.nn.functional.mse_loss(self.layer.inverse(self.layer.function(features)), features)


def inverted():
    return _Inverted(), (torch.randn(4, 6),)
