"""Differential tests: one model on many engines, and the one layer that is guilty."""

from analyzer.differential.analysis import analyse

__all__ = ["analyse"]
