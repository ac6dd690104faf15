"""A checkpoint's weights under the names of the graph: mapped and looked at piece by piece, never all read at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx_ir as ir

from analyzer.configuration.config import TargetConfig
from analyzer.graph import Graph, Role, role_of
from analyzer.loading.weight import Weight
from analyzer.loading.weights import open_weights
from analyzer.problem import TargetProblem

PIECE = 1 << 20  # elements that are looked at together


@dataclass(frozen=True, slots=True)
class StoredWeight:
    """One weight of a checkpoint and the range of its values; NaN or an infinity in it shows in the bounds."""

    weight: Weight
    lo: float
    hi: float

    @property
    def finite(self) -> bool:
        return math.isfinite(self.lo) and math.isfinite(self.hi)


def stored_weights(graph: Graph, path: Path) -> dict[str, StoredWeight]:
    """The checkpoint's numbers under the graph's own parameter names; names may differ by a common prefix.

    Raises:
        TargetProblem: the file cannot be read, or none of its names fits the model.
    """
    stored = open_weights(path)
    wanted = [*graph.graph.initializers, *(v.name or "" for v in graph.graph.inputs if _is_variable(v))]
    found = {}
    for name in wanted:
        for key in (name, f"model.{name}", f"module.{name}", f"state_dict.{name}"):
            if key in stored:
                found[name] = stored[key]
                break
    if not found:
        raise TargetProblem(f"No weight in {path.name} has the name of a parameter of this model.")
    numbers = {n: w for n, w in found.items() if _is_number(w.dtype) and math.prod(w.shape) > 0}
    return {name: StoredWeight(weight, *extremes(weight.array())) for name, weight in numbers.items()}


def _is_variable(value: ir.Value) -> bool:
    """A TensorFlow 1 variable that training changes by gradients, or a statistic."""
    role = role_of(value)
    floating = value.dtype is not None and value.dtype.is_floating_point()
    return role is Role.PARAMETER or (role is Role.STATE and floating)


def _is_number(dtype: ir.DataType) -> bool:
    return dtype.is_floating_point() or dtype.is_integer()


def extremes(array: np.ndarray) -> tuple[float, float]:
    """The smallest and the largest element; NaN if there is one."""
    flat = array.reshape(-1)
    lo, hi = np.inf, -np.inf
    for start in range(0, flat.size, PIECE):
        piece = flat[start : start + PIECE]
        if piece.dtype.kind == "V" or piece.dtype.itemsize == 1:
            piece = piece.astype(np.float32)  # exact: bfloat16, float8 and bytes
        lo, hi = float(np.minimum(lo, piece.min())), float(np.maximum(hi, piece.max()))
    return lo, hi


@contextmanager
def exact_weights(graph: Graph, target: TargetConfig, weights: Mapping[str, StoredWeight] | None) -> Iterator[set[str]]:
    """For ``weights: exact`` the graph holds the checkpoint's values for as long as the context lasts.

    A TensorFlow 1 variable, an input without a value, becomes an initializer. Gives the names of all that hold values.
    """
    held = dict(weights or {}) if target.weights == "exact" else {}
    main = graph.graph
    old = {}
    for name, value in main.initializers.items():
        before = value.const_value
        if name in held and before is not None and tuple(before.shape) == held[name].weight.shape:
            old[name] = (value, before)
            value.const_value = _lazy(held[name].weight, before.dtype, name)
    inputs = list(main.inputs)
    variables = [v for v in inputs if (v.name or "") in held and _is_variable(v) and _fits(v, held[v.name or ""])]
    main.inputs[:] = [v for v in inputs if v not in variables]
    for value in variables:
        weight = held[value.name or ""].weight
        value.const_value = _lazy(weight, value.dtype or weight.dtype, value.name or "")
        main.register_initializer(value)
    try:
        yield {*old, *(v.name or "" for v in variables)}
    finally:
        for value, before in old.values():
            value.const_value = before
        for value in variables:
            del main.initializers[value.name or ""]
            value.const_value = None
        main.inputs[:] = inputs


def _fits(value: ir.Value, stored: StoredWeight) -> bool:
    """Whether a variable may have the shape that the checkpoint has."""
    if value.shape is None:
        return True
    shape = stored.weight.shape
    return len(value.shape) == len(shape) and all(
        d == n for d, n in zip(value.shape, shape, strict=True) if isinstance(d, int)
    )


def _lazy(weight: Weight, dtype: ir.DataType, name: str) -> ir.LazyTensor:
    """The weight as a tensor of the graph, in the graph's dtype; it is read when it is looked at, and not kept."""

    def read() -> ir.TensorProtocol:
        array = np.ascontiguousarray(weight.array().astype(dtype.numpy(), copy=False)).reshape(weight.shape)
        return ir.Tensor(array, dtype=dtype, name=name)

    return ir.LazyTensor(read, dtype=dtype, shape=ir.Shape(weight.shape), name=name)
