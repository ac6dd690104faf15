"""What is assumed of inputs, parameters and state before anything is computed: a range each, with its origin.

In this order: what `.assay.yml` declares, a checkpoint, ``unbounded``, what the graph tells (`inference`), documented
defaults. No range is invented silently: each carries the reason that findings show.
"""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import onnx_ir as ir

from analyzer.configuration.config import TargetConfig
from analyzer.graph import Graph, Role, ValueRange, role_of
from analyzer.graph.model import SIGNATURE
from analyzer.graph.ranges import Origin
from analyzer.numerical.inference import Uses, inferred_input, inferred_parameter, initial_range
from analyzer.numerical.stored_weights import StoredWeight
from analyzer.problem import TargetProblem

INPUT_DEFAULT = 100.0  # an input of which nothing is known lies in [-100, 100]
INTEGER_DEFAULT = 1000  # of an integer input whose reader says nothing: indices of vocabularies name theirs
ZERO_DEFAULT = 1.0  # a weight that starts at 0 lies in [-1, 1]


@dataclass(frozen=True, slots=True)
class Assumption:
    """What is assumed of one tensor that a run or training may choose."""

    name: str
    role: Role
    range: ValueRange

    def __str__(self) -> str:
        """``labels in [0, 1] (one-hot labels)``."""
        reason = self.range.reason or str(self.range.origin)
        return f"{self.name} in {interval_text(self.range.lo, self.range.hi)} ({reason})"


def interval_text(lo: float, hi: float) -> str:
    """``[0, 1]``, ``[-3.4e+38, 12.5]``, ``any finite value``."""
    if math.isinf(lo) and math.isinf(hi):
        return "(-∞, ∞)"
    left = "(-∞" if math.isinf(lo) else f"[{lo:.6g}"
    right = "∞)" if math.isinf(hi) else f"{hi:.6g}]"
    return f"{left}, {right}"


def assume(
    graph: Graph,
    target: TargetConfig,
    weights: Mapping[str, StoredWeight] | None = None,
    exact: Collection[str] = (),
) -> list[Assumption]:
    """The assumptions about every graph input and every initializer that may take other values than its own.

    Initializers that are not listed have exactly their data. `weights` are a checkpoint's by name; the initializers
    called `exact` hold its values already.

    Raises:
        TargetProblem: the configuration names an input that the model does not have.
    """
    main = graph.graph
    uses = Uses.of(graph)
    inputs = {a.name: a for a in assume_inputs(graph, target, uses)}
    found = []
    for value in main.inputs:
        name, role = value.name or "", role_of(value)
        given = inputs.get(name) if role is Role.INPUT else None
        found.append(given or Assumption(name, role, _parameter(value, uses, target, weights or {})))
    for name, value in main.initializers.items():
        if value.is_graph_input() or (name in exact and declared_parameter(name, target) is None):
            continue
        changed = _initializer(value, uses, target, weights or {})
        if changed is not None:
            found.append(Assumption(name, role_of(value), changed))
    return found


def assume_inputs(graph: Graph, target: TargetConfig, uses: Uses | None = None) -> list[Assumption]:
    """The assumptions about what a caller of the model chooses, in order. Raises `TargetProblem` as `assume` does."""
    uses = uses or Uses.of(graph)
    signature = graph.model.metadata_props.get(SIGNATURE, "").split("\n")
    chosen = [v for v in graph.graph.inputs if role_of(v) is Role.INPUT]
    declared = declared_inputs(target, chosen, signature)
    return [Assumption(v.name or "", Role.INPUT, declared.get(v.name or "") or _input(v, uses, target)) for v in chosen]


def as_ranges(assumptions: Sequence[Assumption]) -> dict[str, ValueRange]:
    """By tensor name, as the interpreter takes them."""
    return {a.name: a.range for a in assumptions}


def declared_inputs(
    target: TargetConfig, inputs: Sequence[ir.Value], signature: Collection[str] = ()
) -> dict[str, ValueRange]:
    """Declared input ranges by the model's own names: equal names, then globs, then positions in order.

    What is said of an input that is in the `signature` but not used by the model goes to no other.
    """
    names = [v.name or "" for v in inputs]
    taken: dict[str, str] = {}  # model name -> declared name
    rest = []
    exact = [given for given in target.inputs if given in names]
    taken.update({given: given for given in exact})
    for given in target.inputs:
        if given in taken:
            continue
        hits = [n for n in names if n not in taken and _matches(n, given)]
        for hit in hits:
            taken[hit] = given
        if not hits and given not in signature:
            rest.append(given)
    free = [n for n in names if n not in taken]
    for given in rest:
        if not free or any(c in given for c in "*?["):
            known = ", ".join(names[:8]) or "none"
            raise TargetProblem(f"{target.id}: no input is called '{given}'; the model's inputs are: {known}.")
        taken[free.pop(0)] = given
    found = {}
    for name, given in taken.items():
        spec = target.inputs[given].range
        if spec is not None:
            found[name] = spec
    return found


def _matches(name: str, pattern: str) -> bool:
    """Glob on a value's own name; TensorFlow's output number may be left out."""
    short = name.rsplit(":", 1)[0] if ":" in name else name
    return pattern in (name, short) or any(fnmatch.fnmatchcase(n, pattern) for n in (name, short))


