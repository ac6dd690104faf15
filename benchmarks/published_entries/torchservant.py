"""Entry points of torchservant: blocks of its classic networks, before a classifier with its loss."""

import torch
from torchservant.classicmodels.inception import InceptionA
from torchservant.classicmodels.resnet import BasicBlock, Bottleneck


class _Classified(torch.nn.Module):
    def __init__(self, channels, *blocks):
        super().__init__()
        self.model = torch.nn.Sequential(*blocks, torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten())
        self.head = torch.nn.Linear(channels, 3)

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.head(self.model(images)), labels)


def _images(channels):
    return torch.randn(4, channels, 8, 8), torch.tensor([0, 2, 1, 1])


def residual():
    shorter = torch.nn.Sequential(torch.nn.Conv2d(4, 8, 1, stride=2, bias=False), torch.nn.BatchNorm2d(8))
    return _Classified(8, BasicBlock(4, 8, 2, shorter), BasicBlock(8, 8)), _images(4)


def bottleneck():
    return _Classified(8, Bottleneck(8, 2), Bottleneck(8, 2)), _images(8)


def inception():
    return _Classified(256, InceptionA(4, 32)), _images(4)
