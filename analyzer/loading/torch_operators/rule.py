"""What a rule of a torch operator is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from analyzer.loading.torch_emitter import Emitter

Conversion = Callable[[Emitter], Any]
"""Emits ONNX nodes for one call and gives its results; raises `Unsupported` for a form that it does not know."""
