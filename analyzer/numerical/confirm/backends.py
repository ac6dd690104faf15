"""A real run of ONNX Runtime, and how a run of any engine is seen to have failed. For the worker process only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import onnx_ir as ir

from analyzer.numerical.confirm.infinities import Infinities
from analyzer.numerical.nesting import bodies

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class ConcreteRun:
    """What a real run gave: `results` and gradients by value name, the engine and its version."""

    results: dict[str, np.ndarray]
    engine: str
    gradients: dict[str, np.ndarray] = field(default_factory=dict)
    own: bool = True  # the gradient fails at the operator in question and not before it
    sound: bool = True  # the gradients that reach that operator, and those that leave it, are finite


def run_onnx(model_bytes: bytes, leaves: Arrays, wanted: Sequence[str], threads: int = 1) -> ConcreteRun:
    """One run of ONNX Runtime on the CPU, without graph rewriting: the operators as the model has them."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(model_bytes, options, providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs() if o.name in wanted]
    feeds = {i.name: leaves[i.name] for i in session.get_inputs()}
    given = zip(names, session.run(names, feeds), strict=True)
    results = {name: array for name, array in given if isinstance(array, np.ndarray)}  # sequences tell by their parts
    return ConcreteRun(results, f"ONNX Runtime {onnxruntime.__version__}")


def earlier_failure(model: ir.Model, values: Arrays, outputs: Sequence[str], infinite: bool = False) -> str | None:
    """The name of another operator of the main graph that failed, in a run of which all `values` are known.

    What the model holds counts too: an operator that is given its infinities (a mask) does not fail.
    """
    held = {n: v.const_value.numpy() for n, v in model.graph.initializers.items() if v.const_value is not None}
    values = {**held, **values}
    for node in model.graph:
        made = [v.name for v in node.outputs if v.name in values]
        if not node.inputs or set(made) & set(outputs) or bodies(node):
            continue
        given = [v.name for v in node.inputs if v is not None and v.name in values]
        if all(all_finite(values[n], infinite) for n in given if n) and not all(
            all_finite(values[n], infinite) for n in made if n
        ):
            return node.name or node.op_type
    return None


def with_every_result(model_bytes: bytes) -> tuple[bytes, list[str]]:
    """The model with every value of its main graph among the outputs, and their names."""
    import onnx

    model = onnx.load_model_from_string(model_bytes)
    known = {o.name for o in model.graph.output}
    names = [name for node in model.graph.node for name in node.output if name]
    model.graph.output.extend(onnx.ValueInfoProto(name=n) for n in names if n not in known)
    return model.SerializeToString(), names


def forward_failure(
    run: ConcreteRun,
    operands: Sequence[str],
    outputs: Sequence[str],
    leaves: Arrays,
    infinite: Infinities = Infinities.NONE,
) -> str | None:
    """One sentence if the operator's operands are finite and its result is not; None otherwise.

    `infinite` tells where infinities are meant.
    """
    known = {**leaves, **run.results}
    for name in operands:
        if name in known and not all_finite(known[name], bool(infinite)):
            return None
    for name in outputs:
        array = known.get(name)
        if array is None or all_finite(array, infinite.passed_on):
            continue
        array = np.asarray(array, np.float64)
        bad = np.isnan(array) if infinite.passed_on else ~np.isfinite(array)
        kind = "NaN" if np.isnan(array[bad]).any() else "infinite"
        where = [int(i) for i in np.argwhere(bad)[0]]
        values = []
        for operand in operands:
            given = known.get(operand)
            if given is not None and given.dtype.kind in "fiu" and given.size:
                try:
                    values.append(float(np.broadcast_to(given, array.shape)[tuple(where)]))
                except ValueError:
                    continue
        shown = ", ".join(f"{v:.9g}" for v in values[:2])
        at = f" at element {where}" if where else ""
        operands_text = f" from {shown}" if shown else ""
        return f"{int(bad.sum())} of {array.size} results are not finite: {kind}{at}{operands_text}"
    return None


def event_failure(run: ConcreteRun, event: str) -> str | None:
    """One sentence if an operator inside a body had finite operands and a result that is not finite."""
    array = run.results.get(event)
    if array is None or not np.asarray(array).any():
        return None
    return "inside its body the operator's operands are finite and its result is not"


def gradient_failure(run: ConcreteRun, ends: Sequence[str]) -> str | None:
    """One sentence if the forward results called `ends` are finite and the operator's gradient is not."""
    if not run.own or not all(all_finite(run.results[name]) for name in ends if name in run.results):
        return None
    for name, array in run.gradients.items():
        if not all_finite(array):
            bad = ~np.isfinite(np.asarray(array, np.float64))
            kind = "NaN" if np.isnan(np.asarray(array, np.float64)).any() else "infinite"
            return f"the gradient of {name} has {int(bad.sum())} of {array.size} elements that are not finite ({kind})"
    return None


def all_finite(array: np.ndarray, infinite: bool = False) -> bool:
    if array.dtype.kind in "iub":
        return True
    if infinite:
        return not bool(np.isnan(np.asarray(array, np.float64)).any())
    return bool(np.isfinite(np.asarray(array, np.float64)).all())
