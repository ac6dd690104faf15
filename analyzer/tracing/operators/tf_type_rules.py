"""TensorFlow: element types by their names, and what is asked of a value before any run."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Api, DictV, ListV, Unknown, Value
from analyzer.tracing.operators.element_types import dtype_name
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import Poly


@operator("tf.as_dtype", "type_value")
def element_type(op: Op, type_value: Value) -> Value:
    """The type itself, or the one of a name, or that of NumPy."""
    name = dtype_name(type_value) if type_value not in ("int", "long") else None
    return op.tr.unknown("an element type", "imprecise", "dtype") if name is None else Api(f"tf.{name}")


@operator("tf.compat.dimension_value tf.compat.v1.dimension_value", "dimension")
def dimension_value(op: Op, dimension: Value) -> Value:
    return dimension


@operator("tf.get_static_value", "tensor partial=False")
def static_value(op: Op, tensor: Value, partial: Value) -> Value:
    """The elements where they are known here; None is given for a tensor of a graph that is not constant."""
    if isinstance(tensor, Tensor) and isinstance(tensor.value, (int, Poly)) and not tensor.graph:
        return Tensor((), tensor.dtype, "numpy", site=op.where, value=tensor.value, sources=(tensor,))
    return op.tr.unknown("a static value", "imprecise")


@operator("tf.is_tensor", "x")
def is_tensor(op: Op, x: Value) -> Value:
    """Of tensors, variables and what stands for them; not of NumPy's arrays nor of Python's values."""
    if isinstance(x, Tensor) and x.framework in ("tf", "numpy", "torch"):
        return x.framework == "tf"
    if x is None or isinstance(x, (bool, int, float, str, ListV, DictV)) or type(x) is tuple:
        return False
    origin = x.origin if isinstance(x, Unknown) else "imprecise"
    return op.tr.unknown("result of tf.is_tensor", origin, "is_tensor()", "bool")
