"""What a failure does to the model around it, and whether training goes there: runs of the whole model in torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from analyzer.numerical.confirm.points import ordinary_points
from analyzer.numerical.confirm.position import weights_of
from analyzer.numerical.confirm.problem import Point, SearchProblem
from analyzer.numerical.confirm.torch_evaluation import OperatorTrace, finite, run
from analyzer.numerical.confirm.torch_registry import Mode

DRAWS = 2  # of what the witness leaves open: the other inputs and weights
EVERY = "\0"  # the name of no value: all operators are watched for the first failure
STEPS = 40  # of Adam; training that heads for a bound shows it in fewer
RATE = 0.02  # of Adam, relative to the width of a weight's range: 40 steps cross most of it if all agree


def happens(problem: SearchProblem, witness: Mapping[str, Any], seed: int) -> bool:
    """Whether any operator of the whole model fails on its way forward at the witness, in torch."""
    (calm,) = ordinary_points(problem, seed, 1)
    _, trace = _values(problem, {**calm, **{n: t for n, t in witness.items() if n in calm}})
    return bool(trace.earlier)


def reached(problem: SearchProblem, witness: Mapping[str, Any], seed: int) -> str:
    """What the failure reaches in the whole model ("an output"), or an empty string.

    An output or a loss that is not finite although an ordinary run's is; a gradient that training computes; a
    comparison, cast or argmax of NaN.
    """
    for number in range(DRAWS):
        (calm,) = ordinary_points(problem, seed + number, 1)
        healthy, before = _values(problem, calm)
        values, trace = _values(problem, {**calm, **{n: t for n, t in witness.items() if n in calm}})
        for name in dict.fromkeys((*problem.results, *problem.losses)):
            # infinities are meant only where none comes of a failure in an ordinary run
            meant = not before.earlier and name in healthy and not finite(healthy[name])
            if name in values and not finite(values[name], meant):
                return f"`{name}` is not finite"
        if trace.decided:
            return f"`{trace.decided}` decides on NaN"
        if problem.backward and _gradients_fail(problem, values, calm):
            return "a gradient that training computes is not finite"
    return ""


def _values(problem: SearchProblem, point: Point) -> tuple[dict[str, Any], OperatorTrace]:
    leaves = {n: t.detach().clone() for n, t in point.items()}
    names = {x.name for x in weights_of(problem)} or set(leaves)
    if problem.backward:
        for name in names:
            if leaves[name].is_floating_point():
                leaves[name].requires_grad_(True)
    trace = OperatorTrace(EVERY, infinite=problem.infinite, follow=True)
    return run(problem.program, leaves, Mode(surrogate=False), trace), trace


def _gradients_fail(problem: SearchProblem, values: Mapping[str, Any], point: Point) -> bool:
    import torch

    total = _total(values, problem.losses or problem.results)
    if total is None:
        return False
    trained = [values[n] for n in point if values[n].requires_grad]
    found = torch.autograd.grad(total, trained, allow_unused=True)
    return any(g is not None and not finite(g) for g in found)


def _total(values: Mapping[str, Any], ends: Sequence[str]) -> Any:
    floating = [values[n] for n in ends if n in values and values[n].is_floating_point()]
    ends_with_gradient = [v for v in floating if v.requires_grad]
    return sum(v.sum() for v in ends_with_gradient) if ends_with_gradient else None


def trained_towards(
    problem: SearchProblem, witness: Mapping[str, Any], moved: Sequence[str], seed: int
) -> tuple[str, float]:
    """A short optimisation of the model's own losses: where it failed, if it did, and how far it went to the witness.

    The second is the part of the way from the initial weights called `moved` to the witness's, at most 1; negative
    where training moves away.
    """
    import torch

    weights = {x.name: x for x in weights_of(problem)}
    (start,) = ordinary_points(problem, seed, 1)
    state = {n: t.detach().clone() for n, t in start.items()}
    trained = [n for n in weights if state[n].is_floating_point()]
    means = {n: torch.zeros_like(state[n]) for n in trained}
    squares = {n: torch.zeros_like(state[n]) for n in trained}
    best = -1.0
    for step in range(1, STEPS + 1):
        (fresh,) = ordinary_points(replace(problem, leaves=_data(problem)), seed + step, 1)
        state.update(fresh)
        leaves = {n: t.detach().clone() for n, t in state.items()}
        for name in trained:
            leaves[name].requires_grad_(True)
        trace = OperatorTrace(problem.outputs[0])
        values = run(problem.program, leaves, Mode(surrogate=False), trace)
        total = _total(values, problem.losses)
        if total is None:
            return "", 0.0
        found = dict(
            zip(trained, torch.autograd.grad(total, [leaves[n] for n in trained], allow_unused=True), strict=True)
        )
        if not finite(total) or any(g is not None and not finite(g) for g in found.values()):
            return f"after {step - 1} steps", 1.0
        for name, gradient in found.items():
            if gradient is None:
                continue
            means[name] = 0.9 * means[name] + 0.1 * gradient
            squares[name] = 0.999 * squares[name] + 0.001 * gradient * gradient
            mean, square = means[name] / (1 - 0.9**step), squares[name] / (1 - 0.999**step)
            rate = RATE * min(weights[name].hi - weights[name].lo, 1.0)
            state[name] = state[name] - rate * mean / (square.sqrt() + 1e-8)
        best = max(best, _progress(start, state, witness, moved))
    return "", best


def _data(problem: SearchProblem) -> Any:
    names = {x.name for x in weights_of(problem)}
    return tuple(x for x in problem.leaves if x.name not in names)


def _progress(start: Point, state: Point, witness: Mapping[str, Any], moved: Sequence[str]) -> float:
    """The part of the way to the witness, along its direction."""
    along, length = 0.0, 0.0
    for name in moved:
        way = (witness[name].double() - start[name].double()).reshape(-1)
        along += float((state[name].double() - start[name].double()).reshape(-1) @ way)
        length += float(way @ way)
    return min(1.0, along / length) if length else 0.0
