"""Entry points of repro-gan: generators and discriminators of signals of its blocks, under its adversarial losses."""

import torch
from modules import losses
from modules.dblock import DBlock
from modules.gblock import GBlock
from torch import nn


class _Generator(nn.Module):
    def __init__(self, reflected):
        super().__init__()
        self.start = nn.Linear(6, 8 * 8)
        self.blocks = nn.Sequential(
            GBlock(8, 8, 3, padding=1, upsample=reflected, use_reflection_pad=reflected),
            GBlock(8, 4, 3, padding=1, upsample=reflected, use_reflection_pad=reflected),
            nn.Conv1d(4, 1, 3, padding=1),
            nn.Tanh(),
        )

    def forward(self, noise):
        return self.blocks(self.start(noise).unflatten(1, (8, 8)))


class _Discriminator(nn.Module):
    def __init__(self, reflected):
        super().__init__()
        first = DBlock(1, 4, 3, padding=1, downsample=True, use_reflection_pad=reflected)
        self.blocks = nn.Sequential(first, DBlock(4, 8, 4, stride=2, padding=1), nn.AdaptiveAvgPool1d(1), nn.Flatten())
        self.head = nn.Linear(8, 1)

    def forward(self, signals):
        return self.head(self.blocks(signals))


class _Adversaries(nn.Module):
    """What the generator and the discriminator each try to make small."""

    def __init__(self, reflected, generator, discriminator=None):
        super().__init__()
        self.generator, self.discriminator = _Generator(reflected), _Discriminator(reflected)
        self.losses = generator, discriminator

    def forward(self, noise, real):
        fake = self.generator(noise)
        generator = self.losses[0](self.discriminator(fake))
        if self.losses[1] is None:
            return generator
        found = {"output_fake": self.discriminator(fake.detach()), "output_real": self.discriminator(real)}
        return generator, self.losses[1](**found)


def hinge():
    model = _Adversaries(True, losses.hinge_loss_gen, losses.hinge_loss_dis)
    return model, (torch.randn(4, 6), torch.rand(4, 1, 32) - 0.5)


def wasserstein():
    model = _Adversaries(False, losses.wasserstein_loss_gen, losses.wasserstein_loss_dis)
    return model, (torch.randn(4, 6), torch.rand(4, 1, 8) - 0.5)


def non_saturating():
    return _Adversaries(False, losses.ns_loss_gen), (torch.randn(4, 6), torch.rand(4, 1, 8) - 0.5)


def minimax():
    return _Adversaries(True, losses.minimax_loss_gen), (torch.randn(4, 6), torch.rand(4, 1, 32) - 0.5)
