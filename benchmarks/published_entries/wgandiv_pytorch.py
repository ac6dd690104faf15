"""Entry points of wgandiv-pytorch: its generator and its critic, small and for digits."""

import torch
from wgandiv_pytorch import Discriminator, Generator
from wgandiv_pytorch.utils import GlobalParams

SIZES = GlobalParams(noise=10, channels=1, image_size=8, batch_norm_momentum=0.8, negative_slope=0.2)


class _Generated(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.generator, self.critic = Generator(SIZES), Discriminator(SIZES)

    def forward(self, noise):
        return -self.critic(self.generator(noise)).mean()


def generated():
    return _Generated(), torch.randn(3, 10)


def critic():
    return Discriminator.from_name("d-mnist"), torch.rand(2, 1, 28, 28)
