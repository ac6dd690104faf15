"""Numerical defects by abstract interpretation: sound bounds of every tensor, and the operators that they may break.

>>> interpretation = interpret(graph, assumptions, options=Options())
>>> result = analyse(graph, target, output=None, confirm=False)
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.numerical.interpreter import interpret as run
from analyzer.numerical.result import Alarm, Interpretation, Interval, Options, Partitioning

if TYPE_CHECKING:
    from analyzer.configuration.config import TargetConfig
    from analyzer.findings import AnalysisResult
    from analyzer.graph import Graph, ValueRange
    from analyzer.numerical.domain.tensor import AbstractTensor

__all__ = ["Alarm", "Interpretation", "Interval", "Options", "Partitioning", "analyse", "interpret"]


def interpret(
    graph: Graph, assumptions: Mapping[str, ValueRange | AbstractTensor], *, options: Options | None = None
) -> Interpretation:
    """Bound every value of `graph` that matters to an operator that can fail.

    `assumptions` maps names of graph inputs and initializers to what is assumed of them. An initializer without an
    assumption has exactly its data; an input without one may be anything that its dtype can hold and that is finite.
    """
    return run(graph, assumptions, options=options or Options())


def analyse(
    graph: Graph,
    target: TargetConfig,
    *,
    output: Path | None = None,
    confirm: bool = True,
    explain: bool = True,
    root: Path | None = None,
) -> AnalysisResult:
    """Ranges, interpretation, confirmation and repair of one target, as findings.

    Without `confirm` and `explain` nothing of the model runs, parts of it included.
    `output` receives the reproducers of confirmed findings; `root` is the folder that source lines and the checkpoint
    are relative to (default: the working directory).
    """
    from analyzer.numerical.analysis import analyse as run

    return run(graph, target, output=output, confirm=confirm, explain=explain, root=root)
