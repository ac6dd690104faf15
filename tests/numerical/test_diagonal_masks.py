"""Masks of diagonals: rows that keep an element, numbers of selected elements, diagonals of triangles."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest
from build import Builder, rules, run

from analyzer.graph import Graph
from analyzer.numerical.transfer.diagonal_masks import picked_by

SIZES = {"x": (-9, 9), "scale": (0.5, 3), "low": (-5, 5), "y": (0.1, 5)}


def eye(b: Builder, n: int, *, leading: bool = False, other: bool = False) -> str:
    """Places of rows and columns compared, as exporters write an identity matrix."""
    places = b.op("Range", *(b.const(i, np.int64) for i in (0, n, 1)))
    columns = b.op("Range", *(b.const(i, np.int64) for i in (1, n + 1, 1))) if other else places
    same = b.op("Equal", b.op("Unsqueeze", places, b.const([1], np.int64)), columns)
    return str(b.op("Unsqueeze", same, b.const([0, 1], np.int64)) if leading else same)


def similarities(n: int, case: str) -> Graph:
    """A softmax of similarities without those of rows with themselves."""
    b = Builder()
    mask = eye(b, n, other=case == "beside")
    if case == "beside":
        mask = b.op("Or", mask, b.op("Equal", b.op("Round", b.input("y", (n, n))), b.const(3.0)))
    if case == "others":
        mask = b.op("Not", mask)
    x = b.input("x", (n, n))
    return b.graph(b.op("Softmax", b.op("Where", mask, b.const(-np.inf), x), axis=-1))


@pytest.mark.parametrize(
    ("n", "case", "bad"), [(4, "", 0), (4, "others", 0), (1, "others", 0), (1, "", 1), (4, "beside", 1)]
)
def test_rows_without_their_diagonal_keep_others(n: int, case: str, bad: int) -> None:
    assert len(rules(similarities(n, case), SIZES)) == bad


@pytest.mark.parametrize(
    ("case", "expected"), [("", True), ("not", False), ("rest", False), ("leading", True), ("other", None)]
)
def test_what_a_mask_picks(case: str, expected: bool | None) -> None:
    b = Builder()
    mask = eye(b, 5, leading=case == "leading", other=case == "other")
    if case == "not":
        mask = b.op("Not", mask)
    if case == "rest":
        rest = b.op("Sub", b.const(1.0), b.op("Cast", mask, to=1))
        mask = b.op("Cast", rest, to=9)
    model = b.graph(mask)
    (value,) = [t for v, t in run(model, {}, everything=True).values.items() if v.is_graph_output()]
    value.data, value.starts, value.lo, value.hi = None, None, np.float64(0), np.float64(1)  # not by its elements
    assert picked_by(value) is expected


@pytest.mark.parametrize(("below", "bad"), [(-1, 0), (0, 1)])
def test_the_diagonal_of_a_factor_is_what_was_placed_on_it(below: int, bad: int) -> None:
    """The strict lower triangle of anything and positive numbers on the diagonal, as mixtures of normals have them."""
    b = Builder()
    triangle = b.op("Trilu", b.input("low", (2, 3, 3)), b.const(below, np.int64), upper=0)
    scale = b.op("Unsqueeze", b.input("scale", (2, 3)), b.const([1], np.int64))
    mask = b.op("Squeeze", eye(b, 3, leading=True), b.const([0], np.int64))
    factor = b.op("Add", triangle, b.op("Where", mask, scale, b.const(0.0)))
    flat = b.op("Reshape", factor, b.const([2, 9], np.int64))
    model = b.graph(b.op("Log", b.op("Gather", flat, b.const([0, 4, 8], np.int64), axis=1)))
    assert len(rules(model, SIZES)) == bad


@pytest.mark.parametrize(("picked", "bad"), [("all but the diagonal", 0), ("anything", 1)])
def test_of_selected_elements_as_many_as_the_mask_has_are_added(picked: str, bad: int) -> None:
    b = Builder()
    mask = b.op("Not", eye(b, 4)) if not bad else b.op("Greater", b.input("x", (4, 4)), b.const(0.0))
    b.input("y", (4, 4))
    axis = b.const([-1], np.int64)
    selected = "selected"
    shaped = b.op("Reshape", selected, b.const([4, -1], np.int64))
    total = b.op("ReduceSum", shaped, axis, keepdims=0)
    made = b.op("Log", total)
    model = _with_selection(b, made, mask, selected)
    assert len(rules(model, SIZES)) == bad


def _with_selection(b: Builder, made: str, mask: str, selected: str) -> Graph:
    """The graph with an operator of torch in its place before its readers."""
    place = next(i for i, n in enumerate(b.nodes) if selected in n.input)
    b.nodes.insert(place, type(b.nodes[0])())
    b.nodes[place].op_type, b.nodes[place].domain, b.nodes[place].name = "masked_select", "torch.aten", "selected"
    b.nodes[place].input.extend(["y", mask])
    b.nodes[place].output.append(selected)
    graph = b.graph(made)
    graph.graph.opset_imports["torch.aten"] = 1
    assert isinstance(graph.graph, ir.Graph)
    return graph
