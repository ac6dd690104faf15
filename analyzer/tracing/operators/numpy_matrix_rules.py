"""`numpy.matrix`: always of two axes. What it holds is seen where an array or tensor is made of it."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Size, Tensor
from analyzer.tracing.language.values import Object, Value
from analyzer.tracing.operators.numpy_matrices import KIND
from analyzer.tracing.operators.numpy_rules import convert
from analyzer.tracing.operators.table import Op, operator


@operator("numpy.matrix numpy.asmatrix numpy.mat", "data dtype=None copy=True")
def matrix(op: Op, data: Value, dtype: Value, copy: Value) -> Value:
    """Of numbers in rows or an array; one row where there is one axis. Its text form, ``"1 2; 3 4"``, is not read."""
    found = None if isinstance(data, (str, Object)) else convert(op, data, ())
    if not isinstance(found, Tensor) or found.dims is None or len(found.dims) not in (1, 2) or dtype is not None:
        return op.tr.unknown("a matrix", "imprecise")
    dims = found.dims if len(found.dims) == 2 else (1, *found.dims)
    held = Tensor(dims, found.dtype, "numpy", site=op.where, sources=(found,))
    return Object(KIND, {"A": held, "shape": Size(dims), "ndim": 2}, {"array": held}, op.where)
