"""Complex numbers made of two real ones."""

from __future__ import annotations

from analyzer.operators.declaration import ELEMENTWISE, operator

OPERATORS = (operator("Complex", tf="Complex", traits=ELEMENTWISE),)
