"""Quotients and remainders."""

from __future__ import annotations

from analyzer.operators.conditions import DIVISION_BY_ZERO, INTEGER_DIVISION_BY_ZERO
from analyzer.operators.declaration import ELEMENTWISE, FLOATING, operator

OPERATORS = (
    operator(
        "Div",
        (1, 6, 7, 13, 14),
        tf="RealDiv Div",
        torch="div true_divide",
        traits=ELEMENTWISE | FLOATING,
        unsafe=(DIVISION_BY_ZERO, INTEGER_DIVISION_BY_ZERO),
        keras="ops.true_divide ops.divide",
    ),
    operator("DivNoNan", tf="DivNoNan", traits=ELEMENTWISE),
    operator(
        "FloorDiv",
        tf="FloorDiv",
        traits=ELEMENTWISE,
        unsafe=(DIVISION_BY_ZERO, INTEGER_DIVISION_BY_ZERO),
        keras="ops.floor_divide",
    ),
    operator("TruncateDiv", tf="TruncateDiv", traits=ELEMENTWISE, unsafe=(DIVISION_BY_ZERO, INTEGER_DIVISION_BY_ZERO)),
    operator(
        "Mod",
        (10, 13, 28),
        tf="FloorMod Mod",
        torch="remainder fmod",
        traits=ELEMENTWISE,
        unsafe=(DIVISION_BY_ZERO, INTEGER_DIVISION_BY_ZERO),
        keras="ops.mod",
    ),
    operator("TruncateMod", tf="TruncateMod", traits=ELEMENTWISE, unsafe=(DIVISION_BY_ZERO, INTEGER_DIVISION_BY_ZERO)),
    operator("Xdivy", tf="Xdivy", traits=ELEMENTWISE, unsafe=(DIVISION_BY_ZERO,)),
)
