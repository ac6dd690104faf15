"""Entry points of ncon-torch: networks of tensors contracted with a state, as matrix product states are."""

import torch
from ncon_torch import ncon


class _Product(torch.nn.Module):
    """A matrix product state of three sites, and the amplitude of features at each."""

    def __init__(self, bond=3, physical=2):
        super().__init__()
        self.first = torch.nn.Parameter(torch.randn(physical, bond))
        self.middle = torch.nn.Parameter(torch.randn(bond, physical, bond))
        self.last = torch.nn.Parameter(torch.randn(bond, physical))

    def forward(self, first, middle, last):
        tensors = [self.first, self.middle, self.last, first, middle, last]
        return ncon(tensors, [[3, 1], [1, 4, 2], [2, 5], [3], [4], [5]])


class _Norm(torch.nn.Module):
    """The logarithm of the norm of a matrix product state, contracted with itself."""

    def __init__(self, bond=3, physical=2):
        super().__init__()
        self.first = torch.nn.Parameter(torch.randn(physical, bond))
        self.last = torch.nn.Parameter(torch.randn(bond, physical))

    def forward(self, middle):
        tensors = [self.first, middle, self.last, self.first, middle, self.last]
        legs = [[1, 2], [2, 3, 4], [4, 6], [1, 5], [5, 3, 7], [7, 6]]
        return torch.log(ncon(tensors, legs, order=[1, 2, 5, 3, 4, 7, 6]))


class _Bilinear(torch.nn.Module):
    """A batch of two vectors through a tensor of three legs."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(5, 4, 3))

    def forward(self, first, second):
        return torch.stack([ncon([self.weight, a, b], [[1, 2, -1], [1], [2]]) for a, b in zip(first, second)])  # noqa: B905


class _Traced(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(4, 4))

    def forward(self, x):
        return ncon([self.weight, x, x], [[1, 2], [2, 3], [3, 1]])


class _Outer(torch.nn.Module):
    """Tensors that share no leg."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(3, 4))

    def forward(self, x, y):
        return ncon([self.weight, x, y], [[-1, 1], [1, -2], [-3]])


def matrix_product():
    return _Product(), (torch.randn(2), torch.randn(2), torch.randn(2))


def norm():
    return _Norm(), (torch.randn(3, 2, 3),)


def bilinear():
    return _Bilinear(), (torch.randn(2, 5), torch.randn(2, 4))


def trace():
    return _Traced(), (torch.randn(4, 4),)


def outer():
    return _Outer(), (torch.randn(4, 2), torch.randn(3))
