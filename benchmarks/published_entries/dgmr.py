"""Entry points of dgmr: its generator of rain and its parts, its discriminators of images and of their course."""

import sys
import types

import torch

_package = sys.modules["dgmr"] = types.ModuleType("dgmr")
_package.__path__ = ["dgmr"]

from dgmr.common import ContextConditioningStack, LatentConditioningStack  # noqa: E402
from dgmr.discriminators import SpatialDiscriminator, TemporalDiscriminator  # noqa: E402
from dgmr.generators import Generator, Sampler  # noqa: E402


class _Forecast(torch.nn.Module):
    def __init__(self):
        super().__init__()
        context = ContextConditioningStack(input_channels=1, output_channels=128, num_context_steps=4)
        latent = LatentConditioningStack(shape=(8, 2, 2), output_channels=256)
        sampler = Sampler(forecast_steps=2, latent_channels=256, context_channels=128)
        self.generator = Generator(context, latent, sampler)

    def forward(self, frames, wanted):
        return (self.generator(frames) - wanted).abs().mean()


def forecast():
    return _Forecast(), (torch.rand(2, 4, 1, 64, 64), torch.rand(2, 2, 1, 64, 64))


def context():
    model = ContextConditioningStack(input_channels=1, output_channels=128, num_context_steps=4)
    return model, torch.rand(2, 4, 1, 64, 64)


class _Hinge(torch.nn.Module):
    """A discriminator's loss on real and generated frames."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, real, generated):
        return (1 - self.model(real)).relu().mean() + (1 + self.model(generated)).relu().mean()


def images():
    return _Hinge(SpatialDiscriminator(1, num_timesteps=2, num_layers=1)), tuple(torch.rand(2, 2, 6, 1, 32, 32))


def courses():
    return _Hinge(TemporalDiscriminator(1, num_layers=1)), tuple(torch.rand(2, 2, 4, 1, 32, 32))
