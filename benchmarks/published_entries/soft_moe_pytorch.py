"""Entry points of soft-moe-pytorch: its soft experts as the only layer of a forecast."""

import torch
from soft_moe_pytorch import DynamicSlotsSoftMoE, SoftMoE


class _Forecast(torch.nn.Module):
    def __init__(self, part):
        super().__init__()
        self.first, self.part, self.last = torch.nn.Linear(3, 8), part, torch.nn.Linear(8, 1)

    def forward(self, series, wanted, mask=None):
        hidden = self.first(series)
        hidden = hidden + self.part(hidden, mask=mask)
        return torch.nn.functional.mse_loss(self.last(hidden).squeeze(-1), wanted)


def _series():
    return torch.randn(2, 6, 3), torch.randn(2, 6)


def slots():
    return _Forecast(SoftMoE(8, seq_len=6, num_experts=3, expert_mult=2)), _series()


def layer_norm():
    return _Forecast(SoftMoE(8, seq_len=6, num_experts=3, geglu=True, use_layernorm=True)), _series()


def dynamic():
    return _Forecast(DynamicSlotsSoftMoE(8, num_experts=3, expert_mult=2)), _series()


def padded():
    mask = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])
    return _Forecast(DynamicSlotsSoftMoE(8, num_experts=3, expert_mult=2)), (*_series(), mask)
