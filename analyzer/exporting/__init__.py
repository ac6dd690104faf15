"""Python entry point -> `Graph`, by running the project's code inside a sandbox."""

from analyzer.exporting.entries import find_entries
from analyzer.exporting.export import export
from analyzer.exporting.imports import imported_files
from analyzer.exporting.manifest import ExportProblem

__all__ = ["ExportProblem", "export", "find_entries", "imported_files"]
