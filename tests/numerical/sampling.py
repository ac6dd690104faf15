"""Random boxes around operators, concrete runs inside them, and whether the abstract results cover the runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from containment import analysed, failed, graph_of, outside
from onnx import TensorProto, helper, numpy_helper
from operator_catalogue import Case, Operand

from analyzer.numerical.domain import dtypes
from analyzer.numerical.domain.tensor import AbstractTensor

MAGNITUDES = (1e-40, 1e-3, 1.0, 1.0, 5.0, 20.0, 85.0, 95.0, 1e4, 1e19, 3e38)
SIGNS = ("negative", "negative to zero", "straddling", "zero", "zero to positive", "positive", "point")
CRITICAL = (
    0.0,
    -0.0,
    0.5,
    1.0,
    -1.0,
    1.5,
    -0.7518,
    -1.278,
    1.5707964,
    3.1415927,
    -1.1924,
    2.0,
    16.7,
    17.0,
    -104.0,
    88.6,
)
ONNX_TYPES = {
    "float32": TensorProto.FLOAT,
    "float16": TensorProto.FLOAT16,
    "float64": TensorProto.DOUBLE,
    "int32": TensorProto.INT32,
    "int64": TensorProto.INT64,
    "uint8": TensorProto.UINT8,
    "bool": TensorProto.BOOL,
    "bfloat16": TensorProto.BFLOAT16,
    "float8_e4m3fn": TensorProto.FLOAT8E4M3FN,
    "float8_e4m3fnuz": TensorProto.FLOAT8E4M3FNUZ,
    "float8_e5m2": TensorProto.FLOAT8E5M2,
    "float8_e5m2fnuz": TensorProto.FLOAT8E5M2FNUZ,
}


@dataclass
class Tally:
    """What a sampling run saw. `checks` counts output elements compared with bounds."""

    checks: int = 0
    runs: int = 0
    flagged: int = 0
    witnessed: int = 0  # flagged boxes in which some sample did fail
    problems: list[str] | None = None


def model_of(case: Case) -> onnx.ModelProto:
    inputs, initializers, names = [], [], []
    for position, operand in enumerate(case.operands):
        name = f"i{position}"
        if operand is None:
            names.append("")
        elif isinstance(operand, Operand):
            inputs.append(helper.make_tensor_value_info(name, ONNX_TYPES[operand.dtype], operand.shape))
            names.append(name)
        else:
            initializers.append(numpy_helper.from_array(np.asarray(operand), name))
            names.append(name)
    outputs = [f"o{n}" for n in range(case.outputs)]
    node = helper.make_node(case.op, names, outputs, name="n", **case.attributes)
    infos = [helper.make_empty_tensor_value_info(o) for o in outputs]
    graph = helper.make_graph([node], "g", inputs, infos, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", case.opset)], ir_version=10)
    return onnx.shape_inference.infer_shapes(model)


Runner = Callable[[dict[str, np.ndarray]], list[Any]]


def runner(model: onnx.ModelProto) -> Runner:
    """Runs the model on ONNX Runtime, or on the reference evaluator where the runtime lacks the kernel."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    try:
        session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return lambda feed: session.run(None, feed)
    except Exception:  # no kernel for this operator or dtype
        from onnx.reference import ReferenceEvaluator

        evaluator = ReferenceEvaluator(model)
        return lambda feed: evaluator.run(None, feed)


def random_box(rng: np.random.Generator, operand: Operand) -> tuple[np.ndarray, np.ndarray]:
    """Bounds for each element: the same everywhere, or drawn for each."""
    kind = dtypes.element_type(operand.dtype)
    shape = operand.shape
    same = rng.random() < 0.5
    size = () if same else shape
    if operand.dtype == "bool":
        lo = rng.integers(0, 2, size).astype(np.float64)
        hi = np.maximum(lo, rng.integers(0, 2, size))
        return np.broadcast_to(lo, shape).copy(), np.broadcast_to(hi, shape).copy()
    magnitude = rng.choice(MAGNITUDES)
    a, b = magnitude * rng.random(size), magnitude * rng.random(size)
    small, large = np.minimum(a, b), np.maximum(a, b)
    sign = rng.choice(SIGNS)
    lo, hi = {
        "negative": (-large, -small),
        "negative to zero": (-large, 0 * small),
        "straddling": (-a, b),
        "zero": (0 * a, 0 * b),
        "zero to positive": (0 * small, large),
        "positive": (small, large),
        "point": (a - b, a - b),
    }[str(sign)]
    if operand.within is not None:
        low, high = operand.within
        lo, hi = (
            low + (high - low) * np.minimum(rng.random(size), 0.5),
            low + (high - low) * (0.5 + rng.random(size) / 2),
        )
    if not kind.is_float:
        lo, hi = np.floor(np.clip(lo, max(kind.lo, -1e6), 1e6)), np.floor(np.clip(hi, max(kind.lo, -1e6), 1e6))
        if operand.within is not None:
            lo, hi = np.maximum(lo, operand.within[0]), np.minimum(hi, operand.within[1])
        hi = np.maximum(lo, hi)
    else:
        lo, hi = np.clip(lo, kind.lo, kind.hi), np.clip(hi, kind.lo, kind.hi)
        lo, hi = kind.nearest(np.asarray(lo, np.float64)), kind.nearest(np.asarray(hi, np.float64))
    return np.broadcast_to(lo, shape).astype(np.float64), np.broadcast_to(hi, shape).astype(np.float64)


