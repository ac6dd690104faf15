"""Entry points of torchlights: losses of image restoration on a small network."""

import sys
import types

import torch

for _name in ("torchlight", "torchlight.nn", "torchlight.nn.loss"):
    sys.modules[_name] = types.ModuleType(_name)
    sys.modules[_name].__path__ = [_name.replace(".", "/")]

from torchlight.nn.loss.landmark import LandmarkLoss  # noqa: E402
from torchlight.nn.loss.misc import CharbonnierLoss, FFTLoss, FocalFrequencyLoss, SAMLoss  # noqa: E402


class _Restored(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.model = torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(8, 3, 3, padding=1)
        )
        self.loss = loss

    def forward(self, image, target):
        return self.loss(self.model(image), target)


def _images():
    return torch.rand(2, 3, 12, 12), torch.rand(2, 3, 12, 12)


def charbonnier():
    return _Restored(CharbonnierLoss()), _images()


class _Bands(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model, self.loss = torch.nn.Conv3d(1, 1, 3, padding=1), FFTLoss()

    def forward(self, cube, target):
        return self.loss(self.model(cube), target)


def frequencies():
    return _Bands(), (torch.rand(2, 1, 4, 8, 8), torch.rand(2, 1, 4, 8, 8))


def focal_frequencies():
    return _Restored(FocalFrequencyLoss()), _images()


def spectral_angle():
    return _Restored(SAMLoss()), _images()


class _Landmarks(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model, self.loss = torch.nn.Conv2d(3, 2, 3, padding=1), LandmarkLoss()

    def forward(self, image, source, target):
        return self.loss(source, target, self.model(image))


def landmarks():
    return _Landmarks(), (torch.rand(2, 3, 12, 12), 12 * torch.rand(2, 5, 2), 12 * torch.rand(2, 5, 2))
