"""Comparisons of an input with constants, also inside a loss: what padding and ignored labels are told by."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx_ir as ir

from analyzer.graph.ranges import Part, Parts
from analyzer.numerical.constants import constant_array
from analyzer.numerical.left_out import left_out, source
from analyzer.operators.declaration import CONVERTS, IDENTITY, SELECTS, TAKES_ROWS
from analyzer.operators.registry import operator_name, traits_of

MOST_VALUES = 64  # looked at for one input
PLAIN_COPIES = IDENTITY | CONVERTS  # which keep the shape
FAR = (1 << 63) - 1  # past the end of every axis
MOST_NUMBERS = 16  # of a constant; longer ones are tables
MIRRORED = {"Less": "Greater", "Greater": "Less", "LessOrEqual": "GreaterOrEqual", "GreaterOrEqual": "LessOrEqual"}
COMPARISONS = frozenset({"Equal", "NotEqual", *MIRRORED})


def decided_parts(value: ir.Value, low: float, high: float, least: float, most: float) -> Parts:
    """What some comparison reads that has one outcome for all integers in [low, high] and another in [least, most].

    Elements outside [low, high] are set apart there by the model: padding, what is ignored.
    """
    found = (part for name, number, part, _ in _comparisons(value) if _apart(name, number, low, high, least, most))
    return tuple(dict.fromkeys(found))


def beside_ignored(value: ir.Value, low: float, high: float) -> tuple[float, float]:
    """The integers [low, high] of an example without an end that stands for nothing.

    That is a number that a loss ignores by its own argument, one in whose place such a number is put, one without which
    alone the terms of a cross entropy are read, and the padding of indices into a table, a number that they are
    compared with. Of other labels no number does: the one that they are compared with may be the background, and a
    batch without anything else is data.
    """
    indices = any(place == 1 and traits_of(node) & TAKES_ROWS for node, place in _readers(value))
    compared = list(_comparisons(value))
    ends = {n for name, n, _, loss in compared if loss or (indices and name in ("Equal", "NotEqual"))}
    ignored = {n for _, n, _, loss in compared if loss}
    ends |= {n for n, put in _replaced(value) if put in ignored}
    ends |= {n for node, place in _readers(value) if place == 1 and (n := left_out(node)) is not None}
    inner = (low + 1 if low in ends else low, high - 1 if high in ends else high)
    return inner if inner[0] <= inner[1] else (low, high)


def read_parts(value: ir.Value) -> Parts:
    """The slices of a value through which alone it is read; none where something reads all of it."""
    found: list[Part] = []
    stack, seen = [value], {value}
    while stack and len(seen) < MOST_VALUES:
        for use in stack.pop().uses():
            node = use.node
            part = _cut(node) if use.idx == 0 else ()
            if part:
                found.append(part)
            elif use.idx == 0 and traits_of(node) & (IDENTITY | CONVERTS) and node.outputs[0] not in seen:
                seen.add(node.outputs[0])
                stack.append(node.outputs[0])
            else:
                return ()
    return tuple(dict.fromkeys(found))


def _apart(name: str, number: float, low: float, high: float, least: float, most: float) -> bool:
    if name in ("Equal", "NotEqual"):
        return least <= number <= most and not low <= number <= high
    edge = number - 0.5 if name in ("Less", "GreaterOrEqual") else number + 0.5  # between two integers
    return least < edge < most and not low < edge < high


def _readers(value: ir.Value) -> Iterator[tuple[ir.Node, int]]:
    """Who reads elements of a value, and as which operand."""
    seen, stack = {value}, [value]
    while stack and len(seen) < MOST_VALUES:
        for use in stack.pop().uses():
            yield use.node, use.idx
            result = use.node.outputs[0] if use.node.outputs else None
            keeps = use.idx == 0 and traits_of(use.node) & (IDENTITY | CONVERTS | SELECTS)
            if (keeps or _kept_in_places(use.node, use.idx)) and result is not None and result not in seen:
                seen.add(result)
                stack.append(result)


def _comparisons(value: ir.Value) -> Iterator[tuple[str, float, Part, bool]]:
    """Operators that compare elements of a value with numbers, and which elements; the value stands on the left.

    Last whether it is a loss, which ignores the number.
    """
    seen: set[ir.Value] = set()
    stack: list[tuple[ir.Value, Part]] = [(value, ())]
    while stack and len(seen) < MOST_VALUES:
        current, part = stack.pop()
        if current in seen:
            continue
        seen.add(current)
        for use in current.uses():
            node, name = use.node, operator_name(use.node)
            if name in COMPARISONS and len(node.inputs) == 2:
                numbers = constant_array(node.inputs[1 - use.idx])
                if numbers is not None and 0 < numbers.size <= MOST_NUMBERS:
                    mirrored = MIRRORED.get(name, name) if use.idx else name
                    yield from ((mirrored, float(n), part, False) for n in np.asarray(numbers).reshape(-1))
            elif use.idx == 1 and (ignored := node.attributes.get("ignore_index")) is not None:  # a loss and its labels
                yield "Equal", float(ignored.as_int()), part, True
            elif use.idx == 0 and traits_of(node) & (IDENTITY | CONVERTS | SELECTS):
                if node.outputs[0].dtype is ir.DataType.BOOL:
                    yield "Equal", 0.0, part, False
                whole = not part and (current is value or traits_of(node) & (IDENTITY | CONVERTS))
                stack.append((node.outputs[0], _cut(node) if whole else part))
            elif _kept_in_places(node, use.idx):
                stack.append((node.outputs[0], part))


def _kept_in_places(node: ir.Node, position: int) -> bool:
    """Whether the result holds an operand's elements where a condition leaves them (``where``, ``masked_fill``)."""
    return position in (1, 2) and operator_name(node) in ("Where", "Select", "SelectV2")