def abstraction(rng: np.random.Generator, operand: Operand, lo: np.ndarray, hi: np.ndarray) -> AbstractTensor:
    """The box as one block, a block an element, or blocks along one axis."""
    kind = dtypes.element_type(operand.dtype)
    choice = rng.integers(0, 3)
    if lo.size == 0 or choice == 0 or lo.size == 1 or not operand.shape:
        return AbstractTensor(kind, operand.shape, np.float64(lo.min()), np.float64(hi.max()))
    if choice == 1 and lo.size <= 64:
        return AbstractTensor(kind, operand.shape, lo.copy(), hi.copy(), tuple(tuple(range(n)) for n in operand.shape))
    axis = int(rng.integers(0, len(operand.shape)))
    n = operand.shape[axis]
    cut = int(rng.integers(1, n)) if n > 1 else 0
    starts = tuple((0, cut) if a == axis and cut else (0,) for a in range(len(operand.shape)))
    parts_lo = np.split(lo, [cut], axis) if cut else [lo]
    parts_hi = np.split(hi, [cut], axis) if cut else [hi]
    form = [1] * lo.ndim
    form[axis] = len(parts_lo)
    lows = np.array([p.min() for p in parts_lo]).reshape(form)
    highs = np.array([p.max() for p in parts_hi]).reshape(form)
    if lows.size == 1:
        return AbstractTensor(kind, operand.shape, lows.reshape(())[()], highs.reshape(())[()])
    return AbstractTensor(kind, operand.shape, lows, highs, starts)


def samples(rng: np.random.Generator, operand: Operand, lo: np.ndarray, hi: np.ndarray, n: int) -> Iterator[np.ndarray]:
    """Corners, one-hot extremes, critical points and interior points of a box, in the operand's dtype."""
    kind = np.dtype(dtypes.element_type(operand.dtype).numpy)
    for index in range(n):
        how = index % 6
        if index == 0:
            value = lo
        elif index == 1:
            value = hi
        elif how == 2:
            value = np.where(rng.random(lo.shape) < 0.5, lo, hi)
        elif how == 3:
            value = lo.copy()
            if value.size:
                value.flat[int(rng.integers(0, value.size))] = hi.flat[0]
            value = np.clip(value, lo, hi)
        elif how == 4:
            value = np.clip(rng.choice(CRITICAL, size=lo.shape), lo, hi)
        else:
            value = lo + (hi - lo) * rng.random(lo.shape)
        if kind.kind in "iub":
            yield np.clip(np.rint(value), lo, hi).astype(kind)
        else:
            with np.errstate(all="ignore"):
                yield np.clip(value.astype(kind).astype(np.float64), lo, hi).astype(kind)


def check_case(
    case: Case, rng: np.random.Generator, boxes: int, runs: int, tally: Tally, run: Runner | None = None
) -> None:
    """Sample one operator; every violation becomes a line in `tally.problems`. `run` takes the place of the runtime."""
    warnings.simplefilter("ignore")
    model = model_of(case)
    run = run or runner(model)
    graph = graph_of(model)
    sampled = [(f"i{n}", o) for n, o in enumerate(case.operands) if isinstance(o, Operand)]
    problems = tally.problems if tally.problems is not None else []
    for _ in range(boxes):
        ranges = {name: random_box(rng, operand) for name, operand in sampled}
        assumptions = {name: abstraction(rng, operand, *ranges[name]) for name, operand in sampled}
        result = analysed(graph, assumptions)
        flagged = failed(result)
        tally.flagged += flagged
        witnessed = False
        streams = {name: samples(rng, operand, *ranges[name], runs) for name, operand in sampled}
        for _ in range(runs):
            feed = {name: next(stream) for name, stream in streams.items()}
            try:
                with np.errstate(all="ignore"):
                    outputs = run(feed)
            except Exception:  # the runtime refuses this input: nothing to compare
                continue
            tally.runs += 1
            bad = any(
                np.asarray(o).dtype.kind == "f" and not np.isfinite(np.asarray(o, dtype=np.float64)).all()
                for o in outputs
            )
            witnessed |= bad
            if bad and not flagged:
                allowed = all(
                    (t := result.values.get(value)) is None or not outside(t, o)
                    for value, o in zip(graph.graph.outputs, outputs, strict=True)
                )
                if not allowed:
                    problems.append(
                        f"{case.name}: NaN or infinity unflagged for {_words(assumptions)} at {_words(feed)}"
                    )
                    break
            if bad:
                continue
            for value, output in zip(graph.graph.outputs, outputs, strict=True):
                tensor = result.values.get(value)
                if tensor is None:
                    continue
                tally.checks += int(np.size(output))
                why = outside(tensor, output)
                if why:
                    problems.append(f"{case.name}: {why} for {_words(assumptions)} at {_words(feed)}")
                    break
        tally.witnessed += witnessed


def _words(values: dict[str, Any]) -> str:
    parts = []
    for name, value in values.items():
        if isinstance(value, AbstractTensor):
            parts.append(
                f"{name} in [{value.low!r}, {value.high!r}]" + ("" if value.starts is None else f" {value.starts}")
            )
        else:
            parts.append(f"{name}={np.array2string(np.asarray(value), threshold=8, precision=9)}")
    return "; ".join(parts).replace("\n", " ")
