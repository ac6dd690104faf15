"""New tensors, and conversions, as torch has them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from analyzer.tracing.samples.arguments import Array, Function, as_sizes


def _created(function: Function) -> Function:
    def run(*size: Any, dtype: Any = np.float32, **rest: Any) -> Array:
        return function(as_sizes(size or (rest["size"],)), dtype=dtype or np.float32)

    return run


def _full(size: Any, fill_value: Any, *, dtype: Any = None) -> Array:
    kind = dtype or (np.float32 if isinstance(fill_value, float) else np.asarray(fill_value).dtype)
    return np.full(as_sizes((size,)), fill_value, kind)


def _full_like(input: Array, fill_value: Any, *, dtype: Any = None) -> Array:
    return np.full_like(input, fill_value, dtype=dtype)


def _arange(*args: Any, dtype: Any = None, **named: Any) -> Array:
    values = [named[k] for k in ("start", "end", "step") if k in named]
    given = [*args, *values]
    whole = all(isinstance(v, (int, np.integer)) or np.asarray(v).dtype.kind in "iub" for v in given)
    return np.arange(*given, dtype=dtype or (np.int64 if whole else np.float32))


def _linspace(start: Any, end: Any, steps: int = 100, *, dtype: Any = None) -> Array:
    return np.linspace(start, end, int(steps), dtype=dtype or np.float32)


def _tensor(data: Any, dtype: Any = None) -> Array:
    if isinstance(data, (list, tuple)) and any(isinstance(v, np.ndarray) for v in data):
        data = [np.asarray(v).tolist() for v in data]
    found = np.array(data)
    if dtype is not None:
        return found.astype(dtype)
    return found.astype(np.float32) if not isinstance(data, np.ndarray) and found.dtype == np.float64 else found


def _eye(n: int, m: int | None = None, *, dtype: Any = None) -> Array:
    return np.eye(int(n), None if m is None else int(m), dtype=dtype or np.float32)


def _cast(kind: Any) -> Function:
    return lambda input, **_: input.astype(kind)


def _to(input: Array, *args: Any, dtype: Any = None, **_: Any) -> Array:
    kinds = [a for a in (*args, dtype) if isinstance(a, np.dtype)]
    kinds += [a.dtype for a in args if isinstance(a, np.ndarray)]
    return input.astype(kinds[0]) if kinds else input


def _type_as(input: Array, other: Array) -> Array:
    return input.astype(other.dtype)


def _same(input: Array, *_: Any, **__: Any) -> Array:
    return input


def _copied(input: Array, **_: Any) -> Array:
    return input.copy()


FUNCTIONS: Mapping[str, Function] = MappingProxyType({
    "zeros": _created(np.zeros), "ones": _created(np.ones), "empty": _created(np.zeros), "full": _full,
    "zeros_like": lambda input, dtype=None: np.zeros_like(input, dtype=dtype),
    "ones_like": lambda input, dtype=None: np.ones_like(input, dtype=dtype), "full_like": _full_like,
    "empty_like": lambda input, dtype=None: np.zeros_like(input, dtype=dtype),
    "new_zeros": lambda input, *size, dtype=None: np.zeros(as_sizes(size), dtype or input.dtype),
    "new_ones": lambda input, *size, dtype=None: np.ones(as_sizes(size), dtype or input.dtype),
    "new_full": lambda input, size, value, dtype=None: np.full(as_sizes((size,)), value, dtype or input.dtype),
    "new_tensor": lambda input, data, dtype=None: np.asarray(data, dtype or input.dtype), "arange": _arange,
    "linspace": _linspace, "eye": _eye, "tensor": _tensor, "as_tensor": _tensor, "from_numpy": _same,
    "asarray": _tensor, "LongTensor": lambda data: np.array(data, np.int64),
    "Tensor": lambda data: np.array(data, np.float32), "FloatTensor": lambda data: np.array(data, np.float32),
    "IntTensor": lambda data: np.array(data, np.int32), "BoolTensor": lambda data: np.array(data, bool),
    "float": _cast(np.float32), "double": _cast(np.float64), "half": _cast(np.float16), "int": _cast(np.int32),
    "long": _cast(np.int64), "bool": _cast(bool), "byte": _cast(np.uint8), "short": _cast(np.int16), "to": _to,
    "type": _to, "type_as": _type_as, "cpu": _same, "cuda": _same, "numpy": _same, "detach": _same,
    "contiguous": _same, "clone": _copied, "copy": _copied, "requires_grad_": _same, "data": _same,
})  # fmt: skip
