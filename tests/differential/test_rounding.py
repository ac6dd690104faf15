"""What rounding does is no engine's fault: quantised and narrow models, jumps, and sums that cancel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import onnx
import onnx.reference
import pytest
from onnx import TensorProto, helper

from analyzer.differential.backend import parse
from analyzer.differential.noise import EPS
from analyzer.differential.pool import Pool
from analyzer.differential.rounding import error_of, is_rounding
from analyzer.differential.runner import Artefact, Runner
from analyzer.differential.sentences import sentences
from analyzer.differential.structure import units
from analyzer.differential.study import Study
from analyzer.differential.verdict import Outcome

Examine = Callable[..., Study]
SaveModel = Callable[..., Artefact]
node = helper.make_node
RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool() as pool:
        yield pool


def _written(artefact: Artefact, opset: int = 18, **types: int) -> Artefact:
    """The same file with another opset, and inputs and outputs of other types."""
    path = artefact.files[artefact.request["path"]]
    model = onnx.load(path)
    model.opset_import[0].version = opset
    for value in (*model.graph.input, *model.graph.output):
        if value.name in types:
            value.type.tensor_type.elem_type = types[value.name]
    onnx.save(model, path)
    return artefact


def quantised(folder_save: SaveModel, path: Path) -> Artefact:
    """Two convolutions between quantisations, as quantisers write them before opset 19.

    The weights have 7 bits (`reduce_range`): without VNNI, 255 · 64 twice still fits in 16 bits. See `test_processor`.
    """
    weights: dict[str, np.ndarray] = {"s": np.array(0.03, np.float32), "z": np.array(120, np.uint8)}
    nodes, x = [], "x"
    for i in range(2):
        weights[f"w{i}"] = RNG.integers(-64, 64, (6, 3 if i == 0 else 6, 3, 3)).astype(np.int8)
        weights[f"ws{i}"] = RNG.uniform(0.002, 0.004, 6).astype(np.float32)
        weights[f"wz{i}"] = np.zeros(6, np.int8)
        nodes += [
            node("QuantizeLinear", [x, "s", "z"], [f"q{i}"], name=f"q{i}"),
            node("DequantizeLinear", [f"q{i}", "s", "z"], [f"d{i}"], name=f"d{i}"),
            node("DequantizeLinear", [f"w{i}", f"ws{i}", f"wz{i}"], [f"wd{i}"], name=f"wd{i}", axis=0),
            node("Conv", [f"d{i}", f"wd{i}"], [f"c{i}"], name=f"conv{i}"),
        ]
        x = f"c{i}"
    nodes.append(node("Relu", [x], ["y"], name="relu"))
    return _written(folder_save(path, nodes, weights, [2, 3, 12, 12]), 17)


def test_a_quantised_model_has_an_oracle_and_is_silent(
    examine: Examine, save_model: SaveModel, pool: Pool, tmp_path: Path
) -> None:
    artefact = quantised(save_model, tmp_path / "quantised.onnx")
    done = examine(artefact, ["onnxruntime", "openvino", "reference"], pool, thorough=True)
    assert done.comparison is not None
    assert done.comparison.reference == "reference:precision=float64"
    assert [r.failure for r in done.comparison.results] == [None, None, None]
    assert done.problems == ()


@pytest.mark.parametrize("border", ["inside", "inputs and outputs"])
def test_bfloat16_is_read_as_what_it_is(
    border: str, examine: Examine, save_model: SaveModel, pool: Pool, tmp_path: Path
) -> None:
    """OpenVINO hands bfloat16 out as other bytes; and what a cast rounds away is not held against the engine."""
    cast = node("Cast", ["x"], ["a"], name="narrow", to=TensorProto.BFLOAT16)
    inside = [cast, node("Mul", ["a", "a"], ["b"], name="mul"), node("Cast", ["b"], ["y"], name="wide", to=1)]
    whole = [node("Mul", ["x", "x"], ["a"], name="mul"), node("Relu", ["a"], ["y"], name="relu")]
    saved = save_model(tmp_path / "narrow.onnx", inside if border == "inside" else whole, {}, [3, 16])
    if border != "inside":
        _written(saved, x=TensorProto.BFLOAT16, y=TensorProto.BFLOAT16)
    done = examine(saved, ["openvino", "reference"], pool, thorough=True)
    assert done.comparison is not None
    assert [r.failure for r in done.comparison.results] == [None, None]
    assert max(e for r in done.comparison.results for e in r.errors) < 0.05
    assert done.problems == ()


@pytest.mark.parametrize("unit", [1.0, 0.1])
def test_numbers_that_a_model_counts_out_for_itself_are_not_rounded(
    unit: float, save_model: SaveModel, pool: Pool, tmp_path: Path
) -> None:
    """A mask by places: with whole numbers no rounding explains that it is lost; tenths an engine may round."""
    nodes = [
        node("Range", ["zero", "four", "one"], ["places"], name="places"),
        node("Mul", ["places", "unit"], ["scaled"], name="scale"),
        node("Add", ["scaled", "scaled"], ["sum"], name="sum"),
        node("Equal", ["sum", "third"], ["same"], name="equal"),
        node("Where", ["same", "mask", "zero"], ["masks"], name="where"),
        node("Add", ["x", "masks"], ["y"], name="add"),
    ]
    numbers = {"zero": 0.0, "one": 1.0, "four": 4.0, "unit": unit, "third": 4.0 * unit, "mask": -100.0}
    weights = {name: np.array(value, np.float32) for name, value in numbers.items()}
    oracle = pool.get(parse("reference:precision=float64"), save_model(tmp_path / "mask.onnx", nodes, weights, [2, 4]))
    assert isinstance(oracle, Runner)
    assert oracle.description is not None
    (whole,) = units(oracle.description, frozenset({"y"}))
    x = {"x": RNG.standard_normal((2, 4)).astype(np.float32)}
    right = oracle.run(x, whole.outputs, state=False)
    lost = Outcome({"y": x["x"].astype(np.float64)})
    error = error_of(lost.arrays, right.arrays)
    assert error > 0.9
    assert is_rounding(error, whole, x, lost, right, oracle, EPS["float32"], 0) == (unit != 1.0)


def test_what_cancels_inside_a_model_is_no_layers_fault(
    examine: Examine, save_model: SaveModel, pool: Pool, tmp_path: Path
) -> None:
    nodes = [
        node("Tanh", ["x"], ["t"], name="tanh"),
        node("Add", ["t", "large"], ["a"], name="add"),
        node("Sigmoid", ["x"], ["g"], name="gate"),
        node("Sub", ["a", "large"], ["s"], name="subtract"),
        node("Mul", ["s", "g"], ["y"], name="product"),
    ]
    saved = save_model(tmp_path / "cancel.onnx", nodes, {"large": np.array(3e6, np.float32)}, [4, 32])
    done = examine(saved, ["onnxruntime:opt=disable"], pool)
    assert done.problems == ()
    (line,) = sentences(done)
    assert "differs" in line
    assert "every layer is within rounding" in line


def test_numbers_in_the_place_of_nan_are_called_that(
    examine: Examine, save_model: SaveModel, pool: Pool, tmp_path: Path
) -> None:
    from analyzer.configuration.config import TargetConfig
    from analyzer.differential.layer_findings import layer_finding

    weights = {"w": np.array([[np.nan, 1.0], [2.0, 3.0]], np.float32)}
    nodes = [node("MatMul", ["x", "w"], ["a"], name="product"), node("Relu", ["a"], ["y"], name="relu")]
    done = examine(save_model(tmp_path / "nan.onnx", nodes, weights, [3, 2]), ["openvino"], pool)
    (problem,) = done.problems
    finding = layer_finding(problem, done, TargetConfig("m", path="m"))
    assert "gives numbers in `relu`" in finding.message
    assert "50 % of the outputs are NaN" in sentences(done)[-1]


def test_quantisation_before_opset_19_is_what_the_engines_do(save_model: SaveModel, tmp_path: Path) -> None:
    """Ties, saturation, a zero point, and one scale for each channel."""
    import onnxruntime

    from analyzer.differential.worker.reference_operators import operators_for

    weights = {"s": np.array([0.5, 0.25, 2.0], np.float32), "z": np.array([10, 0, 128], np.uint8)}
    nodes = [
        node("QuantizeLinear", ["x", "s", "z"], ["q"], axis=1),
        node("DequantizeLinear", ["q", "s", "z"], ["y"], axis=1),
    ]
    saved = _written(save_model(tmp_path / "q.onnx", nodes, weights, [4, 3, 5]), 13)
    model = onnx.load(saved.files[saved.request["path"]])
    x = np.round(RNG.uniform(-200, 200, (4, 3, 5)) * 4).astype(np.float32) / 8
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    evaluator = onnx.reference.ReferenceEvaluator(model, new_ops=operators_for(13))
    np.testing.assert_array_equal(evaluator.run(None, {"x": x})[0], session.run(None, {"x": x})[0])
