"""Numerical defects by abstract interpretation: sound bounds of every tensor, and the operators that they may break.

>>> interpretation = interpret(graph, assumptions, options=Options())
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from analyzer.numerical.interpreter import interpret as run
from analyzer.numerical.result import Alarm, Interpretation, Interval, Options, Partitioning

if TYPE_CHECKING:
    from analyzer.graph import Graph, ValueRange
    from analyzer.numerical.domain.tensor import AbstractTensor

__all__ = ["Alarm", "Interpretation", "Interval", "Options", "Partitioning", "interpret"]


def interpret(
    graph: Graph, assumptions: Mapping[str, ValueRange | AbstractTensor], *, options: Options | None = None
) -> Interpretation:
    """Bound every value of `graph` that matters to an operator that can fail.

    `assumptions` maps names of graph inputs and initializers to what is assumed of them. An initializer without an
    assumption has exactly its data; an input without one may be anything that its dtype can hold and that is finite.
    """
    return run(graph, assumptions, options=options or Options())
