"""Entry points of predicateneuron: its layers of logic between features, as in its README, with their loss."""

import torch
from predicateneuron.torch import MinimalJointPredicateLayer, MinimalPredicateLayer, PredicateLayer


class _Marked(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.model = torch.nn.Sequential(*layers, torch.nn.Sigmoid())

    def forward(self, rows, marks):
        return torch.nn.functional.binary_cross_entropy(self.model(rows), marks)


def _rows():
    return torch.rand(5, 8), torch.tensor([[1.0], [0.0], [0.0], [1.0], [1.0]])


def pairs():
    return _Marked(PredicateLayer(in_features=8, temperature=0.06, theta_init=0.5), torch.nn.Linear(28, 1)), _rows()


def disjoint_pairs():
    layers = torch.nn.Linear(8, 16), torch.nn.Sigmoid(), MinimalPredicateLayer(16), MinimalPredicateLayer(8)
    return _Marked(*layers, torch.nn.Linear(4, 1)), _rows()


def circular_pairs():
    return _Marked(MinimalJointPredicateLayer(8, hard_forward=True), torch.nn.Linear(8, 1)), _rows()
