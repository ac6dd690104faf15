"""The oracle is checked: operator x opset x rank x attribute, against two independent engines.

Where ONNX Runtime (unoptimised) and OpenVINO agree with each other and not with the float64 reference, the reference is
the suspect. One engine alone against it decides nothing, but an operator that the reference cannot run has no
oracle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from analyzer.differential.backend import parse
from analyzer.differential.corrected import corrected_operators
from analyzer.differential.distances import relative_error
from analyzer.differential.pool import Pool
from analyzer.differential.verdict import Failure
from analyzer.differential.worker.onnx_model import in_float64
from analyzer.differential.worker.reference_operators import operators_for
from tests.differential.conftest import onnx_artefact

RNG = np.random.default_rng(0)
CLOSE = 1e-4
OPENVINO = parse("openvino")
# Published and open: engines compute the scale of `align_corners` from the rounded size, the specification does not.
DISPUTED = ("align_corners",)


@dataclass(frozen=True)
class Case:
    opset: int
    node: onnx.NodeProto
    feeds: Mapping[str, np.ndarray]
    weights: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def name(self) -> str:
        given = {a.name: helper.get_attribute_value(a) for a in self.node.attribute}
        shapes = [list(a.shape) for a in self.feeds.values()]
        return f"{self.node.op_type}-{self.opset} {shapes} {given} {sorted(self.weights)}"

    def model(self) -> onnx.ModelProto:
        inputs = [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), list(a.shape))
            for n, a in self.feeds.items()
        ]
        graph = helper.make_graph(
            [self.node], "g", inputs, [onnx.ValueInfoProto(name=n) for n in self.node.output if n],
            [numpy_helper.from_array(a, n) for n, a in self.weights.items()],
        )  # fmt: skip
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)])
        model.ir_version = min(10, model.ir_version)
        return model


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def node(op: str, inputs: str, outputs: str = "y", **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(op, inputs.split(","), outputs.split(","), **attributes)


def pooling() -> Iterator[Case]:
    for n in (1, 2, 3):
        x = {"x": floats(2, 3, *[5] * n)}
        for op in ("GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool"):
            yield Case(13, node(op, "x"), x)
        two = {"strides": [2] * n}
        ways: list[dict[str, Any]] = [
            {}, two, {"pads": [1] * 2 * n}, {"auto_pad": "SAME_UPPER", **two}, {"auto_pad": "SAME_LOWER", **two},
            {"auto_pad": "VALID"},
        ]  # fmt: skip
        for way in ways:
            for k in (2, 3):
                for op, opset in (
                    ("MaxPool", 11),
                    ("MaxPool", 12),
                    ("AveragePool", 11),
                    ("AveragePool", 19),
                    ("LpPool", 11),
                ):
                    yield Case(opset, node(op, "x", kernel_shape=[k] * n, **way), x)
        for op, opset in (("MaxPool", 12), ("AveragePool", 19), ("LpPool", 18)):
            yield Case(opset, node(op, "x", kernel_shape=[2] * n, ceil_mode=1, **two), x)
            yield Case(opset, node(op, "x", kernel_shape=[2] * n, dilations=[2] * n), x)


def convolution() -> Iterator[Case]:
    for n in (1, 2, 3):
        for groups in (1, 2):
            x, two = {"x": floats(2, 4, *[5] * n)}, {"strides": [2] * n}
            ways: list[dict[str, Any]] = [
                {}, two, {"pads": [1] * 2 * n}, {"dilations": [2] * n}, {"auto_pad": "SAME_UPPER", **two},
                {"auto_pad": "SAME_LOWER", **two},
            ]  # fmt: skip
            for way in ways:
                yield Case(11, node("Conv", "x,w", group=groups, **way), x, {"w": floats(4, 4 // groups, *[3] * n)})
                yield Case(
                    11,
                    node("ConvTranspose", "x,w,b", group=groups, **way),
                    x,
                    {"w": floats(4, 3, *[3] * n), "b": floats(3 * groups)},
                )
            yield Case(
                11,
                node("ConvTranspose", "x,w", group=groups, output_padding=[1] * n, **two),
                x,
                {"w": floats(4, 3, *[3] * n)},
            )


def resampling() -> Iterator[Case]:
    x = {"x": floats(2, 3, 4, 5)}
    for mode in ("nearest", "linear"):
        yield Case(7, node("Upsample", "x", mode=mode, scales=[1.0, 1.0, 2.0, 2.0]), x)
        for opset, op in ((9, "Upsample"), (10, "Resize")):
            yield Case(opset, node(op, "x,s", mode=mode), x, {"s": np.array([1, 1, 2, 2], np.float32)})
    for mode in ("nearest", "linear", "cubic"):
        for where in ("half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"):
            for scale in ((1.7, 1.5), (0.6, 0.7)):
                resize = node("Resize", "x,,s", mode=mode, coordinate_transformation_mode=where)
                yield Case(13, resize, x, {"s": np.array([1, 1, *scale], np.float32)})
    for mode in ("bilinear", "nearest", "bicubic"):
        yield Case(16, node("GridSample", "x,g", mode=mode), {**x, "g": np.tanh(floats(2, 3, 3, 2))})
    boxes = {"r": np.array([[0, 0, 4, 4]], np.float32), "i": np.array([0], np.int64)}
    for opset in (10, 16):
        align = node("RoiAlign", "x,r,i", output_height=2, output_width=2, sampling_ratio=2)
        yield Case(opset, align, {"x": floats(1, 2, 6, 6)}, boxes)


def recurrent() -> Iterator[Case]:
    for op, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        for direction, ways in (("forward", 1), ("reverse", 1), ("bidirectional", 2)):
            for lengths in (False, True):
                for more in ({"linear_before_reset": 0}, {"linear_before_reset": 1}) if op == "GRU" else ({},):
                    weights = {
                        "w": floats(ways, gates * 3, 4),
                        "r": floats(ways, gates * 3, 3),
                        "b": floats(ways, gates * 6),
                    }
                    if lengths:
                        weights["l"] = np.array([3, 5], np.int32)
                    outputs = "y,h,c" if op == "LSTM" else "y,h"
                    cell = node(
                        op, "x,w,r,b" + (",l" if lengths else ""), outputs, hidden_size=3, direction=direction, **more
                    )
                    yield Case(14, cell, {"x": floats(5, 2, 4)}, weights)


def others() -> Iterator[Case]:
    x = {"x": floats(2, 3, 4, 5)}
    for mode in ("constant", "edge", "reflect"):
        for pads in ([0, 0, 1, 1, 0, 0, 1, 1], [0, 0, -1, 1, 0, 0, 1, -1], [0, 0, -1, -1, 0, 0, -1, 0]):
            yield Case(13, node("Pad", "x,p", mode=mode), x, {"p": np.array(pads, np.int64)})
            yield Case(7, node("Pad", "x", mode=mode, pads=pads), x)
    yield Case(
        18,
        node("Pad", "x,p,v,a"),
        x,
        {"p": np.array([1, -1], np.int64), "v": np.array(2.5, np.float32), "a": np.array([-2], np.int64)},
    )
    yield Case(9, node("MeanVarianceNormalization", "x"), x)
    yield Case(13, node("MeanVarianceNormalization", "x", axes=[1]), x)
    yield Case(7, node("InstanceNormalization", "x,s,b"), x, {"s": floats(3), "b": floats(3)})
    yield Case(21, node("GroupNormalization", "x,s,b", num_groups=1), x, {"s": floats(3), "b": floats(3)})
    yield Case(17, node("LayerNormalization", "x,s,b", axis=-1), x, {"s": floats(5), "b": floats(5)})
    for p in (1, 2):
        yield Case(7, node("LpNormalization", "x", p=p, axis=1), x)
    for opset in (7, 11, 13):
        for op in ("Softmax", "LogSoftmax", "Hardmax"):
            yield Case(opset, node(op, "x", axis=1), x)
    for opset in (7, 9, 14, 15):
        statistics = {"s": floats(3), "b": floats(3), "m": floats(3), "v": np.abs(floats(3)) + 1}
        yield Case(opset, node("BatchNormalization", "x,s,b,m,v"), x, statistics)
    yield Case(13, node("LRN", "x", size=3), x)
    yield Case(7, node("Gemm", "x,w,b", transB=1, alpha=0.5), {"x": floats(2, 3)}, {"w": floats(4, 3), "b": floats(4)})
    yield Case(13, node("DepthToSpace", "x", blocksize=2, mode="CRD"), {"x": floats(1, 8, 2, 3)})
    yield Case(14, node("CumSum", "x,a", exclusive=1, reverse=1), x, {"a": np.array(1, np.int64)})
    yield Case(12, node("Einsum", "x,z", equation="bij,bjk->bik"), {"x": floats(2, 3, 4), "z": floats(2, 4, 5)})
    for opset, op, more in (
        (12, "Celu", {"alpha": 0.5}), (7, "Selu", {}), (7, "Elu", {"alpha": 0.7}), (10, "ThresholdedRelu", {}),
        (9, "Shrink", {"bias": 0.1, "lambd": 0.3}), (14, "HardSwish", {}), (7, "HardSigmoid", {}), (20, "Gelu", {}),
        (18, "Mish", {}), (7, "Softplus", {}), (7, "Softsign", {}), (9, "Erf", {}), (7, "LeakyRelu", {}),
    ):  # fmt: skip
        yield Case(opset, node(op, "x", **more), x)
    for op in ("Mean", "Sum", "Max", "Min", "L1", "L2", "LogSum", "LogSumExp", "Prod", "SumSquare"):
        size = {"x": np.abs(x["x"])}
        yield Case(11, node(f"Reduce{op}", "x", axes=[1, -1], keepdims=0), size)
        yield Case(18, node(f"Reduce{op}", "x,a"), size, {"a": np.array([1, -1], np.int64)})


def gathering() -> Iterator[Case]:
    """More values than the 32 among which NumPy's `choose` picks; fewer indices than the data have beside the axis."""
    for shape, axis, sizes in (
        ((40, 3), 0, (40, 3)), ((3, 40), 1, (3, 40)), ((1, 512), 1, (1, 12)), ((40, 1), 0, (7, 1)), ((5, 6), 0, (3, 4)),
        ((5, 6), 1, (2, 9)), ((2, 40, 3), 1, (2, 8, 3)), ((2, 40, 3), -2, (1, 50, 2)), ((2, 3, 4), 2, (2, 3, 1)),
        ((4,), 0, (9,)),
    ):  # fmt: skip
        data, size = {"x": floats(*shape)}, shape[axis]
        chosen = RNG.integers(-size, size, sizes)
        yield Case(13, node("GatherElements", "x,i", axis=axis), data, {"i": chosen})
        yield Case(13, node("Gather", "x,i", axis=axis), data, {"i": chosen})
        distinct = np.argsort(RNG.random(sizes), axis)
        if distinct.max() < size and all(a <= b for a, b in zip(sizes, shape, strict=True)):
            values = {"i": distinct, "v": floats(*sizes)}
            yield Case(16, node("ScatterElements", "x,i,v", axis=axis), data, values)
            yield Case(10, node("Scatter", "x,i,v", axis=axis), data, values)
            for reduction in ("add", "mul", "max", "min"):
                many = {"i": chosen, "v": floats(*sizes)}
                opset = 16 if reduction in ("add", "mul") else 18
                yield Case(opset, node("ScatterElements", "x,i,v", axis=axis, reduction=reduction), data, many)
        yield Case(11, node("TopK", "x,k", "y,w", axis=axis), data, {"k": np.array([size - 1], np.int64)})
    wide = {"x": floats(40, 5, 3)}
    for batch, index in ((0, (7, 2)), (0, (2, 3, 3)), (1, (40, 4, 1))):
        limits = (5, 3) if batch else (40, 5, 3)
        places = np.stack([RNG.integers(0, n, index[:-1]) for n in limits[: index[-1]]], -1)
        yield Case(13, node("GatherND", "x,i", batch_dims=batch), wide, {"i": places})
    rows = {"i": RNG.permutation(40)[:9].reshape(9, 1).astype(np.int64), "v": floats(9, 5, 3)}
    yield Case(16, node("ScatterND", "x,i,v"), wide, rows)
    yield Case(16, node("ScatterND", "x,i,v", reduction="add"), wide, rows)
    yield Case(11, node("Compress", "x,c", axis=0), wide, {"c": RNG.random(40) < 0.5})
    yield Case(13, node("OneHot", "x,d,v", axis=0), {"x": RNG.integers(0, 40, (3, 4))},
               {"d": np.array(40, np.int64), "v": np.array([0.0, 2.0], np.float32)})  # fmt: skip


