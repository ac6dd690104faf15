"""Branches, loops and calls."""

from __future__ import annotations

from analyzer.operators.declaration import BRANCH, CALL, LOOP, operator

OPERATORS = (
    operator(
        "If", (1, 11, 13, 16, 19, 21, 23, 24, 25), tf="If StatelessIf", torch="cond", traits=BRANCH, lacks="types"
    ),
    operator("Loop", (1, 11, 13, 16, 19, 21, 23, 24, 25), traits=LOOP, lacks="types"),
    operator(
        "Scan",
        (8, 9, 11, 16, 19, 21, 23, 24, 25),
        torch="scan associative_scan map map_impl",
        traits=LOOP,
        lacks="types",
    ),
    operator("While", tf="While StatelessWhile", torch="while_loop", traits=LOOP),
    operator("Switch", tf="Switch RefSwitch"),
    operator("Merge", tf="Merge RefMerge"),
    operator(
        "PartitionedCall",
        tf="PartitionedCall StatefulPartitionedCall TPUPartitionedCall",
        torch="wrap_with_set_grad_enabled wrap_with_autocast invoke_subgraph hints_wrapper",
        traits=CALL,
    ),
    operator("SequenceMap", (17,), lacks="types references"),
    operator("Raise", torch="raise", keras="raise"),
)
