"""Entry points of pytorchlosses: cross-entropy with smoothed labels on one layer."""

import torch
from LabelSmoothingCrossEntropy import LabelSmoothingCrossEntropy


class _Classified(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(6, 4), loss

    def forward(self, features, labels):
        return self.loss(self.layer(features), labels)


def _entry(loss):
    return _Classified(loss), (torch.randn(5, 6), torch.tensor([0, 3, 1, 2, 3]))


def smoothed():
    return _entry(LabelSmoothingCrossEntropy())


def smoothed_sum():
    return _entry(LabelSmoothingCrossEntropy(epsilon=0.2, reduction="sum"))
