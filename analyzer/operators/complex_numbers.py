"""Complex numbers made of two real ones, and what is read of them."""

from __future__ import annotations

from analyzer.operators.declaration import ELEMENTWISE, PLUS_ZERO, operator

OPERATORS = (
    operator("Complex", tf="Complex", traits=ELEMENTWISE),
    operator("Part", tf="Real Imag", traits=ELEMENTWISE),
    operator("Magnitude", tf="ComplexAbs", traits=ELEMENTWISE | PLUS_ZERO),
)
