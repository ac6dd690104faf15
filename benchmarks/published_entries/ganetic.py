"""Entry points of ganetic: the parts of its painter from images to images, and who judges it."""

import sys
import types

import torch

_package = sys.modules["ganetic"] = types.ModuleType("ganetic")
_package.__path__ = ["ganetic"]

from ganetic.pix2pix import ConvBlock, DeConvBlock, Discriminator  # noqa: E402


class _Painted(torch.nn.Module):
    """A short generator of the package's blocks, by its judge and by distance."""

    def __init__(self):
        super().__init__()
        down = ConvBlock(3, 4, activation=False, batch_norm=False), ConvBlock(4, 8)
        up = DeConvBlock(8, 4, dropout=True), DeConvBlock(4, 3, batch_norm=False)
        self.model, self.judge = torch.nn.Sequential(*down, *up, torch.nn.Tanh()), Discriminator(3, 4)

    def forward(self, images, wanted):
        made = self.model(images)
        given = self.judge(images, made)
        loss = torch.nn.functional.binary_cross_entropy(given, torch.ones_like(given))
        return loss + 100 * (made - wanted).abs().mean()


def painted():
    return _Painted(), (torch.rand(2, 3, 32, 32) * 2 - 1, torch.rand(2, 3, 32, 32) * 2 - 1)


class _Judged(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.judge = Discriminator(3, 4)

    def forward(self, images, wanted, made):
        real, fake = self.judge(images, wanted), self.judge(images, made)
        loss = torch.nn.functional.binary_cross_entropy(real, torch.ones_like(real))
        return (loss + torch.nn.functional.binary_cross_entropy(fake, torch.zeros_like(fake))) / 2


def judged():
    return _Judged(), tuple(torch.rand(3, 2, 3, 32, 32) * 2 - 1)
