"""Concatenation and stacking."""

from __future__ import annotations

from analyzer.operators.declaration import DENSE_OR_CHANNELS_LAST, POLYNOMIAL, WIDEST, operator

OPERATORS = (
    operator(
        "Concat",
        (1, 4, 11, 13),
        tf="ConcatV2",
        torch="cat concat concatenate",
        keras="Concatenate ops.concatenate",
        traits=POLYNOMIAL | DENSE_OR_CHANNELS_LAST | WIDEST,
    ),
    operator("ConcatAxisFirst", tf="Concat"),
    operator("Pack", tf="Pack", torch="stack", keras="ops.stack", traits=DENSE_OR_CHANNELS_LAST | WIDEST),
)
