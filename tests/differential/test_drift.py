"""Two models, one review: each realistic change is answered as a person would expect."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import pytest
from onnx import helper, numpy_helper

from analyzer.configuration.config import Config, DriftBudget, TargetConfig
from analyzer.configuration.loosening import loosenings
from analyzer.configuration.reader import read_config
from analyzer.differential import plan
from analyzer.differential.alignment import aligned
from analyzer.differential.drift import Drift, sentence
from analyzer.differential.drift_review import review_drift
from analyzer.differential.pool import Pool
from analyzer.findings import AnalysisResult, Level
from analyzer.graph import Graph
from analyzer.rendering.deviation_graph import draw


def weights() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    ones, zeros = np.ones(6, np.float32), np.zeros(6, np.float32)
    normal = {n: rng.standard_normal(s).astype(np.float32) for n, s in (("w", (6, 3, 3, 3)), ("fc", (6, 5)))}
    return {**normal, "g": ones, "b": zeros, "m": zeros, "v": 2 * ones, "ls": ones, "lb": zeros}


def build(
    path: Path,
    *,
    epsilon: float = 1e-5,
    opset: int = 17,
    prefix: str = "",
    rewritten: bool = False,
    fused: bool = False,
    byte_input: bool = False,
    stored: Mapping[str, np.ndarray] | None = None,
) -> Path:
    """A small classifier: convolution, batch normalisation, pooling, layer normalisation, a linear layer."""
    node, values = helper.make_node, dict(stored or weights())
    if fused:
        scale = values["g"] / np.sqrt(values["v"] + np.float32(1e-5))
        values["w"] = values["w"] * scale[:, None, None, None]
        values["cb"] = values["b"] - values["m"] * scale
        nodes = [node("Conv", ["x", "w", "cb"], ["bn"], name="conv", pads=[1] * 4)]
    else:
        nodes = [
            node("Conv", ["x", "w"], ["c"], name="conv", pads=[1] * 4),
            node("BatchNormalization", ["c", "g", "b", "m", "v"], ["bn"], name="bn"),
        ]
    nodes += [
        node("Relu", ["bn"], ["r"], name="relu"),
        node("GlobalAveragePool", ["r"], ["p"], name="gap"),
        node("Flatten", ["p"], ["f"], name="flat"),
        node("LayerNormalization", ["f", "ls", "lb"], ["ln"], name="norm", epsilon=epsilon),
    ]
    if rewritten:
        values["two"] = np.array(2, np.float32)
        nodes += [node("Mul", ["ln", "two"], ["twice"]), node("Div", ["twice", "two"], ["again"])]
    nodes += [
        node("MatMul", ["again" if rewritten else "ln", "fc"], ["logits"], name="fc"),
        node("Softmax", ["logits"], ["y"], name="softmax"),
    ]
    for each in nodes if prefix else ():
        for names in (each.input, each.output):
            names[:] = [n if n in ("x", "y") or n in values else prefix + n for n in names]
    if byte_input:
        nodes = [node("Cast", ["x"], ["xf"], to=1), *nodes]
        nodes[1].input[0] = "xf"
    inputs = [helper.make_tensor_value_info("x", 2 if byte_input else 1, ["n", 3, 9, 9])]
    outputs = [helper.make_tensor_value_info("y", 1, ["n", 5])]
    used = {i for n in nodes for i in n.input}
    stored_ = [numpy_helper.from_array(a, n) for n, a in values.items() if n in used]
    graph = helper.make_graph(nodes, "g", inputs, outputs, stored_)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = 10
    onnx.save(model, path)
    return path


def quantised(path: Path, steps: float) -> Path:
    """The weights of the convolution rounded to a few steps, as an int8 form keeps them."""
    values = weights()
    scale = np.abs(values["w"]).max() / steps
    values["w"] = (np.round(values["w"] / scale) * scale).astype(np.float32)
    return build(path, stored=values)


def retrained(path: Path, by: float) -> Path:
    values = weights()
    values["fc"] = values["fc"] + by * np.random.default_rng(1).standard_normal((6, 5)).astype(np.float32)
    return build(path, stored=values)


def pruned(path: Path) -> Path:
    values = weights()
    values["fc"] = np.where(np.abs(values["fc"]) < 0.7, 0, values["fc"]).astype(np.float32)
    return build(path, stored=values)


def normalised(path: Path) -> Path:
    """The preprocessing stands in the graph now: mean and spread of each channel."""
    model = onnx.load(build(path))
    for name, values in (("mean", [0.4, 0.5, 0.6]), ("spread", [0.2, 0.3, 0.2])):
        stored = np.array(values, np.float32).reshape(1, 3, 1, 1)
        model.graph.initializer.append(numpy_helper.from_array(stored, name))
    model.graph.node[0].input[0] = "even"
    model.graph.node.insert(0, helper.make_node("Div", ["centred", "spread"], ["even"], name="divide"))
    model.graph.node.insert(0, helper.make_node("Sub", ["x", "mean"], ["centred"], name="centre"))
    onnx.save(model, path)
    return path


def in_float16(path: Path) -> Path:
    """The last layer computes in float16; what it takes and gives is float32 as before."""
    model = onnx.load(build(path))
    layer = next(n for n in model.graph.node if n.name == "fc")
    index = list(model.graph.node).index(layer)
    stored = next(i for i in model.graph.initializer if i.name == "fc")
    stored.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(stored).astype(np.float16), "fc"))
    narrow = helper.make_node("Cast", [layer.input[0]], ["narrow"], to=onnx.TensorProto.FLOAT16)
    wide = helper.make_node("Cast", ["halves"], [layer.output[0]], to=onnx.TensorProto.FLOAT)
    layer.input[0], layer.output[0] = "narrow", "halves"
    model.graph.node.insert(index, narrow)
    model.graph.node.insert(index + 2, wide)
    onnx.save(model, path)
    return path


def in_int8(path: Path) -> Path:
    """As ONNX Runtime's own tool quantises a model: products of bytes, scales measured at run time."""
    from onnxruntime.quantization import quantize_dynamic

    plain = build(path.with_name("plain.onnx"))
    quantize_dynamic(plain, path, op_types_to_quantize=["MatMul"])
    return path


