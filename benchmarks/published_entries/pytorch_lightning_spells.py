"""Entry points of pytorch-lightning-spells: its losses of classes, smoothed, mixed and focused, on one layer."""

import torch
from pytorch_lightning_spells.losses import (
    LabelSmoothCrossEntropy,
    MixupSoftmaxLoss,
    Poly1CrossEntropyLoss,
    Poly1FocalLoss,
)


class _Classified(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(6, 4), loss

    def forward(self, features, labels):
        return self.loss(self.layer(features), labels)


def _features():
    return torch.randn(5, 6), torch.tensor([0, 3, 1, 1, 2])


def polynomial_entropy():
    return _Classified(Poly1CrossEntropyLoss(reduction="mean")), _features()


def polynomial_focus():
    return _Classified(Poly1FocalLoss(4, reduction="mean")), _features()


def smoothed():
    return _Classified(LabelSmoothCrossEntropy(0.1)), _features()


def mixed():
    labels = torch.tensor([[0.0, 2, 0.7], [3, 1, 0.4], [1, 1, 1.0], [2, 0, 0.5], [0, 3, 0.9]])
    return _Classified(MixupSoftmaxLoss(label_smooth_eps=0.1)), (torch.randn(5, 6), labels)


def weighed_and_mixed():
    labels = torch.tensor([[0.0, 2, 0.7], [3, 1, 0.4], [1, 1, 1.0], [2, 0, 0.5], [0, 3, 0.9]])
    weights = torch.tensor([1.0, 2.0, 0.5, 1.0])
    return _Classified(MixupSoftmaxLoss(class_weights=weights)), (torch.randn(5, 6), labels)
