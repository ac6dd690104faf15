"""Functions of ``keras.ops``, under their own names: ``ops.reshape``."""

from __future__ import annotations

from typing import Any

from analyzer.operators.declaration import BOOLEAN, CONVERTS, ELEMENTWISE, SAME_SHAPE
from analyzer.operators.registry import names
from analyzer.validity.spec import Case, TensorType, define
from analyzer.validity.specs.broadcasting import merged
from analyzer.validity.specs.common import axis_index
from analyzer.validity.specs.joining import torch_cat, torch_stack
from analyzer.validity.specs.linear import torch_matmul
from analyzer.validity.specs.reduction import torch_sum
from analyzer.validity.specs.shaping import torch_permute, torch_reshape
from analyzer.validity.specs.unit_axes import torch_unsqueeze

BINARY = tuple(n for n in names("keras", ELEMENTWISE) if n.startswith("ops.") and n not in names("keras", SAME_SHAPE))
TESTS = tuple(name for name in names("keras", BOOLEAN) if name in names("keras", ELEMENTWISE))


@define("keras", *names("keras", CONVERTS))
def converted(case: Case, x: TensorType, **_others: Any) -> TensorType:
    """``keras.ops.cast``: the element type is not read from its argument."""
    return TensorType(x.shape, x.dtype)


@define("keras", "ops.softmax", "ops.log_softmax", "ops.cumsum", "ops.flip")
def along(case: Case, x: TensorType, *, axis: Any = -1) -> TensorType:
    """Functions along an axis that keep the shape."""
    if axis is not None and not isinstance(axis, tuple):
        axis_index(case, axis, x.rank)
    return TensorType(x.shape, x.dtype)


@define("keras", *(name for name in BINARY if name not in (*TESTS, *names("keras", CONVERTS))))
def two(case: Case, *tensors: TensorType, **_others: Any) -> TensorType:
    """Arithmetic with broadcasting; a number stands for no operand."""
    return merged(case, *tensors)


@define("keras", *TESTS)
def tested(case: Case, *tensors: TensorType, **_others: Any) -> TensorType:
    """Comparisons."""
    return merged(case, *tensors, dtype="bool")


@define("keras", "ops.matmul")
def matmul(case: Case, a: TensorType, b: TensorType) -> TensorType:
    """``keras.ops.matmul``."""
    result: TensorType = torch_matmul(case, TensorType(a.shape), TensorType(b.shape))
    return result


@define("keras", "ops.reshape")
def reshape(case: Case, x: TensorType, *, newshape: Any) -> TensorType:
    """``keras.ops.reshape``."""
    result: TensorType = torch_reshape(case, x, shape=newshape)
    return result


@define("keras", "ops.transpose")
def transpose(case: Case, x: TensorType, *, axes: Any = None) -> TensorType:
    """``keras.ops.transpose``: all axes backwards unless told."""
    result: TensorType = torch_permute(case, x, dims=tuple(range(x.rank))[::-1] if axes is None else axes)
    return result


@define("keras", "ops.concatenate")
def concatenate(case: Case, *tensors: TensorType, axis: Any = 0) -> TensorType:
    """``keras.ops.concatenate``."""
    result: TensorType = torch_cat(case, *tensors, dim=axis)
    return result


@define("keras", "ops.stack")
def stack(case: Case, *tensors: TensorType, axis: Any = 0) -> TensorType:
    """``keras.ops.stack``."""
    result: TensorType = torch_stack(case, *tensors, dim=axis)
    return result


@define("keras", "ops.expand_dims")
def expand_dims(case: Case, x: TensorType, *, axis: Any) -> TensorType:
    """``keras.ops.expand_dims``."""
    result: TensorType = torch_unsqueeze(case, x, dim=axis)
    return result


@define("keras", *(f"ops.{name}" for name in ("sum", "mean", "max", "min", "prod", "all", "any", "var", "std")))
def reduced(case: Case, x: TensorType, *, axis: Any = None, keepdims: bool = False) -> TensorType:
    """Reductions over one, several or all axes."""
    result: TensorType = torch_sum(case, x, dim=axis, keepdim=keepdims)
    return result
