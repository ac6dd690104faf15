"""Entry points of torch-activation: networks whose activations are learned or have poles, with their loss."""

import torch
from torch_activation.adaptive.abu import MoGU
from torch_activation.adaptive.faaf import FracSoftplus
from torch_activation.adaptive.relu import SoftExponential
from torch_activation.classical.learnable import PAU
from torch_activation.classical.maxsig import InversePolynomialLinearUnit
from torch_activation.classical.other import SPOCU


class _Classified(torch.nn.Module):
    def __init__(self, activation):
        super().__init__()
        self.model = torch.nn.Sequential(torch.nn.Linear(6, 8), activation, torch.nn.Linear(8, 3))

    def forward(self, features, labels):
        return torch.nn.functional.cross_entropy(self.model(features), labels)


def _rows():
    return torch.randn(4, 6), torch.tensor([0, 2, 1, 1])


def rational():
    return _Classified(PAU()), _rows()


def gaussians():
    return _Classified(MoGU()), _rows()


def fractional_softplus():
    return _Classified(FracSoftplus()), _rows()


def soft_exponential():
    return _Classified(SoftExponential(0.5, learnable=True)), _rows()


def inverse_polynomial():
    return _Classified(InversePolynomialLinearUnit()), _rows()


def scaled_polynomial():
    return _Classified(SPOCU()), _rows()
