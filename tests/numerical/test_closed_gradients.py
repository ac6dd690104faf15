"""PyTorch's ReLU hands on no gradient where its result is 0: an infinite gradient behind it never arrives."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from build import Builder, run

from analyzer.graph import Graph
from analyzer.numerical import Interpretation
from analyzer.numerical.confirm.torch_evaluation import PreparedModel
from analyzer.numerical.confirm.torch_evaluation import run as evaluate
from analyzer.numerical.confirm.torch_registry import Mode


def found(between: str, root: str, framework: str, before: str = "Relu") -> Interpretation:
    b = Builder()
    value = b.op(before, b.input("x", (2, 3)), name="relu")
    if between == "Transpose":
        value = b.op("Transpose", value, perm=[1, 0])
    elif between == "Mul":  # its own gradient at 0 is 0, and 0 times infinity is NaN, but that is another story
        value = b.op("Mul", value, b.const(0.5))
    elif between == "Pad":
        value = b.op("Pad", value, b.const([0, 1, 0, 0], np.int64))
    value = b.op(root, value) if root == "Sqrt" else b.op("Pow", value, b.const(0.5))
    graph = b.graph(value)
    return run(Graph(graph.model, framework=framework), {"x": (-1, 1)})


@pytest.mark.parametrize("root", ["Sqrt", "Pow"])
@pytest.mark.parametrize("between", ["", "Transpose"])
def test_behind_a_relu_of_torch_it_is_excused_and_told(root: str, between: str) -> None:
    told = found(between, root, "torch")
    assert not told.warnings
    (excuse,) = told.excuses
    assert "`relu` hands on no gradient" in str(excuse)


@pytest.mark.parametrize(
    ("between", "framework", "before"),
    [("", "tensorflow", "Relu"), ("", "torch", "Abs"), ("Mul", "torch", "Relu"), ("Pad", "torch", "Relu")],
)
def test_elsewhere_it_is_a_warning(between: str, framework: str, before: str) -> None:
    warnings = found(between, "Sqrt", framework, before).warnings
    assert [w.rule for w in warnings] == ["numerical/gradient-of-sqrt-at-zero"]


@pytest.mark.parametrize("seed", range(20))
def test_torch_does_so(seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(50, generator=generator) * 10.0 ** float(torch.randint(-44, 3, (), generator=generator))
    x[::7] = 0.0
    x.requires_grad_(True)
    weights = torch.randn(50, generator=generator)
    (torch.sqrt(torch.relu(x)) * weights).sum().backward()
    assert x.grad is not None
    assert bool(torch.isfinite(x.grad).all())


@pytest.mark.parametrize(("framework", "before"), [("torch", "Relu"), ("tensorflow", "Relu"), ("torch", "Abs")])
def test_what_a_selection_drops_is_closed_by_the_relu_as_well(framework: str, before: str) -> None:
    b = Builder()
    rows, zero = b.op(before, b.input("x", (3,))), b.const(0.0)
    graph = b.graph(b.op("Where", b.op("Greater", rows, zero), b.op("Log", rows, name="log"), zero))
    warned = [w.rule for w in run(Graph(graph.model, framework=framework), {"x": (-1, 1)}).warnings]
    assert warned == ([] if (framework, before) == ("torch", "Relu") else ["numerical/where-leaks-nan-gradient"])


@pytest.mark.parametrize("detached", [False, True])
def test_no_gradient_passes_what_pytorch_detaches(detached: bool) -> None:
    """``sqrt(x).detach()``: ONNX has an Identity for it, whose namespace names the call."""
    b = Builder()
    x = b.input("x", (2, 3))
    root = b.op("Identity", b.op("Sqrt", b.op("Abs", x)), name="copy")
    graph = b.graph(b.op("Mul", x, root))
    (copy,) = [n for n in graph.nodes() if n.name == "copy"]
    copy.metadata_props["namespace"] = (
        ": m.M/detach: aten.detach.default" if detached else ": m.M/clone: aten.clone.default"
    )
    warned = [w.rule for w in run(Graph(graph.model, framework="torch"), {"x": (-1, 1)}).warnings]
    assert warned == ([] if detached else ["numerical/gradient-of-sqrt-at-zero"])
    program = PreparedModel(graph.model)
    given = torch.zeros(2, 3, requires_grad=True)
    made = evaluate(program, {"x": given}, Mode(surrogate=False))[graph.graph.outputs[0].name or ""]
    made.sum().backward()
    assert given.grad is not None
    assert bool(torch.isfinite(given.grad).all()) == detached
