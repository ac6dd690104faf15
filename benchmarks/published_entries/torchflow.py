"""Entry points of torchflow: flows of its couplings and convolutions, with the bits that data costs."""

import sys
import types

import torch

_package = sys.modules["torchflow"] = types.ModuleType("torchflow")
_package.__path__ = ["torchflow"]

from torchflow.flow import (  # noqa: E402
    Flow,
    FlowActivenorm,
    FlowAffineCoupling,
    FlowConv1x1,
    FlowConv1x1LU,
    FlowGlowNetwork,
    FlowModule,
    FlowSequentialModule,
    FlowSqueeze2D,
    FlowTerminate,
)

FlowModule.CHECK_FLOW_EXPLOSION = False  # reads numbers in Python


class _Bits(torch.nn.Module):
    def __init__(self, flow):
        super().__init__()
        self.flow = flow

    def forward(self, images):
        return self.flow(Flow(images)).get_elem_bits(images.shape, 32).mean()


def _coupling(channels):
    layers = torch.nn.Conv2d(channels // 2, 6, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(6, channels, 1)
    return FlowAffineCoupling(torch.nn.Sequential(*layers))


def _entry(*parts):
    return _Bits(FlowSequentialModule(FlowSqueeze2D(), *parts, FlowTerminate())), (torch.rand(2, 1, 6, 6),)


def convolution():
    return _entry(FlowConv1x1(4), _coupling(4))


def triangular():
    return _entry(FlowConv1x1LU(4), _coupling(4))


def normalised():
    return _entry(FlowActivenorm(4), _coupling(4))


def glow():
    return _Bits(FlowGlowNetwork([1], channels=1)), (torch.rand(2, 1, 6, 6),)
