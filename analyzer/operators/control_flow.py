"""Branches, loops and calls."""

from __future__ import annotations

from analyzer.operators.declaration import BRANCH, CALL, LOOP, operator

OPERATORS = (
    operator("If", (1, 11, 13, 16, 19, 21, 23, 24, 25), tf="If StatelessIf", traits=BRANCH),
    operator("Loop", (1, 11, 13, 16, 19, 21, 23, 24, 25), traits=LOOP),
    operator("Scan", (8, 9, 11, 16, 19, 21, 23, 24, 25), traits=LOOP),
    operator("While", tf="While StatelessWhile", traits=LOOP),
    operator("Switch", tf="Switch RefSwitch"),
    operator("Merge", tf="Merge RefMerge"),
    operator("PartitionedCall", tf="PartitionedCall StatefulPartitionedCall TPUPartitionedCall", traits=CALL),
    operator("SequenceMap", (17,)),
)
