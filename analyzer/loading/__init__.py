"""Model files -> `Graph`, by parsing only. Nothing here executes, imports or unpickles what a file contains."""

from __future__ import annotations

from analyzer.loading.files import NotFetchedProblem
from analyzer.loading.formats import Format, detect
from analyzer.loading.isolated import load_isolated
from analyzer.loading.limits import Limits
from analyzer.loading.reading import load
from analyzer.loading.scan import scan
from analyzer.loading.search import find_models
from analyzer.loading.weight import Weight
from analyzer.loading.weights import open_weights

__all__ = [
    "Format",
    "Limits",
    "NotFetchedProblem",
    "Weight",
    "detect",
    "find_models",
    "load",
    "load_isolated",
    "open_weights",
    "scan",
]
