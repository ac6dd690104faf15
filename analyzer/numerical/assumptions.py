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
from analyzer.graph.model import BINARY, DEFINITE, EVEN, ONE_HOT, ORDER, SHOWN, SIGNATURE, SPAN, UNLIKE, WHOLE
from analyzer.graph.ranges import Origin
from analyzer.numerical.batches import read_by_layer
from analyzer.numerical.decided import beside_ignored, decided_parts, read_parts
from analyzer.numerical.divisors import divided_by
from analyzer.numerical.inference import Uses, inferred_input, inferred_parameter, initial_range
from analyzer.numerical.masks import filled_rows, named_mask
from analyzer.numerical.purposes import Purpose, purpose_of
from analyzer.numerical.stored_weights import StoredWeight
from analyzer.problem import TargetProblem

INPUT_DEFAULT = 100.0  # an input of which nothing is known lies in [-100, 100]
INTEGER_DEFAULT = 1000  # of an integer input whose reader says nothing: indices of vocabularies name theirs
FEWEST_MASKED = 4  # elements of a mask's example that tell something
BEYOND = 10.0  # times the largest number of an example: an order of magnitude more than a batch shows
TWICE = 2.0  # as large as the example, where no run shows a failure of what is larger
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


def as_examples_show(graph: Graph, assumptions: Sequence[Assumption], times: float = BEYOND) -> list[Assumption]:
    """The same, but inputs of which nobody stated a range keep to the sign and the order of size of their example.

    They may be that many `times` as large.

    Zeros are data, unless the example keeps away from 0; rows are in order where those of the example are. Of an input
    whose purpose is known (`purposes`) few numbers tell the sign, and a scale is not 0. Labels of zeros and ones stay
    in [0, 1]. A mask whose example holds one truth value alone holds it somewhere, and so do integers some number like
    those of the example, where the model sets others apart.
    """
    inputs = {v.name: v for v in graph.graph.inputs}
    like = [
        _definite(_in_order(_as_shown(a, v, times), v), v) if (v := inputs.get(a.name)) is not None else a
        for a in assumptions
    ]
    return as_whole(graph, like)


def as_whole(graph: Graph, assumptions: Sequence[Assumption]) -> list[Assumption]:
    """The same, but floating-point inputs of which nobody stated a range hold whole numbers, as their example does."""
    marked = {v.name for v in graph.graph.inputs if WHOLE in v.metadata_props}
    return [_whole(a) if a.name in marked and a.range.origin is not Origin.DECLARED else a for a in assumptions]


def _definite(given: Assumption, value: ir.Value) -> Assumption:
    """Covariances of which nobody stated a range: symmetric, without a negative eigenvalue, as their example is."""
    if DEFINITE not in value.metadata_props or given.range.origin is not Origin.DEFAULT or given.range.hi <= 0:
        return given
    found = replace(given.range, lo=-given.range.hi, definite=True, reason="like the example")
    return replace(given, range=found)


def _whole(given: Assumption) -> Assumption:
    lo, hi = math.ceil(given.range.lo), math.floor(given.range.hi)
    if lo >= hi:
        return given
    reason = f"{given.range.reason}, whole numbers"
    return replace(given, range=replace(given.range, lo=lo, hi=hi, whole=True, reason=reason))


def close_to_examples(graph: Graph, assumptions: Sequence[Assumption]) -> list[Assumption]:
    """Assumptions that are like the examples already, with default ranges no more than twice as large as these show.

    Where they keep away from 0, no nearer to it than half as far as these show.
    """
    inputs = {v.name: v for v in graph.graph.inputs}
    return [_close(a, inputs[a.name]) if a.name in inputs else a for a in assumptions]


