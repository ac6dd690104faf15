"""A proved change as text of the source file at hand."""

from analyzer.numerical.repair.source.edits import Edit
from analyzer.numerical.repair.source.rewrite import Place, edits_at, rewrite

__all__ = ["Edit", "Place", "edits_at", "rewrite"]
