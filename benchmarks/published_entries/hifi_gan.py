"""Entry points of hifi-gan: its vocoder, small, and what judges its sound, with the losses of its training."""

import torch
from hifi_gan.env import AttrDict
from hifi_gan.models import (
    DiscriminatorP,
    DiscriminatorS,
    Generator,
    discriminator_loss,
    feature_loss,
    generator_loss,
)


def _generator(resblock):
    dilations = [[1, 3, 5]] if resblock == "1" else [[1, 2]]
    return Generator(
        AttrDict(
            resblock=resblock,
            upsample_rates=[4, 4],
            upsample_kernel_sizes=[8, 8],
            upsample_initial_channel=16,
            resblock_kernel_sizes=[3],
            resblock_dilation_sizes=dilations,
        )
    )


def _spectra():
    """Logarithms of mel spectra, whose silence is clipped at 1e-5."""
    return torch.log(torch.clamp(torch.rand(1, 80, 8) ** 4, min=1e-5))


def vocoder():
    return _generator("1"), (_spectra(),)


class _Made(torch.nn.Module):
    """The generator's loss against a discriminator by periods: what it says, and how alike its layers are."""

    def __init__(self):
        super().__init__()
        self.generator, self.discriminator = _generator("2"), DiscriminatorP(3)

    def forward(self, spectra, sound):
        made = self.generator(spectra)
        _, real_layers = self.discriminator(sound)
        judged, made_layers = self.discriminator(made)
        return generator_loss([judged])[0] + feature_loss([real_layers], [made_layers])


def made():
    return _Made(), (_spectra(), torch.tanh(torch.randn(1, 1, 128)))


class _Judged(torch.nn.Module):
    def __init__(self, discriminator):
        super().__init__()
        self.discriminator = discriminator

    def forward(self, sound, made):
        real, judged = self.discriminator(sound)[0], self.discriminator(made)[0]
        return discriminator_loss([real], [judged])[0]


def _sounds():
    return torch.tanh(torch.randn(1, 1, 256)), torch.tanh(torch.randn(1, 1, 256))


def judged_by_period():
    return _Judged(DiscriminatorP(2)), _sounds()


def judged_by_scale():
    return _Judged(DiscriminatorS()), _sounds()
