"""Questions about conditions: asked in groups, small answers tried first, a solver for the rest."""

from __future__ import annotations

import random

from analyzer.tracing.paths.solver import Effort, PathSolver, connected, first_conflict, satisfiable
from analyzer.tracing.paths.witness import satisfied_by_trying
from analyzer.validity.terms import Cond, Poly, Symbol, Truth, any_of, at_least_zero, equal, floor_div, mod


def term(name: str, lo: int | None = 1) -> Poly:
    return Poly({(Symbol(name, lo),): 1})


def conditions_of(*truths: Truth) -> list[Cond]:
    return [t for t in truths if isinstance(t, Cond)]


def test_a_product_of_quotients_is_decided_without_the_solver() -> None:
    height, width, patch = term("height"), term("width"), term("patch", None)
    patches = (floor_div(height - patch, patch) + 1) * (floor_div(width - patch, patch) + 1)
    asked = [at_least_zero(patch - 1), at_least_zero(height - patch), at_least_zero(width - patch)]
    effort = Effort(left=1_000)
    assert satisfiable([*asked, any_of(equal(patches, 1), equal(patches, term("tokens")))], effort) is True
    assert satisfiable([*asked, equal(height * 2, 7)], effort) is False, "what is impossible is told from the groups"


def test_equations_are_followed_to_an_answer() -> None:
    a, b, c = term("a"), term("b"), term("c")
    assert satisfied_by_trying(conditions_of(equal(a, 640), equal(b, a * 2 + 4), equal(c * 4, b)))
    assert not satisfied_by_trying(conditions_of(equal(a, 640), equal(b, a * 2), equal(b, 1281)))


def test_what_trying_finds_the_solver_confirms() -> None:
    chance = random.Random(7)
    names = [term(name) for name in "abcd"]
    found = 0
    for _ in range(150):
        truths: list[Truth] = []
        for _ in range(chance.randint(1, 5)):
            left = chance.choice(names) * chance.randint(1, 3) + chance.randint(-4, 9)
            right = chance.choice(names) if chance.random() < 0.5 else floor_div(chance.choice(names), 2)
            kind = chance.choice((equal, lambda x, y: at_least_zero(x - y), lambda x, y: equal(mod(x, 3), y)))
            truths.append(kind(left, right))
        asked = conditions_of(*truths)
        if len(asked) == len(truths) and satisfied_by_trying(asked):
            found += 1
            assert PathSolver(asked, Effort()).check() is True
    assert found > 20


def test_groups_share_no_symbol_and_the_first_conflict_of_all_is_told() -> None:
    a, b, c, d = (term(name) for name in "abcd")
    truths: list[Truth] = [equal(a, b), at_least_zero(c - 5), equal(d, 3), equal(b, 9), equal(c, 2), equal(a, 8)]
    assert connected(truths) == [[0, 3, 5], [1, 4], [2]]
    assert satisfiable(truths) is False
    assert first_conflict(truths) == (4, [1, 4])
    assert first_conflict(truths[:4]) is None
