"""Entry points of strnn: networks whose masks keep which input reaches which output, and their loss of densities."""

import numpy as np
import torch
from strnn.models.strNN import StrNN
from strnn.models.strNNDensityEstimator import StrNNDensityEstimator

ADJACENCY = np.array([[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0]])


def structured():
    return StrNN(4, (8, 8), 4, opt_type="greedy", adjacency=ADJACENCY), (torch.randn(3, 4),)


def zuko():
    return StrNN(4, (8,), 8, opt_type="zuko", adjacency=ADJACENCY, activation="relu"), (torch.randn(3, 4),)


class _Density(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model = StrNNDensityEstimator(4, (8, 8), 4, data_type="binary", **options)

    def forward(self, rows):
        return self.model.get_preds_loss(rows)[1]


def density():
    return _Density(adjacency=ADJACENCY), (torch.randint(2, (3, 4)).float(),)


def autoregressive():
    return _Density(opt_type="made", opt_args={}), (torch.randint(2, (3, 4)).float(),)
