"""Entry points of lie-transformer-pytorch: its transformer on points in space, with a loss and with kinds of edges."""

import torch
from lie_transformer_pytorch import LieTransformer


class _Regressed(torch.nn.Module):
    """One value of each atom, from its kind and the places of all."""

    def __init__(self):
        super().__init__()
        self.network = LieTransformer(dim=8, num_tokens=5, dim_out=1, depth=2, heads=2, dim_head=4, liftsamples=2)

    def forward(self, atoms, points, mask, wanted):
        return torch.nn.functional.mse_loss(self.network(atoms, points, mask=mask).mean(1), wanted)


def regressed():
    mask, wanted = torch.ones(1, 12).bool(), torch.randn(1, 1)
    return _Regressed(), (torch.randint(5, (1, 12)), torch.randn(1, 12, 3), mask, wanted)


class _Edged(torch.nn.Module):
    """Atoms by kind, with kinds of bonds."""

    def __init__(self):
        super().__init__()
        sizes = {"dim": 8, "num_tokens": 5, "num_edge_types": 4, "edge_dim": 4, "heads": 2, "dim_head": 4}
        self.network = LieTransformer(depth=1, liftsamples=1, **sizes)

    def forward(self, atoms, points, bonds, mask):
        return self.network(atoms, points, edges=bonds, mask=mask)


def edged():
    atoms, bonds = torch.randint(5, (1, 8)), torch.randint(4, (1, 8, 8))
    return _Edged(), (atoms, torch.randn(1, 8, 3), bonds, torch.ones(1, 8).bool())
