"""Functions of each element, with broadcasting, as torch has them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from analyzer.tracing.samples.arguments import Array, Function


def _of_floats(function: Function) -> Function:
    def run(input: Array, *rest: Any) -> Array:
        whole = input.dtype.kind in "iub"
        return function(input.astype(np.float32) if whole else input, *rest)

    return run


def _scaled(function: Function) -> Function:
    def run(input: Array, other: Any, *, alpha: Any = 1) -> Array:
        return function(input, np.asarray(other) * alpha if alpha != 1 else other)

    return run


def _divide(input: Any, other: Any, *, rounding_mode: str | None = None) -> Array:
    if rounding_mode == "floor":
        return np.floor_divide(input, other)
    found = np.true_divide(input, other)
    if rounding_mode == "trunc":
        whole = all(np.asarray(a).dtype.kind in "iub" for a in (input, other))
        return np.trunc(found).astype(np.int64 if whole else found.dtype)
    return found


def _clamp(input: Array, min: Any = None, max: Any = None) -> Array:
    return np.clip(input, min, max) if min is not None or max is not None else input


def _sigmoid(input: Array) -> Array:
    return 1 / (1 + np.exp(-input))


_OF_FLOATS: dict[str, Function] = {
    "exp": np.exp, "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p, "expm1": np.expm1,
    "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "arcsin": np.arcsin,
    "acos": np.arccos, "arccos": np.arccos, "atan": np.arctan, "arctan": np.arctan, "sinh": np.sinh, "cosh": np.cosh,
    "tanh": np.tanh, "rsqrt": lambda x: 1 / np.sqrt(x), "reciprocal": lambda x: 1 / x, "sigmoid": _sigmoid,
    "deg2rad": np.deg2rad, "rad2deg": np.rad2deg, "softplus": lambda x: np.log1p(np.exp(x)),
}  # fmt: skip
FUNCTIONS: Mapping[str, Function] = MappingProxyType({
    **{name: _of_floats(function) for name, function in _OF_FLOATS.items()},
    "abs": np.abs, "neg": np.negative, "square": np.square, "floor": np.floor, "ceil": np.ceil, "round": np.round,
    "trunc": np.trunc, "sign": np.sign, "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite,
    "logical_not": np.logical_not, "bitwise_not": np.invert, "mul": np.multiply, "multiply": np.multiply,
    "add": _scaled(np.add), "sub": _scaled(np.subtract), "subtract": _scaled(np.subtract), "div": _divide,
    "divide": _divide, "true_divide": np.true_divide, "floor_divide": np.floor_divide, "remainder": np.mod,
    "fmod": np.fmod, "pow": np.power, "maximum": np.maximum, "minimum": np.minimum, "eq": np.equal, "ne": np.not_equal,
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "logical_and": np.logical_and,
    "logical_or": np.logical_or, "logical_xor": np.logical_xor, "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor, "atan2": np.arctan2, "isclose": np.isclose,
    "allclose": np.allclose, "equal": np.array_equal, "relu": lambda input, **_: np.maximum(input, 0), "clamp": _clamp,
    "clip": _clamp, "clamp_min": lambda input, min: np.maximum(input, min),
    "clamp_max": lambda input, max: np.minimum(input, max), "nan_to_num": np.nan_to_num, "hypot": np.hypot,
    "logaddexp": np.logaddexp, "frac": lambda x: x - np.trunc(x), "signbit": np.signbit, "copysign": np.copysign,
})  # fmt: skip
