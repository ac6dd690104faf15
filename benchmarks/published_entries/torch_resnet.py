"""Entry points of torch-resnet: small residual networks of several kinds, and their loss of classes."""

import torch
from torch_resnet import (
    ConvolutionShortcut,
    FullProjectionShortcut,
    IdentityShortcut,
    PreActResNet,
    ResNet,
)
from torch_resnet.resnet import Bottleneck


class _Classifying(torch.nn.Module):
    def __init__(self, body, features):
        super().__init__()
        self.body, self.head = body, torch.nn.Linear(features, 5)

    def forward(self, pictures, labels):
        return torch.nn.functional.cross_entropy(self.head(self.body(pictures)), labels)


def _classifying(model, size=16):
    features = model.eval()(torch.rand(1, 3, size, size)).shape[-1]
    return _Classifying(model.train(), features), (torch.rand(4, 3, size, size), torch.tensor([0, 3, 1, 4]))


_LAYERS = [(1, 8), (1, 16)]


def small():
    return _classifying(ResNet(_LAYERS, shortcut=IdentityShortcut, small_images=True))


def bottleneck():
    return _classifying(ResNet(_LAYERS, Bottleneck, shortcut=FullProjectionShortcut), 32)


def wide():
    return _classifying(ResNet(_LAYERS, width=2, small_images=True, zero_init_residual=True))


def before_activation():
    return _classifying(PreActResNet(_LAYERS, shortcut=ConvolutionShortcut, small_images=True))
