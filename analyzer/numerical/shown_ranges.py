"""What the examples of inputs show of their ranges: what a failure may need and still be told of data like them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import onnx_ir as ir

from analyzer.graph import Graph
from analyzer.graph.model import BINARY, DEFINITE, EVEN, ONE_HOT, ORDER, SHOWN, SPAN, UNLIKE, WHOLE
from analyzer.graph.ranges import Origin
from analyzer.numerical.assumptions import Assumption
from analyzer.numerical.batches import read_by_layer
from analyzer.numerical.decided import beside_ignored, decided_parts, read_parts
from analyzer.numerical.divisors import divided_by
from analyzer.numerical.masks import filled_rows, named_mask
from analyzer.numerical.purposes import Purpose, purpose_of

FEWEST_MASKED = 4  # elements of a mask's example that tell something
BEYOND = 10.0  # times the largest number of an example: an order of magnitude more than a batch shows
ONE_SIZE = 10  # times the least number that the greatest of an example may be: wavelengths, steps, distances
TWICE = 2.0  # as large as the example, where no run shows a failure of what is larger


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


def _as_shown(given: Assumption, value: ir.Value, times: float) -> Assumption:
    """As the example and its purpose show; what the model divides by as it stands is above 0, if the example is.

    Numbers of one size alone are such quantities; features that lie anywhere, whole numbers and counts are data.
    """
    like = _as_meant(given, value, times)
    if SHOWN not in value.metadata_props or like.range.origin is not Origin.DEFAULT or not divided_by(value):
        return like
    low, high = _numbers(value.metadata_props[SHOWN])
    least, counts = high / BEYOND**3, low.is_integer() and high.is_integer()
    if counts or not low * ONE_SIZE >= high > 0 or not like.range.lo < least < like.range.hi:
        return like
    return _within(like, least, like.range.hi)


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