def _close(given: Assumption, value: ir.Value) -> Assumption:
    if given.range.origin is not Origin.DEFAULT or SPAN not in value.metadata_props:
        return given
    low, high = _numbers(value.metadata_props[SPAN])
    most = TWICE * max(-low, high)
    lo, hi = max(given.range.lo, -most), min(given.range.hi, most)
    if given.range.lo > 0:
        lo = max(lo, low / TWICE)
    if given.range.hi < 0:
        hi = min(hi, high / TWICE)
    return given if lo > hi else _within(given, lo, hi)


ONE_SIZE = 10  # times the least number that the greatest of an example may be: wavelengths, steps, distances


def _as_shown(given: Assumption, value: ir.Value, times: float) -> Assumption:
    """As the example and its purpose show; what the model divides by as it stands is above 0, if the example is.

    Numbers of one size alone are such quantities; features that lie anywhere, whole numbers and counts are data.
    """
    like = _as_meant(given, value, times)
    if SHOWN not in value.metadata_props or like.range.origin is not Origin.DEFAULT or not divided_by(value):
        return like
    low, high = _numbers(value.metadata_props[SHOWN])
    least, whole = high / BEYOND**3, low.is_integer() and high.is_integer()
    return (
        _within(like, least, like.range.hi)
        if low * ONE_SIZE >= high > 0 and not whole and like.range.lo < least < like.range.hi
        else like
    )


def _as_meant(given: Assumption, value: ir.Value, times: float) -> Assumption:
    properties, purpose = value.metadata_props, purpose_of(value)
    if BINARY in properties and purpose is not Purpose.AMOUNT:
        given = _binary(given)
    if given.range.origin is not Origin.DECLARED:
        given = _as_held(_as_masked(given, value), value)
    told = _like(given, *_numbers(properties[SPAN]), times) if SPAN in properties else given
    if purpose is Purpose.UNKNOWN or given.range.origin is not Origin.DEFAULT:
        return told
    if SHOWN not in properties:
        return _as_named(given, value, purpose)
    low, high = _numbers(properties[SHOWN])
    if purpose is Purpose.SHARE:  # keeps away from 1 as others do from 0
        away = SPAN in properties and 1 - high >= 1 / BEYOND
        return _within(told, max(told.range.lo, 0.0), 1 - (1 - high) / BEYOND if away else 1.0)
    if purpose is Purpose.SIGNED:
        return _within(told, max(told.range.lo, 0.0), told.range.hi)
    found = _like(given, low, high, times).range
    least = max(found.lo, high / BEYOND**3) if purpose is Purpose.SCALE else found.lo
    if value.dtype is not None and not value.dtype.is_floating_point():
        return _within(given, math.ceil(least), math.floor(found.hi))
    return _within(given, least, found.hi)


def _binary(given: Assumption) -> Assumption:
    """Labels, targets, masks of which nobody stated a range: in [0, 1], all of them equal or between the two too."""
    return given if given.range.origin is not Origin.DEFAULT else _within(given, 0.0, 1.0)


def _numbers(text: str) -> tuple[float, float]:
    low, high = map(float, text.split()[:2])
    return low, high


def _in_order(given: Assumption, value: ir.Value) -> Assumption:
    """Of numbers of which nobody stated a range: in order, if their example is (edges, times). Equal ones are data.

    But those of an evenly spaced example have equal steps, none less than a tenth of its steps, and the rows of a batch
    are not all alike if those of the example differ. What a layer reads is a batch, and no grid.
    """
    properties, rank = value.metadata_props, len(value.shape) if value.shape is not None else 0
    if given.range.origin is Origin.DECLARED or not {ORDER, EVEN, UNLIKE} & properties.keys():
        return given
    layer, found = read_by_layer(value), given.range
    if ORDER in properties:
        axis, sign = map(int, properties[ORDER].split())
        found = replace(found, order=(axis, sign), reason="like the example") if 0 <= axis < rank else found
    if EVEN in properties and not layer:
        axis, step = int(properties[EVEN].split()[0]), float(properties[EVEN].split()[1])
        even = (axis, step / BEYOND)
        found = replace(found, even=even, reason="like the example") if 0 <= axis < rank else found
    if UNLIKE in properties and layer:
        found = replace(found, unlike=True, reason="like the example")
    return replace(given, range=found)


