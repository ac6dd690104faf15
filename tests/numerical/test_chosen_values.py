"""Operators of torch that choose, rank, count or factorise: their bounds hold of what torch computes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
import torch

from analyzer.graph import Graph, ValueRange
from analyzer.numerical import Interpretation, interpret

F, I64 = ir.DataType.FLOAT, ir.DataType.INT64


def graph(
    name: str,
    shapes: tuple[tuple[int, ...], ...],
    outputs: tuple[tuple[tuple[int, ...], Any], ...],
    after: str = "",
    **attributes: Any,
) -> Graph:
    """One operator of torch on inputs ``x0``, ``x1`` …, with ONNX's `after` on its first result."""
    tensors = [ir.Value(name=f"x{i}", shape=ir.Shape(s), type=ir.TensorType(F)) for i, s in enumerate(shapes)]
    made = [ir.convenience.convert_attribute(key, value) for key, value in attributes.items()]
    node = ir.Node("torch.aten", name, tensors, made, name="n", num_outputs=len(outputs))
    for number, (value, (shape, dtype)) in enumerate(zip(node.outputs, outputs, strict=True)):
        value.name, value.dtype, value.shape = f"y{number}", dtype, ir.Shape(shape)
    nodes, results = [node], list(node.outputs)
    if after:
        nodes.append(ir.Node("", after, [node.outputs[0]], name="after"))
        results = list(nodes[-1].outputs)
    inner = ir.Graph(tensors, results, nodes=nodes, opset_imports={"": 20, "torch.aten": 1})
    return Graph(ir.Model(inner, ir_version=10))


def found(model: Graph, low: float, high: float) -> Interpretation:
    return interpret(model, {v.name: ValueRange(low, high) for v in model.graph.inputs if v.name})


M, ROW = (4, 6), (4, 1)
CASES: dict[str, tuple[Any, ...]] = {
    "median": (((M),), ((ROW, F), (ROW, I64)), {"dim": 1, "keepdim": 1}),
    "nanmedian": (((M),), ((ROW, F), (ROW, I64)), {"dim": 1, "keepdim": 1}),
    "mode": (((M),), ((ROW, F), (ROW, I64)), {"dim": 1, "keepdim": 1}),
    "kthvalue": (((M),), ((ROW, F), (ROW, I64)), {"k": 2, "dim": 1, "keepdim": 1}),
    "cummax": (((M),), ((M, F), (M, I64)), {"dim": 1}),
    "cummin": (((M),), ((M, F), (M, I64)), {"dim": 1}),
    "hypot": ((M, M), ((M, F),), {}),
    "_pdist_forward": ((M,), (((6,), F),), {"p": 2.0}),
    "_cdist_forward": ((M, (3, 6)), (((4, 3), F),), {"p": 3.0}),
    "_linalg_svd": ((M,), (((4, 4), F), ((4,), F), ((4, 6), F)), {}),
    "_linalg_eigh": (((4, 4),), (((4,), F), ((4, 4), F)), {}),
    "linalg_qr": ((M,), (((4, 4), F), (M, F)), {}),
    "histc": ((M,), (((5,), F),), {"bins": 5, "min": -1, "max": 1}),
    "searchsorted": (((5,), M), ((M, I64),), {}),
    "special_erfcx": ((M,), ((M, F),), {}),
    "special_log_ndtr": ((M,), ((M, F),), {}),
}


def computed(name: str, values: list[torch.Tensor], attributes: dict[str, Any]) -> tuple[torch.Tensor, ...]:
    given = dict(attributes)
    if "keepdim" in given:
        given["keepdim"] = bool(given["keepdim"])
    if name == "_cdist_forward":
        given["compute_mode"] = None
    if name == "searchsorted":
        values = [values[0].sort().values, values[1]]
    result = getattr(torch.ops.aten, name)(*values, **given)
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)


