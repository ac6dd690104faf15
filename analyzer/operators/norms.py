"""Norms and sums of squares or absolute values along axes."""

from __future__ import annotations

from analyzer.operators.conditions import GRADIENT_OF_NORM_AT_ZERO
from analyzer.operators.declaration import DEFINITE, PLUS_ZERO, POLYNOMIAL, operator

OPERATORS = (
    operator("ReduceL1", (1, 11, 13, 18), traits=PLUS_ZERO | DEFINITE),
    operator("ReduceSumSquare", (1, 11, 13, 18), traits=PLUS_ZERO | POLYNOMIAL),
    operator("ReduceL2", (1, 11, 13, 18), torch="norm", traits=PLUS_ZERO | DEFINITE),
    operator("EuclideanNorm", tf="EuclideanNorm", traits=PLUS_ZERO, unsafe=(GRADIENT_OF_NORM_AT_ZERO,)),
    operator("L2Loss", tf="L2Loss", traits=PLUS_ZERO),
)
