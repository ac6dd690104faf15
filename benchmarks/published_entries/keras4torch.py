"""Entry points of keras4torch: networks that it builds for a shape, with its loss of smoothed labels."""

import keras4torch as k4t
import torch
from torch import nn


class _Classified(nn.Module):
    def __init__(self, shape, *layers, **options):
        super().__init__()
        self.network = k4t.Model(nn.Sequential(*layers)).build(shape)
        self.loss = k4t.losses.CELoss(**options)

    def forward(self, samples, labels):
        return self.loss(self.network(samples), labels)


def images():
    """As the example of its documentation, in small sizes."""
    first = k4t.layers.Conv2d(4, kernel_size=3), nn.ReLU(), nn.MaxPool2d(2, 2)
    rest = k4t.layers.Conv2d(8, kernel_size=3), nn.ReLU(), nn.Flatten(), k4t.layers.Linear(3)
    return _Classified([1, 12, 12], *first, *rest), (torch.rand(2, 1, 12, 12), torch.tensor([0, 2]))


def smoothed_labels():
    layers = k4t.layers.Linear(8), k4t.layers.BatchNorm1d(), k4t.activations.Mish(), k4t.layers.Linear(3)
    return _Classified([5], *layers, label_smoothing=0.1), (torch.randn(4, 5), torch.tensor([0, 2, 1, 1]))


def weighted_labels():
    layers = k4t.layers.Linear(8), k4t.activations.Swish(), k4t.layers.LayerNorm(), k4t.layers.Linear(3)
    weight = torch.tensor([1.0, 0.5, 2.0])
    return _Classified([5], *layers, class_weight=weight), (torch.randn(4, 5), torch.tensor([0, 2, 1, 1]))
