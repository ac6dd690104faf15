"""A softmax written out in half precision, whose reductions exporters make in float32; ends of ranges told apart."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from build import TYPES, Builder, rules, run


def softmax(kind: str = "ReduceMax", half: str = "float16", other: bool = False) -> Builder:
    b = Builder()
    x, y = b.input("x", (4, 6), half), b.input("y", (4, 6), half)
    axis = b.const([1], np.int64)
    wide = b.op("Cast", y if other else x, to=TYPES["float32"])
    most = b.op("Cast", b.op(kind, wide, axis, keepdims=1), to=TYPES[half])
    e = b.op("Exp", b.op("Sub", x, most))
    total = b.op("Cast", b.op("ReduceSum", b.op("Cast", e, to=TYPES["float32"]), axis, keepdims=1), to=TYPES[half])
    b.op("Div", e, total, name="share")
    return b


def told(b: Builder) -> list[str]:
    graph = b.graph(f"v{len(b.nodes) - 1}_0")
    return [r for r, _ in rules(graph, {"x": (-700, 700), "y": (-700, 700)})]


def test_the_maximum_of_a_wider_type_is_the_maximum() -> None:
    assert told(softmax()) == []
    x = torch.randn(400, 6).mul(100).half()
    e = torch.exp(x - x.amax(1, keepdim=True))
    assert bool(torch.isfinite(e / e.sum(1, keepdim=True)).all())


@pytest.mark.parametrize("twin", [{"kind": "ReduceMin"}, {"kind": "ReduceMean"}, {"other": True}])
def test_other_numbers_are_not(twin: dict[str, object]) -> None:
    assert "exp-overflow" in told(softmax(**twin))  # type: ignore[arg-type]


def rounded_first() -> list[str]:
    """The greatest of float32 numbers, rounded down to half precision, may be less than one of them."""
    b = Builder()
    x = b.input("x", (4, 6))
    most = b.op("Cast", b.op("ReduceMax", x, b.const([1], np.int64), keepdims=1), to=TYPES["float16"])
    apart = b.op("Sub", b.op("Cast", most, to=TYPES["float32"]), x)
    return [r for r, _ in rules(b.graph(b.op("Sqrt", apart)), {"x": (0, 700)})]


def test_what_is_rounded_on_the_way_may_be_less() -> None:
    assert rounded_first() == ["sqrt-of-negative"]


@pytest.mark.parametrize(
    ("compare", "added", "safe"),
    [("Equal", 1e-16, True), ("LessOrEqual", 1e-16, True), ("Equal", 0.0, False), ("Greater", 1e-16, False)],
)
def test_zero_may_be_a_case_of_its_own(compare: str, added: float, safe: bool) -> None:
    """``sqrt(d + 1e-16 * (d == 0))``: distances whose gradient at 0 is mended."""
    b = Builder()
    d = b.op("ReduceSumSquare", b.input("x", (4, 3)), b.const([1], np.int64), keepdims=0)
    zero = b.op("Cast", b.op(compare, d, b.const(0.0)), to=TYPES["float32"])
    root = b.op("Sqrt", b.op("Add", d, b.op("Mul", zero, b.const(added))))
    warned = [w.rule for w in run(b.graph(root), {"x": (-9, 9)}).warnings]
    assert warned == ([] if safe else ["numerical/gradient-of-sqrt-at-zero"])
