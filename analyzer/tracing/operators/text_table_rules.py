"""`numpy.loadtxt` and `numpy.genfromtxt` of a table that the repository keeps beside a module: its size is read."""

from __future__ import annotations

import io
import posixpath
import warnings

import numpy as np

from analyzer.tracing.imports.configurations import text_inside
from analyzer.tracing.language.own_paths import place_of
from analyzer.tracing.language.plain_data import NotPlain, plain_data
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.element_types import array_type
from analyzer.tracing.operators.numpy_operands import made, unknown
from analyzer.tracing.operators.table import Op, operator

_LAID_OUT_BY = frozenset((  # what may be given beside the type; all else may be a function of the program
    "comments", "delimiter", "skiprows", "skip_header", "skip_footer", "usecols", "unpack", "ndmin", "max_rows",
    "encoding",
))  # fmt: skip


@operator("numpy.loadtxt numpy.genfromtxt", "fname *rest")
def table(op: Op, fname: Value, rest: tuple[Value, ...]) -> Value:
    found = _shape(op, fname) if not rest else None
    return unknown(op) if found is None else made(op, found, "float64")


def _shape(op: Op, fname: Value) -> tuple[int, ...] | None:
    """The sizes of the array, or None where the file or the way it is read is not known."""
    place, dtype = place_of(fname), op.extra.get("dtype")
    if not place or posixpath.basename(place) in op.tr.shared.written:
        return None
    if set(op.extra) - {"dtype"} - _LAID_OUT_BY or (dtype is not None and array_type(dtype) is None):
        return None  # a type of several fields makes rows of them
    text = text_inside(op.tr.shared.root, op.tr.shared.root / place)
    if text is None:
        return None
    try:
        arguments = {name: plain_data(value) for name, value in op.extra.items() if name in _LAID_OUT_BY}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            shape: tuple[int, ...] = getattr(np, op.short)(io.StringIO(text), **arguments).shape
    except (NotPlain, ValueError, TypeError, IndexError, LookupError, OverflowError):
        return None
    return shape


@operator("numpy.savetxt numpy.save", "fname *rest")
def written(op: Op, fname: Value, rest: tuple[Value, ...]) -> Value:
    """What the program writes is not what the repository holds."""
    name = fname if isinstance(fname, str) else place_of(fname)
    op.tr.shared.written.add(posixpath.basename(name))
    return None
