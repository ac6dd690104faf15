"""Shapes and sizes as values."""

from __future__ import annotations

from analyzer.operators.declaration import DETACHED, SHAPE_ONLY, operator

OPERATORS = (
    operator("Shape", (1, 13, 15, 19, 21, 23, 24, 25), tf="Shape", traits=SHAPE_ONLY | DETACHED),
    operator("ShapeN", tf="ShapeN", traits=SHAPE_ONLY | DETACHED),
    operator("Size", (1, 13, 19, 21, 23, 24, 25), tf="Size", traits=SHAPE_ONLY | DETACHED),
    operator("Rank", tf="Rank", traits=SHAPE_ONLY | DETACHED),
    operator("BroadcastGradientArgs", tf="BroadcastGradientArgs"),
    operator("BroadcastArgs", tf="BroadcastArgs"),
    operator("ConcatOffset", tf="ConcatOffset"),
)
