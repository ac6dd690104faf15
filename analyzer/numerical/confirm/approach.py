"""The last part of the way to a failure: steps that become smaller with the distance, and the exact zero in between.

Signed steps cross a range in a few strides and never end on a point. Steps of the length ``distance / |gradient|``
(Polyak's) come as near to 0 as the model's own rounding permits, where a difference cancels or turns negative.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import onnx_ir as ir

from analyzer.numerical.confirm.extract import Leaf
from analyzer.numerical.confirm.objective import LOWEST, ZERO, objective
from analyzer.numerical.confirm.points import tensor_of
from analyzer.numerical.confirm.problem import Point, SearchProblem
from analyzer.numerical.confirm.torch_registry import Mode
from analyzer.operators.registry import operator_name

STEPS = 40
SHORTER = (1.0, 0.5, 2.0)  # of a step: where the distance is a square, twice its length ends at once


def approached(problem: SearchProblem, start: Point, movable: Sequence[Leaf], deadline: float) -> Iterator[Point]:
    """Points nearer and nearer to where the driven operand is 0, on both sides of it."""
    import torch

    if problem.target[1] not in (LOWEST, ZERO):
        return
    point = start
    for number in range(STEPS):
        if time.process_time() > deadline:
            return
        leaves = {name: tensor.detach() for name, tensor in point.items()}
        for leaf in movable:
            leaves[leaf.name] = leaves[leaf.name].clone().requires_grad_(True)
        found = problem.executions(leaves, Mode(surrogate=False))
        if not found:
            return
        distance = torch.stack([objective(given, made[0], problem.target).double() for given, made in found]).min()
        if not distance.requires_grad or not bool(torch.isfinite(distance)) or float(distance) <= 0:
            return
        gradients = torch.autograd.grad(distance, [leaves[m.name] for m in movable], allow_unused=True)
        known = [(m, g.double()) for m, g in zip(movable, gradients, strict=True) if g is not None]
        steepness = sum(float((g * g).sum()) for _, g in known)
        if not 0 < steepness < float("inf"):
            return
        step = SHORTER[number % len(SHORTER)] * float(distance.detach()) / steepness
        point = dict(point)
        for leaf, gradient in known:
            point[leaf.name] = tensor_of(leaf, (point[leaf.name].double() - step * gradient).numpy())
        yield point


def signed_values(problem: SearchProblem, point: Point) -> list[Any]:
    """What changes its sign where the driven operand is 0: of a magnitude or a square, the value itself."""
    name = _signed(problem)
    if name is None:
        return problem.driven(point)
    return [problem.value(point, name)]


def _signed(problem: SearchProblem) -> str | None:
    """The name of the value of the main graph whose magnitude or square the driven operand is."""
    index = problem.target[0]
    if problem.inside or not 0 <= index < len(problem.operands):
        return None
    node = next((n for n in problem.model.graph if any(v.name == problem.operands[index] for v in n.outputs)), None)
    inner = _below(node) if node is not None else None
    return inner.name if inner is not None else None


def _below(node: ir.Node) -> ir.Value | None:
    name = operator_name(node)
    if name == "Abs" or name == "Square" or (name == "Mul" and node.inputs[0] is node.inputs[1]):
        return node.inputs[0]
    return None
