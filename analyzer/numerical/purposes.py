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

FEWEST = 2  # numbers of an example that tell the sign of what an operator reads at once; a name needs one


class Purpose(Enum):
    UNKNOWN = "unknown"
    SHARE = "a probability or label: in [0, 1]"
    SCALE = "a scale: above 0"
    AMOUNT = "an amount: like the example, however few numbers that has"
    SIGNED = "read by an operator with a domain: not below 0, and nothing more"


# Words of a parameter's name, between underscores: ``target_scale``, ``noise_std``, ``input_lengths``.
_SHARES = "prob|probs|probability|probabilities|labels?|targets?|truth|mask|masks|confidence|opacity|occupancy|alpha"
_SCALES = (
    "scales?|sigmas?|stds?|stddev|stdev|vars?|variances?|temperature|tau|bandwidth|lengthscales?|precision|"
    "concentration|dispersion|rates?"
)
_AMOUNTS = "lengths?|lens?|sizes?|areas?|counts?|numbers?|weights?|durations?|ages?|distances?|radius|radii|times?"
_NAMED = {
    purpose: re.compile(rf"(^|_)({words})(_|\d*$)", re.IGNORECASE)
    for purpose, words in ((Purpose.SHARE, _SHARES), (Purpose.SCALE, _SCALES), (Purpose.AMOUNT, _AMOUNTS))
}


def purpose_of(value: ir.Value) -> Purpose:
    """The purpose of an input, where the numbers of its example agree with it."""
    low, high, count = map(float, value.metadata_props[SHOWN].split())
    if low < 0 or high == 0:
        return Purpose.UNKNOWN
    name, floating = value.name or "", value.dtype is not None and value.dtype.is_floating_point()
    if floating and high <= 1 and _NAMED[Purpose.SHARE].search(name):
        return Purpose.SHARE
    if low > 0 and _NAMED[Purpose.SCALE].search(name):
        return Purpose.SCALE
    if any(_NAMED[p].search(name) for p in (Purpose.SHARE, Purpose.AMOUNT)):
        return Purpose.AMOUNT
    tells = floating and count >= FEWEST and low < high
    return Purpose.SIGNED if tells and _read_by_unsafe(value) else Purpose.UNKNOWN


def _read_by_unsafe(value: ir.Value) -> bool:
    """Whether an operator that some operands make fail reads the input itself, or the input shifted by a constant."""
    seen: set[ir.Value] = set()
    stack = [value]
    while stack and len(seen) < 64:
        current = stack.pop()
        if current in seen:
            continue
        seen.add(current)
        for use in current.uses():
            operator, first = operator_of(use.node), use.node.outputs[0]
            if operator is not None and operator.unsafe:
                return True
            keeps = traits_of(use.node) & (IDENTITY | CONVERTS | SELECTS) and use.idx == 0
            if keeps or (operator is not None and operator.name == "Add" and _shifted(use.node, use.idx)):
                stack.append(first)
    return False


def _shifted(node: ir.Node, position: int) -> bool:
    other = constant_array(node.inputs[1 - position]) if len(node.inputs) == 2 else None
    return other is not None and other.size == 1
