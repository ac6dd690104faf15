"""Entry points of akita-torch: its layers from letters of a genome to maps of contacts, in small, with losses."""

import torch
from akita_torch.nn.block import (
    AkitaConvBlock1D,
    AkitaConvBlock2D,
    AkitaConvTower1D,
    AkitaDialatedResidualBlock1D,
    AkitaDialatedResidualBlock2D,
)
from akita_torch.nn.module import ConcatDist2D, Cropping2D, FFNForUpperTri, OneToTwo, UpperTri

COMMON = {"norm_type": "batch", "bn_momentum": 0.9265}


def _trunk(pool_type="max"):
    return torch.nn.Sequential(
        AkitaConvBlock1D(4, 8, kernel_size=11, pool_size=2, pool_type=pool_type, **COMMON),
        AkitaConvTower1D(8, 8, out_dim_mult=1, kernel_size=5, pool_size=2, repeat=2, **COMMON),
        AkitaDialatedResidualBlock1D(8, 4, rate_mult=1.75, repeat=2, dropout=0.4, **COMMON),
    )


def _head(operation):
    size = 17 if operation == "concat" else 9
    return torch.nn.Sequential(
        OneToTwo(operation=operation),
        ConcatDist2D(),
        AkitaConvBlock2D(size, 6, kernel_size=3, symmetric=True, **COMMON),
        AkitaDialatedResidualBlock2D(6, 3, kernel_size=3, rate_mult=1.75, repeat=2, dropout=0.1, **COMMON),
        Cropping2D(1),
        UpperTri(2),
        FFNForUpperTri(6, 2),
    )


class _Contacts(torch.nn.Module):
    def __init__(self, operation):
        super().__init__()
        self.trunk, self.head = _trunk(), _head(operation)

    def forward(self, letters, contacts):
        return torch.nn.functional.mse_loss(self.head(self.trunk(letters.transpose(1, 2))), contacts)


def _letters():
    """Letters of a genome, each one of four, and its contacts in two kinds of cells."""
    letters = torch.nn.functional.one_hot(torch.randint(4, (1, 80)), 4).float()
    return letters, torch.randn(1, 21, 2)


def contacts():
    return _Contacts("mean"), _letters()


def contacts_of_products():
    return _Contacts("multiply1"), _letters()


def contacts_of_pairs():
    return _Contacts("concat"), _letters()


class _Tracks(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk, self.head = _trunk(), torch.nn.Conv1d(8, 2, 1)

    def forward(self, letters, counts):
        expected = torch.nn.functional.softplus(self.head(self.trunk(letters.transpose(1, 2))))
        return torch.nn.functional.poisson_nll_loss(expected, counts, log_input=False)


def tracks():
    return _Tracks(), (_letters()[0], torch.poisson(torch.full((1, 2, 10), 3.0)))
