"""Entry points of diffusion-pytorch-lib: its diffusion's losses, of a denoiser made of its blocks."""

import torch
from diffusion_pytorch_lib.module import Attention, Diffusion, LinearAttention, ResnetBlock, SinusoidalPosEmb


class _Denoiser(torch.nn.Module):
    """A network of one level: the package's own gives its stages two arguments where they take one."""

    def __init__(self, attention):
        super().__init__()
        self.time = torch.nn.Sequential(SinusoidalPosEmb(8), torch.nn.Linear(8, 16), torch.nn.GELU())
        self.first, self.block = torch.nn.Conv2d(3, 8, 3, padding=1), ResnetBlock(8, 8, time_emb_dim=16)
        self.attention, self.last = attention, torch.nn.Conv2d(8, 3, 1)

    def forward(self, image, time):
        hidden = self.block(self.first(image), self.time(time))
        return self.last(hidden + self.attention(hidden))


class _Denoising(torch.nn.Module):
    """The loss of images at given times."""

    def __init__(self, attention, **options):
        super().__init__()
        self.diffusion = Diffusion(_Denoiser(attention), image_size=8, timesteps=20, **options)

    def forward(self, image, time):
        return self.diffusion.p_losses(2 * image - 1, time)


class _Drawing(_Denoising):
    """The loss as the package computes it, of times that it draws."""

    def forward(self, image):
        return self.diffusion(image)


def _data():
    return torch.rand(2, 3, 8, 8), torch.randint(20, (2,))


def linear():
    return _Denoising(Attention(8)), _data()


def cosine():
    return _Denoising(LinearAttention(8), beta_schedule="cosine", loss_type="l1"), _data()


def drawn():
    return _Drawing(Attention(8), beta_schedule="sigmoid"), _data()[:1]
