"""Entry points of junotorch: convolutions of pictures, and a coder of pictures as one of several tokens a patch."""

import sys
from unittest.mock import MagicMock

import torch

for _name in ("torchvision", "matplotlib", "matplotlib.pyplot"):
    sys.modules[_name] = MagicMock()  # data and plots, which nothing here needs

from junotorch.vision import ConditionalResidual, ConvMixerOriginal, ConvNeXt, Tokenizer2d  # noqa: E402


class _Classifying(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = ConvMixerOriginal(16, 2, kernel_size=5, patch_size=4, n_classes=6)

    def forward(self, pictures, labels):
        return torch.nn.functional.cross_entropy(self.model(pictures), labels)


class _Coding(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = Tokenizer2d(3, 32, dim=16, depth=1, patch_size=4)

    def forward(self, pictures):
        return self.model(pictures, training=True)[1]


def mixer():
    return _Classifying(), (torch.rand(4, 3, 32, 32), torch.tensor([0, 5, 2, 3]))


def block():
    return ConvNeXt(16, 5), (torch.randn(2, 16, 12, 12),)


def tokens():
    return Tokenizer2d(3, 32, dim=16, depth=1, patch_size=4), (torch.rand(2, 3, 16, 16),)


def coding():
    return _Coding(), (torch.rand(2, 3, 16, 16),)


def conditioned():
    return ConditionalResidual(6, 8, 3, 2), (torch.randn(2, 8, 12, 12), torch.randn(2, 6, 6, 6))
