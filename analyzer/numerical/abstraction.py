"""What the values of a graph are before anything is computed: inputs, weights, constants, and keys of what is equal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.graph import Role, ValueRange, role_of
from analyzer.graph.ranges import Origin
from analyzer.numerical.domain import dims, dtypes
from analyzer.numerical.domain.dtypes import ElementType
from analyzer.numerical.domain.sequence import AbstractSequence
from analyzer.numerical.domain.tensor import (
    AbstractTensor,
    fresh_key,
    from_data,
    interval_tensor,
    top,
)
from analyzer.numerical.result import Options, Partitioning
from analyzer.numerical.transfer.attained import peaked


class Abstraction:
    """The abstraction of concrete values under assumptions and options."""

    def __init__(self, assumptions: Mapping[str, ValueRange | AbstractTensor], options: Options) -> None:
        self.assumptions, self.options = assumptions, options
        modes = {Partitioning.SMASH: 1, Partitioning.EXPAND: 1 << 16, Partitioning.PARTITION: options.max_blocks}
        self.block_limit = modes[options.partitioning]
        self._numbers: dict[Any, int] = {}
        self._cache: dict[Any, Any] = {}
        self._symbols: dict[str, dims.Dim] = {}

    def shape_of(self, value: ir.Value) -> dims.Shape | None:
        """The shape recorded for a value, with symbols bounded as the options say."""
        if value.shape is None:
            return None
        result: list[dims.Dim] = []
        for dim in value.shape:
            if isinstance(dim, int):
                result.append(dim if dim >= 0 else dims.unknown(0))
            else:
                text = dim.value
                result.append(self._symbol(text) if text else dims.unknown(1))
        return tuple(result)

    def _symbol(self, text: str) -> dims.Dim:
        if text not in self._symbols:
            lo, hi = self.options.symbols.get(text, (1, None))
            self._symbols[text] = dims.bounded(text, lo, float("inf") if hi is None else hi)
        return self._symbols[text]

    def assumed(self, value: ir.Value, dtype: ElementType) -> Any:
        """The abstract value of a graph input or an initializer."""
        stated = self.assumptions.get(value.name or "")
        shape = self.shape_of(value)
        if isinstance(stated, AbstractTensor):
            if stated.dtype.is_float:
                stated.lo, stated.hi = stated.dtype.flush(stated.lo, stated.hi)
            return stated
        if stated is None:
            if value.const_value is not None:
                return self.constant(value.const_value, dtype)
            return self.top_value(value, dtype, shape)
        lo, hi = max(stated.lo, dtype.lo), min(stated.hi, dtype.hi)
        if dtype.kind != dtypes.FLOAT:
            lo, hi = np.ceil(lo), np.floor(hi)
            hi = max(lo, hi)
        tensor = interval_tensor(
            dtype, shape, float(dtype.nearest(np.float64(lo))), float(dtype.nearest(np.float64(hi)))
        )
        if dtype.is_float:  # denormal operands count as zero on machines that flush them
            tensor.lo, tensor.hi = dtype.flush(tensor.lo, tensor.hi)
        bounded = np.isfinite(stated.lo) and np.isfinite(stated.hi)
        if bounded and stated.origin is not Origin.DEFAULT and tensor.low > dtype.lo and tensor.high < dtype.hi:
            tensor.tight = frozenset((tensor.key,))
        if stated.held is not None and tensor.rank:
            tensor.facts = peaked([(*stated.held, tuple(range(tensor.rank)))], tensor)
        if self.options.norms_apart and value.const_value is not None and role_of(value) is Role.PARAMETER:
            tensor.facts = {**tensor.facts, "trained": value.const_value}
        if stated.whole:
            tensor.facts = {**tensor.facts, "whole": True}
        if value.const_value is not None and tensor.rank == 0 and dtype.kind != dtypes.FLOAT:
            return self.constant(value.const_value, dtype)
        return tensor

    def top_value(self, value: ir.Value, dtype: ElementType, shape: dims.Shape | None) -> Any:
        """A value of which only the declared type is known."""
        if isinstance(value.type, ir.SequenceType):
            inner = value.type.elem_type
            element = dtypes.of_onnx(inner.dtype) if isinstance(inner, ir.TensorType) else dtypes.FLOAT32
            return AbstractSequence(top(element, None), None)
        return top(dtype, shape)

    def constant(self, data: Any, dtype: ElementType | None = None) -> AbstractTensor:
        """The abstraction of a concrete tensor; equal objects have equal keys."""
        dtype = dtypes.of_onnx(data.dtype) if hasattr(data, "numpy") else (dtype or dtypes.FLOAT32)
        array = data.numpy() if hasattr(data, "numpy") else np.asarray(data)
        limit = self.block_limit
        if dtype.kind == dtypes.INTEGER:
            limit = max(limit, 64)
        tensor = from_data(array, dtype, limit=limit)
        if array.size <= 64 and array.dtype.kind != "O":
            tensor.key = self.number(("constant", dtype.name, array.shape, array.tobytes()))
            tensor.final = True  # whichever node holds it
        return tensor

    def number(self, what: Any) -> int:
        """The key of a value defined by `what`."""
        key = self._numbers.get(what)
        if key is None:
            key = self._numbers[what] = fresh_key()
        return key

    def cached(self, what: Any, compute: Callable[[], Any]) -> Any:
        """Something computed from concrete data, once a run."""
        if what not in self._cache:
            self._cache[what] = compute()
        return self._cache[what]

    def dtype_of(self, value: ir.Value) -> ElementType:
        """The element type that a value declares; float32 where it declares none."""
        if value.dtype is not None:
            return dtypes.of_onnx(value.dtype)
        if value.const_value is not None:
            return dtypes.of_onnx(value.const_value.dtype)
        return dtypes.FLOAT32
