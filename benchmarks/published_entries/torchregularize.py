"""Entry points of torchregularize: residual networks of pictures with its three ways to drop, and their losses."""

import torch
from torchregularize import DropBlock2D, ShakeDrop, StochasticDepth


class _Residual(torch.nn.Module):
    def __init__(self, drop, depth=2):
        super().__init__()
        self.first, self.drop = torch.nn.Conv2d(3, 8, 3, padding=1), drop
        self.blocks = torch.nn.ModuleList([self._block() for _ in range(depth)])
        self.output, self.loss = torch.nn.Linear(8, 4), torch.nn.CrossEntropyLoss()

    def _block(self):
        return torch.nn.Sequential(torch.nn.Conv2d(8, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU())

    def forward(self, images, labels):
        features = self.first(images)
        for block in self.blocks:
            features = self.drop(features, block(features))
        return self.loss(self.output(features.mean((2, 3))), labels)


def _images():
    return torch.rand(2, 3, 8, 8), torch.tensor([3, 0])


def stochastic_depth():
    return _Residual(StochasticDepth(0.7), 3), _images()


def shaken():
    return _Residual(ShakeDrop(0.5), 3), _images()


class _Blocks(torch.nn.Module):
    def __init__(self):
        super().__init__()
        convolution = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.model = torch.nn.Sequential(convolution, torch.nn.ReLU(), DropBlock2D(3, 0.1), torch.nn.Conv2d(8, 1, 1))
        self.loss = torch.nn.BCEWithLogitsLoss()

    def forward(self, images, masks):
        return self.loss(self.model(images), masks)


def dropped_blocks():
    return _Blocks(), (torch.rand(2, 3, 8, 8), (torch.rand(2, 1, 8, 8) > 0.7).float())
