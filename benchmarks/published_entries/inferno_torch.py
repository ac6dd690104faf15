"""Entry points of inferno-torch: Bayesian layers and networks, the free energy and the losses of small variance."""

import contextlib

import torch

for _name in ("nms", "qnms"):
    with contextlib.suppress(RuntimeError):  # a process that serves several entries has it already
        torch.library.define(f"torchvision::{_name}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")

from inferno import bnn, loss_fns, models  # noqa: E402
from inferno.bnn import params  # noqa: E402


def _network():
    return models.MLP(6, [5], 3, cov=params.DiagonalCovariance())


class _Energy(torch.nn.Module):
    def __init__(self, nll):
        super().__init__()
        self.net = _network()
        self.loss = loss_fns.VariationalFreeEnergy(nll, self.net)

    def forward(self, x, target):
        return self.loss(self.net(x, sample_shape=None), target)


class _Reduced(torch.nn.Module):
    def __init__(self, loss, outputs):
        super().__init__()
        self.hidden, self.loss = torch.nn.Linear(6, 5), loss
        self.last = bnn.Linear(5, outputs, cov=params.FactorizedCovariance())

    def forward(self, x, target):
        return self.loss(torch.relu(self.hidden(x)), self.last, target)


class _Focal(torch.nn.Module):
    def __init__(self, loss, outputs):
        super().__init__()
        self.score, self.loss = torch.nn.Linear(6, outputs), loss

    def forward(self, x, target):
        return self.loss(self.score(x).squeeze(-1), target)


def _classes():
    return torch.randint(0, 3, (4,))


def mean_network():
    return models.MLP(6, [5], 3), (torch.randn(4, 6),)


def energy_of_classes():
    return _Energy(loss_fns.CrossEntropyLoss()), (torch.randn(4, 6), _classes())


def reduced_numbers():
    return _Reduced(loss_fns.MSELossVR(), 1), (torch.randn(4, 6), torch.randn(4, 1))


def reduced_truth():
    return _Reduced(loss_fns.BCEWithLogitsLossVR(), 1), (torch.randn(4, 6), torch.randint(0, 2, (4,)))


def reduced_classes():
    return _Reduced(loss_fns.CrossEntropyLossVR(), 3), (torch.randn(4, 6), _classes())


def focal_classes():
    return _Focal(loss_fns.FocalLoss("multiclass", num_classes=3), 3), (torch.randn(4, 6), _classes())


def focal_truth():
    return _Focal(loss_fns.FocalLoss("binary"), 1), (torch.randn(9, 6), torch.randint(0, 2, (9,)).float())
