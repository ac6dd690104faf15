"""Entry points of projtorch: layers whose backward passes are projections, and its losses of margins."""

import sys
import types

import torch

# On import the package replaces operations of PyTorch for every program; its layers do without that.
sys.path.insert(0, "frameworks")
_package = sys.modules["ptorch"] = types.ModuleType("ptorch")
_package.__path__ = ["frameworks/ptorch", "ptorch"]

from ptorch.nn.modules import Conv2D, CrossEntropy, HardMarginLoss, Linear, ProximalHingeMarginLoss, ReLU  # noqa: E402
from ptorch.nn.modules_experimental import CausalSelfAttention, RMSNorm  # noqa: E402


class _Trained(torch.nn.Module):
    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, inputs, wanted):
        return self.loss(self.model(inputs), wanted)


def perceptron():
    model = torch.nn.Sequential(Linear(6, 8), ReLU(), Linear(8, 3))
    return _Trained(model, CrossEntropy()), (torch.randn(4, 6), torch.tensor([0, 2, 1, 1]))


def hard_margin():
    return _Trained(Linear(6, 3), HardMarginLoss()), (torch.randn(4, 6), torch.randint(2, (4, 3)).float())


def hinge_margin():
    return _Trained(Linear(6, 3), ProximalHingeMarginLoss()), (torch.randn(4, 6), torch.randint(2, (4, 3)).float())


def convolution():
    model = torch.nn.Sequential(Conv2D(3, 4, padding="same"), ReLU(), torch.nn.Flatten(), Linear(256, 3))
    return _Trained(model, CrossEntropy()), (torch.rand(4, 3, 8, 8), torch.tensor([0, 2, 1, 1]))


def attention():
    model = torch.nn.Sequential(RMSNorm(), CausalSelfAttention(8, 2, 1, 10000.0, 1.0))
    return model, (torch.randn(2, 6, 8),)
