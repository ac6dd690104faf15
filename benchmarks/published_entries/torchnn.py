"""Entry points of torchnn: its losses of pictures on one convolution, and pictures moved by a flow."""

import sys
import types

import torch

for _name in ("torchnn", "torchnn.loss", "torchnn.ops"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from torchnn.loss.landmark import LandmarkLoss  # noqa: E402
from torchnn.loss.misc import CharbonnierLoss, FFTLoss, FocalFrequencyLoss, SAMLoss  # noqa: E402
from torchnn.ops.gradient import image_gradients  # noqa: E402
from torchnn.ops.warp import flow_warp  # noqa: E402


class _Restored(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Conv2d(3, 3, 3, padding=1), loss

    def forward(self, image, wanted):
        return self.loss(self.layer(image), wanted)


def _entry(loss):
    return _Restored(loss), (torch.rand(2, 3, 8, 8), torch.rand(2, 3, 8, 8))


def charbonnier():
    return _entry(CharbonnierLoss())


def charbonnier_batch():
    return _entry(CharbonnierLoss(reduce="batch"))


def spectral_angle():
    return _entry(SAMLoss())


def focal_frequency():
    return _entry(FocalFrequencyLoss())


class _Volume(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.loss = torch.nn.Conv3d(1, 1, 3, padding=1), FFTLoss(rate=0.1)

    def forward(self, image, wanted):
        return self.loss(self.layer(image), wanted)


def frequency():
    return _Volume(), (torch.rand(2, 1, 3, 8, 8), torch.rand(2, 1, 3, 8, 8))


class _Flow(torch.nn.Module):
    """A flow between two pictures, with the landmarks that it must move."""

    def __init__(self):
        super().__init__()
        self.layer, self.loss = torch.nn.Conv2d(6, 2, 3, padding=1), LandmarkLoss()

    def forward(self, first, second, source, target):
        flow = self.layer(torch.cat([first, second], 1))
        return self.loss(source, target, flow) + torch.mean((flow_warp(second, flow) - first) ** 2)


def landmarks():
    places = 7 * torch.rand(2, 5, 2), 7 * torch.rand(2, 5, 2)
    return _Flow(), (torch.rand(2, 3, 8, 8), torch.rand(2, 3, 8, 8), *places)


class _Gradients(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Conv2d(3, 3, 3, padding=1)

    def forward(self, image, wanted):
        found = zip(image_gradients(self.layer(image)), image_gradients(wanted), strict=True)
        return sum(torch.mean(torch.abs(one - other)) for one, other in found)


def gradients():
    return _Gradients(), (torch.rand(2, 3, 8, 8), torch.rand(2, 3, 8, 8))
