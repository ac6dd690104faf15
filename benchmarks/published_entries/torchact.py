"""Entry points of torchact: its activations inside networks of images and tables, with its own outputs of classes."""

import torch
import torchact.nn as act
from torch import nn


class _Trained(nn.Module):
    def __init__(self, loss, *layers):
        super().__init__()
        self.layers, self.loss = nn.Sequential(*layers), loss

    def forward(self, x, wanted):
        return self.loss(self.layers(x), wanted)


def sines():
    layers = nn.Linear(5, 8), act.SinLU(a=1.0, b=1.5), nn.Linear(8, 8), act.ELU(alpha=0.7), nn.Linear(8, 3)
    model = _Trained(nn.functional.nll_loss, *layers, act.LogSoftmax(dim=1))
    return model, (torch.randn(4, 5), torch.tensor([0, 2, 1, 1]))


def binary():
    layers = nn.Linear(5, 8), act.LeakyReLU(neg_slope=0.1), nn.Linear(8, 1), act.Sigmoid()
    labels = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
    return _Trained(nn.functional.binary_cross_entropy, *layers), (torch.randn(4, 5), labels)


class _Pairs(nn.Module):
    """A loss of pairs: what is better is to score above what is worse."""

    def __init__(self):
        super().__init__()
        self.score, self.log = nn.Sequential(nn.Linear(5, 8), act.ReLU(), nn.Linear(8, 1)), act.LogSigmoid()

    def forward(self, better, worse):
        return -self.log(self.score(better) - self.score(worse)).mean()


def ranking():
    return _Pairs(), (torch.randn(4, 5), torch.randn(4, 5))


class _Attended(nn.Module):
    def __init__(self):
        super().__init__()
        self.score, self.weights, self.head = nn.Linear(5, 1), act.Softmax(dim=1), nn.Linear(5, 3)

    def forward(self, x):
        return self.head((self.weights(self.score(x)) * x).sum(1))


def attended():
    return _Attended(), (torch.randn(4, 6, 5),)