CHANGES: dict[str, tuple[Any, str]] = {  # how head is made; the layer that moves the outputs, empty where none does
    "nothing": (build, ""),
    "an equivalent rewrite": (lambda p: build(p, rewritten=True), ""),
    "exported anew with a newer opset and other names": (lambda p: build(p, opset=18, prefix="z/"), ""),
    "a layer fused": (lambda p: build(p, fused=True), ""),
    "the epsilon of a normalisation": (lambda p: build(p, epsilon=0.1), "norm"),
    "the epsilon, exported anew": (lambda p: build(p, epsilon=0.1, prefix="z/"), "norm"),
    "one weight retrained": (lambda p: retrained(p, 0.1), "fc"),
    "pruned": (pruned, "fc"),
    "weights rounded to a few steps": (lambda p: quantised(p, 7.0), "conv"),
    "quantised to int8": (in_int8, "fc"),
    "another element type": (in_float16, "fc"),
    "preprocessing in the graph": (normalised, "conv"),
}
INSTEAD = {  # what is said of the layer where head computes it by other operators
    "preprocessing in the graph": "`conv` (Conv, in head Sub+Div+Conv,",
    "quantised to int8": "`fc` (MatMul, in head DynamicQuantizeLinear+Mul+MatMulInteger,",
    "the epsilon of a normalisation": "`norm` (LayerNormalization, 0.",
}


@pytest.fixture(scope="module")
def warm() -> Any:
    with Pool() as pool:
        yield pool


def against_base(
    make: Any,
    folder: Path,
    pool: Pool,
    budget: DriftBudget = DriftBudget(),  # noqa: B008 - frozen
) -> tuple[Drift, AnalysisResult]:
    head, base = Graph(ir.load(make(folder / "head.onnx"))), Graph(ir.load(build(folder / "base.onnx")))
    return review_drift(head, base, TargetConfig("m", path="head.onnx"), budget, folder / "out", pool=pool)


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_answered_as_expected(change: str, tmp_path: Path, warm: Pool) -> None:
    make, layer = CHANGES[change]
    done, result = against_base(make, tmp_path, warm)
    assert done.why == ""
    assert result.findings == ()
    if not layer:
        assert not done.moved, sentence(done)
        assert (result.backends, result.maps) == ((), ())
        return
    assert done.moved
    assert [b.unit.main.name for b in done.blames] == [layer], sentence(done)
    assert INSTEAD.get(change, f"`{layer}`") in sentence(done)
    (chart,) = result.maps
    assert [n.label for n in chart.nodes if n.responsible] == [layer]
    shown = os.environ.get("ASSAY_KEEP_PICTURES")
    if shown:
        draw(chart, Path(shown) / change.replace(" ", "-"))


def test_a_layer_that_quantizes_by_itself_is_named_from_either_side(tmp_path: Path, warm: Pool) -> None:
    """What an engine may do inside such an operator is no excuse for another model."""
    from onnxruntime.quantization import quantize_dynamic

    rng = np.random.default_rng(0)
    shapes = {"w": (1, 64, 8), "r": (1, 64, 16), "b": (1, 128)}
    graph = helper.make_graph(
        [helper.make_node("LSTM", ["x", "w", "r", "b"], ["y"], name="lstm", hidden_size=16)],
        "g",
        [helper.make_tensor_value_info("x", 1, [5, 2, 8])],
        [helper.make_tensor_value_info("y", 1, [5, 1, 2, 16])],
        [numpy_helper.from_array(rng.normal(0, 0.3, s).astype(np.float32), n) for n, s in shapes.items()],
    )
    plain, small = tmp_path / "plain.onnx", tmp_path / "small.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), plain)
    quantize_dynamic(plain, small, op_types_to_quantize=["LSTM"])
    for head, base in ((plain, small), (small, plain)):
        done, _ = review_drift(
            Graph(ir.load(head)), Graph(ir.load(base)), TargetConfig("m", path="m.onnx"), DriftBudget(),
            tmp_path / "out", pool=warm,
        )  # fmt: skip
        assert len(done.blames) == 1, sentence(done)
        assert done.blames[0].unit.op.endswith("LSTM")