def _input(value: ir.Value, uses: Uses, target: TargetConfig) -> ValueRange:
    dtype = value.dtype or ir.DataType.FLOAT
    if dtype is ir.DataType.BOOL:
        return ValueRange(0.0, 1.0, Origin.INFERRED, "boolean")
    if "inputs" in target.unbounded:
        return _everything(dtype, "inputs declared unbounded")
    inferred = inferred_input(value, uses)
    if inferred is not None:
        return inferred
    if dtype.is_floating_point():
        return ValueRange(-INPUT_DEFAULT, INPUT_DEFAULT, Origin.DEFAULT, "default for inputs")
    return ValueRange(0, _largest(dtype, INTEGER_DEFAULT), Origin.DEFAULT, "default for integer inputs")


def _parameter(value: ir.Value, uses: Uses, target: TargetConfig, weights: Mapping[str, StoredWeight]) -> ValueRange:
    """A TensorFlow 1 variable: no value of its own, perhaps an initial one."""
    name, dtype = value.name or "", value.dtype or ir.DataType.FLOAT
    given = declared_parameter(name, target) or _from_weights(value, uses, weights, target)
    if given is not None:
        return given
    if "parameters" in target.unbounded and role_of(value) is Role.PARAMETER:
        return _everything(dtype, "parameters declared unbounded")
    known = inferred_parameter(value, uses)
    if known is not None:
        return known
    initial = initial_range(uses, value)
    if initial is not None:
        if not dtype.is_floating_point():
            return ValueRange(
                initial[0], _largest(dtype, 2**31 - 1), Origin.INFERRED, "a counter from its initial value"
            )
        return widened(*initial, "initial value")
    if dtype.is_floating_point():
        return ValueRange(-ZERO_DEFAULT, ZERO_DEFAULT, Origin.DEFAULT, "default for parameters", estimated=True)
    return ValueRange(0, _largest(dtype, INTEGER_DEFAULT), Origin.DEFAULT, "default for integer state")


def _initializer(
    value: ir.Value, uses: Uses, target: TargetConfig, weights: Mapping[str, StoredWeight]
) -> ValueRange | None:
    """None where the initializer keeps its own data: constants, integers, the weights of a trained model's file."""
    name, dtype = value.name or "", value.dtype
    if dtype is None or not dtype.is_floating_point():
        return None
    given = declared_parameter(name, target) or _from_weights(value, uses, weights, target)
    if given is not None:
        return given
    trainable = role_of(value) is Role.PARAMETER and not uses.is_constant(value)
    if not trainable:
        return None
    if "parameters" in target.unbounded:
        return _everything(dtype, "parameters declared unbounded")
    if target.entry is None or target.checkpoint is not None:
        return None
    data = value.const_value
    if data is None:
        return None
    array = np.asarray(data.numpy(), np.float32 if dtype.bitwidth <= 32 else np.float64)
    if array.size == 0 or not math.isfinite(float(array.min()) + float(array.max())):
        return None
    known = inferred_parameter(value, uses)
    return known or widened(float(array.min()), float(array.max()), "initial values")


def declared_parameter(name: str, target: TargetConfig) -> ValueRange | None:
    """The first pattern of the configuration that matches."""
    for pattern, given in target.parameters.items():
        if _matches(name, pattern):
            return given
    return None


def _from_weights(
    value: ir.Value, uses: Uses, weights: Mapping[str, StoredWeight], target: TargetConfig
) -> ValueRange | None:
    """From the checkpoint; widened, but never beyond what the graph tells (a variance stays at 0 or above)."""
    stored = weights.get(value.name or "")
    if stored is None or not stored.finite:
        return None  # the check of the checkpoint tells it
    if target.weights != "widened":
        return ValueRange(stored.lo, stored.hi, Origin.DATA, "checkpoint")
    wide, known = widened(stored.lo, stored.hi, "checkpoint"), inferred_parameter(value, uses)
    if known is None or known.lo > stored.lo or known.hi < stored.hi:
        return wide
    return replace(wide, lo=max(wide.lo, known.lo), hi=min(wide.hi, known.hi), estimated=False)


def widened(lo: float, hi: float, what: str) -> ValueRange:
    """The range that training may reach from values in [lo, hi]: its own width more on both sides.

    One constant c is taken as [c - |c|, c + |c|], zero as [-1, 1].
    """
    margin = hi - lo
    if margin == 0:
        margin = abs(lo)
    if margin == 0:
        return ValueRange(-ZERO_DEFAULT, ZERO_DEFAULT, Origin.INFERRED, f"{what} 0", estimated=True)
    reason = f"{what} {interval_text(lo, hi)}, widened"
    return ValueRange(lo - margin, hi + margin, Origin.INFERRED, reason, estimated=True)


def _everything(dtype: ir.DataType, reason: str) -> ValueRange:
    if dtype.is_floating_point():
        return ValueRange(-math.inf, math.inf, Origin.DECLARED, reason)
    return ValueRange(0, _largest(dtype, 2**31 - 1), Origin.DECLARED, reason)


def _largest(dtype: ir.DataType, wanted: int) -> float:
    try:
        return float(min(wanted, int(np.iinfo(dtype.numpy()).max)))
    except (TypeError, ValueError):
        return float(wanted)
