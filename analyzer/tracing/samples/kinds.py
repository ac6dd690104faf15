"""What a value is, as a run on made-up numbers asks."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from analyzer.tracing.language.tensors import Size, Tensor
from analyzer.tracing.language.values import ListV, Unknown, Value


def is_sized(tensor: Tensor) -> bool:
    return tensor.dims is not None and all(isinstance(d, int) for d in tensor.dims)


def holds_floats(found: Any) -> bool:
    parts = found if isinstance(found, (tuple, list)) else (found,)
    return any(np.asarray(part).dtype.kind == "f" for part in parts)


def is_whole(value: Any) -> bool:
    """Whether it is a number, or nested tuples of numbers."""
    return all(map(is_whole, value)) if isinstance(value, tuple) else type(value) is int


def holds_tensors(value: Value) -> bool:
    items: Any = value.items if isinstance(value, ListV) else value if isinstance(value, tuple) else (value,)
    return any(isinstance(v, (Tensor, Unknown)) for v in chain(items)) and not isinstance(value, Size)


def is_device(value: Value) -> bool:
    return isinstance(value, Unknown) and value.kind.endswith("device")
