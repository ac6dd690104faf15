"""A proved change as text of the source file at hand."""

from analyzer.numerical.repair.source.bounds import spellings
from analyzer.numerical.repair.source.edits import Edit
from analyzer.numerical.repair.source.rewrite import BOUNDS, Place, edits_at, rewrite

__all__ = ["BOUNDS", "Edit", "Place", "edits_at", "rewrite", "spellings"]
