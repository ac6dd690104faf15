"""Entry points of cbloss: its losses of rare classes on small classifiers."""

import torch
from cbloss.loss import ClassBalancedLoss, FocalLoss


class _Classifier(torch.nn.Module):
    def __init__(self, loss, outputs):
        super().__init__()
        layers = torch.nn.Linear(6, 16), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(16, outputs)
        self.model, self.loss = torch.nn.Sequential(*layers), loss

    def forward(self, samples, labels):
        return self.loss(self.model(samples), labels)


def focal():
    return _Classifier(FocalLoss(num_classes=4, gamma=1.5), 4), (torch.randn(5, 6), torch.tensor([0, 0, 1, 3, 2]))


def focal_of_two():
    labels = torch.tensor([[0], [0], [1], [0], [1]])
    return _Classifier(FocalLoss(num_classes=2, alpha=0.25), 1), (torch.randn(5, 6), labels)


def balanced():
    loss = ClassBalancedLoss([300, 120, 40, 5], 0.999, 4, torch.nn.CrossEntropyLoss(reduction="none"))
    return _Classifier(loss, 4), (torch.randn(5, 6), torch.tensor([0, 0, 1, 3, 2]))


def balanced_focal():
    loss = ClassBalancedLoss([300, 120, 40, 5], 0.99, 4, FocalLoss(num_classes=4, reduction="none"))
    return _Classifier(loss, 4), (torch.randn(5, 6), torch.tensor([3, 0, 1, 3, 2]))
