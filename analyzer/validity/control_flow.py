"""Branches and loops: bodies are elaborated with the types that reach them; what differs between paths is unknown.

A branch whose condition is a known constant, and the first pass of a loop that runs at least once, certainly run: what
fails in them is an error. What fails in any other body fails only if that body runs, and is said so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from analyzer.validity.architecture import ModelLayer, Subgraph
from analyzer.validity.spec import TensorType

Operands = Sequence[TensorType | None]
Run = Callable[[Subgraph, Sequence[TensorType], str | None, bool], tuple[TensorType, ...] | None]
PASSES = 4  # trial passes until the shapes that a loop carries must be stable


def flowed(layer: ModelLayer, operands: Operands, run: Run) -> tuple[TensorType, ...]:
    """The outputs of an If, Case, Loop, Scan or While. Of unknown types where the operator is none of them."""
    bodies = {body.name: body for body in layer.bodies}
    match layer.operator:
        case "If" if {"then_branch", "else_branch"} <= bodies.keys():
            return _branches(layer, operands, [bodies["else_branch"], bodies["then_branch"]], run)
        case "Case":
            return _branches(layer, operands, list(layer.bodies), run)
        case "Loop" if "body" in bodies:
            return _loop(layer, operands, bodies["body"], run)
        case "Scan" if "body" in bodies:
            return _scan(layer, operands, bodies["body"], run)
        case "While" if {"cond", "body"} <= bodies.keys():
            return _while(layer, operands, bodies, run)
    return ()


def _branches(layer: ModelLayer, operands: Operands, bodies: Sequence[Subgraph], run: Run) -> tuple[TensorType, ...]:
    chosen = _number(operands[0] if operands else None)
    if chosen is not None:
        return run(bodies[max(0, min(chosen, len(bodies) - 1))], (), None, False) or ()
    ends = [run(body, (), f"`{body.name}` of `{layer.name}` runs", False) for body in bodies]
    return _joined_all([end for end in ends if end is not None])


def _loop(layer: ModelLayer, operands: Operands, body: Subgraph, run: Run) -> tuple[TensorType, ...]:
    """ONNX Loop: (trip count, condition, carried…) → (carried…, stacked…)."""
    trips = _number(operands[0] if operands else None)
    goes_on = operands[1] if len(operands) > 1 else None
    starts = [t or TensorType() for t in operands[2:]]
    condition = TensorType((), "bool")

    def once(carried: Sequence[TensorType], when: str | None, quiet: bool) -> tuple[TensorType, ...] | None:
        found = run(body, (TensorType((), "int64"), condition, *carried), when, quiet)
        return None if found is None else found[1:]

    first = (trips is None or trips >= 1) and (goes_on is None or _number(goes_on) == 1)
    certain = first and trips is not None
    carried, stacked = _iterated(starts, once, None if certain else f"the loop `{layer.name}` runs")
    ends = carried if certain else _joined_all([tuple(starts), tuple(carried)])
    return (*ends, *(_stacked(t, trips if certain and goes_on is None else None) for t in stacked))


def _scan(layer: ModelLayer, operands: Operands, body: Subgraph, run: Run) -> tuple[TensorType, ...]:
    """ONNX Scan (opset 9 and newer): (states…, scanned…) → (states…, stacked…)."""
    scans = int(layer.hyperparameters.get("num_scan_inputs", 0))
    if not 1 <= scans <= len(operands) or len(operands) != len(body.inputs):
        return ()  # opset 8 has a batch of its own
    states = [t or TensorType() for t in operands[:-scans]]
    axes = layer.hyperparameters.get("scan_input_axes") or (0,) * scans
    slices, lengths = [], []
    for tensor, axis in zip(operands[-scans:], axes, strict=False):
        shape = tensor.shape if tensor is not None else None
        if tensor is None or not shape or not -len(shape) <= axis < len(shape):
            slices.append(TensorType(None, tensor.dtype if tensor else None))
            continue
        place = axis % len(shape)
        lengths.append(shape[place])
        slices.append(TensorType((*shape[:place], *shape[place + 1 :]), tensor.dtype))
    length = lengths[0] if lengths else None

    def once(carried: Sequence[TensorType], when: str | None, quiet: bool) -> tuple[TensorType, ...] | None:
        return run(body, (*carried, *slices), when, quiet)

    certain = isinstance(length, int) and length >= 1
    carried, stacked = _iterated(states, once, None if certain else f"the scan `{layer.name}` runs")
    out_axes = layer.hyperparameters.get("scan_output_axes") or (0,) * len(stacked)
    return (*carried, *(_stacked(t, length, axis) for t, axis in zip(stacked, out_axes, strict=False)))


def _while(layer: ModelLayer, operands: Operands, bodies: Mapping[str, Subgraph], run: Run) -> tuple[TensorType, ...]:
    """TensorFlow While: the carried values, before and after any number of passes."""
    starts = [t or TensorType() for t in operands]
    run(bodies["cond"], starts, None, False)

    def once(carried: Sequence[TensorType], when: str | None, quiet: bool) -> tuple[TensorType, ...] | None:
        return run(bodies["body"], carried, when, quiet)

    carried, _ = _iterated(starts, once, f"the loop `{layer.name}` runs")
    return _joined_all([tuple(starts), tuple(carried)])


def _iterated(
    starts: Sequence[TensorType],
    once: Callable[[Sequence[TensorType], str | None, bool], tuple[TensorType, ...] | None],
    when: str | None,
) -> tuple[list[TensorType], tuple[TensorType, ...]]:
    """What a loop carries after any number of passes, and what its last pass gives beside it.

    The first pass is checked with the types that enter the loop; a later one, where these change, only with what all
    passes have in common.
    """
    count = len(starts)
    first = once(starts, when, False)
    if first is None or len(first) < count:
        return [TensorType()] * count, ()
    types = [_joined(a, b) for a, b in zip(starts, first, strict=False)]
    if all(_same(a, b) for a, b in zip(types, starts, strict=True)):
        return list(first[:count]), first[count:]
    end = first
    for _ in range(PASSES):
        again = once(types, "it runs again", True)
        if again is None:
            break
        end = again
        wider = [_joined(a, b) for a, b in zip(types, again, strict=False)]
        if all(_same(a, b) for a, b in zip(wider, types, strict=True)):
            return wider, again[count:]
        types = wider
    return [TensorType(None, t.dtype) for t in types], tuple(TensorType(None, t.dtype) for t in end[count:])


def _joined_all(ends: Sequence[tuple[TensorType, ...]]) -> tuple[TensorType, ...]:
    if not ends:
        return ()
    result = list(ends[0])
    for end in ends[1:]:
        result = [_joined(a, b) for a, b in zip(result, end, strict=False)]
    return tuple(result)


def _joined(a: TensorType, b: TensorType) -> TensorType:
    """What holds of either."""
    dtype = a.dtype if a.dtype == b.dtype else None
    if a.shape is None or b.shape is None or len(a.shape) != len(b.shape):
        return TensorType(None, dtype)
    shape = tuple(
        x if x is not None and y is not None and x == y else None for x, y in zip(a.shape, b.shape, strict=True)
    )
    value = a.value if a.value is not None and a.value == b.value else None
    return TensorType(shape, dtype, value=value)


def _same(a: TensorType, b: TensorType) -> bool:
    return replace(a, format=None, value=None) == replace(b, format=None, value=None) and (
        a.value is None or a.value == b.value
    )


def _stacked(tensor: TensorType, length: object, axis: int = 0) -> TensorType:
    """One tensor for each pass, joined along a new axis."""
    if tensor.shape is None:
        return TensorType(None, tensor.dtype)
    place = axis % (len(tensor.shape) + 1)
    return TensorType((*tensor.shape[:place], length, *tensor.shape[place:]), tensor.dtype)


def _number(tensor: TensorType | None) -> int | None:
    """The value of a known scalar."""
    value = tensor.value if tensor is not None else None
    if isinstance(value, tuple) and len(value) == 1:
        value = value[0]
    return int(value) if isinstance(value, int) else None
