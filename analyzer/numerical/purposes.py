"""What an input is for, where its parameter's name or the operator that reads it says so: then few numbers tell much.

Nothing is proved by a purpose. It only says which values of an input are like its example (`assumptions`): a failure
that needs others is a warning.
"""

from __future__ import annotations

import re
from enum import Enum

import onnx_ir as ir

from analyzer.graph.model import SHOWN
from analyzer.numerical.constants import constant_array
from analyzer.operators.declaration import CONVERTS, IDENTITY, SELECTS
from analyzer.operators.registry import operator_of, traits_of

NEGATED = -2  # how an input is read: as ``-x``
MANY = 32  # numbers of a picture that show how large its pixels are
FEWEST = 2  # numbers of an example that tell the sign of what an operator reads at once; a name needs one


class Purpose(Enum):
    UNKNOWN = "unknown"
    SHARE = "a probability, label or time of a process, or read as one (``1 - x``): in [0, 1]"
    SCALE = "a scale: above 0"
    PICTURE = "a picture: in [0, 1] if its example is"
    AMOUNT = "an amount: like the example, however few numbers that has"
    SIGNED = "read by an operator with a domain: not below 0, and nothing more"


# Words of a parameter's name, between underscores: ``target_scale``, ``noise_std``, ``input_lengths``.
_SHARES = "prob|probs|probability|probabilities|labels?|mask|masks|confidence|opacity|occupancy|alpha"
_SCALES = (
    "scales?|sigmas?|stds?|stddev|stdev|vars?|variances?|temperature|tau|bandwidth|lengthscales?|precision|"
    "concentration|dispersion|rates?"
)
_PICTURES = "images?|imgs?|pictures?|photos?|pixels?|frames?"
_AMOUNTS = "lengths?|lens?|sizes?|areas?|counts?|numbers?|weights?|durations?|ages?|distances?|radius|radii|times?"
_MOMENT = re.compile(r"(t|(?:.*[_/.])?(?:time|timesteps?))\d*$", re.IGNORECASE)  # of a process from 0 to 1
_NAMED = {
    purpose: re.compile(rf"(?<![^_/.])({words})(?=_|\d*$)", re.IGNORECASE)
    for purpose, words in (
        (Purpose.SHARE, _SHARES),
        (Purpose.SCALE, _SCALES),
        (Purpose.AMOUNT, _AMOUNTS),
        (Purpose.PICTURE, _PICTURES),
    )
}


def purpose_of(value: ir.Value) -> Purpose:
    """The purpose of an input, where its example agrees with it; without an example, by its name alone."""
    if SHOWN not in value.metadata_props:
        purpose = named(value.name or "")
        return Purpose.UNKNOWN if purpose is Purpose.PICTURE else purpose  # it may hold bytes
    low, high, count = map(float, value.metadata_props[SHOWN].split())
    if low < 0 or high == 0:
        return Purpose.UNKNOWN
    purpose, floating = named(value.name or ""), value.dtype is not None and value.dtype.is_floating_point()
    if floating and high <= 1 and _MOMENT.match((value.name or "").partition(":")[0]):
        return Purpose.SHARE
    if purpose is Purpose.PICTURE and floating:
        return Purpose.SHARE if high <= 1 and count >= MANY else Purpose.UNKNOWN
    if purpose is Purpose.SHARE:
        return purpose if floating and high <= 1 else Purpose.AMOUNT
    if purpose is not Purpose.UNKNOWN and (low > 0 or purpose is Purpose.AMOUNT):
        return purpose
    if not floating or count < FEWEST or low == high:
        return Purpose.UNKNOWN
    read = _read_by_unsafe(value)
    if -1 in read and high <= 1:
        return Purpose.SHARE
    return Purpose.SIGNED if 1 in read else Purpose.UNKNOWN


def named(name: str) -> Purpose:
    """The purpose that the last telling word of an input's name says: ``target_scale`` is a scale."""
    plain = name.partition(":")[0]
    found = [(m.end(), p) for p, words in _NAMED.items() for m in words.finditer(plain)]
    return max(found, key=lambda f: f[0])[1] if found else Purpose.UNKNOWN


def _read_by_unsafe(value: ir.Value) -> set[int]:
    """How operators that some operands make fail read an input: 1 itself or shifted, -1 its complement ``1 - x``.

    The complement may be written ``log1p(-x)``.
    """
    seen: set[tuple[ir.Value, int]] = set()
    stack, found = [(value, 1)], set()
    while stack and len(seen) < 64:
        current, sign = stack.pop()
        if (current, sign) in seen:
            continue
        seen.add((current, sign))
        for use in current.uses():
            operator = operator_of(use.node)
            if operator is None:
                continue
            if operator.unsafe:
                found.update({NEGATED: {-1} if operator.name == "Log1p" else set()}.get(sign, {sign}))
            elif sign == NEGATED and operator.name == "Add":
                if _constant(use.node.inputs[1 - use.idx]) == 1:
                    stack.append((use.node.outputs[0], -1))
            elif _keeps(use.node, use.idx, operator.name):
                stack.append((use.node.outputs[0], sign))
            elif sign > 0 and operator.name == "Neg":
                stack.append((use.node.outputs[0], NEGATED))
            elif sign > 0 and operator.name == "Sub" and use.idx == 1 and _constant(use.node.inputs[0]) == 1:
                stack.append((use.node.outputs[0], -1))
    return found


def _keeps(node: ir.Node, position: int, name: str) -> bool:
    """Whether the result holds elements of the operand, shifted by a constant at most."""
    if name == "Add":
        return len(node.inputs) == 2 and _constant(node.inputs[1 - position]) is not None
    if name == "Where":
        return position > 0
    return name == "Concat" or (bool(traits_of(node) & (IDENTITY | CONVERTS | SELECTS)) and position == 0)


def _constant(value: ir.Value | None) -> float | None:
    array = constant_array(value)
    return float(array.reshape(-1)[0]) if array is not None and array.size == 1 else None
