"""Entry points of dcgan-pytorch: its generator and discriminator, with the losses that train them."""

from types import SimpleNamespace

import torch
from dcgan_pytorch import Discriminator, Generator


def _network(kind):
    options = {"noise": 4, "channels": 1, "image_size": 64, "batch_norm_eps": 1e-5, "batch_norm_momentum": 0.1}
    return kind(SimpleNamespace(**options, negative_slope=0.2))


def generated():
    return _network(Generator), (torch.randn(2, 4, 1, 1),)


class _Discriminated(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = _network(Discriminator)

    def forward(self, images, real):
        return torch.nn.functional.binary_cross_entropy(self.model(images).view(-1), real)


def discriminated():
    return _Discriminated(), (2 * torch.rand(2, 1, 64, 64) - 1, torch.tensor([1.0, 0.0]))
