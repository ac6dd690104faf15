"""Model files -> `Graph`, by parsing only. Nothing here executes, imports or unpickles what a file contains."""

from __future__ import annotations

from analyzer.loading.files import NotFetchedProblem
from analyzer.loading.formats import Format, detect
from analyzer.loading.limits import Limits
from analyzer.loading.reading import load

__all__ = ["Format", "Limits", "NotFetchedProblem", "detect", "load"]
