"""Entry points of torch-type-nn: networks of partition functions, and its perceptron, with its loss."""

import torch
from torch_type_nn import AndOr, ScalableMLP, TypeNN


def network():
    return TypeNN(in_features=4, out_features=3), (torch.randn(4, 4),)


def several_ors():
    return AndOr(in_features=6, out_features=4, ors_per_unit=2), (torch.randn(4, 6),)


class _Trained(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, features, wanted):
        return 0.5 * (self.model(features) - wanted).pow(2).mean()


def loss():
    return _Trained(TypeNN(4, 3)), (torch.randn(4, 4), torch.eye(3)[[0, 2, 1, 0]])


def perceptron():
    return _Trained(ScalableMLP(4, 3, [8])), (torch.randn(4, 4), torch.eye(3)[[0, 2, 1, 0]])
