"""Changes worth trying for each warning: rewrites that change nothing first, then the smallest clamps and epsilons."""

from __future__ import annotations

from collections.abc import Iterator

import onnx_ir as ir

from analyzer.numerical.repair import rewrites
from analyzer.numerical.repair.builder import DTYPES
from analyzer.numerical.repair.candidate import Candidate
from analyzer.numerical.repair.guards import clamped, clamped_inside, guarded, shifted
from analyzer.numerical.repair.patterns import source_of
from analyzer.numerical.result import Alarm
from analyzer.operators.registry import operator_name

# What repairs offer, by element type. Arguments of logarithms and roots: an epsilon in use that is a normal number of
# the type (float16's least one is 6e-5).
TINY = {"float32": 1e-12, "float64": 1e-12, "float16": 1e-4, "bfloat16": 1e-12}
# Divisors: larger ones, so that the quotient of a number of usual size stays finite (float16 ends at 65,504).
DIVISOR = {"float32": 1e-8, "float64": 1e-12, "float16": 1e-3, "bfloat16": 1e-8}
# Exponents: below the logarithm of the largest number (88.7, 709.8, 11.1, 88.7), with room for a sum of results.
EXPONENT = {"float32": 80.0, "float64": 700.0, "float16": 10.0, "bfloat16": 80.0}
# Less than 1 by more than the distance of numbers below 1 (6e-8, 1e-16, 5e-4, 4e-3), so that it is not rounded to 1.
INSIDE = {"float32": 1e-7, "float64": 1e-12, "float16": 1e-2, "bfloat16": 1e-2}


def candidates(warning: Alarm) -> Iterator[Candidate]:
    """What to try for a warning, in order."""
    node, dtype = warning.node, warning.dtype
    if warning.rule.endswith(("softmax-of-minus-infinity", "extremum-of-infinity")):
        yield from rewrites.of_mask(node, dtype)
        return
    if warning.operand == -1 and dtype in ("float16", "bfloat16"):
        yield from rewrites.of_half(node)
        return
    if dtype not in DTYPES:
        return
    if operator_name(node) in ("Div", "FloorDiv", "TruncateDiv", "Mod", "TruncateMod", "Reciprocal"):
        yield from _of_division(node, warning)
    if dtype not in TINY:
        return
    if node.op_type == "Log":
        yield from rewrites.of_log(node)
        yield clamped(node, 0, TINY[dtype], "below")
        yield shifted(node, 0, TINY[dtype])
    elif node.op_type == "Exp":
        yield from rewrites.around_exp(node)
        yield clamped(node, 0, EXPONENT[dtype], "above")
    elif node.op_type == "Expm1":
        yield clamped(node, 0, EXPONENT[dtype], "above")
    elif node.op_type in ("Cosh", "Sinh"):
        yield clamped_inside(node, EXPONENT[dtype])
    elif node.op_type in ("Sqrt", "Rsqrt"):
        yield from rewrites.root_of_exp(node)
        yield clamped(node, 0, TINY[dtype], "below")
        if warning.interval.lo >= 0:
            yield shifted(node, 0, TINY[dtype])
            yield from rewrites.root_of_squares(node, TINY[dtype])
    elif node.op_type == "EuclideanNorm":
        yield from rewrites.norm(node, TINY[dtype])
    elif node.op_type in ("Acos", "Asin", "Atanh"):
        yield clamped_inside(node, 1.0 - INSIDE[dtype])
    elif operator_name(node) == "Log1p":
        yield clamped(node, 0, -1.0 + INSIDE[dtype], "below")
    elif node.op_type == "Acosh":
        if not warning.backward:
            yield clamped(node, 0, 1.0, "below")
        yield clamped(node, 0, 1.0 + 2 * INSIDE[dtype], "below")
    elif node.op_type == "Pow":
        yield clamped(node, 0, TINY[dtype] ** 0.5, "below")
        yield clamped(node, 0, TINY[dtype] ** 0.25, "below")
        if warning.backward:  # as below a root, where larger ones move results: many operands are exactly 0
            yield clamped(node, 0, TINY[dtype], "below")


def _of_division(node: ir.Node, warning: Alarm) -> Iterator[Candidate]:
    position = 0 if operator_name(node) == "Reciprocal" else 1
    yield from rewrites.softmax_by_hand(node)
    yield from rewrites.unbiased_of_one(node, warning.interval.lo == 0 == warning.interval.hi)
    if warning.dtype not in DIVISOR:
        if warning.interval.lo >= 0:
            yield clamped(node, position, 1.0, "below")
        return
    if node.op_type == "Reciprocal":
        yield from rewrites.reciprocal_root(node, TINY[warning.dtype])
    epsilon = DIVISOR[warning.dtype]
    if source_of(node.inputs[position]) is None:
        # A parameter or an input itself: its sign is an assumption, and a clamp would silently change the other sign.
        yield guarded(node, position, epsilon)
    if warning.interval.lo >= 0:
        yield clamped(node, position, epsilon, "below")
        yield shifted(node, position, epsilon)
    elif warning.interval.hi <= 0:
        yield clamped(node, position, -epsilon, "above")
    else:
        yield guarded(node, position, epsilon)
