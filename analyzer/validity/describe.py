"""Layer-level descriptions of models that exist: any graph, or a Keras configuration."""

from __future__ import annotations

from pathlib import Path

from analyzer.loading.formats import Format, detect
from analyzer.loading.reading import load
from analyzer.validity.architecture import Architecture
from analyzer.validity.describe_keras import architecture_of_keras
from analyzer.validity.graph_reader import read_graph, without_results


def architecture_of_file(path: Path) -> Architecture:
    """The architecture of a model file, by parsing only.

    Raises TargetProblem when the file cannot be read as a model.
    """
    if path.is_file() and detect(path) is Format.KERAS:
        described = architecture_of_keras(path)
        if described is not None:
            return described
    return without_results(read_graph(load(path)).architecture)
