"""Entry points of skillful-nowcasting: the parts of its generator of rain, and its discriminators."""

import sys
import types

import torch

_package = sys.modules["skillful_nowcasting"] = types.ModuleType("skillful_nowcasting")
_package.__path__ = ["skillful_nowcasting"]

from skillful_nowcasting.common import ContextConditioningStack, LatentConditioningStack  # noqa: E402
from skillful_nowcasting.discriminators import SpatialDiscriminator, TemporalDiscriminator  # noqa: E402


def context():
    model = ContextConditioningStack(input_channels=1, output_channels=128, num_context_steps=4)
    return model, torch.rand(1, 4, 1, 64, 64)


def latent():
    return LatentConditioningStack(shape=(8, 2, 2), output_channels=256), torch.rand(1, 4, 1, 8, 8)


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
