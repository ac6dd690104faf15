"""Entry points of xitorch: its roots, equilibria and matrices inside small models."""

import torch
from xitorch import LinearOperator
from xitorch.interpolate import Interp1D
from xitorch.linalg import solve, symeig
from xitorch.optimize import equilibrium, rootfinder


class _Root(torch.nn.Module):
    """As the example of its README: the root of a function of a matrix that is learned."""

    def __init__(self):
        super().__init__()
        self.matrix = torch.nn.Parameter(torch.tensor([[1.1, 0.4], [0.3, 0.8]]))

    def forward(self, start, wanted):
        def function(y, matrix):
            return torch.tanh(matrix @ y + 0.1) + y / 2.0

        return (rootfinder(function, start, params=(self.matrix,)) - wanted).square().sum()


def root():
    return _Root(), (torch.zeros(2, 1), torch.zeros(2, 1))


class _Equilibrium(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.matrix = torch.nn.Parameter(0.3 * torch.randn(3, 3))

    def forward(self, start, wanted):
        given = equilibrium(lambda y, matrix: torch.tanh(matrix @ y + 0.1), start, params=(self.matrix,))
        return (given - wanted).square().sum()


def settled():
    return _Equilibrium(), (torch.zeros(3, 1), torch.zeros(3, 1))


class _Solved(torch.nn.Module):
    """A system of equations, positive by how its matrix is made."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 9)

    def forward(self, samples, right, wanted):
        roots = self.layer(samples).view(-1, 3, 3)
        matrix = roots @ roots.transpose(-2, -1) + 0.5 * torch.eye(3)
        given = solve(LinearOperator.m(matrix, is_hermitian=True), right, method="exactsolve")
        return torch.nn.functional.mse_loss(given, wanted)


def solved():
    return _Solved(), (torch.randn(2, 4), torch.randn(2, 3, 1), torch.randn(2, 3, 1))


class _Levels(torch.nn.Module):
    """The lowest levels of a symmetric matrix."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 9)

    def forward(self, samples, wanted):
        roots = self.layer(samples).view(-1, 3, 3)
        operator = LinearOperator.m(roots + roots.transpose(-2, -1), is_hermitian=True)
        levels, _ = symeig(operator, neig=2, method="exacteig")
        return torch.nn.functional.mse_loss(levels, wanted)


def levels():
    return _Levels(), (torch.randn(2, 4), torch.randn(2, 2))


class _Interpolated(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 6)

    def forward(self, samples, places, wanted):
        curve = Interp1D(torch.linspace(0, 1, 6), self.layer(samples), method="cspline")
        return torch.nn.functional.mse_loss(curve(places), wanted)


def interpolated():
    return _Interpolated(), (torch.randn(2, 4), torch.tensor([0.1, 0.35, 0.8]), torch.randn(2, 3))
