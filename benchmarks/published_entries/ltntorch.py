"""Entry points of ltntorch: predicates of a layer, trained on the satisfaction of fuzzy formulas."""

import ltn
import torch
from ltn import fuzzy_ops


class _Predicates(torch.nn.Module):
    """How much three formulas over two classes hold, as a loss; by connectives and aggregation of a kind."""

    def __init__(self, conjunction, disjunction, implication, forall):
        super().__init__()
        self.layer, self.negation = torch.nn.Linear(6, 2), fuzzy_ops.NotStandard()
        self.operators, self.forall = (conjunction, disjunction, implication), forall

    def forward(self, features, labels):
        first, second = torch.sigmoid(self.layer(features)).unbind(-1)
        conjunction, disjunction, implication = self.operators
        wanted = implication(labels, first)
        held = wanted, disjunction(first, second), self.negation(conjunction(first, second))
        return 1.0 - torch.stack([self.forall(formula, dim=0) for formula in held]).mean()


class _Quantified(torch.nn.Module):
    """The binary classifier of the package's documentation: forall over positives and over negatives."""

    def __init__(self, p=2):
        super().__init__()
        network = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ELU(), torch.nn.Linear(8, 1), torch.nn.Sigmoid())
        self.predicate = ltn.Predicate(network)
        self.negation = ltn.Connective(fuzzy_ops.NotStandard())
        self.forall = ltn.Quantifier(fuzzy_ops.AggregPMeanError(p=p), quantifier="f")
        self.satisfied = fuzzy_ops.SatAgg()

    def forward(self, positives, negatives):
        positives, negatives = ltn.Variable("positives", positives), ltn.Variable("negatives", negatives)
        return 1.0 - self.satisfied(
            self.forall(positives, self.predicate(positives)),
            self.forall(negatives, self.negation(self.predicate(negatives))),
        )


def _labelled():
    return torch.randn(8, 6), torch.tensor([0.0, 1, 1, 0, 1, 0, 0, 1])


def product():
    operators = fuzzy_ops.AndProd(), fuzzy_ops.OrProbSum(), fuzzy_ops.ImpliesReichenbach()
    return _Predicates(*operators, fuzzy_ops.AggregPMeanError(p=2)), _labelled()


def product_plain():
    operators = (op(stable=False) for op in (fuzzy_ops.AndProd, fuzzy_ops.OrProbSum, fuzzy_ops.ImpliesReichenbach))
    return _Predicates(*operators, fuzzy_ops.AggregPMeanError(p=4, stable=False)), _labelled()


def goguen():
    operators = fuzzy_ops.AndProd(), fuzzy_ops.OrProbSum(), fuzzy_ops.ImpliesGoguen()
    return _Predicates(*operators, fuzzy_ops.AggregPMean(p=2)), _labelled()


def lukasiewicz():
    operators = fuzzy_ops.AndLuk(), fuzzy_ops.OrLuk(), fuzzy_ops.ImpliesLuk()
    return _Predicates(*operators, fuzzy_ops.AggregMean()), _labelled()


def godel():
    operators = fuzzy_ops.AndMin(), fuzzy_ops.OrMax(), fuzzy_ops.ImpliesGodel()
    return _Predicates(*operators, fuzzy_ops.AggregMin()), _labelled()


def binary_classification():
    return _Quantified(), (torch.randn(5, 6), torch.randn(4, 6))


def binary_classification_strict():
    return _Quantified(p=6), (torch.randn(5, 6), torch.randn(4, 6))
