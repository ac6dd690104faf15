"""Entry points of nflows: the negative log likelihood of small flows."""

import torch
from nflows.distributions.normal import ConditionalDiagonalNormal, StandardNormal
from nflows.flows.base import Flow
from nflows.nn.nets import ResidualNet
from nflows.transforms import (
    ActNorm,
    AffineCouplingTransform,
    CompositeTransform,
    LULinear,
    MaskedAffineAutoregressiveTransform,
    MaskedPiecewiseRationalQuadraticAutoregressiveTransform,
    PiecewiseRationalQuadraticCouplingTransform,
    RandomPermutation,
)


class _Likelihood(torch.nn.Module):
    def __init__(self, flow):
        super().__init__()
        self.flow = flow

    def forward(self, x):
        return -self.flow.log_prob(x).mean()


def _flow(*transforms):
    return _Likelihood(Flow(CompositeTransform(list(transforms)), StandardNormal([4]))), (torch.randn(5, 4),)


def autoregressive():
    return _flow(RandomPermutation(4), MaskedAffineAutoregressiveTransform(4, 8))


def splines():
    inner = MaskedPiecewiseRationalQuadraticAutoregressiveTransform(4, 8, num_bins=4, tails="linear", tail_bound=3.0)
    return _flow(inner)


def _net(incoming, outgoing):
    return ResidualNet(incoming, outgoing, 8, num_blocks=1)


def coupling():
    return _flow(AffineCouplingTransform([1, -1, 1, -1], _net))


def spline_coupling():
    return _flow(PiecewiseRationalQuadraticCouplingTransform([1, -1, 1, -1], _net, num_bins=4, tails="linear"))


def linear():
    return _flow(LULinear(4, identity_init=True))


def activation_normalized():
    return _flow(ActNorm(4), LULinear(4))


class _Conditional(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.distribution = ConditionalDiagonalNormal([3], torch.nn.Linear(4, 6))

    def forward(self, x, context):
        return -self.distribution.log_prob(x, context).mean()


def conditional_normal():
    return _Conditional(), (torch.randn(5, 3), torch.randn(5, 4))
