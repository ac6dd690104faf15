"""Entry points of pytorch-gan-zoo: its generators and discriminators, with the losses of each kind of game."""

import sys
from unittest.mock import MagicMock

import torch

WANTING = {"torchvision", "torchvision.transforms", "torchvision.transforms.functional"} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # changes of images, which nothing here needs

from ganzoo.losses import basic_losses, wgan_losses  # noqa: E402
from ganzoo.nn_modules import dcgan_nets, fc_nets  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


class _Generated(torch.nn.Module):
    def __init__(self, generator, discriminator, loss):
        super().__init__()
        self.generator, self.discriminator, self.loss = generator, discriminator, loss

    def forward(self, noise):
        return self.loss(self.discriminator(self.generator(noise))).sum()


class _Judged(torch.nn.Module):
    def __init__(self, discriminator, penalty=None):
        super().__init__()
        self.discriminator, self.penalty = discriminator, penalty

    def forward(self, real, fake):
        given, made = self.discriminator(real), self.discriminator(fake)
        if self.penalty is None:
            return basic_losses.vanilla_gan_lossfn_D_real(given) + basic_losses.vanilla_gan_lossfn_D_fake(made)
        loss = wgan_losses.wgan_lossfn_D_real(given) + wgan_losses.wgan_lossfn_D_fake(made)
        return loss.sum() + 10 * self.penalty(real, fake, self.discriminator)


def _images(size=8):
    return tuple(torch.rand(2, 3, 1, size, size) * 2 - 1)


def generated():
    generator = fc_nets.FCSmall_Generator(6, 16, 8, 1, p_drop=0.5)
    discriminator = fc_nets.FCSmall_Discriminator(64, 16, p_drop=0.5, activation="sigmoid")
    return _Generated(generator, discriminator, basic_losses.vanilla_gan_lossfn_G), torch.randn(3, 6)


def generated_by_large_layers():
    generator = fc_nets.FCLarge_Generator(6, 8, 8, 1, p_drop=0.5)
    discriminator = fc_nets.FCLarge_Discriminator(64, 16, p_drop=0.5, activation="none")
    return _Generated(generator, discriminator, wgan_losses.wgan_lossfn_G), torch.randn(3, 6)


def generated_by_convolutions():
    generator = dcgan_nets.DCGAN_Generator(6, 4, 32, 1)
    discriminator = dcgan_nets.DCGAN_Discriminator(32, 1, 4, activation="sigmoid")
    return _Generated(generator, discriminator, basic_losses.vanilla_gan_lossfn_G), torch.randn(3, 6, 1, 1)


def judged():
    return _Judged(fc_nets.FCSkipConnect_Discriminator(64, 16, 0.5, activation="sigmoid")), _images()


def judged_with_penalty():
    discriminator = dcgan_nets.DCGAN_Discriminator(32, 1, 4, activation="none")
    return _Judged(discriminator, wgan_losses.wgan_gradient_penalty), _images(32)


def judged_with_one_sided_penalty():
    discriminator = fc_nets.FCLarge_Discriminator(64, 16, p_drop=0.5, activation="none")
    return _Judged(discriminator, wgan_losses.wgan_lipschitz_penalty), _images()
