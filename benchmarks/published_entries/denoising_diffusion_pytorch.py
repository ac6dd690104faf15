"""Entry points of denoising-diffusion-pytorch: its networks and one step of training."""

import torch
from denoising_diffusion_pytorch import GaussianDiffusion, Unet
from denoising_diffusion_pytorch.denoising_diffusion_pytorch_1d import Unet1D


def unet():
    return Unet(dim=8, dim_mults=(1, 2), flash_attn=False), (torch.randn(1, 3, 16, 16), torch.tensor([3]))


def unet_1d():
    return Unet1D(dim=8, dim_mults=(1, 2), channels=4), (torch.randn(1, 4, 16), torch.tensor([3]))


class _Loss(torch.nn.Module):
    def __init__(self):
        super().__init__()
        inner = Unet(dim=8, dim_mults=(1, 2), flash_attn=False)
        self.inner = GaussianDiffusion(inner, image_size=16, timesteps=20)

    def forward(self, image, noise):
        return self.inner.p_losses(image, torch.tensor([3]), noise=noise)


def loss():
    return _Loss(), (torch.rand(1, 3, 16, 16), torch.randn(1, 3, 16, 16))
