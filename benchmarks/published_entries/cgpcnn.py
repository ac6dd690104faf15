"""Entry points of cgpcnn: blocks that its evolution puts together, as it might, and the networks it starts of."""

import sys
import types

import torch

for _name in ("cgpcnn", "cgpcnn.blocks", "cgpcnn.basic_models"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from cgpcnn.basic_models.cnn_model import BasicModel, Bottleneck, CustomAlexNet  # noqa: E402
from cgpcnn.blocks.cnn_blocks import (  # noqa: E402
    AvgPoolingBlock,
    Concat,
    ConvBlock,
    DropoutRate,
    MaxPoolingBlock,
    ResBlock,
    Sum,
)


class _Evolved(torch.nn.Module):
    """A graph of blocks whose sizes and channels differ where they meet."""

    def __init__(self):
        super().__init__()
        self.first, self.second = ConvBlock(3, 6, 3, 1), ConvBlock(6, 8, 5, 1, DropoutRate.RATE_25)
        self.residual, self.pool = ResBlock(6, 10, 3, 1), MaxPoolingBlock(2, 2)
        self.sum, self.concat, self.mean = Sum(), Concat(), AvgPoolingBlock(2, 2)
        self.head = torch.nn.Linear(18 * 4 * 4, 4)

    def forward(self, images, labels):
        first = self.first(images)
        joined = self.residual(first, first)
        summed = self.sum(self.pool(joined), self.second(first))
        given = self.mean(self.concat(summed, self.second(first)))
        return torch.nn.functional.cross_entropy(self.head(given.flatten(1)), labels)


def evolved():
    return _Evolved(), (torch.rand(2, 3, 16, 16), torch.tensor([3, 1]))


class _Trained(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.model(images), labels)


def basic():
    return _Trained(BasicModel(1, 10, 32)), (torch.rand(2, 1, 32, 32), torch.tensor([7, 1]))


def deeper():
    return _Trained(CustomAlexNet(3, 16, 5)), (torch.rand(2, 3, 16, 16), torch.tensor([4, 0]))


def bottlenecks():
    down = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 1, stride=2), torch.nn.BatchNorm2d(16))
    layers = Bottleneck(3, 4, down, stride=2), Bottleneck(16, 4), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()
    return _Trained(torch.nn.Sequential(*layers)), (torch.rand(2, 3, 8, 8), torch.tensor([12, 1]))
