"""Standardises each series before a linear forecast."""

import torch
from torch import nn


class Forecast(nn.Module):
    def __init__(self, steps=24, horizon=6):
        super().__init__()
        self.linear = nn.Linear(steps, horizon)

    def forward(self, series):
        mean = series.mean(dim=1, keepdim=True)
        variance = (series - mean).square().mean(dim=1, keepdim=True)
        scale = torch.sqrt(variance + 1e-5)
        return self.linear((series - mean) / scale) * scale + mean


def build():
    torch.manual_seed(0)
    return Forecast(), (torch.rand(3, 24),)
