"""Entry points of pytorchtime: its network of inception blocks that classifies series."""

import torch
from torchtime.models.inception import Inception, InceptionTime


class _Classified(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        sizes = {"n_inputs": 2, "n_classes": 3, "depth": 3, "n_convolutions": 2, "n_filters": 4, "kernel_size": 8}
        self.network = InceptionTime(**sizes, **options)

    def forward(self, series, labels):
        return torch.nn.functional.cross_entropy(self.network(series), labels)


def _series():
    return torch.randn(4, 2, 16), torch.tensor([0, 2, 1, 1])


def residual():
    return _Classified(), _series()


def without_bottleneck():
    return _Classified(use_bottleneck=False, use_residual=False), _series()


def block():
    return Inception(2, n_convolutions=2, n_filters=4, kernel_size=8, activation="relu"), (torch.randn(4, 2, 16),)
