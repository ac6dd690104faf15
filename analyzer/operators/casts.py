"""Conversions of the element type."""

from __future__ import annotations

from analyzer.operators.conditions import CAST_OVERFLOW
from analyzer.operators.declaration import CONVERTS, ELEMENTWISE, operator

OPERATORS = (
    operator(
        "Cast",
        (1, 6, 9, 13, 19, 21, 23, 24, 25, 28),
        tf="Cast",
        torch="to _to_copy type_as float double half",
        traits=ELEMENTWISE | CONVERTS,
        unsafe=(CAST_OVERFLOW,),
        keras="ops.cast",
    ),
    operator("CastLike", (15, 19, 21, 23, 24, 25), traits=CONVERTS, unsafe=(CAST_OVERFLOW,)),
)
