"""A finding of a TensorFlow graph loads TensorFlow alone; what no probe shows is sought with PyTorch's gradients."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import ml_dtypes
import numpy as np
import onnx_ir as ir
import pytest

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import Confidence, Finding
from analyzer.graph import Graph, ValueRange
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm.child import JSON, Worker, WorkerFailed
from analyzer.numerical.confirm.confirmation import Confirmer
from analyzer.numerical.confirm.extract import Leaf
from analyzer.numerical.confirm.points import array_of, tensor_of

ASKED: list[str] = []


class Listening(Worker):
    """A worker that keeps what it was asked."""

    def ask(self, request: JSON, seconds: float) -> JSON:
        ASKED.append(request["do"])
        return super().ask(request, seconds)


class Absent(Listening):
    """There is no PyTorch."""

    def ask(self, request: JSON, seconds: float) -> JSON:
        ASKED.append(request["do"])
        raise WorkerFailed("the worker ended")


@pytest.fixture
def confirmer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Confirmer]:
    with Confirmer() as made:
        made._engines.searcher = Absent()
        ASKED.clear()
        yield made


def logarithm(shifted: float = 0.0) -> Graph:
    """log(relu(w x) + shifted)"""

    def constant(array: np.ndarray, name: str) -> ir.Node:
        return ir.node("Const", [], {"value": ir.tensor(array)}, domain="tf", name=name)

    x = ir.Value(name="x", type=ir.TensorType(ir.DataType.FLOAT), shape=ir.Shape([4, 3]))
    weight = constant(np.ones(3, np.float32), "weight")
    added = constant(np.array(shifted, np.float32), "added")
    product = ir.node("Mul", [x, weight.outputs[0]], domain="tf", name="product")
    rows = ir.node("Relu", [product.outputs[0]], domain="tf", name="rows")
    lifted = ir.node("AddV2", [rows.outputs[0], added.outputs[0]], domain="tf", name="lifted")
    result = ir.node("Log", [lifted.outputs[0]], domain="tf", name="log")
    nodes = [weight, added, product, rows, lifted, result]
    for node in nodes:
        for value in node.outputs:
            value.name, value.dtype = f"{node.name}:0", ir.DataType.FLOAT
            value.shape = ir.Shape({"added": [], "weight": [3]}.get(node.name or "", [4, 3]))
    main = ir.Graph([x], result.outputs, nodes=nodes, name="g", opset_imports={"tf": 1, "": 20})
    return Graph(ir.Model(main, ir_version=10), framework="tensorflow")


def found(graph: Graph, confirmer: Confirmer) -> tuple[Finding, ...]:
    target = TargetConfig(id="t", path="t.pb", inputs={"x": InputSpec(range=ValueRange(-4, 4))})
    return analyse(graph, target, confirmer=confirmer).findings


def test_what_a_probe_shows_is_found_followed_and_mended_without_pytorch(confirmer: Confirmer) -> None:
    (finding,) = found(logarithm(), confirmer)
    assert finding.confidence is Confidence.CONFIRMED
    assert finding.suggestion is not None
    assert "results of 8 ordinary inputs" in finding.suggestion.description
    assert ASKED == []


def test_the_silent_twin_asks_nobody(confirmer: Confirmer) -> None:
    assert found(logarithm(shifted=0.01), confirmer) == ()
    assert ASKED == []


class Probeless(Worker):
    """TensorFlow whose probes show nothing."""

    def ask(self, request: JSON, seconds: float) -> JSON:
        return {"status": "none"} if request["do"] == "search" else super().ask(request, seconds)


def test_what_no_probe_shows_is_sought_in_pytorch_and_run_in_tensorflow() -> None:
    with Confirmer() as made:
        home = made._engines.searcher._home
        made._engines.searcher, made._engines.tensorflow = Listening(home), Probeless(home)
        ASKED.clear()
        (finding,) = found(logarithm(), made)
    assert ASKED == ["search"]
    assert finding.confidence is Confidence.CONFIRMED
    assert "TensorFlow" in str(finding.evidence)


@pytest.mark.parametrize("dtype", ["FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16", "INT64", "UINT8", "BOOL"])
def test_arrays_and_tensors_of_a_leaf_are_alike_and_inside_its_range(dtype: str) -> None:
    rng = np.random.default_rng(0)
    leaf = Leaf("x", (3, 4), dtype, 0.1 if "FLOAT" in dtype else 0.0, 1.0)
    for given in (rng.normal(size=(3, 4)) * 2, 0.0, np.inf, -np.inf, np.full((3, 4), 0.1)):
        array = array_of(leaf, given)
        assert array.dtype == ir.DataType[dtype].numpy()
        wide = array.astype(np.float64)
        assert bool(((wide >= leaf.lo) & (wide <= leaf.hi)).all())
        assert (tensor_of(leaf, given).double().numpy() == wide).all()


def test_a_leaf_without_bounds_holds_no_infinity_and_keeps_its_order() -> None:
    leaf = Leaf("x", (4,), "BFLOAT16", -np.inf, np.inf)
    largest = float(ml_dtypes.finfo(ml_dtypes.bfloat16).max)
    assert array_of(leaf, [np.nan, np.inf, -np.inf, 1e300]).astype(float).tolist() == [0, largest, -largest, largest]
    falling = replace(leaf, dtype="FLOAT", order=(0, -1))
    assert array_of(falling, [1, 3, 2, 4]).tolist() == [4, 3, 2, 1]
    held = replace(leaf, dtype="INT64", lo=0, hi=9, held=(5.0, 9.0))
    assert array_of(held, 0.0).tolist() == [5, 0, 0, 0]
