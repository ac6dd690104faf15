"""The larger and the smaller of several operands."""

from __future__ import annotations

from analyzer.operators.declaration import ELEMENTWISE, PIECEWISE_LINEAR, WIDEST, operator

OPERATORS = (
    operator(
        "Max",
        (1, 6, 8, 12, 13),
        tf="Maximum",
        torch="maximum",
        keras="Maximum ops.maximum",
        traits=ELEMENTWISE | PIECEWISE_LINEAR | WIDEST,
    ),
    operator(
        "Min",
        (1, 6, 8, 12, 13),
        tf="Minimum",
        torch="minimum",
        keras="Minimum ops.minimum",
        traits=ELEMENTWISE | PIECEWISE_LINEAR | WIDEST,
    ),
)
