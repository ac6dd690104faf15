"""Entry points of torch-eunn: layers and recurrences of unitary matrices over complex numbers."""

import torch
from torch_eunn import EUNN, EURNN, ModReLU


def layer():
    return torch.nn.Sequential(EUNN(6), ModReLU(6)), (torch.randn(3, 6, 2),)


def recurrence():
    return EURNN(4, 6, batch_first=True), (torch.randn(3, 5, 4),)


class _Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers, self.head = torch.nn.Sequential(EUNN(6, capacity=2), ModReLU(6), EUNN(6)), torch.nn.Linear(12, 3)

    def forward(self, signals, labels):
        return torch.nn.functional.cross_entropy(self.head(self.layers(signals).flatten(1)), labels)


def classifier():
    return _Classifier(), (torch.randn(4, 6, 2), torch.tensor([0, 2, 1, 1]))
