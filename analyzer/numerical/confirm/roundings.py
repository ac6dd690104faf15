"""Points beside one that all but fails: what rounding decides, one of them decides.

The square of a cosine exceeds 1 by a rounding for some vectors and not for others, and a sum of many numbers is exactly
-1 for one last digit of one of them. No gradient tells which, and a bisection steps over it. Of numbers that all differ
by a few of their last digits a good part do fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from analyzer.numerical.confirm.extract import Leaf
from analyzer.numerical.confirm.objective import LOWEST, ZERO, objective
from analyzer.numerical.confirm.points import tensor_of
from analyzer.numerical.confirm.problem import Point, SearchProblem
from analyzer.numerical.confirm.torch_registry import Mode

TRIES = 90
CLOSE = 1e-2  # to failing: further away no rounding decides
LEAST, MOST = -7.3, -3.0  # decimal exponents of how far numbers are moved, of their own size


def beside(
    problem: SearchProblem, points: Sequence[Point], movable: Sequence[Leaf], rng: np.random.Generator
) -> Iterator[Point]:
    """Points around the one of `points` at which the driven operand is nearest to failing; it is not far from it."""
    if problem.target[1] not in (LOWEST, ZERO) or not movable:
        return
    near = min(points, key=lambda point: _distance(problem, point), default=None)
    if near is None or _distance(problem, near) > CLOSE:
        return
    for number in range(TRIES):
        size = 10.0 ** rng.uniform(LEAST, MOST)
        chosen = [movable[int(rng.integers(len(movable)))]] if number % 3 else movable
        yield {**near, **{leaf.name: _moved(leaf, near, size, number % 2 == 0, rng) for leaf in chosen}}


def _moved(leaf: Leaf, point: Point, size: float, together: bool, rng: np.random.Generator) -> object:
    """A leaf with all numbers, or each by itself, a little larger or smaller."""
    array = point[leaf.name].double().numpy()
    return tensor_of(leaf, array * (1 + size * rng.standard_normal(() if together else array.shape)))


def _distance(problem: SearchProblem, point: Point) -> float:
    """Of the driven operand from where the operator fails; infinite where another fails first."""
    trace = problem.traced(point, Mode(surrogate=False))
    if trace.earlier or not trace.executions:
        return float("inf")
    return min(abs(float(objective(given, made[0], problem.target))) for given, made in trace.executions)