def _as_masked(given: Assumption, value: ir.Value) -> Assumption:
    """Of a mask of which nobody stated a range: selecting nothing is the caller's mistake, if its example does not.

    So are classes of which no row has any, where each row of the example has one, and rows of scores of which a mask
    hides all, where it hides those of no row of the example. A mask by name whose example holds both truth values is 1
    somewhere; other truth values of both kinds may be anything.
    """
    if ONE_HOT in value.metadata_props and (given.range.lo, given.range.hi) == (0.0, 1.0):
        return replace(given, range=replace(given.range, held=(1.0, 1.0), reason=f"{given.range.reason}, 1 somewhere"))
    rows = filled_rows(value) if (given.range.lo, given.range.hi) == (0.0, 1.0) else None
    if rows is not None:
        truth, parts = float(rows[0]), rows[1]
        reason = f"{given.range.reason}, {truth:g} in every row"
        return replace(given, range=replace(given.range, held=(truth, truth), parts=parts, reason=reason))
    named = value.dtype is ir.DataType.BOOL or named_mask(given.name)
    if not named or SHOWN not in value.metadata_props or (given.range.lo, given.range.hi) != (0.0, 1.0):
        return given
    low, high, count = map(float, value.metadata_props[SHOWN].split())
    both = (low, high) == (0.0, 1.0) and named_mask(given.name)
    if (low != high and not both) or low not in (0.0, 1.0) or count < FEWEST_MASKED:
        return given
    reason = f"{given.range.reason}, {high:g} somewhere"
    return replace(given, range=replace(given.range, held=(high, high), parts=read_parts(value), reason=reason))


def _as_held(given: Assumption, value: ir.Value) -> Assumption:
    """Of integers (token ids, labels) that the model compares with numbers: some are like the example.

    A number that the model sets apart and the example does not reach (padding, what is ignored) may stand anywhere,
    but not everywhere; nor may one that it reaches and that stands for nothing.
    """
    if value.dtype is None or not value.dtype.is_integer() or SHOWN not in value.metadata_props:
        return given
    low, high, count = map(float, value.metadata_props[SHOWN].split())
    ends = given.range.lo, given.range.hi
    low, high = max(low, ends[0]), min(high, ends[1])
    if count < FEWEST_MASKED or low >= high:
        return given
    low, high = beside_ignored(value, low, high)
    parts = decided_parts(value, low, high, *ends)
    if not parts:
        return given
    reason = f"{given.range.reason}, some like the example"
    return replace(given, range=replace(given.range, held=(low, high), parts=parts, reason=reason))


def _as_named(given: Assumption, value: ir.Value, purpose: Purpose) -> Assumption:
    """Of an input without an example: what its name says."""
    if value.dtype is None or not value.dtype.is_floating_point():
        return given
    if purpose is Purpose.SHARE:
        return _within(given, 0.0, 1.0)
    return _within(given, 1 / BEYOND**3 if purpose is Purpose.SCALE else 0.0, given.range.hi)


def _like(given: Assumption, low: float, high: float, times: float) -> Assumption:
    if given.range.origin is not Origin.DEFAULT:
        return given
    size = max(-low, high)
    least = max(low, -high)  # above 0 where all numbers have one sign
    away = least / BEYOND if least >= size / BEYOND else 0.0
    lo = max(given.range.lo, -times * size if low < 0 else away)
    hi = min(given.range.hi, times * size if high > 0 else -away)
    return given if lo > hi else _within(given, lo, hi)


def _within(given: Assumption, lo: float, hi: float) -> Assumption:
    return replace(given, range=replace(given.range, lo=lo, hi=hi, reason="like the example"))


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
