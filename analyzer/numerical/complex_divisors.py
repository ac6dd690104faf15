"""Divisions by a complex number, which is 0 only where its real and its imaginary part are at once.

One that was made of a real number alone has one part that counts, and is none here.
Exporters write a complex tensor as pairs along the last axis, and a quotient by the squares of the parts or by the
larger of them (Smith's method).
"""

from __future__ import annotations

import onnx_ir as ir

from analyzer.numerical.constants import constant_array
from analyzer.numerical.divisors import is_zero
from analyzer.operators.declaration import CONVERTS, IDENTITY, RESHAPES
from analyzer.operators.registry import operator_name, traits_of

COMPLEX = (ir.DataType.COMPLEX64, ir.DataType.COMPLEX128)


def divides_by_complex(node: ir.Node) -> bool:
    """Whether an operator divides by a complex number, or by what is 0 only where both parts of one are."""
    divisor = {"Div": 1, "Reciprocal": 0}.get(operator_name(node))
    value = node.inputs[divisor] if divisor is not None else None
    if value is not None and value.dtype in COMPLEX:
        return not _is_real(value)
    made = value.producer() if value is not None else None
    if made is None or len(made.inputs) != 2 or operator_name(made) not in ("Add", "Max"):
        return False
    one, other = (_inside(v, operator_name(made)) for v in made.inputs)
    first, second = _part(one), _part(other)
    if first is None or second is None:
        return False
    return first[0] is second[0] and first[1] != second[1] and not _is_real(first[0])


def _inside(value: ir.Value | None, adder: str) -> ir.Value | None:
    """What a value is the square of, or the absolute value where the larger of two is taken."""
    node = value.producer() if value is not None else None
    if node is None:
        return None
    if adder == "Max":
        return node.inputs[0] if operator_name(node) == "Abs" else None
    return node.inputs[0] if operator_name(node) == "Mul" and node.inputs[0] is node.inputs[1] else None


def _part(value: ir.Value | None) -> tuple[ir.Value, int] | None:
    """The pairs of which a value holds one element each, and which of the two."""
    node = value.producer() if value is not None else None
    pairs = node.inputs[0] if node is not None and node.inputs else None
    if node is None or pairs is None or pairs.shape is None or not len(pairs.shape) or pairs.shape[-1] != 2:
        return None
    last = (-1, len(pairs.shape) - 1)
    if node.op_type == "Gather":
        axis, index = node.attributes.get("axis"), constant_array(node.inputs[1])
        along = axis is not None and axis.as_int() in last
        return (pairs, int(index.reshape(-1)[0]) % 2) if along and index is not None and index.size == 1 else None
    if node.op_type == "Slice" and len(node.inputs) > 3:
        start, end, along_axis = (constant_array(v) for v in node.inputs[1:4])
        if start is None or end is None or along_axis is None or not start.size == end.size == along_axis.size == 1:
            return None
        first, after, axis_number = (int(a.reshape(-1)[0]) for a in (start, end, along_axis))
        return (pairs, first) if axis_number in last and first in (0, 1) and after - first == 1 else None
    return None


def _is_real(value: ir.Value | None) -> bool:
    """Whether a complex number was made of a real one: by a cast, or beside zeros."""
    while value is not None and (made := value.producer()) is not None:
        if not traits_of(made) & (IDENTITY | CONVERTS | RESHAPES):
            return operator_name(made) in ("Concat", "Complex") and any(is_zero(v) for v in made.inputs)
        value = made.inputs[0]
        if made.outputs[0].dtype in COMPLEX and value is not None and value.dtype not in COMPLEX:
            return True
    return False
