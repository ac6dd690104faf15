"""Validity: refinement types over whole hyperparameter spaces, and checkpoints against architectures."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analyzer.validity.analysis import analyse

__all__ = ["analyse"]


def __getattr__(name: str) -> Any:
    """Loaded when it is asked for: tracing needs the terms and the rules, and of `onnx_ir` nothing."""
    if name in __all__:
        return getattr(import_module("analyzer.validity.analysis"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
