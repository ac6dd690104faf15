"""Entry points of torchzoo: averages weighted over time, and its output layer of competing units, with a loss."""

import torch
from torchzoo.rnn import RWA
from torchzoo.simple import COOL


def average():
    return RWA(4, 6), (torch.randn(3, 7, 4),)


class _Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.recurrent, self.head = RWA(4, 6, torch.nn.ReLU()), torch.nn.Linear(6, 3)

    def forward(self, series, labels):
        return torch.nn.functional.cross_entropy(self.head(self.recurrent(series)[:, -1]), labels)


def classifier():
    return _Classifier(), (torch.randn(3, 7, 4), torch.tensor([0, 2, 1]))


class _Competing(torch.nn.Module):
    """Three units for each class, whose mean is wanted to be the class's chance."""

    def __init__(self):
        super().__init__()
        self.hidden, self.output = torch.nn.Linear(5, 8), COOL(8, 3, 3)

    def forward(self, features, labels):
        chances = self.output(torch.tanh(self.hidden(features))).view(-1, 3, 3).sum(-1)
        return torch.nn.functional.nll_loss(torch.log(chances), labels)


def competing():
    return _Competing(), (torch.randn(4, 5), torch.tensor([0, 2, 1, 1]))
