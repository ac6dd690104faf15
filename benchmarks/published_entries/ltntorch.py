"""Entry points of ltntorch: how far what a network says satisfies formulas, which its training brings to 1."""

import ltn
import torch


def _predicate(inputs, outputs=1):
    layers = torch.nn.Linear(inputs, 8), torch.nn.ELU(), torch.nn.Linear(8, outputs), torch.nn.Sigmoid()
    return torch.nn.Sequential(*layers)


class _Binary(torch.nn.Module):
    """Every point of one set is in the class, none of the other is."""

    def __init__(self, p=2):
        super().__init__()
        self.network = _predicate(2)
        self.holds = ltn.Predicate(self.network)
        self.no = ltn.Connective(ltn.fuzzy_ops.NotStandard())
        self.all = ltn.Quantifier(ltn.fuzzy_ops.AggregPMeanError(p=p), quantifier="f")
        self.satisfied = ltn.fuzzy_ops.SatAgg()

    def forward(self, inside, outside):
        a, b = ltn.Variable("a", inside), ltn.Variable("b", outside)
        return 1.0 - self.satisfied(self.all(a, self.holds(a)), self.all(b, self.no(self.holds(b))))


def classes():
    return _Binary(), (torch.rand(6, 2), torch.rand(5, 2))


def strict_classes():
    return _Binary(p=6), (torch.rand(6, 2), torch.rand(5, 2))


class _Related(torch.nn.Module):
    """Who is a friend of a smoker smokes; everybody has a friend."""

    def __init__(self, implies, conjunction):
        super().__init__()
        self.smoker, self.friends = _predicate(3), _Pair()
        self.smokes, self.friend = ltn.Predicate(self.smoker), ltn.Predicate(self.friends)
        self.implies, self.both = ltn.Connective(implies), ltn.Connective(conjunction)
        self.all = ltn.Quantifier(ltn.fuzzy_ops.AggregPMeanError(p=2), quantifier="f")
        self.some = ltn.Quantifier(ltn.fuzzy_ops.AggregPMean(p=5), quantifier="e")
        self.satisfied = ltn.fuzzy_ops.SatAgg()

    def forward(self, people):
        x, y = ltn.Variable("x", people), ltn.Variable("y", people)
        spreads = self.implies(self.both(self.friend(x, y), self.smokes(x)), self.smokes(y))
        return 1.0 - self.satisfied(self.all([x, y], spreads), self.all(x, self.some(y, self.friend(x, y))))


class _Pair(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network = _predicate(6)

    def forward(self, one, other):
        return self.network(torch.cat([one, other], dim=1))


def relations():
    return _Related(ltn.fuzzy_ops.ImpliesReichenbach(), ltn.fuzzy_ops.AndProd()), (torch.randn(5, 3),)


def relations_by_quotient():
    return _Related(ltn.fuzzy_ops.ImpliesGoguen(), ltn.fuzzy_ops.AndProd()), (torch.randn(5, 3),)


def relations_by_bounds():
    return _Related(ltn.fuzzy_ops.ImpliesLuk(), ltn.fuzzy_ops.AndLuk()), (torch.randn(5, 3),)


class _Operators(torch.nn.Module):
    """The operators by themselves, on what a layer says."""

    def __init__(self):
        super().__init__()
        self.network = _predicate(3, 4)
        self.some, self.all = ltn.fuzzy_ops.AggregPMean(p=2), ltn.fuzzy_ops.AggregPMeanError(p=2)
        self.either, self.same = ltn.fuzzy_ops.OrProbSum(), ltn.fuzzy_ops.ImpliesGodel()

    def forward(self, x, present):
        said = self.network(x)
        likely = self.all(self.either(said, said.flip(1)), dim=1, mask=present)
        return self.some(self.same(likely, said.mean(1)), dim=0)


def operators():
    present = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0], [1, 1, 1, 0]]).bool()
    return _Operators(), (torch.randn(3, 3), present)
