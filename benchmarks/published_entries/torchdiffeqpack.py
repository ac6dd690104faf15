"""Entry points of torchdiffeqpack: classifiers behind its solvers of fixed steps and of the second order."""

import torch
from TorchDiffEqPack import odesolve


class _Derivative(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 4))

    def forward(self, time, state):
        return self.layers(state)


class _Classified(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.derivative, self.head = _Derivative(), torch.nn.Linear(4, 3)
        self.options = {"h": 0.25, "t0": 0.0, "t1": 1.0, "neval_max": 1000, **options}

    def forward(self, states, labels):
        ended = odesolve(self.derivative, states, options=self.options)
        return torch.nn.functional.cross_entropy(self.head(ended), labels)


def _states():
    return torch.randn(4, 4), torch.tensor([0, 2, 1, 1])


def euler():
    return _Classified(method="Euler"), _states()


def runge_kutta():
    return _Classified(method="RK4"), _states()


def adaptive():
    return _Classified(method="Dopri5", rtol=1e-3, atol=1e-4, h=None), _states()
