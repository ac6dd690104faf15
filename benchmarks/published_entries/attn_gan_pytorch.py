"""Entry points of attn-gan-pytorch: its adversarial networks with attention, and the losses of both sides."""

import torch
from attn_gan_pytorch.CustomLayers import FullAttention, IgnoreAttentionMap, SelfAttention, SpectralNorm
from attn_gan_pytorch.Losses import LSGAN, HingeGAN, RelativisticAverageHingeGAN, StandardGAN
from attn_gan_pytorch.Networks import ConditionalDiscriminator, Discriminator, Generator


def _generator():
    grown = torch.nn.ConvTranspose2d(8, 8, 4, stride=2, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU()
    first = SpectralNorm(torch.nn.ConvTranspose2d(6, 8, 4)), torch.nn.BatchNorm2d(8), torch.nn.ReLU()
    attended = SelfAttention(8, squeeze_factor=4), IgnoreAttentionMap()
    last = torch.nn.ConvTranspose2d(8, 3, 4, stride=2, padding=1), torch.nn.Tanh()
    return Generator([*first, *grown, *attended, *last], 6)


def _layers():
    first = SpectralNorm(torch.nn.Conv2d(3, 8, 4, stride=2, padding=1)), torch.nn.LeakyReLU(0.2)
    options = {"kernel_size": (4, 4), "stride": 2, "padding": 1, "squeeze_factor": 4}
    return [*first, FullAttention(8, 8, torch.nn.LeakyReLU(0.2), **options), IgnoreAttentionMap()]


def _discriminator(*last):
    return Discriminator([*_layers(), torch.nn.Conv2d(8, 1, 4), *last])


class _Step(torch.nn.Module):
    """One side's loss on real pictures and on pictures made of noise."""

    def __init__(self, kind, side, *last):
        super().__init__()
        self.generator, self.discriminator = _generator(), _discriminator(*last)
        self.loss, self.side = kind(torch.device("cpu"), self.discriminator), side

    def forward(self, noise, images):
        made = self.generator(noise)
        if self.side == "discriminator":
            return self.loss.dis_loss(images, made.detach())
        return self.loss.gen_loss(images, made)


def _pictures():
    """Pictures go from -1 to 1, as the generator's last layer does."""
    return torch.randn(3, 6, 1, 1), 2 * torch.rand(3, 3, 16, 16) - 1


def hinge():
    return _Step(HingeGAN, "discriminator"), _pictures()


def relativistic():
    return _Step(RelativisticAverageHingeGAN, "generator"), _pictures()


def standard():
    return _Step(StandardGAN, "discriminator", torch.nn.Sigmoid()), _pictures()


def least_squares():
    return _Step(LSGAN, "generator"), _pictures()


class _Conditional(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.discriminator = ConditionalDiscriminator(_layers(), torch.nn.Conv2d(8 + 5, 1, 4))
        self.loss = HingeGAN(torch.device("cpu"), self.discriminator)

    def forward(self, images, made, conditions):
        return self.loss.conditional_dis_loss(images, made, conditions)


def conditional():
    images, made = (2 * torch.rand(3, 3, 16, 16) - 1 for _ in range(2))
    return _Conditional(), (images, made, torch.nn.functional.one_hot(torch.tensor([4, 0, 2]), 5).float())
