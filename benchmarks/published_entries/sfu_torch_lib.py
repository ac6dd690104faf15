"""Entry points of sfu-torch-lib: its renormalisation of batches, in networks of rows, series and pictures."""

import torch
from sfu_torch_lib.modules.batchrenorm import BatchRenorm1d, BatchRenorm2d


class _Classified(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = torch.nn.Sequential(*layers)

    def forward(self, samples, labels):
        return torch.nn.functional.cross_entropy(self.layers(samples), labels)


def rows():
    layers = torch.nn.Linear(6, 8), BatchRenorm1d(8), torch.nn.ReLU(), torch.nn.Linear(8, 3)
    return _Classified(*layers), (torch.randn(6, 6), torch.tensor([0, 2, 1, 1, 0, 2]))


def series():
    layers = torch.nn.Conv1d(2, 8, 3), BatchRenorm1d(8), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(64, 3)
    return _Classified(*layers), (torch.randn(3, 2, 10).cumsum(2), torch.tensor([0, 2, 1]))


def pictures():
    layers = torch.nn.Conv2d(3, 8, 3, bias=False), BatchRenorm2d(8), torch.nn.ReLU()
    head = torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(8, 3)
    return _Classified(*layers, *head), (torch.rand(3, 3, 8, 8), torch.tensor([0, 2, 1]))


def pictures_not_scaled():
    layers = torch.nn.Conv2d(3, 8, 3), BatchRenorm2d(8, epsilon=1e-5, affine=False), torch.nn.SiLU()
    head = torch.nn.Flatten(), torch.nn.Linear(8 * 36, 3)
    return _Classified(*layers, *head), (torch.rand(3, 3, 8, 8), torch.tensor([0, 2, 1]))
