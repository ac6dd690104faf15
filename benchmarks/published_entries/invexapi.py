"""Entry points of invexapi: its invex layers under its robust losses, and with its penalties of what they weigh."""

import torch
from invexapi.functions.fidelity.robust import AdaptiveRobustLoss, CauchyLoss, WelschLoss
from invexapi.functions.separable.log_minus_rational import LogMinusRationalPenalty
from invexapi.functions.separable.quasinorm import QuasinormInvexPenalty
from invexapi.nn import ixConv2d, ixLinear, ixSequential


class _Robust(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.net = ixSequential(ixLinear(4, 8, 8, torch.tanh), ixLinear(8, 8, 2, torch.tanh))
        self.loss = loss

    def forward(self, features, wanted):
        return self.loss.value(self.net(features) - wanted)


def cauchy():
    return _Robust(CauchyLoss(delta=1.0)), (torch.randn(5, 4), torch.randn(5, 2))


def adaptive():
    return _Robust(AdaptiveRobustLoss(alpha=-2.0)), (torch.randn(5, 4), torch.randn(5, 2))


class _Sparse(torch.nn.Module):
    """Images restored under a penalty of the first layer's weights."""

    def __init__(self, penalty):
        super().__init__()
        self.net = ixConv2d(1, 4, 1, 3, torch.relu, padding=1)
        self.loss, self.penalty = WelschLoss(), penalty

    def forward(self, noisy, clean):
        return self.loss.value(self.net(noisy) - clean) + self.penalty.value(self.net.affine1.weight)


def sparse_quasinorm():
    return _Sparse(QuasinormInvexPenalty(lamb=0.1, q=0.5)), (torch.rand(2, 1, 6, 6), torch.rand(2, 1, 6, 6))


def sparse_rational():
    return _Sparse(LogMinusRationalPenalty(lamb=0.1)), (torch.rand(2, 1, 6, 6), torch.rand(2, 1, 6, 6))
