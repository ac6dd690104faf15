"""Entry points of jet-pytorch: a small normalizing flow of transformers, with its loss in bits per dimension."""

import torch
from jet_pytorch import Jet
from jet_pytorch.jet import DNN
from jet_pytorch.util import bits_per_dim


def _flow(kinds, depth):
    return Jet(
        patch_size=2,
        patch_dim=12,
        n_patches=16,
        img_dims=(8, 8),
        coupling_layers=depth,
        block_depth=1,
        block_width=8,
        num_heads=2,
        coupling_types=kinds,
        spatial_coupling_projs=("checkerboard", "checkerboard-inv"),
    )


class _Bits(torch.nn.Module):
    def __init__(self, *kinds):
        super().__init__()
        self.model = _flow(kinds, len(kinds))

    def forward(self, images):
        latents, volume = self.model(images)
        return bits_per_dim(latents, volume, 8 * 8 * 3)[0]


def channels_and_places():
    return _Bits("channels", "spatial", "channels", "spatial"), (2 * torch.rand(2, 8, 8, 3) - 1,)


class _Sampled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = _flow(("channels", "spatial", "channels", "spatial"), 4)

    def forward(self, latents):
        return self.model.inverse(latents)[0]


def sampled():
    return _Sampled(), (torch.randn(2, 16, 12),)


def scales():
    return DNN(depth=1, n_patches=8, width=8, num_heads=2, out_dim=6), (torch.randn(2, 8, 3),)
