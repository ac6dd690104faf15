"""Entry points of rotary-spatial-embeddings: places in space turned into rotations, and attention of what they turn."""

import torch
from RoSE import RoSEMultiHeadCrossAttention, RotarySpatialEmbedding


class _Placed(torch.nn.Module):
    """Grids are settings of the call, as in its README."""

    def __init__(self, layer, spacing, shape):
        super().__init__()
        self.layer, self.spacing, self.shape = layer, spacing, shape

    def forward(self, *tokens):
        return self.layer(*tokens, self.spacing, self.shape)


def embedded():
    layer = RotarySpatialEmbedding(feature_dims=16, num_heads=2, spatial_dims=2, rotary_ratio=0.5, learnable=False)
    return _Placed(layer, (0.5, 0.5), (3, 4)), (torch.randn(2, 12, 16),)


def learned():
    layer = RotarySpatialEmbedding(feature_dims=16, num_heads=2, spatial_dims=2, learnable=True, learnable_scale=True)
    return _Placed(layer, (0.5, 0.5), (3, 4)), (torch.randn(2, 12, 16),)


def attention():
    layer = RoSEMultiHeadCrossAttention(feature_dims=16, num_heads=2, spatial_dims=3, learnable=True)
    return _Placed(layer, (1.0, 1.0, 1.0), (2, 2, 2)), (torch.randn(2, 8, 16), torch.randn(2, 8, 16))
