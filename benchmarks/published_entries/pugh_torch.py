"""Entry points of pugh-torch: its losses of labels of several vocabularies, and its activations."""

import sys
import types

import torch

_package = sys.modules["pugh_torch"] = types.ModuleType("pugh_torch")
_package.__path__ = ["pugh_torch"]

from pugh_torch.losses import hetero_cross_entropy, label_smoothing  # noqa: E402
from pugh_torch.modules import Activation, conv1x1, conv3x3  # noqa: E402


class _Segmented(torch.nn.Module):
    """Classes of pixels, where each image's labels know only some of the classes."""

    def __init__(self, **settings):
        super().__init__()
        self.model, self.settings = torch.nn.Conv2d(3, 5, 3, padding=1), settings

    def forward(self, images, labels, known):
        return hetero_cross_entropy(self.model(images), labels, known, **self.settings)


def _images():
    known = torch.tensor([[False, True, True, False, True], [False, True, True, True, False]])
    labels = torch.tensor([0, 1, 2, 4])[torch.randint(4, (2, 6, 6))]
    labels[1] = labels[1].clamp(max=3)
    return torch.rand(2, 3, 6, 6), labels, known


def vocabularies():
    return _Segmented(), _images()


def smoothed_vocabularies():
    return _Segmented(alpha=0.1), _images()


class _Classified(torch.nn.Module):
    def __init__(self, activation):
        super().__init__()
        layers = conv3x3(3, 6, stride=2), conv1x1(6, 8)
        second = Activation(activation, layers[1])
        first = Activation(activation, layers[0], first=True)
        self.model = torch.nn.Sequential(layers[0], first, layers[1], second, torch.nn.AdaptiveAvgPool2d(1))
        self.head = torch.nn.Linear(8, 4)

    def forward(self, images, classes):
        return label_smoothing(self.head(self.model(images).flatten(1)), classes)


def rectified():
    return _Classified("ReLU"), (torch.rand(2, 3, 8, 8), torch.tensor([1, 3]))


def sines():
    return _Classified("Sine"), (torch.rand(2, 3, 8, 8), torch.tensor([1, 3]))


def soft():
    return _Classified("Softplus"), (torch.rand(2, 3, 8, 8), torch.tensor([1, 3]))
