"""TensorFlow: placeholders, variables, constants and other new tensors."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Unknown, Value
from analyzer.tracing.operators.element_types import asked_type, default_float, dtype_name
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.numpy_matrices import array_of
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.ragged import refuse_ragged
from analyzer.tracing.operators.ranges import length_of_range
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import shape_value, tensor, text_tensor
from analyzer.validity.terms import Poly

# ------------------------------------------------------------------------------------- placeholders, variables


@operator("tf.placeholder tf.placeholder_with_default", "dtype=None shape=None name=None")
def placeholder(op: Op, dtype: Value, shape: Value, name: Value) -> Value:
    dims: Any = None
    label = name if isinstance(name, str) else "placeholder"
    parts = plain(op.tr, shape) if shape is not None and not isinstance(shape, Unknown) else None
    if shape is None and op.where is not None:  # an earlier round has seen what is fed
        rank = op.tr.shared.fed_ranks.get(op.where)
        parts = None if rank is None else (None,) * rank
    if isinstance(parts, (int, Poly)):
        parts = (parts,)
    if isinstance(parts, tuple):
        dims = tuple(
            op.tr.symbols.fresh(f"{label}.{i}" if i else f"{label}.batch", "batch", 1, site=op.where, graph=True)
            if d is None or d == -1
            else d
            for i, d in enumerate(parts)
        )
    return Tensor(
        dims, dtype_name(dtype), "tf", site=op.where, name=label, graph=True, tags=frozenset(("placeholder", "batch"))
    )


def _is_whole(stated: Any) -> bool:
    """Whether a shape leaves nothing open: what is left open, each assignment may choose otherwise."""
    return isinstance(stated, tuple) and all(isinstance(d, (int, Poly)) and d != -1 for d in stated)


@operator("tf.Variable tf.get_variable_", "initial_value=None trainable=None *rest")
def variable(op: Op, initial_value: Value, trainable: Value, rest: tuple[Value, ...]) -> Value:
    found = tensor(op, initial_value) if initial_value is not None and not callable(initial_value) else None
    if found is None or op.extra.get("validate_shape") is False:
        return Tensor(None, None, "tf", site=op.where)
    given = op.extra.get("shape")
    stated = plain(op.tr, given) if given is not None else None
    if given is not None and not _is_whole(stated):
        made = Tensor(None, asked_type(op.extra.get("dtype"), found.dtype), "tf", site=op.where)
        if isinstance(stated, tuple):
            made.shape.front.update((i, d) for i, d in enumerate(stated) if isinstance(d, (int, Poly)) and d != -1)
        return made
    return Tensor(
        found.shape,
        asked_type(op.extra.get("dtype"), found.dtype),
        "tf",
        site=op.where,
        tags=frozenset(("variable",)),
    )


@operator("tf.get_variable", "name=None shape=None dtype=None initializer=None *rest")
def get_variable(op: Op, name: Value, shape: Value, dtype: Value, initializer: Value, rest: tuple[Value, ...]) -> Value:
    if shape is None and isinstance(initializer, Tensor):
        return Tensor(initializer.shape, None, "tf", site=op.where, tags=frozenset(("variable",)))
    dims = shape_value(op, shape) if shape is not None else None
    label = name if isinstance(name, str) else ""
    return Tensor(
        dims,
        asked_type(dtype, "float32"),
        "tf",
        site=op.where,
        name=label,
        tags=frozenset(("variable",)),
    )


@operator("tf.constant tf.convert_to_tensor", "value dtype=None shape=None name=None")
def constant(op: Op, value: Value, dtype: Value, shape: Value, name: Value) -> Value:
    value = array_of(value)
    refuse_ragged(op, value, "tf")
    if shape is None and (texts := text_tensor(op, value)) is not None:
        return texts
    found = tensor(op, value)
    if found is None:
        return unknown_tensor(op, "tf")
    dims = shape_value(op, shape) if shape is not None and not isinstance(shape, str) else None
    return Tensor(
        dims if dims is not None else found.shape,
        asked_type(dtype, found.dtype if isinstance(value, Tensor) else None),
        "tf",
        site=op.where,
        value=found.value if dims is None else None,
        sources=(found,),
        graph=found.graph,
    )


@operator(
    "tf.zeros tf.ones tf.fill tf.random_normal tf.random_uniform tf.truncated_normal "
    "tf.random.normal tf.random.uniform "
    "tf.random.truncated_normal tf.random.stateless_normal tf.random_gamma tf.random.poisson_",
    "shape *rest",
)
def create(op: Op, shape: Value, rest: tuple[Value, ...]) -> Value:
    dims = shape_value(op, shape)
    dtype = dtype_name(op.extra.get("dtype")) or next((d for d in map(dtype_name, rest) if d), None)
    if (
        dims is None
        and isinstance(shape, Tensor)
        and shape.dims is not None
        and len(shape.dims) == 1
        and isinstance(shape.dims[0], int)
    ):
        dims = tuple(op.tr.fresh("size", "unknown", 0, graph=shape.graph) for _ in range(shape.dims[0]))
    graph = isinstance(shape, Tensor) and shape.graph
    if dtype is None and op.extra.get("dtype") is None and not rest and op.short not in ("fill",):
        dtype = default_float(op.tr)  # of TensorFlow's functions float32, which Keras's are followed as
    result = Tensor(
        dims, dtype, "tf", site=op.where, graph=graph, sources=(shape,) if isinstance(shape, Tensor) else ()
    )
    if op.short in _FILLED and dtype in ("int32", "int64") and dims is not None and len(dims) == 1:
        result.value = (_FILLED[op.short],) * dims[0] if type(dims[0]) is int and dims[0] <= MOST_FILLED else None
    return result


_FILLED = {"zeros": 0, "ones": 1}
MOST_FILLED = 16  # elements that are kept, of a tensor that may serve as a shape


@operator("tf.eye", "num_rows num_columns=None batch_shape=None *rest")
def eye(op: Op, num_rows: Value, num_columns: Value, batch_shape: Value, rest: tuple[Value, ...]) -> Value:
    rows, columns = op.tr.term_of(num_rows), op.tr.term_of(num_columns if num_columns is not None else num_rows)
    before = () if batch_shape is None else shape_value(op, batch_shape)
    known = rows is not None and columns is not None and before is not None
    return Tensor((*(before or ()), rows, columns) if known else None, None, "tf", site=op.where)


@operator("tf.range", "start limit=None delta=1 *rest")
def range_(op: Op, start: Value, limit: Value, delta: Value, rest: tuple[Value, ...]) -> Value:
    """Unlike NumPy's it must not lead away from its bound."""
    low, high = (0, start) if limit is None else (start, limit)
    if all(isinstance(v, (int, float)) for v in (low, high, delta)) and delta and (high - low) * delta < 0:
        fail(op, "range", f"the range from {low} to {high} cannot have the step {delta}")
    length = length_of_range(op, low, high, delta)
    return Tensor((op.tr.fresh("range", "unknown", 0) if length is None else length,), None, "tf", site=op.where)


@operator("tf.linspace tf.lin_space", "start stop num *rest")
def linspace(op: Op, start: Value, stop: Value, num: Value, rest: tuple[Value, ...]) -> Value:
    """The new axis comes before those of the ends, or where `axis` says."""
    ends = [tensor(op, v) for v in (start, stop)]
    if any(e is not None and e.dims != () for e in ends):
        return _between(op, ends, num, op.extra.get("axis", rest[1] if len(rest) > 1 else 0))
    return Tensor((op.tr.term_of(num) or op.tr.fresh("num", "unknown"),), None, "tf", site=op.where)


def _between(op: Op, ends: list[Tensor | None], num: Value, axis: Value) -> Value:
    size, dims = op.tr.term_of(num), [e.dims for e in ends if e is not None]
    known = None if len(dims) < len(ends) else dims[0]
    if known is None or any(d != known for d in dims) or size is None or type(axis) is not int:
        return unknown_tensor(op, "tf")
    at = axis if axis >= 0 else axis + len(known) + 1
    return Tensor((*known[:at], size, *known[at:]), None, "tf", site=op.where)
