"""Whether a model says the same of every sample of a batch at a witness: its layers are off for all of them."""

from __future__ import annotations

from typing import Any

from analyzer.numerical.batches import keeps_rows
from analyzer.numerical.confirm.arrangement import FEWEST_ROWS
from analyzer.numerical.confirm.problem import Point, SearchProblem
from analyzer.numerical.confirm.torch_evaluation import run
from analyzer.numerical.confirm.torch_registry import Mode
from analyzer.operators.declaration import Trait
from analyzer.operators.registry import traits_of


def collapsed(problem: SearchProblem, point: Point) -> bool:
    """Whether what layers make of a batch whose rows must differ has rows that are all alike.

    A rectifier that is off for every row, a saturated one; one unit of several, or one row, is none.
    """
    batches = {x.name for x in problem.leaves if x.unlike and x.shape[0] >= FEWEST_ROWS and x.name in point}
    if not batches:
        return False
    values = run(problem.program, {**problem.fixed, **point}, Mode(surrogate=False))
    rows, made = set(batches), set[str | None]()  # values that have the batch's rows; those of them that a layer made
    for node in problem.model.graph:
        first = next((v.name for v in node.inputs if v is not None and v.name in rows), None)
        layer = bool(traits_of(node) & Trait.CONTRACTION) and node.inputs[0] is not None and node.inputs[0].name in rows
        if first is None or not node.outputs or not (layer or keeps_rows(node)):
            continue
        name, value, before = node.outputs[0].name or "", values.get(node.outputs[0].name or ""), values.get(first)
        if value is None or not _same_count(value, before):
            continue
        rows.add(name)
        if layer or any(v is not None and v.name in made for v in node.inputs):
            made.add(name)
            if value.is_floating_point() and bool((value == value[:1]).all()):
                return True
    return False


def _same_count(value: Any, before: Any) -> bool:
    first, second = (tuple(getattr(v, "shape", ()))[:1] for v in (value, before))
    return bool(first) and first == second
