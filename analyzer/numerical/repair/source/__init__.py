"""A proved change as text of the source file at hand."""

from analyzer.numerical.repair.source.rewrite import Place, rewrite

__all__ = ["Place", "rewrite"]
