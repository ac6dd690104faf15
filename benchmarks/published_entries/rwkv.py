"""Entry points of rwkv: its attention without and with a state, on its own weights."""

import os

import torch

os.environ["RWKV_JIT_ON"] = "0"

from rwkv.model import RWKV

WIDTH = 8


def _parameters(*shapes, scale=0.3):
    return torch.nn.ParameterList([torch.nn.Parameter(scale * torch.randn(shape)) for shape in shapes])


class _Mixing(torch.nn.Module):
    """Time mixing over a sequence from an empty state, which predicts the next features."""

    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(WIDTH)
        self.shares = torch.nn.ParameterList([torch.nn.Parameter(torch.rand(WIDTH)) for _ in range(3)])
        self.decay = torch.nn.Parameter(torch.linspace(-5, 2, WIDTH))
        self.first = torch.nn.Parameter(torch.full((WIDTH,), 0.3))
        self.weights = _parameters(*[(WIDTH, WIDTH)] * 4)

    def forward(self, x, wanted):
        zeros = torch.zeros(WIDTH)
        state = (zeros, zeros, zeros, zeros - 1e30)
        none = [None] * 16
        mixed = RWKV.att_seq(
            None, x, *state, self.norm.weight, self.norm.bias, *self.shares, -self.decay.exp(), self.first,
            *self.weights, *none,
        )  # fmt: skip
        return torch.nn.functional.mse_loss(mixed[0], wanted)


class _Channels(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(WIDTH)
        self.shares = torch.nn.ParameterList([torch.nn.Parameter(torch.rand(WIDTH)) for _ in range(2)])
        self.weights = _parameters((WIDTH, 16), (16, WIDTH), (WIDTH, WIDTH))

    def forward(self, x, wanted):
        given = RWKV.ffn_seq(
            None, x, torch.zeros(WIDTH), self.norm.weight, self.norm.bias, *self.shares, *self.weights, *[None] * 12
        )
        return torch.nn.functional.mse_loss(given[0], wanted)


def mixing():
    return _Mixing(), (torch.randn(4, WIDTH), torch.randn(4, WIDTH))


def channels():
    return _Channels(), (torch.randn(4, WIDTH), torch.randn(4, WIDTH))
