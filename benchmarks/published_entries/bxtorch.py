"""Entry points of bxtorch: its stacked recurrent layers, and its loss of which labels are ignored."""

import torch
from bxtorch.nn.modules.loss import WeightedBCELoss
from bxtorch.nn.modules.lstm import StackedLSTM


class _Series(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.lstm, self.head = StackedLSTM(4, [6, 5], batch_first=True, **options), torch.nn.Linear(5, 1)
        self.loss = WeightedBCELoss(ignore_index=-1)

    def forward(self, series, labels):
        output = self.lstm(series)
        states = output[0] if isinstance(output, tuple) else output
        return self.loss(self.head(states)[..., 0].sigmoid(), labels)


def _series():
    labels = torch.randint(2, (2, 5)).float()
    labels[1, 3:] = -1
    return torch.randn(2, 5, 4), labels


def stacked():
    return _Series(), _series()


def differentiable_twice():
    return _Series(cudnn=False), _series()


class _Labelled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(6, 1), WeightedBCELoss()

    def forward(self, features, labels):
        return self.loss(torch.sigmoid(self.layer(features))[:, 0], labels)


def labelled():
    return _Labelled(), (torch.randn(5, 6), torch.tensor([0.0, 1, 1, 0, 1]))
