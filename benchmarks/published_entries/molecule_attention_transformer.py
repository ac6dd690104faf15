"""Entry points of molecule-attention-transformer: its network over atoms, bonds and distances, with a loss."""

import torch
from molecule_attention_transformer import MAT

SIZES = {"dim_in": 5, "model_dim": 16, "dim_out": 1, "depth": 2, "heads": 2}


class _Property(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model = MAT(**SIZES, **options)

    def forward(self, atoms, present, bonds, distances, targets):
        predicted = self.model(atoms, mask=present, adjacency_mat=bonds, distance_mat=distances)
        return torch.nn.functional.mse_loss(predicted, targets)


def _molecules():
    points = torch.randn(2, 6, 3)
    bonds = (torch.rand(2, 6, 6) > 0.5).float()
    present = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])
    return torch.randn(2, 6, 5), present, bonds, torch.cdist(points, points), torch.randn(2, 1)


def trained():
    return _Property(Lg=0.5, Ld=0.5, La=1), _molecules()


def trained_by_relative_distances():
    return _Property(dist_kernel_fn="softmax"), _molecules()


class _Bonds(torch.nn.Module):
    """From atoms and their bonds alone."""

    def __init__(self):
        super().__init__()
        self.model = MAT(**SIZES)

    def forward(self, atoms, bonds):
        return self.model(atoms, adjacency_mat=bonds)


def bonds():
    return _Bonds(), (torch.randn(2, 6, 5), (torch.rand(2, 6, 6) > 0.5).float())
