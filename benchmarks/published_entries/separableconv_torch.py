"""Entry points of separableconv-torch: its convolutions in two steps, in small networks."""

import separableconv.nn as nn
import torch


class _Classified(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers, self.head = torch.nn.Sequential(*layers), torch.nn.LazyLinear(4)

    def forward(self, images, classes):
        scores = self.head(self.layers(images).flatten(2).mean(dim=2))
        return torch.nn.functional.cross_entropy(scores, classes)


def _made(images, *layers):
    model, inputs = _Classified(*layers), (images, torch.tensor([1, 3]))
    model(*inputs)
    return model, inputs


def sounds():
    return _made(torch.randn(2, 3, 12), nn.SeparableConv1d(3, 6, 3, padding=1), nn.SeparableConv1d(6, 8, 3, stride=2))


def images():
    layers = nn.SeparableConv2d(3, 6, 3, padding="same", depth_multiplier=2), nn.SeparableConv2d(6, 8, 3, stride=2)
    return _made(torch.rand(2, 3, 8, 8), *layers)


def volumes():
    return _made(torch.rand(2, 2, 6, 6, 6), nn.SeparableConv3d(2, 4, 3, padding=1, padding_mode="reflect"))


def images_of_unknown_depth():
    return _made(torch.rand(2, 3, 8, 8), nn.LazySeparableConv2d(6, 3, padding=1), nn.LazySeparableConv2d(8, 3))
