"""Entry points of infairness: training against the worst case among like individuals, as in its README."""

import sys
from unittest.mock import MagicMock

import torch

WANTING = {"sklearn", "sklearn.decomposition", "sklearn.linear_model", "ot"} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # what finds directions in data, which nothing here needs

from inFairness.distances import (  # noqa: E402
    ProtectedEuclideanDistance,
    SensitiveSubspaceDistance,
    SquaredEuclideanDistance,
)
from inFairness.fairalgo import SenSeI, SenSR  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


def _network():
    return torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.ReLU(), torch.nn.Linear(12, 2))


def _rows():
    return torch.randn(8, 6), torch.randint(2, (8,))


class _Trained(torch.nn.Module):
    def __init__(self, algorithm):
        super().__init__()
        self.algorithm = algorithm

    def forward(self, rows, classes):
        return self.algorithm(rows, classes).loss


def _like(sensitive=2):
    distance = SensitiveSubspaceDistance()
    distance.fit(torch.linalg.qr(torch.randn(6, sensitive))[0])
    return distance


def worst_cases_by_results():
    apart = SquaredEuclideanDistance()
    apart.fit(num_dims=2)
    settings = {"rho": 5.0, "eps": 0.1, "auditor_nsteps": 5, "auditor_lr": 1e-3}
    return _Trained(SenSeI(_network(), _like(), apart, torch.nn.functional.cross_entropy, **settings)), _rows()


def worst_cases_by_loss():
    settings = {"eps": 0.1, "lr_lamb": 1.0, "lr_param": 1.0, "auditor_nsteps": 5, "auditor_lr": 1e-3}
    return _Trained(SenSR(_network(), _like(), torch.nn.functional.cross_entropy, **settings)), _rows()


class _Apart(torch.nn.Module):
    """Distances of what a layer makes of pairs, without the attributes that are protected."""

    def __init__(self):
        super().__init__()
        self.layer, self.distance = torch.nn.Linear(6, 6), ProtectedEuclideanDistance()
        self.distance.fit([1, 4], 6)

    def forward(self, first, second):
        return self.distance(self.layer(first), self.layer(second)).mean()


def protected():
    return _Apart(), (torch.randn(5, 6), torch.randn(5, 6))