def test_models_with_weights_beside_them_are_compared_too(
    tmp_path: Path, warm: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "EMBED_LIMIT", 0)
    for name, layer in (("nothing", ""), ("one weight retrained", "fc"), ("the epsilon, exported anew", "norm")):
        (tmp_path / name).mkdir()
        done, result = against_base(CHANGES[name][0], tmp_path / name, warm, DriftBudget(mad=1e-4))
        assert (done.why, done.moved) == ("", bool(layer))
        assert [b.unit.main.name for b in done.blames] == ([layer] if layer else [])
        assert [f.level for f in result.findings] == ([Level.WARNING] if layer else [])  # too large for a script


def test_preprocessing_moved_into_the_graph_is_told_as_other_inputs(tmp_path: Path, warm: Pool) -> None:
    done, result = against_base(lambda p: build(p, byte_input=True), tmp_path, warm)
    assert "uint8" in done.why
    assert result.findings == ()
    assert "cannot be compared" in sentence(done)


def test_a_budget_that_is_exceeded_blocks_with_a_script_that_shows_it(tmp_path: Path, warm: Pool) -> None:
    change = lambda p: retrained(p, 0.5)  # noqa: E731
    _, within = against_base(change, tmp_path, warm, DriftBudget(top1=100.0, mad=10.0))
    assert within.findings == ()
    done, result = against_base(change, tmp_path, warm, DriftBudget(top1=0.5))
    (finding,) = result.findings
    assert (finding.rule, finding.level, finding.layer) == ("differential/drift", Level.ERROR, "fc")
    assert done.top1 > 0.5
    assert finding.reproducer == "differential/drift.py"
    assert (tmp_path / "out" / "differential" / "drift.py").is_file()


def test_outputs_that_are_nan_are_over_every_budget_of_distance_and_told(tmp_path: Path, warm: Pool) -> None:
    done, result = against_base(lambda p: retrained(p, float("nan")), tmp_path, warm, DriftBudget(mad=10.0))
    assert (done.broken, done.mad) == (done.instances, math.inf)
    assert [(f.rule, f.level) for f in result.findings] == [("differential/drift", Level.ERROR)]
    assert f"the outputs are NaN or infinite on {done.instances} of them, where base's are finite" in sentence(done)
    (finding,) = result.findings
    assert f"NaN or infinite on {done.instances} instances (budget 10)" in finding.message
    assert "inf of" not in sentence(done)
    assert [b.unit.main.name for b in done.blames] == ["fc"]
    both, _ = against_base(lambda p: retrained(p, 0.1), tmp_path, warm)
    assert both.broken == 0


def test_top_1_flips_are_counted_by_class() -> None:
    done = Drift(instances=8, relative=0.5, flips=((0, 1), (0, 1), (2, 3)), ranked=True, where="instance 1 of a")
    assert done.top1 == 37.5
    assert "top-1 changes on 37.5 % (2 from class 0 to 1, 1 from class 2 to 3)" in sentence(done)
    assert done.beyond(DriftBudget(top1=37.5)) == ()
    assert len(done.beyond(DriftBudget(top1=37.0, relative=0.1))) == 2
    assert Drift(relative=float("nan")).moved


def test_numbered_names_of_another_export_are_not_believed() -> None:
    info = lambda n: helper.make_tensor_value_info(n, 1, [2])  # noqa: E731
    base = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["val_1"]), helper.make_node("Neg", ["val_1"], ["y"])],
        "g",
        [info("x")],
        [info("y")],
    )
    head = helper.make_graph(
        [
            helper.make_node("Abs", ["in"], ["val_1"]),
            helper.make_node("Relu", ["in"], ["val_2"]),
            helper.make_node("Neg", ["val_2"], ["out"]),
        ],
        "g", [info("in")], [info("out")],
    )  # fmt: skip
    assert aligned(head, base) == {"in": "x", "out": "y", "val_2": "val_1"}


def test_a_budget_is_read_and_a_wider_one_is_a_loosening(tmp_path: Path) -> None:
    def read(text: str) -> Config:
        path = tmp_path / ".assay.yml"
        path.write_text(f"version: 1\n{text}\n")
        return read_config(path)

    strict = read("drift: {top1: 0.5 %, mad: 0.01, class: 8}")
    assert strict.drift == DriftBudget(top1=0.5, mad=0.01, d_class=8.0)
    assert [x.sentence for x in loosenings(strict, read("drift: {top1: 0.7, mad: 0.01}")) if "drift" in x.sentence] == [
        "The budget top1 for the drift of a changed model is 0.7.",
        "The budget d_class for the drift of a changed model is gone.",
    ]
