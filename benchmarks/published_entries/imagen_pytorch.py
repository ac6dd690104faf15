"""Entry points of imagen-pytorch: its continuous diffusion around one layer, its attentions, a small network."""

import sys
import types
import typing
from unittest.mock import MagicMock

import torch

for _name in ("beartype", "beartype.door", "torchvision", "torchvision.transforms", "kornia", "kornia.augmentation"):
    sys.modules[_name] = MagicMock()  # types that are checked and pictures that are changed, which nothing here needs
sys.modules["beartype"].beartype = lambda function: function
sys.modules["beartype.typing"] = typing
for _name in ("trainer", "configs", "utils", "t5"):
    sys.modules[f"imagen_pytorch.{_name}"] = MagicMock()
_package = sys.modules["imagen_pytorch"] = types.ModuleType("imagen_pytorch")
_package.__path__ = ["imagen_pytorch"]

from imagen_pytorch.imagen_pytorch import (  # noqa: E402
    Attention,
    GaussianDiffusionContinuousTimes,
    LinearAttention,
    PerceiverResampler,
    Unet,
)


class _Denoising(torch.nn.Module):
    def __init__(self, schedule, posterior=False):
        super().__init__()
        self.layer, self.diffusion = torch.nn.Conv2d(4, 3, 3, padding=1), GaussianDiffusionContinuousTimes(
            noise_schedule=schedule, timesteps=20
        )  # fmt: skip
        self.posterior = posterior

    def forward(self, image, times, noise):
        noised, level, alpha, sigma = self.diffusion.q_sample(image, times, noise)
        level = level[:, None, None, None].expand(-1, 1, *image.shape[2:])
        found = self.layer(torch.cat((noised, level), 1))
        if not self.posterior:
            return torch.nn.functional.mse_loss(found, noise)
        start = (noised - sigma * found) / alpha.clamp(min=1e-8)
        mean, variance, logarithm = self.diffusion.q_posterior(start, noised, times)
        return (mean + (0.5 * logarithm).exp() * noise - image).square().mean() + variance.mean()


def _denoising(schedule, posterior=False):
    return _Denoising(schedule, posterior), (torch.rand(2, 3, 8, 8), torch.rand(2), torch.randn(2, 3, 8, 8))


def linear_schedule():
    return _denoising("linear")


def cosine_schedule():
    return _denoising("cosine")


def cosine_posterior():
    return _denoising("cosine", posterior=True)


class _Predicting(torch.nn.Module):
    def __init__(self, part):
        super().__init__()
        self.first, self.part = torch.nn.Linear(5, 8), part

    def forward(self, series, wanted):
        return torch.nn.functional.mse_loss(self.part(self.first(series)), wanted)


def attention():
    return _Predicting(Attention(8, dim_head=4, heads=2)), (torch.randn(2, 6, 5), torch.randn(2, 6, 8))


def resampler():
    part = PerceiverResampler(dim=8, depth=1, dim_head=4, heads=2, num_latents=4, num_latents_mean_pooled=2)
    return _Predicting(part), (torch.randn(2, 6, 5), torch.randn(2, 6, 8))


class _Pictures(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.part = LinearAttention(8, dim_head=4, heads=2)

    def forward(self, features, wanted):
        return torch.nn.functional.mse_loss(self.part(features), wanted)


def linear_attention():
    return _Pictures(), (torch.randn(2, 8, 4, 4), torch.randn(2, 8, 4, 4))


class _Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        options = {"layer_attns": False, "layer_cross_attns": False, "cond_on_text": False, "attn_pool_text": False}
        self.net = Unet(dim=8, dim_mults=(1, 2), num_resnet_blocks=1, attn_heads=2, attn_dim_head=4, **options)

    def forward(self, image, level, noise):
        return torch.nn.functional.mse_loss(self.net(image, level), noise)


def network():
    return _Network(), (torch.randn(2, 3, 8, 8), torch.randn(2), torch.randn(2, 3, 8, 8))
