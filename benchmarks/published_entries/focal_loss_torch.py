"""Entry points of focal-loss-torch: its loss of the chances of classes, of two and of many, weighted and ignored."""

import torch
from focal_loss.focal_loss import FocalLoss


class _Classifier(torch.nn.Module):
    def __init__(self, outputs, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(6, outputs), loss

    def forward(self, features, labels):
        logits = self.layer(features)
        if logits.shape[-1] == 1:
            return self.loss(torch.sigmoid(logits.squeeze(-1)), labels)
        return self.loss(torch.softmax(logits, -1), labels)


def two_classes():
    return _Classifier(1, FocalLoss(gamma=0.7)), (torch.randn(5, 6), torch.tensor([0, 1, 1, 0, 1]))


def weighted_classes():
    loss = FocalLoss(gamma=0.7, weights=torch.tensor([2, 3.2, 0.7]))
    return _Classifier(3, loss), (torch.randn(5, 6), torch.tensor([0, 2, 1, 1, 0]))


def padded_sequences():
    labels = torch.tensor([[3, 1, 2, 0], [2, 2, 0, 0]])
    return _Classifier(4, FocalLoss(gamma=2.0, ignore_index=0)), (torch.randn(2, 4, 6), labels)
