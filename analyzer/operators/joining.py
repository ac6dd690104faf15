"""Concatenation and stacking."""

from __future__ import annotations

from analyzer.operators.declaration import operator

OPERATORS = (
    operator("Concat", (1, 4, 11, 13), tf="ConcatV2", torch="cat concat concatenate", keras="Concatenate"),
    operator("ConcatAxisFirst", tf="Concat"),
    operator("Pack", tf="Pack", torch="stack"),
)
