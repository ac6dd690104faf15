"""What the soundness tests share: abstract the inputs of a model, run it for real, look whether the bounds hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx_ir as ir

from analyzer.graph import Graph, ValueRange
from analyzer.numerical import Interpretation, Options, interpret
from analyzer.numerical.domain import dtypes
from analyzer.numerical.domain.sequence import AbstractSequence
from analyzer.numerical.domain.tensor import AbstractTensor, bounds_on, from_data


def graph_of(model: onnx.ModelProto) -> Graph:
    return Graph(ir.from_proto(model))


def box(values: np.ndarray, dtype: ir.DataType, width: float, blocks: bool) -> AbstractTensor:
    """The values, widened by `width` on both sides; one block, or one an element."""
    kind = dtypes.of_onnx(dtype)
    tensor = from_data(values, kind, limit=64 if blocks else 1)
    if (width and kind.is_float and values.dtype.kind == "f") or values.dtype.name == "bfloat16":
        lo, hi = tensor.lo - width, tensor.hi + width
        tensor = AbstractTensor(kind, tensor.shape, kind.nearest(lo), kind.nearest(hi), tensor.starts, tensor.nan)
    elif not blocks and values.size > 1 and kind.kind != "other":
        tensor.data = None
    return tensor


def analysed(graph: Graph, assumptions: dict[str, Any], **options: Any) -> Interpretation:
    return interpret(graph, assumptions, options=Options(everything=True, strict=True, **options))


def outside(tensor: Any, actual: Any) -> str:
    """Why the concrete value is not covered; empty if it is."""
    if isinstance(actual, list):
        if isinstance(tensor, AbstractSequence):
            return next((r for a in actual if a is not None and (r := outside(tensor.element, a))), "")
        return ""
    if isinstance(tensor, AbstractSequence) or actual is None or tensor is None:
        return ""
    array = np.asarray(actual)
    if array.dtype.kind in "OSU" or tensor.dtype.kind == "other":
        return ""
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag])
    elif tensor.shape is not None:
        if len(tensor.shape) != array.ndim:
            return f"rank {array.ndim}, expected shape {tensor.shape}"
        for size, dim in zip(array.shape, tensor.shape, strict=True):
            low, high = (dim, dim) if isinstance(dim, int) else (dim.lo, dim.hi)
            if size < low or (high is not None and size > high):
                return f"shape {array.shape}, expected {tensor.shape}"
    values = array.astype(np.float64)
    if np.isnan(values).any():
        if not tensor.nan:
            return "NaN"
        values = np.where(np.isnan(values), np.clip(0.0, tensor.low, max(tensor.low, tensor.high)), values)
        if tensor.starts is not None:
            return ""
    if values.size == 0:
        return ""
    if tensor.starts is None:
        low, high = tensor.low, tensor.high
    else:
        elementwise = tuple(tuple(range(n)) for n in array.shape)
        low, high = bounds_on(tensor, elementwise)
    wrong = (values < low) | (values > high)
    if tensor.dtype.is_float:  # kernels may take denormal numbers for zero, and give them for it
        wrong &= ~((np.abs(values) < tensor.dtype.tiny) & (low <= 0) & (high >= 0))
    if wrong.any():
        where = tuple(int(i) for i in np.argwhere(wrong)[0])
        lo_at = low if np.ndim(low) == 0 else np.broadcast_to(low, values.shape)[where]
        hi_at = high if np.ndim(high) == 0 else np.broadcast_to(high, values.shape)[where]
        return f"{values[where]!r} at {where} outside [{lo_at!r}, {hi_at!r}]"
    return ""


def failed(interpretation: Interpretation) -> bool:
    """Whether something was flagged, so that runs may have failed."""
    return bool([w for w in interpretation.warnings if not w.backward] or interpretation.overflows)


__all__ = ["Graph", "ValueRange", "analysed", "box", "failed", "graph_of", "outside"]
