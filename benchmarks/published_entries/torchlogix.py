"""Entry points of torchlogix: networks of logic that learn, on digits and on bits, with the loss of their training."""

import sys
import types

import torch

_package = sys.modules["torchlogix"] = types.ModuleType("torchlogix")
_package.__path__ = ["torchlogix"]

from torchlogix.layers import (  # noqa: E402
    FixedBinarization,
    GroupSum,
    LearnableBinarization,
    LogicConv2d,
    LogicDense,
    OrPooling2d,
)


class _Classified(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, inputs, labels):
        return torch.nn.functional.cross_entropy(self.model(inputs), labels)


def _bits():
    return torch.randint(0, 2, (4, 16)).float()


def dense():
    return torch.nn.Sequential(LogicDense(16, 24), LogicDense(24, 12), GroupSum(3, tau=2.0)), (_bits(),)


def trained():
    model = torch.nn.Sequential(LogicDense(16, 24), LogicDense(24, 12), GroupSum(3, tau=2.0))
    return _Classified(model), (_bits(), torch.tensor([0, 2, 1, 1]))


def walsh():
    model = torch.nn.Sequential(LogicDense(16, 24, parametrization="warp"), GroupSum(3, tau=4.0))
    return _Classified(model), (_bits(), torch.tensor([0, 2, 1, 1]))


def convolved():
    layers = (
        FixedBinarization([0.5], feature_dim=1),
        LogicConv2d(8, channels=1, num_kernels=4, tree_depth=2, receptive_field_size=3),
        OrPooling2d(kernel_size=2, stride=2, padding=0),
        torch.nn.Flatten(),
        LogicDense(36, 18),
        GroupSum(3, tau=2.0),
    )
    return _Classified(torch.nn.Sequential(*layers)), (torch.rand(4, 1, 8, 8), torch.tensor([0, 2, 1, 1]))


def learned_thresholds():
    layers = (
        LearnableBinarization([0.25, 0.5, 0.75], feature_dim=1),
        torch.nn.Flatten(),
        LogicDense(18, 12),
        GroupSum(3),
    )
    return _Classified(torch.nn.Sequential(*layers)), (torch.rand(4, 6), torch.tensor([0, 2, 1, 1]))
