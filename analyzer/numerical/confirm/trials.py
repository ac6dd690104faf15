"""Points of a slice and what a run at one of them does, whatever the engine that runs it."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
from typing import Any, Protocol, Self

import numpy as np

from analyzer.numerical.confirm.extract import Leaf
from analyzer.numerical.confirm.problem import Point


class RunVerdict(Enum):
    """What a run does to the operator; downstream of another operator's failure, its own does not count."""

    FAILS = auto()
    DOWNSTREAM = auto()
    HOLDS = auto()


class Trials(Protocol):
    """One engine's runs of a slice at points whose values are its own kind of tensor."""

    @property
    def leaves(self) -> tuple[Leaf, ...]: ...

    def made(self, leaf: Leaf, array: Any) -> Any:
        """`array` as a value of the leaf, inside its range."""

    def numbers(self, value: Any) -> np.ndarray:
        """A value of a leaf in float64."""

    def verdict(self, point: Point, *, exactly: bool = False) -> RunVerdict:
        """What a run at the point does; `exactly`: what fails in other engines alone holds."""

    def candidates(self, seed: int, deadline: float) -> Iterator[Point]:
        """Points at which the operator fails; `deadline` is in seconds of this process's own time."""

    def narrowed(self, leaves: tuple[Leaf, ...], fixed: Point) -> Self:
        """The same with the leaves named in `fixed` no longer searched."""
