"""Entry points of deep-linear-network: its products of matrices, while they are trained and once they are kept."""

import torch
from deep_linear_network import DeepLinear


class _Trained(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = DeepLinear(6, 8, 8, 3)

    def forward(self, x, labels):
        return torch.nn.functional.cross_entropy(self.net(x), labels)


def classifier():
    return _Trained(), (torch.randn(4, 6), torch.tensor([0, 2, 1, 1]))


def kept_product():
    return DeepLinear(6, 8, 4).eval(), (torch.randn(2, 5, 6),)


class _Factorised(torch.nn.Module):
    """The missing values of a matrix from a deep factorisation."""

    def __init__(self):
        super().__init__()
        self.net = DeepLinear(6, 6, 6, 5)

    def forward(self, values, known):
        filled = self.net(torch.eye(6))
        return ((filled - values).square() * known).sum() / known.sum(), filled


def completed_matrix():
    return _Factorised(), (torch.randn(6, 5), (torch.rand(6, 5) > 0.4).float())
