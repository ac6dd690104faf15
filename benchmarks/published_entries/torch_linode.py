"""Entry points of torch-linode: linear systems whose matrix is learned, solved by its integrators."""

import torch
from torch_linode.solvers import odeint


class _System(torch.nn.Module):
    def __init__(self, forced=False):
        super().__init__()
        self.A, self.forced = torch.nn.Parameter(torch.randn(2, 2)), forced

    def forward(self, t):
        shape = (*t.shape, 2)
        matrix = self.A.view(*((1,) * t.ndim), 2, 2).expand(*shape, 2)
        return (matrix, torch.sin(t).unsqueeze(-1).expand(shape)) if self.forced else matrix


class _Fitted(torch.nn.Module):
    """The squared distance of a trajectory from what was observed."""

    def __init__(self, system, **options):
        super().__init__()
        self.system, self.options = system, {"rtol": 1e-3, "atol": 1e-4, **options}

    def forward(self, start, times, observed):
        return torch.mean((odeint(self.system, start, times, **self.options) - observed) ** 2)


def _observed():
    return torch.randn(3, 2), torch.linspace(0, 1, 4), torch.randn(3, 4, 2)


def magnus():
    return _Fitted(_System()), _observed()


def magnus_of_second_order():
    return _Fitted(_System(), order=2), _observed()


def forced():
    return _Fitted(_System(forced=True)), _observed()
