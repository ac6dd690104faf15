"""Entry points of torchbiggraph: scores of edges by its operators and comparators, with its losses."""

import sys
import types

import torch

# The package asks its installer for its own version on import; its model does without that.
_package = sys.modules["torchbiggraph"] = types.ModuleType("torchbiggraph")
_package.__path__ = ["torchbiggraph"]

from torchbiggraph.losses import LogisticLossFunction, RankingLossFunction, SoftmaxLossFunction  # noqa: E402
from torchbiggraph.model import (  # noqa: E402
    AffineOperator,
    BiasedComparator,
    ComplexDiagonalDynamicOperator,
    ComplexDiagonalOperator,
    CosComparator,
    DiagonalOperator,
    DotComparator,
    L2Comparator,
    LinearDynamicOperator,
    SquaredL2Comparator,
    TranslationOperator,
)


class _Edges(torch.nn.Module):
    """Entities in an embedding; edges among them against chunks of sampled ones."""

    def __init__(self, operator, comparator, loss):
        super().__init__()
        self.entities = torch.nn.Embedding(12, 6)
        self.operator, self.comparator, self.loss = operator, comparator, loss

    def forward(self, left, right, sampled, *relations):
        first = self.comparator.prepare(self.entities(left))
        second = self.comparator.prepare(self.operator(self.entities(right), *relations))
        others = self.comparator.prepare(self.entities(sampled))
        positive, negative, _ = self.comparator(
            first.unsqueeze(0), second.unsqueeze(0), others.unsqueeze(0), others.unsqueeze(0)
        )
        return self.loss(positive.flatten(), negative.flatten(0, 1))


def _ids():
    return torch.randint(12, (4,)), torch.randint(12, (4,)), torch.randint(12, (5,))


def translated_cosine():
    return _Edges(TranslationOperator(6), CosComparator(), RankingLossFunction(0.1)), _ids()


def complex_dot():
    return _Edges(ComplexDiagonalOperator(6), DotComparator(), SoftmaxLossFunction()), _ids()


def affine_distance():
    return _Edges(AffineOperator(6), L2Comparator(), LogisticLossFunction()), _ids()


def diagonal_squared_distance():
    return _Edges(DiagonalOperator(6), SquaredL2Comparator(), SoftmaxLossFunction()), _ids()


def relations_biased():
    operator = ComplexDiagonalDynamicOperator(6, 3)
    comparator = BiasedComparator(DotComparator())
    return _Edges(operator, comparator, LogisticLossFunction()), (*_ids(), torch.tensor([0, 2, 1, 1]))


def relations_linear():
    operator = LinearDynamicOperator(6, 3)
    return _Edges(operator, CosComparator(), SoftmaxLossFunction()), (*_ids(), torch.tensor([0, 2, 1, 1]))
