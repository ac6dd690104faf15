"""Validity: refinement types over whole hyperparameter spaces, and checkpoints against architectures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from analyzer.validity.analysis import analyse as run

if TYPE_CHECKING:
    from analyzer.configuration.config import TargetConfig
    from analyzer.findings import AnalysisResult
    from analyzer.graph import Graph


def analyse(graph: Graph, target: TargetConfig, *, base: Graph | None = None, **options: Any) -> AnalysisResult:
    """Check every dimension of `graph`; see `analyzer.validity.analysis.analyse`."""
    return run(graph, target, base=base, **options)


__all__ = ["analyse"]
