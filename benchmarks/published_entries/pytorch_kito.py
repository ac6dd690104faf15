"""Entry points of pytorch-kito: structural similarity of sequences of pictures, losses by their registered names."""

import sys
import types

import torch

_package = sys.modules["kito"] = types.ModuleType("kito")
_package.__path__ = ["kito"]

from kito.losses.builtin import CombinedLoss  # noqa: E402
from kito.losses.custom import SSIMLoss  # noqa: E402
from kito.losses.registry import LossRegistry  # noqa: E402
from kito.utils.ssim_utils import ssim_2d_single  # noqa: E402


class _Trained(torch.nn.Module):
    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, x, target):
        return self.loss(self.model(x), target)


class _Pictures(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Conv2d(1, 1, 3, padding=1)

    def forward(self, image, target):
        return 1 - ssim_2d_single(torch.sigmoid(self.layer(image)), target)


def similarity():
    return _Pictures(), (torch.rand(1, 1, 16, 16), torch.rand(1, 1, 16, 16))


def similarity_of_sequences():
    model = torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    return _Trained(model, SSIMLoss(window_size=5)), (torch.rand(2, 2, 12, 12, 1), torch.rand(2, 2, 12, 12, 1))


def combined():
    parts = [{"name": "MSELoss", "weight": 1.0}, {"name": "l1", "weight": 0.5}]
    return _Trained(torch.nn.Linear(6, 3), CombinedLoss(parts)), (torch.randn(8, 6), torch.randn(8, 3))


def divergence():
    model = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.LogSoftmax(-1))
    return _Trained(model, LossRegistry.create("kl_div", reduction="batchmean")), (
        torch.randn(8, 6),
        torch.randn(8, 4).softmax(-1),
    )


class _Gaussian(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.mean, self.variance = torch.nn.Linear(6, 3), torch.nn.Linear(6, 3)
        self.loss = LossRegistry.create("gaussian_nll")

    def forward(self, x, target):
        return self.loss(self.mean(x), target, torch.nn.functional.softplus(self.variance(x)))


def gaussian():
    return _Gaussian(), (torch.randn(8, 6), torch.randn(8, 3))


def counts():
    return _Trained(torch.nn.Linear(6, 3), LossRegistry.create("poisson_nll")), (
        torch.randn(8, 6),
        torch.randint(0, 9, (8, 3)).float(),
    )
