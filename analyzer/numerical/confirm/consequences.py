"""What a failure does to the model around it, and whether training goes there: runs of the whole model in torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analyzer.numerical.confirm.objective import failed
from analyzer.numerical.confirm.points import ordinary_points
from analyzer.numerical.confirm.position import weights_of
from analyzer.numerical.confirm.problem import Point, SearchProblem
from analyzer.numerical.confirm.torch_evaluation import OperatorTrace, finite, run
from analyzer.numerical.confirm.torch_registry import Mode

DRAWS = 2  # of what the witness leaves open: the other inputs and weights
EVERY = "\0"  # the name of no value: all operators are watched for the first failure


def happens(problem: SearchProblem, witness: Mapping[str, Any], seed: int) -> bool:
    """Whether any operator of the whole model fails on its way forward at the witness, in torch."""
    (calm,) = ordinary_points(problem, seed, 1)
    _, trace = _values(problem, {**calm, **{n: t for n, t in witness.items() if n in calm}})
    return bool(trace.earlier)


def reached(problem: SearchProblem, witness: Mapping[str, Any], seed: int, failing: str = "") -> str:
    """What the failure reaches in the whole model ("an output"), or an empty string.

    An output or a loss that is not finite although an ordinary run's is; a gradient that training computes; a
    comparison, cast or argmax of NaN. Nothing of another failure counts where what `failing` makes has no part in it.
    """
    for number in range(DRAWS):
        (calm,) = ordinary_points(problem, seed + number, 1)
        healthy, before = _values(problem, calm)
        values, trace = _values(problem, {**calm, **{n: t for n, t in witness.items() if n in calm}})
        ends = dict.fromkeys((*problem.results, *problem.losses))
        sound = all(finite(values[name]) for name in ends if name in values)
        if not sound and not finite(values.get(failing)) and _dies_out(problem, values, trace, failing):
            continue
        for name in ends:
            # infinities are meant only where none comes of a failure in an ordinary run
            meant = not before.earlier and name in healthy and not finite(healthy[name])
            if name in values and not finite(values[name], meant):
                return f"`{name}` is not finite"
        if trace.decided:
            return f"`{trace.decided}` decides on NaN"
        if problem.backward and _gradients_fail(problem, values, calm):
            return "a gradient that training computes is not finite"
    return ""


def _dies_out(problem: SearchProblem, values: Mapping[str, Any], trace: OperatorTrace, failing: str) -> bool:
    """Whether nothing is left of a failure before it meets an end of the model: a run in which what it makes is
    finite differs from this one only up to operators whose results are finite, and the same.
    """
    leaves = {n: values[n].detach() for n in (x.name for x in problem.leaves) if n in values}
    mended, other = _values(problem, leaves, mended=frozenset((failing,)) - {""})
    if trace.decided and not other.decided:
        return False
    changed = {n for n, v in values.items() if n in mended and not _alike(v, mended[n])}
    _, steps = problem.program.prepared(problem.program.graph)
    for step in steps:
        made = [name for name in step.results if name]
        if changed.isdisjoint(n for n in step.operands if n) or not changed.isdisjoint(made):
            continue
        if step.control is not None or not all(finite(values.get(name)) for name in made):
            return False  # hidden in a body, or behind what another failure made
    return changed.isdisjoint((*problem.results, *problem.losses))


def _alike(one: Any, other: Any) -> bool:
    import torch

    if not isinstance(one, torch.Tensor) or not isinstance(other, torch.Tensor):
        return one is other
    if one.shape != other.shape or not one.is_floating_point():
        return bool(torch.equal(one, other))
    same: bool = torch.isclose(one, other, 0, 0, equal_nan=True).all().item()
    return same


def fails_with(
    problem: SearchProblem, witness: Mapping[str, Any], seed: int, mended: frozenset[str], watched: str
) -> bool:
    """Whether another operator, the one that makes `watched`, fails by itself at the witness of those that make
    `mended`: once their results are finite, whatever the witness leaves open.
    """
    for number in range(DRAWS):
        (calm,) = ordinary_points(problem, seed + number, 1)
        point = {**calm, **{n: t for n, t in witness.items() if n in calm}}
        trace = OperatorTrace(watched, infinite=problem.infinite, mended=mended)
        run(problem.program, point, Mode(surrogate=False), trace)
        if not any(failed(given, made, problem.infinite) for given, made in trace.executions):
            return False
    return True


def _values(
    problem: SearchProblem, point: Point, mended: frozenset[str] = frozenset()
) -> tuple[dict[str, Any], OperatorTrace]:
    leaves = {n: t.detach().clone() for n, t in point.items()}
    names = {x.name for x in weights_of(problem)} or set(leaves)
    if problem.backward:
        for name in names:
            if leaves[name].is_floating_point():
                leaves[name].requires_grad_(True)
    trace = OperatorTrace(EVERY, infinite=problem.infinite, follow=True, mended=mended)
    return run(problem.program, leaves, Mode(surrogate=False), trace), trace


def _gradients_fail(problem: SearchProblem, values: Mapping[str, Any], point: Point) -> bool:
    import torch

    total = total_of(values, problem.losses or problem.results)
    if total is None:
        return False
    trained = [values[n] for n in point if values[n].requires_grad]
    found = torch.autograd.grad(total, trained, allow_unused=True)
    return any(g is not None and not finite(g) for g in found)


def total_of(values: Mapping[str, Any], ends: Sequence[str]) -> Any:
    """The sum of those of the values called `ends` that have a gradient; None where none has."""
    floating = [values[n] for n in ends if n in values and values[n].is_floating_point()]
    ends_with_gradient = [v for v in floating if v.requires_grad]
    return sum(v.sum() for v in ends_with_gradient) if ends_with_gradient else None
