"""Entry points of pytorch-fairloss: its cross entropy with the penalty of a wrong largest class."""

import torch
from fairloss.loss import FairLoss


class _Classified(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(6, 4), FairLoss(**options)

    def forward(self, features, labels):
        return self.loss(self.layer(features), labels)


def _samples():
    return torch.randn(5, 6), torch.tensor([0, 3, 1, 2, 1])


def mean():
    return _Classified(), _samples()


def gentle():
    return _Classified(smooth_max_beta=10.0, scaling_factor=10.0, reduction="sum"), _samples()


def smoothed():
    loss = torch.nn.CrossEntropyLoss(label_smoothing=0.1, reduction="none")
    return _Classified(cross_entropy=loss), _samples()
