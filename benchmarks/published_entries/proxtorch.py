"""Entry points of proxtorch: regressions and images with its penalties, and steps of its proximal operators."""

import torch
from proxtorch.operators.elastic_net import ElasticNet
from proxtorch.operators.fused_lasso import FusedLasso
from proxtorch.operators.group_lasso import GroupLasso
from proxtorch.operators.huber import Huber
from proxtorch.operators.tv_2d import TV_2D


class _Penalized(torch.nn.Module):
    """A regression whose weights are penalized."""

    def __init__(self, penalty):
        super().__init__()
        self.layer, self.penalty = torch.nn.Linear(6, 1), penalty

    def forward(self, features, wanted):
        loss = torch.nn.functional.mse_loss(self.layer(features)[:, 0], wanted)
        return loss + self.penalty(self.layer.weight.flatten()).sum()


def _rows():
    return torch.randn(8, 6), torch.randn(8)


def elastic_net():
    return _Penalized(ElasticNet(0.1, 0.5)), _rows()


def fused_lasso():
    return _Penalized(FusedLasso(0.1)), _rows()


def group_lasso():
    return _Penalized(GroupLasso(0.1, [2, 4])), _rows()


def huber():
    return _Penalized(Huber(0.1, 1.0)), _rows()


class _Smooth(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution, self.penalty = torch.nn.Conv2d(1, 1, 3, padding=1), TV_2D(0.1)

    def forward(self, noisy, clean):
        given = self.convolution(noisy)
        return torch.nn.functional.mse_loss(given, clean) + self.penalty(given[0, 0]).sum()


def total_variation():
    return _Smooth(), (torch.rand(1, 1, 8, 8), torch.rand(1, 1, 8, 8))


class _Shrunk(torch.nn.Module):
    """One proximal step on what a layer gives, with a loss on it."""

    def __init__(self):
        super().__init__()
        self.layer, self.operator = torch.nn.Linear(6, 6), ElasticNet(0.1, 0.5)

    def forward(self, features, wanted):
        return torch.nn.functional.mse_loss(self.operator.prox(self.layer(features), 0.5), wanted)


def shrunk():
    return _Shrunk(), (torch.randn(8, 6), torch.randn(8, 6))
