"""Entry points of video-diffusion-pytorch: the loss of denoising."""

import torch
from video_diffusion_pytorch import GaussianDiffusion, Unet3D


def denoising():
    net = Unet3D(dim=8, dim_mults=(1, 2), attn_heads=2, attn_dim_head=4)
    return GaussianDiffusion(net, image_size=8, num_frames=2, timesteps=10, loss_type="l1"), (
        torch.rand(1, 3, 2, 8, 8),
    )


def denoising_of_squares():
    net = Unet3D(dim=8, dim_mults=(1, 2), attn_heads=2, attn_dim_head=4)
    return GaussianDiffusion(net, image_size=8, num_frames=2, timesteps=10, loss_type="l2"), (
        torch.rand(1, 3, 2, 8, 8),
    )
