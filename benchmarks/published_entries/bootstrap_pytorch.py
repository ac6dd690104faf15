"""Entry points of bootstrap-pytorch: its criterions of batches that are dictionaries, behind one layer."""

import torch
from bootstrap.models.criterions.bce import BCEWithLogitsLoss
from bootstrap.models.criterions.cross_entropy import CrossEntropyLoss
from bootstrap.models.criterions.nll import NLLLoss


class _Classified(torch.nn.Module):
    def __init__(self, criterion, outputs, *layers):
        super().__init__()
        self.layers, self.criterion = torch.nn.Sequential(torch.nn.Linear(6, outputs), *layers), criterion

    def forward(self, features, class_id):
        return self.criterion(self.layers(features), {"class_id": class_id})["loss"]


def cross_entropy():
    return _Classified(CrossEntropyLoss(), 3), (torch.randn(4, 6), torch.tensor([[0], [2], [1], [1]]))


def negative_likelihood():
    criterion = _Classified(NLLLoss(), 3, torch.nn.LogSoftmax(dim=1))
    return criterion, (torch.randn(4, 6), torch.tensor([[0], [2], [1], [1]]))


def binary():
    return _Classified(BCEWithLogitsLoss(), 1), (torch.randn(4, 6), torch.tensor([[0], [1], [1], [0]]))