def in_ort(model: onnx.ModelProto, case: Case) -> list[np.ndarray] | None:
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return list(session.run(None, dict(case.feeds)))
    except Exception:
        return None


def in_openvino(model: onnx.ModelProto, case: Case, pool: Pool, path: Path) -> list[np.ndarray] | None:
    """In a worker: with fewer instructions than the processor has, its kernel of some operators ends the process."""
    onnx.save(model, path)
    runner = pool.get(OPENVINO, onnx_artefact(path))
    if isinstance(runner, Failure):
        return None
    done = runner.run(dict(case.feeds))
    return [done.arrays[name] for name in case.node.output if name] if done.ok else None


def in_reference(model: onnx.ModelProto, case: Case) -> list[np.ndarray]:
    feeds = {n: a.astype(np.float64) if a.dtype.kind == "f" else a for n, a in case.feeds.items()}
    with np.errstate(all="ignore"):
        evaluator = ReferenceEvaluator(in_float64(model), new_ops=operators_for(case.opset))
        return [np.asarray(v) for v in evaluator.run(None, feeds)]


def apart(a: list[np.ndarray] | None, b: list[np.ndarray] | None) -> bool | None:
    """None where one of them has no result."""
    if a is None or b is None:
        return None
    return len(a) != len(b) or any(relative_error(x, y) > CLOSE for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize(
    "family", [pooling, convolution, resampling, recurrent, gathering, others], ids=lambda f: f.__name__
)
def test_two_engines_never_agree_against_the_oracle(
    family: Callable[[], Iterator[Case]], pool: Pool, tmp_path: Path
) -> None:
    decided, wrong, lost, alone = 0, [], [], []
    for case in family():
        model = case.model()
        first, second = in_ort(model, case), in_openvino(model, case, pool, tmp_path / "model.onnx")
        if first is None and second is None:
            continue
        try:
            oracle = in_reference(model, case)
        except Exception as error:
            lost.append(f"{case.name}: {type(error).__name__}: {error}"[:300])
            continue
        verdicts = [v for v in (apart(oracle, first), apart(oracle, second)) if v is not None]
        decided += len(verdicts)
        against = all(verdicts) and (len(verdicts) == 1 or apart(first, second) is False)
        if against and not any(name in case.name for name in DISPUTED):
            (wrong if len(verdicts) == 2 else alone).append(case.name)
    assert decided > 5, "the engines ran hardly anything"
    assert not lost, "the oracle cannot run what an engine runs:\n" + "\n".join(lost)
    assert not wrong, "two engines agree against the oracle:\n" + "\n".join(wrong)
    assert not alone, "the only engine that runs these disagrees with the oracle:\n" + "\n".join(alone)


UNDECIDED = {  # parts of the names of the specification's own cases
    "bitcast": "a float64 run has no bits of float32",
    "scan_sum": "Scan of operator set 8, which set 9 withdrew",
    "if_opt": "an optional sequence, which the evaluator hands out with an axis too many",
    "training_dropout": "a random draw",
    "align_corners": "published and open",
}


@pytest.mark.study
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the cases themselves
def test_the_oracle_and_the_cases_of_the_specification() -> None:
    """Where ONNX Runtime and the specification's expected outputs agree, the oracle agrees with them."""
    from onnx.backend.test.case.node import collect_testcases

    decided, operators, wrong, lost = 0, set(), [], []
    for each in collect_testcases(None):
        names, (given, right) = [i.name for i in each.model.graph.input], each.data_sets[0]
        arrays = [a for a in (*given, *right) if isinstance(a, np.ndarray) and a.dtype.kind in "fiub"]
        if len(arrays) < len(given) + len(right) or any(part in each.name for part in UNDECIDED):
            continue
        case = Case(
            max((o.version for o in each.model.opset_import if not o.domain), default=1),
            each.model.graph.node[0],
            dict(zip(names, given, strict=False)),
        )
        engine = in_ort(each.model, case)
        half = any(a.dtype == np.float16 for a in arrays)
        if engine is None or not _near(engine, list(right), half):
            continue
        try:
            oracle = in_reference(each.model, case)
        except Exception as error:
            lost.append(f"{each.name}: {type(error).__name__}: {error}"[:200])
            continue
        decided += 1
        operators |= {n.op_type for n in each.model.graph.node}
        if not _near(oracle, list(right), half):
            wrong.append(each.name)
    assert (decided > 1000, len(operators) > 140) == (True, True), (decided, len(operators))
    assert not lost, "the oracle cannot run what an engine runs:\n" + "\n".join(lost)
    assert not wrong, "an engine and the specification agree against the oracle:\n" + "\n".join(wrong)


def _near(mine: list[np.ndarray], right: list[np.ndarray], half: bool) -> bool:
    """Within rounding; bytes that a sum between two steps may be rounded to are one step apart."""
    return len(mine) == len(right) and all(
        np.shape(a) == b.shape
        and (
            bool(np.all(np.abs(np.asarray(a, np.int64) - b.astype(np.int64)) <= 1))
            if b.dtype in (np.int8, np.uint8)
            else relative_error(np.asarray(a), b) <= (1e-2 if half else CLOSE)
        )
        for a, b in zip(mine, right, strict=True)
    )


@pytest.mark.parametrize("family", [pooling, recurrent, resampling, gathering], ids=lambda f: f.__name__)
def test_scripts_carry_what_is_wrong_in_the_stock_reference(family: Callable[[], Iterator[Case]]) -> None:
    """Wherever the stock evaluator differs from the oracle's, a script defines the oracle's operator."""
    missing = []
    for case in family():
        model = case.model()
        try:
            right = in_reference(model, case)
        except Exception:
            continue
        try:
            with np.errstate(all="ignore"):
                stock = [np.asarray(v) for v in ReferenceEvaluator(model).run(None, dict(case.feeds))]
        except Exception:
            stock = None
        carried = corrected_operators(model.SerializeToString()).names
        if (stock is None or apart(right, stock)) and not carried:
            missing.append(case.name)
    assert not missing, "\n".join(missing)
