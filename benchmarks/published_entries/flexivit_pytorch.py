"""Entry points of flexivit-pytorch: patches of several sizes from one kernel, resized by two rules."""

import sys
import types

import torch

_package = sys.modules["flexivit_pytorch"] = types.ModuleType("flexivit_pytorch")
_package.__path__ = ["flexivit_pytorch"]

from flexivit_pytorch.patch_embed import (  # noqa: E402
    FlexiPatchEmbed,
    interpolate_resize_patch_embed,
    pi_resize_patch_embed,
)
from flexivit_pytorch.utils import resize_abs_pos_embed  # noqa: E402


class _Patches(torch.nn.Module):
    """Patches of one size with their places, pooled for classes."""

    def __init__(self, size):
        super().__init__()
        self.patches = FlexiPatchEmbed(img_size=24, patch_size=8, grid_size=3, embed_dim=8, patch_size_seq=(4, 6, 8))
        self.places = torch.nn.Parameter(0.02 * torch.randn(1, 9, 8))
        self.head, self.size = torch.nn.Linear(8, 5), size

    def forward(self, images, labels):
        x = self.patches(images, self.size)
        count = 24 // self.size
        x = x + resize_abs_pos_embed(self.places, (count, count), 3, num_prefix_tokens=0)
        return torch.nn.functional.cross_entropy(self.head(x.mean(1)), labels)


def _entry(size):
    return _Patches(size), (torch.rand(2, 3, 24, 24), torch.tensor([3, 0]))


def base_size():
    return _entry(8)


def smaller():
    return _entry(4)


class _Resized(torch.nn.Module):
    def __init__(self, resize):
        super().__init__()
        self.kernel, self.resize = torch.nn.Parameter(0.1 * torch.randn(4, 3, 8, 8)), resize

    def forward(self, images):
        return torch.nn.functional.conv2d(images, self.resize(self.kernel, (6, 6)), stride=6)


def pseudo_inverse():
    return _Resized(pi_resize_patch_embed), (torch.rand(2, 3, 24, 24),)


def interpolated():
    return _Resized(interpolate_resize_patch_embed), (torch.rand(2, 3, 24, 24),)
