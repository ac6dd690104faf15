"""Tracing: shape errors from Python source, without running it."""

from analyzer.tracing.tracing import trace

__all__ = ["trace"]
