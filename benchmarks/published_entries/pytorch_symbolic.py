"""Entry points of pytorch-symbolic: models written as calls on symbolic tensors, and a loss on them."""

import torch
from pytorch_symbolic import Input, SymbolicModel, useful_layers
from torch import nn


def _classifier():
    inputs = Input(shape=(1, 12, 12))
    x = nn.Flatten()(inputs)
    return SymbolicModel(inputs, nn.Linear(x.shape[1], 10)(x)(nn.Softmax(1)))


def _residual():
    inputs = Input(shape=(3, 16, 16))
    x = inputs(nn.Conv2d(3, 8, 3, padding=1))(nn.BatchNorm2d(8))(nn.ReLU())
    x = x + x(nn.Conv2d(8, 8, 3, padding=1))(nn.BatchNorm2d(8))(nn.ReLU())
    return SymbolicModel(inputs, x(nn.AdaptiveAvgPool2d(1))(nn.Flatten())(nn.Linear(8, 5)))


class _Trained(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, pictures, labels):
        return nn.functional.cross_entropy(self.model(pictures), labels)


def classifier():
    return _classifier(), (torch.rand(2, 1, 12, 12),)


def residual():
    return _Trained(_residual()), (torch.rand(4, 3, 16, 16), torch.tensor([0, 3, 1, 4]))


def two_branches():
    left, right = Input(shape=(6,)), Input(shape=(4,))
    x, y = nn.Linear(6, 8)(left), nn.Linear(4, 8)(right)
    x = useful_layers.ConcatLayer(dim=1)(x(nn.Tanh()), y / (abs(x) + 1))
    return SymbolicModel((left, right), nn.Linear(16, 1)(x)), (torch.randn(3, 6), torch.randn(3, 4))
