"""Powers."""

from __future__ import annotations

from analyzer.operators.conditions import GRADIENT_OF_POW_AT_ZERO, POW_DOMAIN
from analyzer.operators.declaration import ELEMENTWISE, PRODUCT, operator

OPERATORS = (
    operator(
        "Pow",
        (1, 7, 12, 13, 15),
        tf="Pow",
        torch="pow",
        traits=ELEMENTWISE | PRODUCT,
        unsafe=(POW_DOMAIN, GRADIENT_OF_POW_AT_ZERO),
        keras="ops.power",
    ),
)