def _replaced(value: ir.Value) -> Iterator[tuple[float, float]]:
    """Numbers that elements of a value are compared with and others that are put where they are equal."""
    for node, place in _readers(value):
        if not _kept_in_places(node, place):
            continue
        condition, put = node.inputs[0], constant_array(node.inputs[3 - place])
        equal, test = place == 2, condition.producer() if condition is not None else None
        while test is not None and operator_name(test) in ("Not", "LogicalNot"):
            equal, test = not equal, test.inputs[0].producer() if test.inputs[0] is not None else None
        if test is None or put is None or put.size != 1 or len(test.inputs) != 2:
            continue
        sides = [source(v, PLAIN_COPIES) for v in test.inputs]
        if (
            operator_name(test) == ("Equal" if equal else "NotEqual")
            and source(node.inputs[place], PLAIN_COPIES) in sides
        ):
            numbers = next((a for v in test.inputs if (a := constant_array(v)) is not None and a.size == 1), None)
            if numbers is not None:
                yield float(numbers.reshape(-1)[0]), float(put.reshape(-1)[0])


def _cut(node: ir.Node) -> Part:
    """Which elements of its operand a slice by constants takes; of other operators all."""
    if node.op_type != "Slice" or node.domain not in ("", "ai.onnx") or len(node.inputs) < 3:
        return ()
    stated = (*node.inputs[1:], None, None)[:4]
    starts, ends, axes, steps = (constant_array(v) for v in stated)
    if starts is None or ends is None or (axes is None and stated[2]) or (steps is None and stated[3]):
        return ()
    along = range(starts.size) if axes is None else axes.reshape(-1).tolist()
    if any(axis < 0 for axis in along) or (steps is not None and (steps != 1).any()):
        return ()
    cuts = dict(zip(along, zip(starts.reshape(-1).tolist(), ends.reshape(-1).tolist(), strict=True), strict=True))
    return tuple(cuts.get(axis, (0, FAR)) for axis in range(max(along) + 1))
