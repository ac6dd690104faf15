"""Entry points of spacecutter-torch: classes in an order, by cutpoints on one number, with their loss."""

import torch
from spacecutter import CumulativeLinkLoss, OrdinalLogisticHead


class _Ordinal(torch.nn.Module):
    def __init__(self, cutpoints="ordered", **options):
        super().__init__()
        self.layer, self.head = torch.nn.Linear(6, 1), OrdinalLogisticHead(5, cutpoints)
        self.loss = CumulativeLinkLoss(**options)

    def forward(self, features, labels):
        return self.loss(self.head(self.layer(features)), labels)


def _labelled():
    return torch.randn(6, 6), torch.tensor([[0], [3], [2], [4], [1], [2]])


def ordered():
    return _Ordinal(), _labelled()


def random_cutpoints():
    return _Ordinal("random", reduction="sum"), _labelled()


def weighted():
    return _Ordinal(class_weights=torch.tensor([1.0, 0.5, 0.5, 2.0, 3.0])), _labelled()
