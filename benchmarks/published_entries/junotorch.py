"""Entry points of junotorch: its mixers of pictures, and its tokens with the error of their training."""

import sys
from unittest.mock import MagicMock

import torch

WANTING = {"torchvision", "matplotlib", "matplotlib.pyplot"} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # pictures that are read and drawn, which nothing here needs

from junotorch.vision import (  # noqa: E402
    ConditionalResidual,
    ConvMixerOriginal,
    ConvNeXt,
    Downsampler,
    Tokenizer2d,
    Upsampler,
)

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


def mixer():
    return ConvMixerOriginal(8, 2, kernel_size=5, patch_size=4, n_classes=5), (torch.rand(2, 3, 16, 16),)


def block():
    return ConvNeXt(8, 5), (torch.randn(2, 8, 8, 8),)


def resized():
    return torch.nn.Sequential(Downsampler(8, 16, 3), Upsampler(16, 8, 3)), (torch.randn(2, 8, 8, 8),)


def conditioned():
    return ConditionalResidual(4, 8, 3, 2), (torch.randn(2, 8, 8, 8), torch.randn(2, 4, 4, 4))


def tokens():
    return Tokenizer2d(3, 16, 8, 1, 4), (torch.rand(2, 3, 16, 16),)


class _Trained(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = Tokenizer2d(3, 16, 8, 1, 4)

    def forward(self, images):
        return self.model(images, training=True)[1]


def trained_tokens():
    return _Trained(), (torch.rand(2, 3, 16, 16),)
