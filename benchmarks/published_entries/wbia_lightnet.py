"""Entry points of wbia-lightnet: the layers of its dark networks, in small networks that classify."""

import sys
import types

import torch

for _name in ("lightnet", "lightnet.network", "lightnet.network.layer"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from lightnet.network.layer._darknet import (  # noqa: E402
    Conv2dBatchReLU,
    GlobalAvgPool2d,
    PaddedMaxPool2d,
    Reorg,
)


class _Classified(torch.nn.Module):
    def __init__(self, *layers, width=8):
        super().__init__()
        self.model = torch.nn.Sequential(*layers, GlobalAvgPool2d(), torch.nn.Linear(width, 4))

    def forward(self, images, classes):
        return torch.nn.functional.cross_entropy(self.model(images), classes)


def _images():
    return torch.rand(2, 3, 8, 8), torch.tensor([1, 3])


def convolved():
    return _Classified(Conv2dBatchReLU(3, 6, 3, 1, 1), Conv2dBatchReLU(6, 8, 3, 2, 1)), _images()


def pooled():
    return _Classified(Conv2dBatchReLU(3, 8, 3, 1, 1), PaddedMaxPool2d(2, 1, (0, 1, 0, 1))), _images()


def reordered():
    return _Classified(Conv2dBatchReLU(3, 8, 3, 1, 1), Reorg(2), width=32), _images()
