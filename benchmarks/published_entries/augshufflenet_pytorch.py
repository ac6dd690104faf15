"""Entry points of augshufflenet-pytorch: its network and its block of shuffled channels with heads of classes."""

import torch
from augshufflenet_pytorch import AugShuffleBlock, AugShuffleNet


class _Classified(torch.nn.Module):
    def __init__(self, layers, width):
        super().__init__()
        self.layers, self.head = layers, torch.nn.Linear(width, 3)

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.head(self.layers(images)), labels)


def network():
    return _Classified(AugShuffleNet([2, 1], [8, 16, 32]), 32), (torch.rand(2, 3, 32, 32), torch.tensor([0, 2]))


def block():
    pooled = torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()
    layers = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3), AugShuffleBlock(16, 16), *pooled)
    return _Classified(layers, 16), (torch.rand(2, 3, 8, 8), torch.tensor([0, 2]))
