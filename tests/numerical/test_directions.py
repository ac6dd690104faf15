"""Directions made of angles have length 1, however their coordinates are put together; others may have none."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, rules, run
from containment import outside
from test_relations import engine

from analyzer.graph import Graph

ANGLES = {"t": (-7, 7), "p": (-7, 7), "r": (0.5, 3)}
FAILING = [("division-by-zero", "unit")]


def direction(
    *, last: str = "Cos", angle: str = "t", joined: str = "written", scaled: bool = False, missing: bool = False
) -> Graph:
    """Points on a sphere over their norms; `last` of `angle` is the third coordinate."""
    b = Builder()
    names = {name: b.input(name, (4,)) for name in ("t", "p", "r")}
    sine = b.op("Sin", names["t"])
    parts = [b.op("Mul", sine, b.op("Cos", names["p"])), b.op("Mul", sine, b.op("Sin", names["p"]))]
    parts.append(b.op("Neg", b.op(last, names[angle])))
    parts = [b.op("Mul", x, names["r"]) if scaled else x for x in parts]
    if joined == "written":
        axis, whole = 1, b.const(np.zeros((3, 4)))
        for place, part in list(enumerate(parts))[missing:]:
            row = b.op("Unsqueeze", part, b.const([0], np.int64))
            whole = b.op("ScatterElements", whole, b.const(np.full((1, 4), place), np.int64), row, axis=0)
        whole = b.op("Transpose", whole, perm=[1, 0])
    else:
        axis = 1
        columns = [b.op("Unsqueeze", part, b.const([1], np.int64)) for part in parts]
        whole = b.op("Concat", *columns, axis=1)
    along = b.const([axis], np.int64)
    if joined == "squares":
        norm = b.op("Sqrt", b.op("ReduceSum", b.op("Mul", whole, whole), along))
    else:
        norm = b.op("ReduceL2", whole, along)
    return b.graph(b.op("Div", whole, norm, name="unit"))


@pytest.mark.parametrize("joined", ["written", "joined", "squares"])
def test_a_direction_has_length_1(joined: str) -> None:
    assert rules(direction(joined=joined), ANGLES) == []
    assert rules(direction(joined=joined, scaled=True), ANGLES) == []
    assert rules(direction(joined=joined, scaled=True), {**ANGLES, "r": (0, 3)}) == FAILING


@pytest.mark.parametrize("options", [{"last": "Sin"}, {"angle": "p"}, {"missing": True}])
def test_other_coordinates_may_all_be_0(options: dict[str, str]) -> None:
    assert rules(direction(**options), ANGLES) == FAILING


@pytest.mark.parametrize("scaled", [True, False])
def test_no_run_leaves_the_bounds(scaled: bool) -> None:
    graph, rng = direction(scaled=scaled, joined="joined"), np.random.default_rng(0)
    found, session = run(graph, ANGLES, everything=True).values, engine(graph)
    given = {name: rng.uniform(*ANGLES[name], 4).astype(np.float32) for name in ("t", "p", "r")}
    assert outside(found[graph.graph.outputs[0]], session.run(None, given)[0]) == ""


def test_a_sphere_of_radius_r_is_between_the_radii() -> None:
    graph = direction(scaled=True, joined="written")
    values = run(graph, ANGLES, everything=True).values
    norm = next(v for n in graph.graph if n.op_type == "ReduceL2" for v in n.outputs)
    assert 0.49 < values[norm].low <= 0.5
    assert 3 <= values[norm].high < 3.01
