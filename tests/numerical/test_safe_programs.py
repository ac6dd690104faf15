"""Programs that are written safely: each is proved safe, runs of it never fail, and a careless twin is flagged.

Runs on ONNX Runtime at corners and inside the ranges back the claim that the safe ones are safe; that the careless ones
fail somewhere is shown by a run as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from build import Builder, rules
from operator_catalogue import Operand
from programs import session
from sampling import samples

Program = Callable[[Builder, str, str, str], str]
AXIS = 1


@dataclass(frozen=True)
class Case:
    """`safe` and `careless` build the result from x, y and z of shape (6, 4) in [-limit, limit] (or [low, limit])."""

    name: str
    safe: Program
    careless: Program
    limit: float = 100.0
    low: float | None = None
    witness: tuple[Any, ...] = ()  # values of x (and y, z) at which the careless twin fails


def k(b: Builder, value: Any) -> str:
    return b.const(value)


def last(b: Builder) -> str:
    return b.const([AXIS], np.int64)


def reduce(b: Builder, op: str, x: str) -> str:
    return str(b.op(op, x, last(b)))


def shifted(b: Builder, x: str) -> str:
    return str(b.op("Sub", x, reduce(b, "ReduceMax", x)))


def softmax(b: Builder, x: str) -> str:
    e = b.op("Exp", x)
    return str(b.op("Div", e, reduce(b, "ReduceSum", e)))


def log_sum_exp(b: Builder, x: str, m: str | None) -> str:
    e = b.op("Exp", b.op("Sub", x, m) if m else x)
    return str(b.op("Log", reduce(b, "ReduceSum", e)))


def log_add_exp(b: Builder, x: str, y: str, m: str) -> str:
    return str(b.op("Log", b.op("Add", b.op("Exp", b.op("Sub", x, m)), b.op("Exp", b.op("Sub", y, m)))))


def away_from_zero(b: Builder, d: str, compare: str, eps: float, replacement: float) -> str:
    small = b.op(compare, b.op("Abs", d), k(b, eps))
    return str(b.op("Reciprocal", b.op("Where", small, k(b, replacement), d)))


def difference(b: Builder, x: str, y: str) -> str:
    return str(b.op("Sub", x, y))


def standardised(b: Builder, x: str, eps: float) -> str:
    centred = b.op("Sub", x, reduce(b, "ReduceMean", x))
    variance = reduce(b, "ReduceMean", b.op("Mul", centred, centred))
    return str(b.op("Div", centred, b.op("Sqrt", b.op("Add", variance, k(b, eps)))))


def cosine(b: Builder, x: str, y: str, guard: bool) -> str:
    dot = reduce(b, "ReduceSum", b.op("Mul", x, y))
    norms = b.op("Mul", reduce(b, "ReduceL2", x), reduce(b, "ReduceL2", y))
    return str(b.op("Div", dot, b.op("Max", norms, k(b, 1e-8)) if guard else norms))


def signed(b: Builder, d: str, eps: float) -> str:
    positive = b.op("GreaterOrEqual", d, k(b, 0.0))
    away = b.op("Where", positive, b.op("Max", d, k(b, eps)), b.op("Min", d, k(b, -eps)))
    return str(b.op("Reciprocal", away))


def stable_sigmoid(b: Builder, x: str) -> str:
    e = b.op("Exp", b.op("Neg", b.op("Abs", x)))
    one = b.op("Add", k(b, 1.0), e)
    return str(b.op("Where", b.op("GreaterOrEqual", x, k(b, 0.0)), b.op("Div", k(b, 1.0), one), b.op("Div", e, one)))


def naive_sigmoid(b: Builder, x: str) -> str:
    e = b.op("Exp", x)
    return str(b.op("Div", e, b.op("Add", k(b, 1.0), e)))


def min_max(b: Builder, x: str, eps: float) -> str:
    low, high = reduce(b, "ReduceMin", x), reduce(b, "ReduceMax", x)
    return str(b.op("Div", b.op("Sub", x, low), b.op("Add", b.op("Sub", high, low), k(b, eps))))


def both_positive(b: Builder, x: str, y: str, join: str) -> str:
    good = b.op(join, b.op("Greater", x, k(b, 1e-3)), b.op("Greater", y, k(b, 1e-3)))
    safe = [b.op("Where", good, v, k(b, 1.0)) for v in (x, y)]
    return str(b.op("Log", b.op("Mul", *safe)))


def between(b: Builder, x: str, low: float, high: float, join: str) -> str:
    """log((x - low) (high - x)) inside (low, high), two thresholds of one variable."""
    inside = b.op(join, b.op("Greater", x, k(b, low + 0.125)), b.op("Less", x, k(b, high - 0.125)))
    p = b.op("Where", inside, b.op("Mul", b.op("Sub", x, k(b, low)), b.op("Sub", k(b, high), x)), k(b, 1.0))
    return str(b.op("Log", p))


def ordered_log(b: Builder, x: str, y: str, strict: bool) -> str:
    condition = b.op("Greater" if strict else "Less", x, y)
    return str(b.op("Log", b.op("Where", condition, b.op("Sub", x, y), k(b, 1.0))))


def entropy(b: Builder, x: str, eps: float) -> str:
    p = b.op("Softmax", x)
    inside = b.op("Add", p, k(b, eps)) if eps else p
    return str(b.op("Mul", p, b.op("Log", inside)))


def masked_mean(b: Builder, x: str, guard: bool) -> str:
    mask = b.op("Cast", b.op("Greater", x, k(b, 0.0)), to=1)
    count = reduce(b, "ReduceSum", mask)
    total = reduce(b, "ReduceSum", b.op("Mul", x, mask))
    return str(b.op("Div", total, b.op("Max", count, k(b, 1.0)) if guard else count))


def angle(b: Builder, x: str, margin: float) -> str:
    return str(b.op("Acos", b.op("Clip", b.op("Mul", x, k(b, 0.02)), k(b, -1 + margin), k(b, 1 - margin))))


CASES = [
    Case("softmax", lambda b, x, y, z: softmax(b, shifted(b, x)), lambda b, x, y, z: softmax(b, x), witness=(100.0,)),
    Case(
        "log softmax",
        lambda b, x, y, z: b.op("Sub", shifted(b, x), log_sum_exp(b, x, reduce(b, "ReduceMax", x))),
        lambda b, x, y, z: b.op("Log", b.op("Softmax", x)),
        witness=([100.0, -100.0, 0.0, 0.0],),
    ),
    Case(
        "log-sum-exp",
        lambda b, x, y, z: log_sum_exp(b, x, reduce(b, "ReduceMax", x)),
        lambda b, x, y, z: log_sum_exp(b, x, reduce(b, "ReduceMean", x)),
        witness=([100.0, -100.0, -100.0, -100.0],),
        limit=200.0,
    ),
    Case(
        "log of softmax, gap of the logits bounded",
        lambda b, x, y, z: b.op("Log", b.op("Softmax", b.op("Mul", b.op("Tanh", x), k(b, 10.0)))),
        lambda b, x, y, z: b.op("Log", b.op("Softmax", b.op("Mul", b.op("Tanh", x), k(b, 60.0)))),
        witness=([9.0, -9.0, -9.0, -9.0],),
    ),
    Case(
        "log-add-exp",
        lambda b, x, y, z: log_add_exp(b, x, y, b.op("Max", x, y)),
        lambda b, x, y, z: log_add_exp(b, x, y, b.op("Min", x, y)),
        witness=(100.0, -100.0),
    ),
    Case(
        "stable logistic loss",
        lambda b, x, y, z: b.op(
            "Add", b.op("Relu", x), b.op("Log", b.op("Add", k(b, 1.0), b.op("Exp", b.op("Neg", b.op("Abs", x)))))
        ),
        lambda b, x, y, z: b.op("Log", b.op("Add", k(b, 1.0), b.op("Exp", x))),
        witness=(100.0,),
    ),
    Case(
        "softplus keeps above its operand",
        lambda b, x, y, z: b.op("Log", b.op("Add", b.op("Sub", b.op("Softplus", x), x), k(b, 1e-2))),
        lambda b, x, y, z: b.op("Log", b.op("Sub", b.op("Softplus", x), x)),
        witness=(90.0,),
    ),
    Case(
        "sigmoid and its complement",
        lambda b, x, y, z: b.op("Log", b.op("Add", b.op("Sub", k(b, 1.0), b.op("Sigmoid", x)), k(b, 1e-7))),
        lambda b, x, y, z: b.op("Log", b.op("Sub", k(b, 1.0), b.op("Sigmoid", x))),
        witness=(50.0,),
    ),
    Case(
        "sigmoid keeps to its half",
        lambda b, x, y, z: b.op(
            "Sqrt", b.op("Sub", b.op("Mul", k(b, 2.0), b.op("Sigmoid", b.op("Abs", x))), k(b, 1.0))
        ),
        lambda b, x, y, z: b.op("Sqrt", b.op("Sub", b.op("Mul", k(b, 2.0), b.op("Sigmoid", x)), k(b, 1.0))),
        witness=(-1.0,),
    ),
    Case(
        "stable sigmoid",
        lambda b, x, y, z: stable_sigmoid(b, x),
        lambda b, x, y, z: naive_sigmoid(b, x),
        witness=(100.0,),
    ),
    Case(
        "a small denominator replaced",
        lambda b, x, y, z: away_from_zero(b, difference(b, x, y), "Less", 1e-3, 1e-3),
        lambda b, x, y, z: away_from_zero(b, difference(b, x, y), "Greater", 1e-3, 1e-3),
        witness=(1.0, 1.0),
    ),
    Case(
        "a small denominator replaced, ends included",
        lambda b, x, y, z: away_from_zero(b, x, "LessOrEqual", 0.0, 1.0),
        lambda b, x, y, z: away_from_zero(b, x, "Less", 0.0, 1.0),
        witness=(0.0,),
    ),
    Case(
        "a denominator moved away from zero with its sign",
        lambda b, x, y, z: signed(b, difference(b, x, y), 1e-3),
        lambda b, x, y, z: b.op("Reciprocal", b.op("Mul", b.op("Sign", x), b.op("Max", b.op("Abs", x), k(b, 1e-3)))),
        witness=(0.0, 0.0),
    ),
    Case(
        "variance with epsilon",
        lambda b, x, y, z: standardised(b, x, 1e-5),
        lambda b, x, y, z: standardised(b, x, 0.0),
        witness=(3.0,),
    ),
    Case(
        "min-max scaling", lambda b, x, y, z: min_max(b, x, 1e-6), lambda b, x, y, z: min_max(b, x, 0.0), witness=(3.0,)
    ),
    Case(
        "cosine similarity",
        lambda b, x, y, z: cosine(b, x, y, True),
        lambda b, x, y, z: cosine(b, x, y, False),
        witness=(0.0, 1.0),
    ),
    Case(
        "several variables in one condition",
        lambda b, x, y, z: both_positive(b, x, y, "And"),
        lambda b, x, y, z: b.op("Log", b.op("Where", b.op("Greater", x, k(b, 1e-3)), y, k(b, 1.0))),
        witness=(1.0, -1.0),
    ),
    Case(
        "two thresholds of one variable",
        lambda b, x, y, z: between(b, x, -1.0, 2.0, "And"),
        lambda b, x, y, z: between(b, x, -1.0, 2.0, "Or"),
        witness=(50.0,),
    ),
    Case(
        "one value known to exceed another",
        lambda b, x, y, z: ordered_log(b, x, y, True),
        lambda b, x, y, z: ordered_log(b, x, y, False),
        witness=(1.0, 2.0),
    ),
    Case(
        "entropy",
        lambda b, x, y, z: entropy(b, x, 1e-9),
        lambda b, x, y, z: entropy(b, x, 0.0),
        witness=([100.0, -100.0, 0.0, 0.0],),
    ),
    Case(
        "mean of selected elements",
        lambda b, x, y, z: masked_mean(b, x, True),
        lambda b, x, y, z: masked_mean(b, x, False),
        witness=(-1.0,),
    ),
    Case(
        "angle",
        lambda b, x, y, z: angle(b, x, 1e-6),
        lambda b, x, y, z: b.op("Acos", b.op("Mul", x, k(b, 0.02))),
        witness=(90.0,),
    ),
    Case(
        "exponential of what is never positive",
        lambda b, x, y, z: b.op("Exp", b.op("Neg", b.op("Mul", x, x))),
        lambda b, x, y, z: b.op("Exp", b.op("Mul", x, x)),
        witness=(20.0,),
    ),
    Case(
        "exponential clipped",
        lambda b, x, y, z: b.op("Sqrt", b.op("Exp", b.op("Clip", x, k(b, -10.0), k(b, 10.0)))),
        lambda b, x, y, z: b.op("Sqrt", b.op("Exp", b.op("Max", x, k(b, -10.0)))),
        witness=(99.0,),
    ),
    Case(
        "Mahalanobis distance with a log variance",
        lambda b, x, y, z: b.op("Div", b.op("Mul", y, y), b.op("Exp", b.op("Clip", x, k(b, -20.0), k(b, 2.0)))),
        lambda b, x, y, z: b.op("Div", b.op("Mul", y, y), b.op("Exp", b.op("Mul", x, k(b, 2.0)))),
        witness=(-100.0, 0.0),
    ),
    Case(
        "log of a sum of squares with epsilon",
        lambda b, x, y, z: b.op("Log", b.op("Add", reduce(b, "ReduceSumSquare", x), k(b, 1e-6))),
        lambda b, x, y, z: b.op("Log", reduce(b, "ReduceSumSquare", x)),
        witness=(0.0,),
    ),
    Case(
        "ReLU algebra",
        lambda b, x, y, z: b.op("Log", b.op("Add", b.op("Add", b.op("Relu", b.op("Neg", x)), x), k(b, 1e-3))),
        lambda b, x, y, z: b.op(
            "Log", b.op("Add", b.op("Sub", b.op("Relu", b.op("Neg", x)), x), b.op("Mul", x, k(b, 2.0)))
        ),
        witness=(-1.0,),
    ),
    Case(
        "probability ratio",
        lambda b, x, y, z: b.op(
            "Exp", b.op("Clip", b.op("Sub", b.op("LogSoftmax", x), b.op("LogSoftmax", y)), k(b, -20.0), k(b, 20.0))
        ),
        lambda b, x, y, z: b.op("Div", b.op("Softmax", x), b.op("Softmax", y)),
        witness=([0.0, 0.0, 0.0, 0.0], [100.0, -100.0, 0.0, 0.0]),
    ),
    Case(
        "log of a product of sigmoids",
        lambda b, x, y, z: b.op("Neg", b.op("Add", b.op("Softplus", b.op("Neg", x)), b.op("Softplus", b.op("Neg", y)))),
        lambda b, x, y, z: b.op("Log", b.op("Mul", b.op("Sigmoid", x), b.op("Sigmoid", y))),
        witness=(-100.0, -100.0),
    ),
    Case(
        "distance to the largest",
        lambda b, x, y, z: b.op("Sqrt", b.op("Sub", reduce(b, "ReduceMax", x), x)),
        lambda b, x, y, z: b.op("Sqrt", b.op("Sub", reduce(b, "ReduceMean", x), x)),
        witness=([3.0, 0.0, 0.0, 0.0],),
    ),
]


def built(case: Case, program: Program) -> tuple[Any, dict[str, tuple[float, float]]]:
    b = Builder()
    names = [b.input(n, (6, 4)) for n in "xyz"]
    low = -case.limit if case.low is None else case.low
    return b.graph(program(b, *names)), dict.fromkeys("xyz", (low, case.limit))


def finite(graph: Any, feeds: list[dict[str, np.ndarray]]) -> bool:
    run = session(ir.to_proto(graph.model), False)
    wanted = {i.name for i in run.get_inputs()}
    with np.errstate(all="ignore"):
        return all(np.isfinite(run.run(None, {n: v for n, v in f.items() if n in wanted})[0]).all() for f in feeds)


@pytest.mark.parametrize("case", CASES, ids=[c.name for c in CASES])
def test_the_safe_program_is_proved_safe(case: Case) -> None:
    graph, ranges = built(case, case.safe)
    assert rules(graph, ranges) == []
    rng = np.random.default_rng(len(case.name))
    operand = Operand((6, 4))
    boxes = {n: (np.full((6, 4), lo), np.full((6, 4), hi)) for n, (lo, hi) in ranges.items()}
    streams = {n: samples(rng, operand, *box, 60) for n, box in boxes.items()}
    feeds = [{n: next(s) for n, s in streams.items()} for _ in range(60)]
    feeds += [{n: np.full((6, 4), v, np.float32) for n in "xyz"} for v in (0.0, case.limit, -case.limit)]
    assert finite(graph, feeds)


@pytest.mark.parametrize("case", CASES, ids=[c.name for c in CASES])
def test_the_careless_twin_is_flagged(case: Case) -> None:
    graph, ranges = built(case, case.careless)
    assert rules(graph, ranges) != []
    values = [*case.witness, 1.0, 1.0, 1.0][:3]
    feed = {n: np.broadcast_to(np.float32(v), (6, 4)).copy() for n, v in zip("xyz", values, strict=True)}
    assert not finite(graph, [feed])
