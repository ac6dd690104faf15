"""Entry points of metnet3-pytorch: its attentions and its vision transformer as the only part of a network."""

import sys
import typing
from unittest.mock import MagicMock

import torch

sys.modules["beartype"] = MagicMock(beartype=lambda function: function)  # types that are checked, not needed here
sys.modules["beartype.typing"] = typing

from metnet3_pytorch.metnet3_pytorch import MaxViT, MetNet3, ResnetBlocks, XCAttention  # noqa: E402


class _Part(torch.nn.Module):
    def __init__(self, part):
        super().__init__()
        self.part, self.embedding = part, torch.nn.Embedding(4, 6)

    def forward(self, weather, lead_times, wanted):
        return torch.nn.functional.mse_loss(self.part(weather, cond=self.embedding(lead_times)), wanted)


class _Forecast(torch.nn.Module):
    """The package's network, with its losses of all three kinds."""

    def __init__(self):
        super().__init__()
        sizes = {"num_lead_times": 4, "lead_time_embed_dim": 6, "input_spatial_size": 32, "attn_depth": 1}
        heads = {"attn_dim_head": 4, "attn_heads": 2, "vit_window_size": 4, "crop_size_post_16km": 4}
        inputs = {"input_2496_channels": 2, "input_4996_channels": 2, "hrrr_channels": 3}
        targets = {"precipitation_target_bins": {"rate": 5}, "surface_target_bins": {"temperature": 4}}
        self.model = MetNet3(
            dim=8, surface_and_hrrr_target_spatial_size=8, resnet_block_depth=1, **sizes, **heads, **inputs, **targets
        )

    def forward(self, lead_times, state, stale, fine, coarse, temperature, rate, target):
        total, _ = self.model(
            lead_times=lead_times,
            hrrr_input_2496=state,
            hrrr_stale_state=stale,
            input_2496=fine,
            input_4996=coarse,
            surface_targets={"temperature": temperature},
            precipitation_targets={"rate": rate},
            hrrr_target=target,
        )
        return total


def _part(part, wanted):
    return _Part(part), (torch.randn(2, 8, 8, 8), torch.randint(4, (2,)), wanted)


def attention():
    return _part(XCAttention(dim=8, cond_dim=6, dim_head=4, heads=2), torch.randn(2, 8, 8, 8))


def convolutions():
    return _part(ResnetBlocks(dim=8, dim_in=8, cond_dim=6, depth=1), torch.randn(2, 8, 8, 8))


def vision():
    part = MaxViT(dim=8, depth=(1, 1), cond_dim=6, heads=2, dim_head=4, window_size=2, num_register_tokens=2)
    return _Part(part), (torch.randn(2, 8, 4, 4), torch.randint(4, (2,)), torch.randn(2, 16, 2, 2))


def forecast():
    maps = [torch.randn(1, channels, 32, 32) for channels in (3, 1, 2, 2)]
    labels = torch.randint(4, (1, 8, 8)), torch.randint(5, (1, 32, 32))
    return _Forecast(), (torch.randint(4, (1,)), *maps, *labels, torch.randn(1, 3, 8, 8))
