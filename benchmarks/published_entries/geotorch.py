"""Entry points of geotorch: layers whose weights stay on manifolds, with their loss."""

import geotorch
import torch


class _Constrained(torch.nn.Module):
    def __init__(self, constrain, **options):
        super().__init__()
        self.layer, self.head = torch.nn.Linear(6, 6), torch.nn.Linear(6, 3)
        constrain(self.layer, "weight", **options)

    def forward(self, features, labels):
        return torch.nn.functional.cross_entropy(self.head(self.layer(features).relu()), labels)


def _rows():
    return torch.randn(5, 6), torch.tensor([0, 2, 1, 1, 0])


def orthogonal():
    return _Constrained(geotorch.orthogonal), _rows()


def nearly_orthogonal():
    return _Constrained(geotorch.almost_orthogonal, lam=0.2), _rows()


def low_rank():
    return _Constrained(geotorch.low_rank, rank=2), _rows()


def fixed_rank():
    return _Constrained(geotorch.fixed_rank, rank=2), _rows()


def positive_definite():
    return _Constrained(geotorch.positive_definite), _rows()


def skew():
    return _Constrained(geotorch.skew), _rows()


class _Recurrent(torch.nn.Module):
    """A recurrent cell whose recurrent weights are orthogonal, as in the package's examples."""

    def __init__(self):
        super().__init__()
        self.cell, self.head = torch.nn.RNNCell(3, 6), torch.nn.Linear(6, 2)
        geotorch.orthogonal(self.cell, "weight_hh")

    def forward(self, steps, labels):
        hidden = torch.zeros(steps.shape[1], 6)
        with torch.nn.utils.parametrize.cached():
            for step in steps:
                hidden = self.cell(step, hidden)
        return torch.nn.functional.cross_entropy(self.head(hidden), labels)


def recurrent():
    return _Recurrent(), (torch.randn(5, 4, 3), torch.tensor([0, 1, 1, 0]))
