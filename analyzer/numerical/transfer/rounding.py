"""How much kernels lose by rounding: what transfer functions add to bounds that they compute in float64."""

from __future__ import annotations

import math

from analyzer.numerical.domain.dtypes import ElementType

ACCUMULATED = 2.0**-23  # kernels add in float32 at least; its numbers are this far apart, relative to their size
FAST_CONVOLUTION = 32.0  # roundings that Winograd and FFT algorithms add to those of a direct sum

# Units in the last place that an interpolated sample may lose. It has up to eight corners: each is a product with a
# product of three weights (differences of positions, rounded too) and is added to the others: 8 * (1 + 3 * 2 + 1) = 64.
INTERPOLATED = 64


def accumulation_unit(dtype: ElementType) -> float:
    """The relative distance of numbers in the type that kernels add `dtype` in."""
    return float(dtype.eps) if dtype.name == "float64" else ACCUMULATED


def rounding_terms(n: float) -> float:
    """How many roundings a sum of n terms goes through: kernels add in blocks and pairwise, in float32 at least."""
    return min(n, 256.0 + 8 * math.log2(max(n, 2.0)) if math.isfinite(n) else 768.0)
