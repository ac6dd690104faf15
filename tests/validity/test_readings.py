"""The readings of one type agree: plain integers, arrays of integers, our symbolic terms, Z3 terms."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import z3
from hypothesis import given
from hypothesis import strategies as st
from instances import TORCH, Instance
from tf_instances import KERAS

from analyzer.validity.evaluator import compile_terms, largest_magnitude
from analyzer.validity.registry import spec
from analyzer.validity.solver import Translation
from analyzer.validity.spec import CheckResult, NeedsConcrete, TensorType, TypeStatus, check
from analyzer.validity.terms import (
    all_of,
    any_of,
    ceil_div,
    choose,
    equal,
    floor_div,
    is_z3,
    maximum,
    minimum,
    mod,
    negate,
    substitute,
    symbol,
)

STRUCTURAL = {"dim", "axis", "start_dim", "end_dim", "dims", "perm", "keepdim", "groups_", "axes"}


def lifted(instance: Instance, make: Any) -> tuple[list[TensorType], dict[str, Any], dict[str, int]]:
    """The instance with every size and every whole-number hyperparameter replaced by ``make(name, value)``."""
    values: dict[str, int] = {}

    def term(name: str, value: int) -> Any:
        values[name] = value
        return make(name, value)

    def replaced(name: str, value: Any) -> Any:
        if type(value) is int and name.split("[")[0] not in STRUCTURAL and value != -1:
            return term(name, value)
        if isinstance(value, tuple) and name not in STRUCTURAL and all(type(v) is int for v in value):
            return tuple(replaced(f"{name}[{i}]", v) for i, v in enumerate(value))
        return value

    operands = [
        TensorType(tuple(term(f"x{i}[{a}]", d) for a, d in enumerate(shape)), kind)
        for i, (shape, kind) in enumerate(zip(instance.shapes, instance.dtypes, strict=True))
    ]
    return operands, {k: replaced(k, v) for k, v in instance.hyperparameters.items()}, values


def evaluated(term: Any, values: Mapping[str, int]) -> Any:
    if is_z3(term):
        pairs = [(z3.Int(n), z3.IntVal(v)) for n, v in values.items()]
        simple = z3.simplify(z3.substitute(term, *pairs))
        return simple.as_long() if z3.is_int_value(simple) else z3.is_true(simple)
    if isinstance(term, np.ndarray):
        return term.reshape(-1)[0].item()
    return substitute(term, values)


def first_failure(outcome: CheckResult, values: Mapping[str, int]) -> str | None:
    """The rule that fails first when the open conditions are evaluated."""
    for requirement in outcome.requirements:
        if evaluated(requirement.condition, values) is False:
            return requirement.rule.id
    return None


@pytest.mark.parametrize("block", range(6))
def test_all_readings_agree_on_random_applications(block: int) -> None:
    compared = 0
    for seed in range(block * 250, (block + 1) * 250):
        rng = random.Random(seed)
        framework, makers_of = rng.choice((("torch", TORCH), ("torch", TORCH), ("keras", KERAS)))
        instance = rng.choice(makers_of)(rng)
        found = spec(instance.operator, framework)
        assert found is not None
        operands, hyperparameters, _ = lifted(instance, lambda _, v: v)
        plain = check(found, operands, hyperparameters)
        expected = None if plain.failure is None else plain.failure.rule.id
        makers = {
            "symbols": lambda n, _v: symbol(n),
            "arrays": lambda _n, v: np.array([v, v]),
            "z3": lambda n, _v: z3.Int(n),
        }
        for reading, make in makers.items():
            operands, hyperparameters, values = lifted(instance, make)
            try:
                outcome = check(found, operands, hyperparameters)
            except (NeedsConcrete, z3.Z3Exception):
                continue
            if outcome.status is TypeStatus.UNKNOWN:
                continue
            compared += 1
            assert first_failure(outcome, values) == expected, (reading, seed, instance)
            if expected is None and outcome.outputs:
                for ours, theirs in zip(outcome.outputs, plain.outputs, strict=True):
                    if ours.shape is not None:  # squeezing an unknown size gives an unknown rank
                        shape = tuple(evaluated(d, values) for d in ours.shape)
                        assert shape == theirs.shape, (reading, seed, instance)
    assert compared > 400


NAMES = ("a", "b", "c")


@st.composite
def terms(draw: st.DrawFn, depth: int = 4) -> Any:
    """A recipe: a function from values of the names to a term, in any reading."""
    if depth == 0 or draw(st.booleans()):
        if draw(st.booleans()):
            name = draw(st.sampled_from(NAMES))
            return lambda v: v[name]
        number = draw(st.integers(-5, 9))
        return lambda _v: number
    left, right = draw(terms(depth=depth - 1)), draw(terms(depth=depth - 1))
    kind = draw(st.sampled_from(["+", "-", "*", "//", "%", "max", "min", "ceil", "ite"]))
    match kind:
        case "+":
            return lambda v: left(v) + right(v)
        case "-":
            return lambda v: left(v) - right(v)
        case "*":
            return lambda v: left(v) * right(v)
        case "//":
            return lambda v: floor_div(left(v), right(v))
        case "%":
            return lambda v: mod(left(v), right(v))
        case "max":
            return lambda v: maximum(left(v), right(v))
        case "min":
            return lambda v: minimum(left(v), right(v))
        case "ceil":
            return lambda v: ceil_div(left(v), right(v))
    return lambda v: choose(left(v) >= right(v), left(v), right(v))


@given(terms(), terms(), st.tuples(*(st.integers(-6, 12) for _ in NAMES)))
def test_normal_forms_keep_the_meaning(left: Any, right: Any, numbers: tuple[int, ...]) -> None:
    """A term built from symbols means what the same term means on integers, in every reading."""
    values = dict(zip(NAMES, numbers, strict=True))
    symbols = {n: symbol(n, -6, 12) for n in NAMES}
    conditions = (
        lambda v: left(v) >= right(v),
        lambda v: equal(left(v), right(v)),
        lambda v: negate(equal(left(v), right(v))),
        lambda v: all_of(left(v) < right(v), v["a"] > 0),
        lambda v: any_of(equal(left(v), right(v)), negate(v["b"] >= v["c"])),
    )
    term, plain = left(symbols), left(values)
    assert substitute(term, values) == plain
    for condition in conditions:
        symbolic, concrete = condition(symbols), bool(condition(values))
        assert substitute(symbolic, values) is concrete
        arrays = {n: np.array([v], dtype=object) for n, v in values.items()}
        assert bool(np.all(compile_terms([symbolic], arrays=True)(arrays)[0])) is concrete
        assert bool(compile_terms([symbolic], arrays=False)(values)[0]) is concrete
    assert abs(plain) <= largest_magnitude([term]) or not isinstance(plain, int) or term == plain


@given(
    terms(depth=3), terms(depth=3), st.tuples(*(st.integers(1, 12) for _ in NAMES)), st.sampled_from(["div", "linear"])
)
def test_both_encodings_mean_the_same_to_z3(left: Any, right: Any, numbers: tuple[int, ...], encoding: str) -> None:
    """With all symbols fixed, Z3 finds a condition satisfiable exactly when it is true on integers."""
    values = dict(zip(NAMES, numbers, strict=True))
    symbols = {n: symbol(n, 1, 12) for n in NAMES}
    condition, truth = left(symbols) >= right(symbols), bool(left(values) >= right(values))
    translation = Translation({n: range(1, 13) for n in NAMES}, encoding)
    solver = z3.Solver()
    solver.set("timeout", 20_000)
    formula = translation.condition(condition)
    solver.add(formula, *translation.domain_facts(), *translation.definitions)
    solver.add(*(translation.variable(n) == v for n, v in values.items()))
    assert solver.check() == (z3.sat if truth else z3.unsat)


def test_chains_of_strided_layers_become_one_division() -> None:
    size = symbol("size", 1)
    term = size
    for kernel, stride in ((7, 2), (3, 2), (3, 1), (3, 2), (2, 2)):
        term = floor_div(term - kernel, stride) + 1
    assert str(term).count("/") == 1
    values = np.arange(1, 2000)
    plain = values
    for kernel, stride in ((7, 2), (3, 2), (3, 1), (3, 2), (2, 2)):
        plain = (plain - kernel) // stride + 1
    assert (substitute(term, {"size": values}) == plain).all()
    assert "/" not in str(term >= 1)


def test_products_cancel_common_positive_factors() -> None:
    n, c, h = symbol("n", 1), symbol("c", 1), symbol("h", 1)
    assert equal(n * c * (h + 1), (h + 1) * n * c) is True
    assert str(equal(n * h, 4 * n)) == "h = 4"
    assert str(equal(192 * (h - 2) * (h - 2), 192 * 17 * 17)) == "h = 19"
