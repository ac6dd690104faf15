"""Entry points of bayesnn: networks of uncertain weights under both of its losses, of numbers and of classes."""

import torch
from bayesnn import BayesianLinear, BNN_AlphaDivergenceLoss, BNN_VBLoss


class _Network(torch.nn.Module):
    """The network of its README."""

    def __init__(self, outputs):
        super().__init__()
        last = BayesianLinear(8, outputs, output_noise=True)
        self.net = torch.nn.Sequential(BayesianLinear(2, 8), torch.nn.ReLU(), last)
        self.register_buffer("noise_var", torch.tensor(1e-2))

    def forward(self, x):
        return self.net(x)


def _numbers():
    return torch.randn(6, 2), torch.randn(6, 1)


def variational():
    return BNN_VBLoss(_Network(1), N=100, mc=3, beta=1.0), _numbers()


def alpha_divergence():
    return BNN_AlphaDivergenceLoss(_Network(1), N=100, mc=3), _numbers()


def classes():
    loss = BNN_VBLoss(_Network(3), N=100, mc=3, likelihood="categorical")
    return loss, (torch.randn(4, 2), torch.tensor([0, 2, 1, 1]))


def network():
    return _Network(2), (torch.randn(4, 2),)
