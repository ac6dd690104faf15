"""Entry points of perceiver-multi-modality-pytorch."""

import torch
from perceiver_pytorch import Perceiver


def pictures():
    model = Perceiver(
        input_channels=3,
        input_axis=2,
        num_freq_bands=2,
        max_freq=10.0,
        depth=1,
        num_latents=4,
        latent_dim=8,
        cross_heads=1,
        latent_heads=2,
        cross_dim_head=4,
        latent_dim_head=4,
        num_classes=3,
    )
    return model, (torch.rand(1, 6, 6, 3),)
