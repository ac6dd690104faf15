"""Entry points of pi-gan-pytorch: pictures rendered from what a small network says of points."""

import sys
import types

import torch

# The package itself wants a CUDA device when it is imported; its renderer does not.
sys.modules["pi_gan_pytorch"] = types.ModuleType("pi_gan_pytorch")
sys.modules["pi_gan_pytorch"].__path__ = ["pi_gan_pytorch"]

from pi_gan_pytorch.coordconv import CoordConv  # noqa: E402
from pi_gan_pytorch.nerf import get_image_from_nerf_model  # noqa: E402


class _Rendered(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(3, 8), torch.nn.Linear(8, 4)

    def field(self, latent, points):
        return self.second(torch.sin(self.first(points) + latent))

    def forward(self, latents, pictures):
        found = get_image_from_nerf_model(self.field, latents, 4, 4, depth_samples_per_ray=4)
        return torch.nn.functional.mse_loss(found, pictures)


class _Judged(torch.nn.Module):
    """A discriminator's hinge loss."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(CoordConv(3, 4, kernel_size=3, padding=1), torch.nn.LeakyReLU(0.2))
        self.last = torch.nn.Linear(4, 1)

    def judge(self, pictures):
        return self.last(self.layers(pictures).mean((2, 3)))

    def forward(self, real, made):
        return (torch.relu(1 + self.judge(real)) + torch.relu(1 - self.judge(made))).mean()


def rendered():
    return _Rendered(), (torch.randn(2, 8), torch.rand(2, 3, 4, 4))


def judged():
    return _Judged(), (torch.rand(2, 3, 8, 8), torch.rand(2, 3, 8, 8))
