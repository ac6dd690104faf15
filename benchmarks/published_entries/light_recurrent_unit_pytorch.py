"""Entry points of light-recurrent-unit-pytorch: its cells, layers and blocks in small recurrent models."""

import torch
from light_recurrent_unit_pytorch.light_recurrent_unit import (
    GatedLightRecurrentUnit,
    LightRecurrentUnit,
    LightRecurrentUnitBlock,
    LightRecurrentUnitCell,
)


class _Next(torch.nn.Module):
    """The token after each of them."""

    def __init__(self, layers):
        super().__init__()
        self.embedding, self.layers, self.head = torch.nn.Embedding(20, 8), layers, torch.nn.Linear(8, 20)

    def forward(self, tokens):
        given = self.layers(self.embedding(tokens[:, :-1]))
        given = given[0] if isinstance(given, tuple) else given
        return torch.nn.functional.cross_entropy(self.head(given).transpose(1, 2), tokens[:, 1:])


def _tokens():
    return (torch.randint(0, 20, (2, 6)),)


def layers():
    return _Next(LightRecurrentUnit(8, depth=2)), _tokens()


def gated():
    return _Next(GatedLightRecurrentUnit(8, depth=2)), _tokens()


def block():
    return _Next(LightRecurrentUnitBlock(8, depth=2, has_ff_block=True)), _tokens()


class _Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.head = LightRecurrentUnitCell(8), torch.nn.Linear(8, 1)

    def forward(self, samples, hidden, wanted):
        return torch.nn.functional.mse_loss(self.head(self.cell(samples, hidden)), wanted)


def step():
    return _Step(), (torch.randn(4, 8), torch.randn(4, 8), torch.randn(4, 1))
