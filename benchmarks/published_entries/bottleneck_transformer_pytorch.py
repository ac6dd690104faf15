"""Entry points of bottleneck-transformer-pytorch: attention over pictures, with absolute and relative positions."""

import torch
from bottleneck_transformer_pytorch import BottleBlock, BottleStack


def stack():
    model = BottleStack(dim=4, fmap_size=8, dim_out=8, num_layers=2, proj_factor=2, heads=2, dim_head=4)
    return model, (torch.randn(1, 4, 8, 8),)


def relative():
    model = BottleStack(
        dim=4, fmap_size=8, dim_out=8, num_layers=2, proj_factor=2, downsample=False, heads=2, dim_head=4,
        rel_pos_emb=True,
    )  # fmt: skip
    return model, (torch.randn(1, 4, 8, 8),)


def block():
    model = BottleBlock(
        dim=4, fmap_size=(8, 8), dim_out=8, proj_factor=2, downsample=True, heads=2, dim_head=4, rel_pos_emb=False,
        activation=torch.nn.ReLU(),
    )  # fmt: skip
    return model, (torch.randn(1, 4, 8, 8),)
