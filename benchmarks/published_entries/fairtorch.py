"""Entry points of fairtorch: a classifier whose loss holds what two groups must have in common."""

import torch
from fairtorch import DemographicParityLoss, EqualiedOddsLoss


class _Fair(torch.nn.Module):
    def __init__(self, constraint):
        super().__init__()
        self.layer, self.constraint = torch.nn.Linear(5, 1), constraint
        self.loss = torch.nn.BCEWithLogitsLoss()

    def forward(self, features, labels, sensitive):
        scores = self.layer(features)
        return self.loss(scores.flatten(), labels) + self.constraint(features, scores, sensitive, labels)


def _entry(constraint):
    labels = torch.tensor([0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0])
    return _Fair(constraint), (torch.randn(8, 5), labels, torch.tensor([0, 0, 1, 1, 0, 0, 1, 1]))


def parity():
    return _entry(DemographicParityLoss([0, 1], alpha=10))


def odds():
    return _entry(EqualiedOddsLoss([0, 1], alpha=10))


def first_norm():
    return _entry(DemographicParityLoss([0, 1], alpha=10, p_norm=1))
