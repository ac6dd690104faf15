"""The family files; a new one is added to this list."""

from __future__ import annotations

from functools import cache
from importlib import import_module

FAMILIES = (
    "elementwise",
    "activations",
    "arithmetic",
    "division",
    "power",
    "extrema",
    "comparison",
    "matmul",
    "convolution",
    "reductions",
    "cumulative",
    "softmax",
    "normalization",
    "pooling",
    "shape",
    "joining",
    "casts",
    "sizes",
    "slicing",
    "diagonals",
    "indexing",
    "generators",
    "recurrent",
    "control_flow",
    "quantization",
    "containers",
    "losses",
    "training",
    "signal",
    "vision",
    "attention",
    "trees",
)


@cache
def load() -> None:
    """Import every family, which registers its rules."""
    for name in FAMILIES:
        import_module(f"analyzer.numerical.transfer.{name}")