@pytest.mark.parametrize("name", CASES)
def test_bounds_hold_of_what_torch_computes(name: str) -> None:
    shapes, outputs, attributes = CASES[name]
    shapes = shapes if isinstance(shapes[0], tuple) else (shapes,)
    rng = np.random.default_rng(list(CASES).index(name))
    for low, high in ((-1.0, 1.0), (0.5, 2.0), (-9.0, -0.1), (-3e3, 4e3), (-1e-30, 1e-20)):
        if name == "special_erfcx" and low < -9.2:
            continue
        found_ = found(graph(name, shapes, outputs, **attributes), low, high)
        assert not found_.unknown
        bounds = {v.name: t for v, t in found_.values.items()}
        for _ in range(40):
            arrays = [rng.choice([rng.uniform(low, high, s), np.full(s, rng.choice([low, high]))]) for s in shapes]
            values = [torch.from_numpy(np.clip(a, low, high).astype(np.float32).clip(low, high)) for a in arrays]
            if name == "_linalg_eigh":
                values = [torch.triu(values[0]) + torch.triu(values[0], 1).T]
            for number, result in enumerate(computed(name, values, attributes)):
                if f"y{number}" not in bounds or not result.numel():
                    continue
                within = bounds[f"y{number}"]
                lo, hi = float(np.min(within.lo)), float(np.max(within.hi))
                assert lo <= float(result.min()), (number, low, high)
                assert float(result.max()) <= hi, (number, low, high)


@pytest.mark.parametrize("name", ["median", "nanmedian", "mode", "kthvalue", "cummax", "cummin"])
@pytest.mark.parametrize(("least", "safe"), [(1e-3, True), (0.0, False)])
def test_a_chosen_element_is_as_safe_as_the_elements(name: str, least: float, safe: bool) -> None:
    _, outputs, attributes = CASES[name]
    model = graph(name, (M,), outputs, after="Log", **attributes)
    assert [w.rule for w in found(model, least, 5.0).warnings] == ([] if safe else ["numerical/log-of-nonpositive"])


def test_a_median_of_everything_is_a_number() -> None:
    model = graph("median", (M,), (((), F),), after="Log")
    result = found(model, 2.0, 8.0)
    assert result.warnings == ()
    (value,) = [t for v, t in result.values.items() if v.name == "y0"]
    assert (value.shape, value.low, value.high) == ((), 2.0, 8.0)


def test_hypotenuse_is_flagged_where_both_may_be_0() -> None:
    def told(low: float) -> list[str]:
        options = {v: ValueRange(low, 3.0) for v in ("x0", "x1")}
        return [w.rule for w in interpret(graph("hypot", (M, M), ((M, F),)), options).warnings if w.backward]

    assert told(-1.0) == told(0.0) == ["numerical/gradient-of-norm-at-zero"]
    assert told(0.1) == []
    x = torch.zeros(1, requires_grad=True)
    torch.hypot(x, x).backward()
    assert x.grad is not None
    assert math.isnan(float(x.grad))


@pytest.mark.parametrize(("checked", "rules"), [(1, []), (0, ["numerical/log-of-nonpositive"])])
def test_a_cholesky_factor_whose_errors_are_looked_at_has_a_positive_diagonal(checked: int, rules: list[str]) -> None:
    """Where nobody looks at the errors PyTorch leaves what it had when it gave up: even -1."""
    shape = ir.Shape((3, 3))
    x = ir.Value(name="x", shape=shape, type=ir.TensorType(F))
    factor = ir.Node(
        "torch.aten", "linalg_cholesky_ex", [x], [ir.AttrInt64("check_errors", checked)], num_outputs=2, name="chol"
    )
    factor.outputs[0].dtype, factor.outputs[0].shape = F, shape
    factor.outputs[1].dtype, factor.outputs[1].shape = ir.DataType.INT32, ir.Shape(())
    sizes = ir.Value(name="sizes", const_value=ir.tensor(np.array([9])))
    places = ir.Value(name="places", const_value=ir.tensor(np.array([0, 4, 8])))
    flat = ir.Node("", "Reshape", [factor.outputs[0], sizes], name="flat")
    diagonal = ir.Node("", "Gather", [flat.outputs[0], places], [ir.AttrInt64("axis", -1)], name="diagonal")
    log = ir.Node("", "Log", [diagonal.outputs[0]], name="log")
    inner = ir.Graph(
        [x], [log.outputs[0]], nodes=[factor, flat, diagonal, log], initializers=[sizes, places], opset_imports={"": 20}
    )
    result = interpret(Graph(ir.Model(inner, ir_version=10)), {"x": ValueRange(-4.0, 4.0)})
    assert [w.rule for w in result.warnings] == rules
    assert torch.linalg.cholesky_ex(-torch.eye(3)).L.diagonal().min() < 0
