"""Python entry point -> `Graph`, by running the project's code inside a sandbox."""

from analyzer.exporting.export import ExportProblem, export
from analyzer.exporting.imports import imported_files

__all__ = ["ExportProblem", "export", "imported_files"]
