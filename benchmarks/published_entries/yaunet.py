"""Entry points of yaunet: its U-Nets of several blocks, for restored images and for noise that is taken away."""

from functools import partial

import torch
from yaunet import blocks
from yaunet.unet import UNet


def _unet(inputs, outputs, block, **options):
    sizes = {"down_widths": (8, 16), "down_depths": (1, 1), "mid_width": 16, "mid_depth": 1}
    sizes |= {"up_widths": (16, 8), "up_depths": (1, 1)}
    layers = {"down_block_layer": block, "mid_block_layer": block, "up_block_layer": block}
    return UNet(inputs, outputs, **sizes, **layers, **options)


class _Restored(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, degraded, clean):
        return torch.nn.functional.l1_loss(self.network(degraded), clean)


def restored():
    images = torch.rand(2, 3, 16, 16)
    degraded = (images + 0.1 * torch.randn_like(images)).clamp(0, 1)
    return _Restored(_unet(3, 3, blocks.NAFNetBlock)), (degraded, images)


class _Denoised(torch.nn.Module):
    """The noise of a step of diffusion, conditioned on an embedding of the step."""

    def __init__(self):
        super().__init__()
        self.network = _unet(3, 3, blocks.ConvNextV2Block, condition_dim=8, overlap_upsample=True)
        self.embedding = torch.nn.Sequential(torch.nn.Linear(1, 8), torch.nn.SiLU(), torch.nn.Linear(8, 8))

    def forward(self, images, noise, time):
        mixed = (1 - time)[:, None, None] * images + time[:, None, None] * noise
        return torch.nn.functional.mse_loss(self.network(mixed, self.embedding(time)), noise - images)


def denoised():
    return _Denoised(), (2 * torch.rand(2, 3, 16, 16) - 1, torch.randn(2, 3, 16, 16), torch.rand(2, 1))


def parts():
    """Classes of pixels by attention at every resolution."""
    block = partial(blocks.ViTBlock, head_dim=4)
    network = _unet(3, 4, block, fuse_method="add", upsample_method="interpolate", downsample_method="avg-pool")
    return network, (torch.rand(1, 3, 16, 16),)
