"""Element types and their rounding: bounds are kept in float64 and rounded as the tensor's own dtype would."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import onnx_ir as ir

Array = Any  # a float64 ndarray, or a NumPy scalar where one block is enough

FLOAT, INTEGER, BOOLEAN, OTHER = "float", "integer", "boolean", "other"


@dataclass(frozen=True, slots=True)
class ElementType:
    """A dtype: its finite extremes, unit roundoff `eps` (spacing at 1) and smallest normal number `tiny`.

    `has_inf` tells formats that overflow to infinity from those that saturate or give NaN.
    """

    name: str
    kind: str
    lo: float
    hi: float
    eps: float = 0.0
    tiny: float = 0.0
    numpy: Any = None
    has_inf: bool = True

    @property
    def is_float(self) -> bool:
        return self.kind == FLOAT

    @property
    def smallest(self) -> float:
        """The smallest positive number of the format, denormal ones included."""
        return self.tiny * self.eps if self.kind == FLOAT else 1.0

    def nearest(self, values: Array) -> Array:
        """`values` rounded to the format; monotone, so that bounds of exact results become bounds of rounded ones."""
        if self.kind != FLOAT or self.name == "float64":
            return values
        if self.name == "float32":
            return (
                np.float64(np.float32(values)) if np.ndim(values) == 0 else values.astype(np.float32).astype(np.float64)
            )
        with np.errstate(all="ignore"):
            rounded = np.asarray(values, dtype=np.float64).astype(self.numpy).astype(np.float64)
        if not self.has_inf:  # such formats hold no infinity: overflow saturates or becomes NaN
            rounded = np.where(np.isnan(rounded), np.copysign(np.inf, values), rounded)
        return rounded[()]

    @property
    def near_zero(self) -> float:
        """What results below the least normal number may be off by: they carry few bits. In float32 it is 65,536 times
        the least positive number: as many roundings."""
        return float(self.tiny * 2.0**-7)

    def nearest_both(self, lo: Array, hi: Array) -> tuple[Array, Array]:
        """Both bounds rounded to the format."""
        return self.nearest(lo), self.nearest(hi)

    def outward(self, lo: Array, hi: Array, ulps: float) -> tuple[Array, Array]:
        """Bounds that contain results computed with an error of `ulps` units in the last place.

        What is infinite in float64 is no less infinite in a narrower type; in float64 it may be the largest number.
        """
        if self.kind != FLOAT:
            return lo, hi
        slack = ulps * self.eps
        if ulps:
            most = self.hi * (1 - slack) if self.name == "float64" else np.inf
            with np.errstate(invalid="ignore"):
                least, greatest = (
                    lo - (np.abs(lo) * slack + self.near_zero),
                    hi + (np.abs(hi) * slack + self.near_zero),
                )
            lo, hi = select(lo == np.inf, most, least), select(hi == -np.inf, -most, greatest)
        return self.nearest(lo), self.nearest(hi)

    def flush(self, lo: Array, hi: Array) -> tuple[Array, Array]:
        """Results below the smallest normal number may be flushed to zero (accelerators, fast-math kernels do)."""
        tiny = self.tiny
        return (
            np.where((lo > 0) & (lo < tiny), 0.0, lo)[()],
            np.where((hi < 0) & (hi > -tiny), 0.0, hi)[()],
        )


def _float(name: str, dtype: Any, has_inf: bool = True) -> ElementType:
    import ml_dtypes

    info = ml_dtypes.finfo(dtype)
    return ElementType(
        name, FLOAT, float(info.min), float(info.max), float(info.eps), float(info.smallest_normal), dtype, has_inf
    )


@cache
def element_type(name: str) -> ElementType:
    """The element type of a NumPy-style name: ``float32``, ``bfloat16``, ``float8_e4m3fn``, ``int64``, ``bool``…

    TensorFlow's reference types are their base types; unknown names (strings, resources) hold no numbers.
    """
    import ml_dtypes

    if name in ("float64", "float32", "float16"):
        return _float(name, np.dtype(name))
    if name == "bool":
        return ElementType("bool", BOOLEAN, 0.0, 1.0, numpy=np.dtype(bool))
    if name in ("int2", "uint2", "int4", "uint4"):
        bits, signed = int(name[-1]), name[0] == "i"
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        return ElementType(name, INTEGER, float(low), float(high), numpy=getattr(ml_dtypes, name, None))
    if name.startswith(("int", "uint")):
        info = np.iinfo(name)
        return ElementType(name, INTEGER, float(info.min), float(info.max), numpy=np.dtype(name))
    kind = getattr(ml_dtypes, name, None)
    if kind is not None:
        return _float(name, np.dtype(kind), name in ("bfloat16", "float8_e5m2"))
    if name.startswith("complex"):
        part = element_type("float64" if name == "complex128" else "float32")
        return ElementType(name, FLOAT, part.lo, part.hi, part.eps, part.tiny, part.numpy)
    return ElementType(name, OTHER, -np.inf, np.inf)


@cache
def of_onnx(dtype: ir.DataType) -> ElementType:
    """The element type of an ONNX data type."""
    special = {
        ir.DataType.FLOAT: "float32",
        ir.DataType.DOUBLE: "float64",
        ir.DataType.FLOAT8E4M3FN: "float8_e4m3fn",
        ir.DataType.FLOAT8E4M3FNUZ: "float8_e4m3fnuz",
        ir.DataType.FLOAT8E5M2: "float8_e5m2",
        ir.DataType.FLOAT8E5M2FNUZ: "float8_e5m2fnuz",
        ir.DataType.FLOAT8E8M0: "float8_e8m0fnu",
        ir.DataType.FLOAT4E2M1: "float4_e2m1fn",
        ir.DataType.STRING: "string",
        ir.DataType.UNDEFINED: "undefined",
    }
    return element_type(special.get(dtype, dtype.name.lower()))


def select(condition: Any, yes: Array, no: Array) -> Array:
    """Block by block, one bound or the other."""
    chosen: Any = np.where(condition, yes, no)
    return chosen[()]


FLOAT64 = element_type("float64")
FLOAT32 = element_type("float32")
INT64 = element_type("int64")
INT32 = element_type("int32")
BOOL = element_type("bool")
