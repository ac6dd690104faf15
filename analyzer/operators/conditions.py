"""Ids of the rules for unsafe operands: what an operator may warn of."""

from __future__ import annotations

CAST_OVERFLOW = "numerical/cast-overflow"
DIVISION_BY_ZERO = "numerical/division-by-zero"
EMPTY_MEAN = "numerical/empty-mean"
EXP_OVERFLOW = "numerical/exp-overflow"
GRADIENT_OF_ACOS_AT_EDGE = "numerical/gradient-of-acos-at-edge"
GRADIENT_OF_NORM_AT_ZERO = "numerical/gradient-of-norm-at-zero"
GRADIENT_OF_POW_AT_ZERO = "numerical/gradient-of-pow-at-zero"
GRADIENT_OF_SQRT_AT_ZERO = "numerical/gradient-of-sqrt-at-zero"
INTEGER_DIVISION_BY_ZERO = "numerical/integer-division-by-zero"
INVALID_DOMAIN = "numerical/invalid-domain"
LOG_OF_NONPOSITIVE = "numerical/log-of-nonpositive"
NORMALIZATION_BY_ZERO = "numerical/normalisation-by-zero"
POW_DOMAIN = "numerical/pow-domain"
SOFTMAX_OF_MINUS_INFINITY = "numerical/softmax-of-minus-infinity"
SQRT_OF_NEGATIVE = "numerical/sqrt-of-negative"
