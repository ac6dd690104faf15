"""Entry points of loglu-pytorch: small networks of its activation."""

import torch
from loglu_pytorch import LogLU


class _Trained(torch.nn.Module):
    def __init__(self, *layers, loss):
        super().__init__()
        self.layers, self.loss = torch.nn.Sequential(*layers), loss

    def forward(self, samples, wanted):
        return self.loss(self.layers(samples), wanted)


def classes():
    layers = torch.nn.Linear(6, 8), LogLU(), torch.nn.Linear(8, 3)
    return _Trained(*layers, loss=torch.nn.CrossEntropyLoss()), (torch.randn(4, 6), torch.tensor([0, 2, 1, 1]))


def images():
    first = torch.nn.Conv2d(3, 4, 3), LogLU(), torch.nn.MaxPool2d(2), torch.nn.Conv2d(4, 8, 3), LogLU()
    layers = *first, torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(8, 3)
    return _Trained(*layers, loss=torch.nn.CrossEntropyLoss()), (torch.rand(2, 3, 12, 12), torch.tensor([0, 2]))


def regression():
    layers = torch.nn.Linear(6, 8), torch.nn.BatchNorm1d(8), LogLU(), torch.nn.Linear(8, 1)
    return _Trained(*layers, loss=torch.nn.MSELoss()), (torch.randn(4, 6), torch.randn(4, 1))
