"""Searches the leaves of a slice, inside their ranges, for values that make its last operator fail.

Cheap probes come first (corners, special values, constants), then signed gradient steps through the slice with the
surrogate gradients of `surrogate`, from several starts and over growing sets of leaves, then steps that become smaller
with the distance (`approach`), and a bisection where an operand changes its sign. Everything is evaluated in the
model's own dtypes.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analyzer.numerical.confirm.approach import approached
from analyzer.numerical.confirm.arrangement import alike_in_pairs
from analyzer.numerical.confirm.crossings import between, zero_between
from analyzer.numerical.confirm.extract import Leaf
from analyzer.numerical.confirm.failing_gradients import gradient_fails
from analyzer.numerical.confirm.objective import EDGE, HIGHEST, LOWEST, ZERO, failed, nearly, objective
from analyzer.numerical.confirm.points import ordinary_points, probes_from, stages, starts_of, tensor_of, unbounded
from analyzer.numerical.confirm.problem import Point, SearchProblem
from analyzer.numerical.confirm.roundings import beside
from analyzer.numerical.confirm.torch_evaluation import OperatorTrace, run
from analyzer.numerical.confirm.torch_registry import Mode
from analyzer.numerical.confirm.trials import RunVerdict

SCALES = (2.0, 30.0, 1e3, 1e6, 1e18)  # how far an unbounded leaf is moved
EQUALS = 12  # values of the model that an input is set equal to, the last ones: close to the operator
STRIDES = 4  # towards each end of an operand's range
STEPS = (
    1.0,
    1.0,
    0.5,
    0.5,
    0.25,
    0.25,
    0.1,
    0.1,
    0.05,
    0.02,
)  # fractions of the way to a bound: far first, for most failures stand at bounds


@dataclass(frozen=True)
class TorchTrials:
    """Points of a problem as torch tensors, tried in torch."""

    problem: SearchProblem

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        return self.problem.leaves

    def made(self, leaf: Leaf, array: Any) -> Any:
        return tensor_of(leaf, array)

    def numbers(self, value: Any) -> np.ndarray:
        numbers: np.ndarray = value.detach().double().numpy()
        return numbers

    def verdict(self, point: Point, *, exactly: bool = False) -> RunVerdict:
        return evaluated(self.problem, point, exactly=exactly)

    def candidates(self, seed: int, deadline: float) -> Iterator[Point]:
        return candidates(self.problem, seed, deadline)

    def narrowed(self, leaves: tuple[Leaf, ...], fixed: Point) -> TorchTrials:
        return TorchTrials(replace(self.problem, leaves=leaves, fixed={**self.problem.fixed, **fixed}))


def candidates(problem: SearchProblem, seed: int, deadline: float) -> Iterator[Point]:
    """Points at which the operator fails in torch; the caller runs each for real and may ask for the next.

    `deadline` is in seconds of this process's own time, so that a busy machine finds what an idle one does.
    """
    rng = np.random.default_rng(seed)
    seen: list[tuple[float, Point]] = []
    starts = list(starts_of(problem.leaves, rng))
    first = {x.name: tensor_of(x, 0.0) for x in problem.leaves if "INT" in x.dtype}
    if first:
        starts = [start for start in (*starts, {**starts[0], **first}) if _runs(problem, start)]
    if not starts:
        return

    for point in probes_from(problem, starts[0], rng):
        if time.process_time() > deadline:
            return
        if evaluated(problem, point) is RunVerdict.FAILS:
            yield point
    inputs = [x for x in problem.leaves if x.role != "parameter"]
    silent = {x.name: tensor_of(x, 0.0) for x in inputs}  # engines agree on biases
    loud = {x.name: tensor_of(x, x.hi) for x in inputs if not unbounded(x)}  # and on what is saturated
    kinds = [{**starts[0], **moved} for moved in ({}, silent, loud)]
    kinds = [] if problem.far_below else kinds  # nothing becomes large by meeting another value
    for point in (p for start in kinds for p in _equal(problem, start, deadline)):
        if evaluated(problem, point) is RunVerdict.FAILS:
            yield point
    starts.append({**starts[0], **silent})  # behind a comparison no gradient says where to go either
    calm = ordinary_points(problem, seed, len(starts))  # behind another failure no gradient says where to go
    starts = [c if evaluated(problem, s) is RunVerdict.DOWNSTREAM else s for s, c in zip(starts, calm, strict=True)]
    starts = [s for s in starts if not first or _runs(problem, s)]
    if problem.backward and problem.target[1] in (ZERO, EDGE):
        # From calm points: where the layers behind the operator are saturated, no gradient reaches it at all.
        for start in [*(p for p in ordinary_points(problem, seed, 2) if not first or _runs(problem, p)), *starts]:
            for point in _edges(problem, start, deadline):
                # Inside a body no engine tells whose gradient it is that fails.
                if not problem.inside or evaluated(problem, point) is RunVerdict.FAILS:
                    yield point
    for scale in SCALES if any(unbounded(leaf) for leaf in problem.leaves) else (1.0,):
        for movable in stages(problem.leaves):
            for start in starts:
                if time.process_time() > deadline:
                    return
                last, overshot, least = start, False, 0.0
                for point, value in _descend(problem, start, movable, scale, deadline):
                    verdict = evaluated(problem, point)
                    if verdict is RunVerdict.FAILS:
                        yield point
                        break
                    if verdict is RunVerdict.HOLDS:
                        last = point
                    elif not overshot:
                        overshot = True
                        yield from _short_of(problem, last, point)
                    seen.append((value, point))
                    least = min(least, value)
                if -least < problem.far_below:
                    break  # other starts end within a few times of the first
            near = [min(seen, key=lambda pair: pair[0])[1] if seen else starts[0]]
            for point in approached(problem, near[0], movable, deadline):
                near.append(point)
                if evaluated(problem, point) is RunVerdict.FAILS:
                    yield point
                    break
            else:
                crossed = zero_between(problem, near, deadline) if problem.target[1] == ZERO else None
                if crossed is None and problem.target[1] == ZERO:
                    ends = _apart(problem, starts[0], movable, scale, deadline)
                    crossed = zero_between(problem, ends, deadline)
                if crossed is not None and evaluated(problem, crossed) is RunVerdict.FAILS:
                    yield crossed
                else:
                    yield from _rounded(problem, near if crossed is None else [crossed], movable, rng, deadline)
        if problem.target[1] == ZERO:
            crossed = zero_between(problem, [p for _, p in seen] + starts, deadline)
            if crossed is not None and evaluated(problem, crossed) is RunVerdict.FAILS:
                yield crossed
            elif crossed is not None:
                yield from _rounded(problem, [crossed], problem.leaves, rng, deadline)


def closest(problem: SearchProblem, seed: int, deadline: float, count: int = 2) -> list[Point]:
    """The points at which the operator holds in torch by the least, for engines whose kernels round otherwise.

    Each is followed by one with its inputs moved a little: such kernels are not even monotone. The weights are where
    training starts: what no torch run confirms says nothing of how far they would have to go.
    """
    rng = np.random.default_rng(seed)
    starts = list(starts_of(problem.leaves, rng))
    fixed = {x.name: starts[0][x.name] for x in problem.leaves if x.role == "parameter"}
    movable = [x for x in stages(problem.leaves)[0] if x.name not in fixed] if stages(problem.leaves) else []
    points = [{**point, **fixed} for point in probes_from(problem, starts[0], rng)]
    for start in ({**s, **fixed} for s in starts if movable):
        points += [point for point, _ in _descend(problem, start, movable, SCALES[1], deadline)]
    scored: dict[float, Point] = {}
    for point in points:
        if time.process_time() > deadline:
            break
        trace = problem.traced(point, Mode(surrogate=False))
        if not trace.earlier and trace.executions:
            scored.setdefault(min(float(objective(g, m[0], problem.target)) for g, m in trace.executions), point)
    best = [scored[value] for value in sorted(scored)[:count]]
    return [
        p for point in best for p in (point, {**point, **{x.name: _nudged(x, point[x.name], rng) for x in movable}})
    ]


def _nudged(leaf: Leaf, tensor: Any, rng: np.random.Generator) -> Any:
    """Every element moved at random by up to a fiftieth of the range."""
    width = 1.0 if unbounded(leaf) else leaf.hi - leaf.lo
    return tensor_of(leaf, tensor.double().numpy() + 0.02 * width * rng.uniform(-1.0, 1.0, leaf.shape))


def _equal(problem: SearchProblem, start: Point, deadline: float) -> Iterator[Point]:
    """The point with one input equal to what the model computes of the others: no descent ends exactly there.

    Distances are 0, cosines 1 and differences cancel where an input (a target, a point, a label) meets a prediction.
    """
    import torch

    for leaf in problem.leaves:
        if leaf.role == "parameter" or "FLOAT" not in leaf.dtype:
            continue
        trace = OperatorTrace(problem.outputs[0], infinite=problem.infinite)
        values = run(problem.program, {**problem.fixed, **start}, Mode(surrogate=False), trace)
        others = (v for n, v in values.items() if n != leaf.name and isinstance(v, torch.Tensor))
        fitting = [v for v in others if v.shape == start[leaf.name].shape and v.dtype == start[leaf.name].dtype]
        for value in fitting[-EQUALS:]:
            if time.process_time() > deadline:
                return
            if leaf.admits(value.detach().double().numpy()):
                yield {**start, leaf.name: value.detach()}
            if leaf.unlike and len(value) > 1:  # one pair alone
                pair = start[leaf.name].clone()
                pair[0] = value.detach()[0]
                yield {**start, leaf.name: pair}


def evaluated(problem: SearchProblem, point: Point, *, exactly: bool = False) -> RunVerdict:
    """What a run at the point does to the operator; `exactly`: what fails in other engines alone holds.

    An index that its table does not have is no point of the model, nor are batches that are equal pair by pair, where
    their rows must differ, or fractions where numbers are whole.
    """
    if any(x.whole and x.name in point and bool((point[x.name] % 1 != 0).any()) for x in problem.leaves):
        return RunVerdict.HOLDS
    batches = [x.name for x in problem.leaves if x.unlike and x.name in point] if problem.paired else []
    if alike_in_pairs([point[name].detach().double().numpy() for name in batches]):
        return RunVerdict.HOLDS
    try:
        if problem.backward:
            return RunVerdict.FAILS if gradient_fails(problem, point) else RunVerdict.HOLDS
        trace = problem.traced(point, Mode(surrogate=False))
    except IndexError:
        return RunVerdict.HOLDS
    if trace.earlier:
        return RunVerdict.DOWNSTREAM
    fails = any(
        failed(given, made, problem.infinite) or (not exactly and nearly(given, problem.target))
        for given, made in trace.executions
    )
    return RunVerdict.FAILS if fails else RunVerdict.HOLDS


def _rounded(
    problem: SearchProblem,
    near: Sequence[Point],
    movable: Sequence[Leaf],
    rng: np.random.Generator,
    deadline: float,
) -> Iterator[Point]:
    """The first failure among points that differ from the nearest by roundings."""
    floating = [leaf for leaf in movable if "INT" not in leaf.dtype and leaf.dtype != "BOOL"]
    for point in beside(problem, near, floating, rng):
        if time.process_time() > deadline:
            return
        if evaluated(problem, point, exactly=True) is RunVerdict.FAILS:
            yield point
            return


def _runs(problem: SearchProblem, point: Point) -> bool:
    """Whether every index at the point lies inside its table."""
    try:
        problem.driven(point)
    except IndexError:
        return False
    return True


def _short_of(problem: SearchProblem, start: Point, overshot: Point) -> Iterator[Point]:
    """Failures on the way to a point where another operator fails first, from just short of there backwards.

    A step that drives the operator may drive the one before it as well, and further: what is sought lies between.
    """
    low, high = 0.0, 1.0
    for _ in range(24):
        part = (low + high) / 2
        blocked = evaluated(problem, between(start, overshot, part)) is RunVerdict.DOWNSTREAM
        low, high = (low, part) if blocked else (part, high)
    for back in (1.0, 0.98, 0.9, 0.75):
        point = between(start, overshot, low * back)
        if evaluated(problem, point) is RunVerdict.FAILS:
            yield point
            return


def _apart(problem: SearchProblem, start: Point, movable: Sequence[Leaf], scale: float, deadline: float) -> list[Point]:
    """Where the operand becomes as small and as large as it gets, of both signs perhaps: it is 0 in between."""
    found = []
    for towards in (LOWEST, HIGHEST):
        way = _descend(problem, start, movable, scale, deadline, (problem.target[0], towards))
        found.append([start, *(point for point, _ in itertools.islice(way, STRIDES))][-1])
    return found


def _descend(
    problem: SearchProblem,
    start: Point,
    movable: Sequence[Leaf],
    scale: float,
    deadline: float,
    target: tuple[int, str] | None = None,
) -> Iterator[tuple[Point, float]]:
    """Points on the way to `target`, the problem's own if None."""
    import torch

    point, target = dict(start), target or problem.target
    for step in STEPS:
        if time.process_time() > deadline:
            return
        leaves = {name: tensor.detach() for name, tensor in point.items()}
        for leaf in movable:
            leaves[leaf.name] = leaves[leaf.name].clone().requires_grad_(True)
        found = problem.executions(leaves, Mode(surrogate=True))
        if not found:
            return
        loss = torch.stack([objective(given, made[0], target) for given, made in found]).min()
        if not loss.requires_grad:
            return
        gradients = torch.autograd.grad(loss, [leaves[m.name] for m in movable], allow_unused=True)
        moved = False
        for leaf, gradient in zip(movable, gradients, strict=True):
            if gradient is None or not bool((gradient != 0).any()):
                continue
            width = (2 * scale) if unbounded(leaf) else leaf.width
            sign = torch.sign(torch.nan_to_num(gradient.double()))
            point[leaf.name] = tensor_of(leaf, (point[leaf.name].double() - step * width * sign).numpy())
            moved = True
        if not moved:
            return
        yield dict(point), float(loss.detach())


def _edges(problem: SearchProblem, start: Point, deadline: float) -> Iterator[Point]:
    """Points where an element of the operand has just become 0 (or reached the edge) on the way to an extreme.

    Further on a clip may have closed, which hides the infinite gradient: the failure lives at the edge alone.
    """
    import torch

    def gone(point: Point) -> bool:
        for x in problem.driven(point):
            if problem.target[1] == EDGE:
                there = x.abs() >= 1
            else:
                there = x.abs() < torch.finfo(x.dtype).tiny if problem.flush else x == 0
            if bool(there.any()):
                return True
        return False

    if gone(start):
        yield start
        return
    for movable in stages(problem.leaves):
        for scale in SCALES if any(unbounded(leaf) for leaf in movable) else (1.0,):
            found = next((p for p, _ in _descend(problem, start, movable, scale, deadline) if gone(p)), None)
            if found is None:
                continue
            low, high = 0.0, 1.0
            for _ in range(24):
                part = (low + high) / 2
                low, high = (low, part) if gone(between(start, found, part)) else (part, high)
            for beyond in (1.003, 1.02, 1.05):
                yield between(start, found, min(1.0, high * beyond))
            break
