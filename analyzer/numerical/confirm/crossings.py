"""Between two points where an operand has different signs: where it is 0, as exactly as floats go."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from analyzer.numerical.confirm.approach import signed_values
from analyzer.numerical.confirm.problem import Point, SearchProblem

MOST_PAIRS = 48  # of points between which a change of sign is looked for, the last ones


def between(first: Point, second: Point, part: float) -> Point:
    """The point a part of the way from `first` to `second`; ranges are convex, so it lies inside them."""
    import torch

    found = {}
    for name, start in first.items():
        end = second[name]
        if end is start or not start.is_floating_point():
            found[name] = start
            continue
        mixed = torch.lerp(start.double(), end.double(), part).to(start.dtype)
        found[name] = torch.minimum(torch.maximum(mixed, torch.minimum(start, end)), torch.maximum(start, end))
    return found


def zero_between(problem: SearchProblem, points: Sequence[Point], deadline: float) -> Point | None:
    """Between two points where one element of the operand has different signs, its zero as exactly as floats go.

    Where no number between them makes it exactly 0, a point at which it is as near as can be.
    """
    import torch

    def operand(point: Point) -> Any:
        found = signed_values(problem, point)
        return found[0] if found else torch.zeros(0)

    last: tuple[Any, Point] | None = None
    nearest: Point | None = None
    for point in points[-MOST_PAIRS:]:
        if time.process_time() > deadline:
            return nearest
        value = operand(point)
        if not value.is_floating_point() or value.numel() == 0:
            return nearest
        if last is not None:
            crossing = ((last[0] < 0) & (value > 0)) | ((last[0] > 0) & (value < 0))
            if bool(crossing.any()):
                where = int(crossing.reshape(-1).nonzero()[0])
                low, high, sign = last[1], point, float(last[0].reshape(-1)[where].sign())
                for _ in range(60):
                    middle = between(low, high, 0.5)
                    element = float(operand(middle).reshape(-1)[where])
                    if element == 0.0:
                        return middle
                    low, high = (middle, high) if element * sign > 0 else (low, middle)
                nearest = nearest or low
        last = (value, point)
    return nearest
