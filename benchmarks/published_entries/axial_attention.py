"""Entry points of axial-attention: a small transformer of images."""

import torch
from axial_attention import AxialImageTransformer


def image_transformer():
    return AxialImageTransformer(dim=8, depth=1, heads=2, reversible=False), (torch.randn(1, 8, 6, 6),)
