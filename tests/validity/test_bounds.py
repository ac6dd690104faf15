"""Bounds that are decided without a solver are decided as brute force decides them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from analyzer.validity.bounds import decide_bounds
from analyzer.validity.solver import Z3Process
from analyzer.validity.terms import Cond, all_of, any_of, equal, floor_div, mod, negate, substitute, symbol

DOMAINS = st.one_of(
    st.builds(range, st.integers(-6, 3), st.integers(4, 12), st.integers(1, 4)),
    st.lists(st.integers(-6, 12), min_size=1, max_size=5, unique=True),
)


@st.composite
def bounds(draw: st.DrawFn) -> Any:
    """A recipe of thresholds and equations on x and y, joined by and, or, not."""
    pieces = []
    for _ in range(draw(st.integers(1, 4))):
        name, factor, constant = (
            draw(st.sampled_from("xy")),
            draw(st.sampled_from((-3, -1, 1, 2))),
            draw(st.integers(-9, 9)),
        )
        kind = draw(st.sampled_from((">=", "==", "div", "not")))
        pieces.append((name, factor, constant, kind))
    return draw(st.booleans()), pieces


def built(recipe: Any, values: Mapping[str, Any]) -> Any:
    both, pieces = recipe
    parts = []
    for name, factor, constant, kind in pieces:
        term = values[name] * factor + constant
        match kind:
            case ">=":
                parts.append(term >= 0)
            case "==":
                parts.append(equal(term, 0))
            case "div":
                parts.append(floor_div(term, 2) >= 1)
            case _:
                parts.append(negate(term >= 0))
    return (all_of if both else any_of)(*parts)


@given(bounds(), DOMAINS, DOMAINS)
def test_bounds_are_decided_as_by_brute_force(recipe: Any, xs: Sequence[int], ys: Sequence[int]) -> None:
    domains = {"x": xs, "y": ys}
    condition = built(recipe, {n: symbol(n, min(d), max(d)) for n, d in domains.items()})
    expected = [(x, y) for x in xs for y in ys if built(recipe, {"x": x, "y": y})]
    if not isinstance(condition, Cond):
        assert bool(condition) is (len(expected) == len(xs) * len(ys)) or not expected
        return
    found = decide_bounds(condition, domains)
    assert found is not None
    assert bool(found) == bool(expected)
    if isinstance(found, Mapping):
        whole = {n: found.get(n, d[0]) for n, d in domains.items()}
        assert all(value in domains[name] for name, value in whole.items())
        assert substitute(condition, whole) is True


def test_open_sizes_need_no_solver() -> None:
    x, y = symbol("x", 1), symbol("y", 3)
    with Z3Process() as solver:
        assert solver.satisfy([x >= 7, x <= 9, x >= 8]).model == {"x": 8}
        assert solver.satisfy([x >= 10, x <= 9]).status == "unsat"
        assert solver.satisfy([any_of(x <= 0, y <= 2)]).status == "unsat"
        assert solver._child is None
        assert solver.satisfy([equal(mod(x, 7), 3), equal(x * x, y)]).status == "sat"
        assert solver._child is not None
