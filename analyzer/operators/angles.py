"""Angles and lengths of pairs of numbers, element by element."""

from __future__ import annotations

from analyzer.operators.conditions import GRADIENT_OF_ANGLE_AT_ZERO, GRADIENT_OF_NORM_AT_ZERO
from analyzer.operators.declaration import ELEMENTWISE, FLOATING, operator

OPERATORS = (
    operator("Atan2", tf="Atan2", torch="atan2", traits=ELEMENTWISE | FLOATING, unsafe=(GRADIENT_OF_ANGLE_AT_ZERO,)),
    operator("Angle", tf="Angle", traits=ELEMENTWISE, unsafe=(GRADIENT_OF_ANGLE_AT_ZERO,)),
    operator("Hypot", aten="hypot", traits=ELEMENTWISE, unsafe=(GRADIENT_OF_NORM_AT_ZERO,)),
)
