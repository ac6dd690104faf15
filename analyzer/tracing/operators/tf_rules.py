"""TensorFlow functions, version 1 and 2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.tracing.operators.apply import apply, dropped, fail, plain, require, tensor_of, unknown_tensor
from analyzer.tracing.operators.element_types import dtype_name
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.linear import matmul as product_of
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_rules import advise_argmax, advise_softmax, reduced_dims
from analyzer.tracing.values import ListV, Object, OpenSize, Size, Tensor, Unknown, Value, show_shape
from analyzer.validity.terms import Poly, any_of, equal, product


def tensor(op: Op, value: Value) -> Tensor | None:
    found = tensor_of(op.tr, value, "tf")
    if found is not None and found.framework != "tf":
        found = Tensor(
            found.shape,
            found.dtype,
            "tf",
            site=found.site,
            name=found.name,
            value=found.value,
            sources=(found,),
            graph=found.graph,
            tags=found.tags,
        )
        found.operation = found.sources[0].operation
    return found


def like(op: Op, source: Tensor, dims: Any, dtype: str | None = None, **more: Any) -> Tensor:
    return Tensor(dims, dtype, "tf", site=op.where, sources=(source,), graph=source.graph, **more)


def shape_value(op: Op, value: Value) -> tuple[Any, ...] | None:
    """A shape argument: a list, a tuple, or a tensor whose elements are known."""
    if isinstance(value, (int, Poly)) and not isinstance(value, bool):
        return (value,)
    if (
        isinstance(value, Tensor)
        and value.value is None
        and value.dims is not None
        and len(value.dims) == 1
        and isinstance(value.dims[0], int)
    ):
        return None
    found = plain(op.tr, value)
    if dropped(found) or not isinstance(found, tuple) or any(isinstance(v, (tuple, str, float)) for v in found):
        return None
    return found


# ------------------------------------------------------------------------------------- placeholders, variables


@operator("tf.placeholder tf.placeholder_with_default tf.sparse_placeholder", "dtype=None shape=None name=None")
def placeholder(op: Op, dtype: Value, shape: Value, name: Value) -> Value:
    dims: Any = None
    label = name if isinstance(name, str) else _target(op) or "placeholder"
    parts = plain(op.tr, shape) if shape is not None and not isinstance(shape, Unknown) else None
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


def _target(op: Op) -> str:
    """The name that the result is assigned to, for messages."""
    return ""


@operator("tf.Variable tf.get_variable_", "initial_value=None trainable=None *rest")
def variable(op: Op, initial_value: Value, trainable: Value, rest: tuple[Value, ...]) -> Value:
    found = tensor(op, initial_value) if initial_value is not None and not callable(initial_value) else None
    if found is None:
        return Tensor(None, None, "tf", site=op.where)
    return Tensor(
        found.shape,
        dtype_name(op.extra.get("dtype")) or found.dtype,
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
        dtype_name(dtype) or ("float32" if dtype is None else None),
        "tf",
        site=op.where,
        name=label,
        tags=frozenset(("variable",)),
    )


@operator("tf.constant tf.convert_to_tensor", "value dtype=None shape=None name=None")
def constant(op: Op, value: Value, dtype: Value, shape: Value, name: Value) -> Value:
    found = tensor(op, value)
    if found is None:
        return unknown_tensor(op, "tf")
    dims = shape_value(op, shape) if shape is not None and not isinstance(shape, str) else None
    return Tensor(
        dims if dims is not None else found.shape,
        dtype_name(dtype) or (found.dtype if isinstance(value, Tensor) else None),
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
        dtype = "float32"
    result = Tensor(
        dims, dtype, "tf", site=op.where, graph=graph, sources=(shape,) if isinstance(shape, Tensor) else ()
    )
    return result


@operator("tf.eye", "num_rows num_columns=None *rest")
def eye(op: Op, num_rows: Value, num_columns: Value, rest: tuple[Value, ...]) -> Value:
    rows, columns = op.tr.term_of(num_rows), op.tr.term_of(num_columns if num_columns is not None else num_rows)
    return Tensor(None if rows is None or columns is None else (rows, columns), None, "tf", site=op.where)


@operator("tf.range", "start limit=None delta=1 *rest")
def range_(op: Op, start: Value, limit: Value, delta: Value, rest: tuple[Value, ...]) -> Value:
    low, high = (0, start) if limit is None else (start, limit)
    a, b = op.tr.term_of(low), op.tr.term_of(high)
    length = b - a if a is not None and b is not None and delta == 1 else op.tr.fresh("range", "unknown", 0)
    return Tensor((length,), None, "tf", site=op.where)


@operator("tf.linspace tf.lin_space", "start stop num *rest")
def linspace(op: Op, start: Value, stop: Value, num: Value, rest: tuple[Value, ...]) -> Value:
    return Tensor((op.tr.term_of(num) or op.tr.fresh("num", "unknown"),), None, "tf", site=op.where)


# ---------------------------------------------------------------------------------------------- elementwise

_UNARY = (
    "identity abs negative exp log log1p sqrt rsqrt square sin cos tanh sigmoid floor ceil "
    "round sign stop_gradient zeros_like ones_like "
    "nn.relu nn.relu6 nn.elu nn.selu nn.sigmoid nn.tanh nn.softplus nn.softsign nn.leaky_relu "
    "nn.dropout nn.gelu nn.swish nn.silu "
    "nn.l2_normalize nn.softmax nn.log_softmax softmax math.l2_normalize cumsum math.cumsum "
    "reverse layers.dropout layers.batch_normalization "
    "clip_by_value clip_by_norm is_nan is_inf is_finite math.is_nan logical_not erf "
    "math.softplus math.tanh math.sigmoid math.log math.exp "
    "math.sqrt math.square math.abs contrib.layers.batch_norm check_numerics Print sort "
    "random_shuffle random.shuffle nn.crelu_ "
    "math.rsqrt math.sign math.cos math.sin to_float to_int32 to_int64 cast saturate_cast "
    "nn.local_response_normalization nn.lrn "
    "debugging.check_numerics ensure_shape_ math.reciprocal contrib.layers.layer_norm "
    "nn.softmax_ argsort contrib.layers.dropout math.erf "
    "random_crop_ image.per_image_standardization image.random_flip_left_right "
    "image.flip_left_right image.random_brightness image.random_contrast"
)


def need_axis(op: Op, source: Tensor, axis: Value) -> None:
    """The axis must exist."""
    if not isinstance(axis, int) or source.dims is None or isinstance(axis, bool):
        return
    if not -len(source.dims) <= axis < max(len(source.dims), 1):
        sentence = f"axis {axis} is out of range for a tensor of {len(source.dims)} dimensions"
        fail(op, "axis-in-range", f"{sentence} (shape {show_shape(source.dims)})", (source,))


@operator(" ".join(f"tf.{n}" for n in _UNARY.split()), "x *rest")
def same_shape(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    found = tensor(op, x)
    if found is None:
        return unknown_tensor(op, "tf")
    dtype = found.dtype
    if op.short in ("cast", "saturate_cast"):
        dtype = dtype_name(rest[0] if rest else op.extra.get("dtype"))
    elif op.short in ("to_float", "to_int32", "to_int64"):
        dtype = {"to_float": "float32", "to_int32": "int32", "to_int64": "int64"}[op.short]
    elif op.short in ("is_nan", "is_inf", "is_finite", "logical_not"):
        dtype = "bool"
    elif op.short in ("zeros_like", "ones_like") and op.extra.get("dtype") is not None:
        dtype = dtype_name(op.extra["dtype"])
    if op.short in ("cumsum", "cumprod", "l2_normalize", "reverse", "log_softmax", "softmax"):
        stated = op.extra.get("axis", op.extra.get("dim", rest[0] if rest else None))
        for axis in stated.items if isinstance(stated, ListV) else (stated,):
            need_axis(op, found, axis)
    if op.short == "softmax":
        axis = op.extra.get("axis", op.extra.get("dim", rest[0] if rest else -1))
        advise_softmax(op, found, axis)
    value = found.value if found.dims is not None and op.short in ("identity", "cast") else None
    return Tensor(
        found.shape,
        dtype,
        "tf",
        site=op.where,
        value=value,
        sources=(found,),
        graph=found.graph,
        tags=found.tags | ({"probabilities"} if op.short == "softmax" else frozenset()),
    )


_BINARY = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "div": "/", "sub": "-", "mul": "*",
    "maximum": "maximum", "minimum": "minimum",
    "pow": "**", "floordiv": "//", "mod": "%", "floormod": "%", "equal": "==", "not_equal": "!=", "less": "<",
    "less_equal": "<=", "greater": ">",
    "greater_equal": ">=", "logical_and": "&", "logical_or": "|", "squared_difference": "-", "math.add": "+",
    "math.subtract": "-",
    "math.multiply": "*", "math.divide": "/", "math.equal": "==", "math.pow": "**", "math.maximum": "maximum",
    "math.minimum": "minimum", "truediv": "/",
    "realdiv": "/", "math.squared_difference": "-", "div_no_nan": "/", "math.divide_no_nan": "/", "atan2": "/",
    "math.greater": ">", "math.less": "<",
}  # fmt: skip


@operator(" ".join(f"tf.{n}" for n in _BINARY), "x y *rest")
def arithmetic(op: Op, x: Value, y: Value, rest: tuple[Value, ...]) -> Value:
    sign = _BINARY[op.name[3:]]
    return broadcast(op, sign, x, y, "tf", "bool" if sign in ("==", "!=", "<", "<=", ">", ">=", "&", "|") else "")


@operator("tf.add_n", "inputs *rest")
def add_n(op: Op, inputs: Value, rest: tuple[Value, ...]) -> Value:
    parts = (
        inputs.items
        if isinstance(inputs, ListV) and not inputs.open
        else list(inputs)
        if isinstance(inputs, tuple)
        else None
    )
    if not parts or any(tensor(op, p) is None for p in parts):
        return unknown_tensor(op, "tf")
    found = [tensor(op, p) for p in parts]
    if any(f is None or f.dims is None for f in found):
        return unknown_tensor(op, "tf", tuple(f for f in found if f is not None))
    return apply(op, "tf", "AddN", found)


@operator("tf.where", "condition x=None y=None *rest")
def where(op: Op, condition: Value, x: Value, y: Value, rest: tuple[Value, ...]) -> Value:
    if x is None:
        return unknown_tensor(op, "tf")
    a = tensor(op, x)
    return (
        like(op, a, a.shape, a.dtype)
        if a is not None and a.dims is not None and a.dims != ()
        else unknown_tensor(op, "tf")
    )


@operator("tf.matmul tf.linalg.matmul", "a b transpose_a=False transpose_b=False *rest")
def matmul(op: Op, a: Value, b: Value, transpose_a: Value, transpose_b: Value, rest: tuple[Value, ...]) -> Value:
    transpose_a = op.extra.get("adjoint_a", transpose_a)
    transpose_b = op.extra.get("adjoint_b", transpose_b)
    return product_of(op, tensor(op, a), tensor(op, b), "tf", transpose_a, transpose_b)


@operator("tf.nn.xw_plus_b tf.compat.v1.nn.xw_plus_b", "x weights biases *rest")
def xw_plus_b(op: Op, x: Value, weights: Value, biases: Value, rest: tuple[Value, ...]) -> Value:
    return bias_add(op, product_of(op, tensor(op, x), tensor(op, weights), "tf"), biases, ())


@operator("tf.nn.bias_add", "value bias *rest")
def bias_add(op: Op, value: Value, bias: Value, rest: tuple[Value, ...]) -> Value:
    a, b = tensor(op, value), tensor(op, bias)
    if a is None or b is None or a.dims is None or b.dims is None:
        return a if a is not None else unknown_tensor(op, "tf")
    form = op.extra.get("data_format", rest[0] if rest else None)
    return apply(op, "tf", "BiasAdd", (a, b), {"data_format": form} if isinstance(form, str) else {})


@operator("tf.tensordot", "a b axes *rest")
def tensordot(op: Op, a: Value, b: Value, axes: Value, rest: tuple[Value, ...]) -> Value:
    x, y = tensor(op, a), tensor(op, b)
    given = plain(op.tr, axes)
    if x is None or y is None or x.dims is None or y.dims is None or dropped(given):
        return unknown_tensor(op, "tf", tuple(t for t in (x, y) if t is not None))
    if isinstance(given, int):
        left, right = list(range(len(x.dims) - given, len(x.dims))), list(range(given))
    elif isinstance(given, tuple) and len(given) == 2:
        left, right = ([p] if isinstance(p, int) else list(p) for p in given)
    else:
        return unknown_tensor(op, "tf", (x, y))
    if not all(isinstance(i, int) and -len(x.dims) <= i < len(x.dims) for i in left) or not all(
        isinstance(i, int) and -len(y.dims) <= i < len(y.dims) for i in right
    ):
        fail(
            op,
            "axis-in-range",
            f"the axes {given} do not exist in {show_shape(x.dims)} and {show_shape(y.dims)}",
            (x, y),
        )
    for i, j in zip(left, right, strict=False):
        require(
            op,
            equal(x.dims[i], y.dims[j]),
            "inner-size",
            f"{show_shape(x.dims)} and {show_shape(y.dims)} differ on the summed axes: {x.dims[i]} and {y.dims[j]}",
            (x, y),
        )
    chosen_left, chosen_right = {i % len(x.dims) for i in left}, {j % len(y.dims) for j in right}
    dims = [d for i, d in enumerate(x.dims) if i not in chosen_left] + [
        d for j, d in enumerate(y.dims) if j not in chosen_right
    ]
    return Tensor(dims, x.dtype, "tf", site=op.where, sources=(x, y), graph=x.graph or y.graph)


@operator("tf.einsum", "equation *inputs")
def einsum(op: Op, equation: Value, inputs: tuple[Value, ...]) -> Value:
    found = [tensor(op, i) for i in inputs]
    if not isinstance(equation, str) or any(f is None or f.dims is None for f in found):
        return unknown_tensor(op, "tf", tuple(f for f in found if f is not None))
    result = apply(op, "tf", "Einsum", found, {"equation": equation})
    _need_equal_letters(op, equation, [f for f in found if f is not None])
    return result


def _need_equal_letters(op: Op, equation: str, operands: Sequence[Tensor]) -> None:
    """Unlike torch, TensorFlow does not stretch a size of 1 to the size that the letter has elsewhere."""
    sizes: dict[str, Any] = {}
    for labels, operand in zip(equation.replace(" ", "").partition("->")[0].split(","), operands, strict=False):
        before, _, after = labels.partition("...")
        dims = operand.dims or ()
        for letter, size in [*zip(before, dims, strict=False), *zip(after[::-1], dims[::-1], strict=False)]:
            known = sizes.setdefault(letter, size)
            if known is not size:
                sentence = f"`{letter}` of {equation} is {known} in one operand and {size} in another"
                require(op, equal(known, size), "size", sentence, tuple(operands))


# ------------------------------------------------------------------------------------------------ new shapes


@operator("tf.reshape", "tensor shape *rest")
def reshape(op: Op, tensor: Value, shape: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_of(op.tr, tensor, "tf")
    if isinstance(shape, (int, Poly)) and not isinstance(shape, bool):
        shape = (shape,)
    dims = shape_value(op, shape)
    if source is None:
        return unknown_tensor(op, "tf")
    from analyzer.tracing.operators.torch_rules import advise_batch

    if dims is None:
        rank = shape.dims[0] if isinstance(shape, Tensor) and shape.dims and isinstance(shape.dims[0], int) else None
        return like(
            op,
            source,
            tuple(op.tr.fresh("reshape", "derived", 0, graph=source.graph) for _ in range(rank))
            if rank is not None
            else None,
            source.dtype,
        )
    negative = [d for d in dims if isinstance(d, Poly) and d.interval.lo < 0]
    if source.dims is None or negative:
        return like(
            op,
            source,
            tuple(
                op.tr.fresh("reshape", "derived", 0, graph=source.graph)
                if (isinstance(d, int) and d == -1) or d in negative
                else d
                for d in dims
            ),
            source.dtype,
        )
    advise_batch(op, source, dims)
    same = Tensor(
        source.shape, source.dtype, "tf", site=source.site, name=source.name, sources=(source,), graph=source.graph
    )
    same.operation = source.operation
    result = apply(op, "torch", "reshape", (same,), {"shape": dims})
    if isinstance(result, Tensor):
        result.framework = "tf"
        result.value = source.value if isinstance(source.value, tuple) and len(dims) == 1 else None
    return result


@operator(
    "tf.layers.flatten tf.contrib.layers.flatten tf.contrib.slim.flatten tf.compat.v1.layers.flatten", "inputs *rest"
)
def flatten(op: Op, inputs: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, inputs)
    if source is None or source.dims is None or len(source.dims) < 1:
        return like(op, source, None) if source is not None else unknown_tensor(op, "tf")
    return like(op, source, (source.dims[0], product(source.dims[1:])), source.dtype, tags=source.tags)


@operator("tf.shape", "input *rest")
def shape(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, input)
    if source is None:
        return unknown_tensor(op, "tf")
    if source.dims is None:
        return Unknown("a shape", "data", "shape") if not source.graph else _open_shape(op, source)
    return Tensor(
        (len(source.dims),),
        "int32",
        "tf",
        site=op.where,
        value=tuple(source.dims),
        sources=(source,),
        graph=source.graph,
    )


def _open_shape(op: Op, source: Tensor) -> Value:
    return OpenSize(source)


@operator("tf.rank", "input *rest")
def rank(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, input)
    return (
        Tensor((), "int32", "tf", value=op.tr.rank_of(source))
        if source is not None
        else unknown_tensor(op, "tf", (), ())
    )


@operator("tf.size", "input *rest")
def size(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, input)
    return Tensor(
        (), "int32", "tf", value=product(source.dims) if source is not None and source.dims is not None else None
    )


@operator("tf.TensorShape", "dims")
def tensor_shape(op: Op, dims: Value) -> Value:
    found = plain(op.tr, dims)
    return Size(found) if isinstance(found, tuple) else op.tr.unknown("a shape", "data")


@operator("tf.expand_dims", "input axis=None name=None dim=None")
def expand_dims(op: Op, input: Value, axis: Value, name: Value, dim: Value) -> Value:
    source = tensor(op, input)
    axis = axis if axis is not None else dim
    if source is None or source.dims is None or not isinstance(axis, int):
        return like(op, source, None) if source is not None else unknown_tensor(op, "tf")
    rank_ = len(source.dims)
    if not -rank_ - 1 <= axis <= rank_:
        fail(op, "axis-in-range", f"axis {axis} is out of range for a tensor of {rank_} dimensions", (source,))
    position = axis % (rank_ + 1)
    return like(op, source, (*source.dims[:position], 1, *source.dims[position:]), source.dtype, tags=source.tags)


@operator("tf.squeeze", "input axis=None name=None squeeze_dims=None")
def squeeze(op: Op, input: Value, axis: Value, name: Value, squeeze_dims: Value) -> Value:
    source = tensor(op, input)
    axes = plain(op.tr, axis if axis is not None else squeeze_dims)
    if source is None or source.dims is None or dropped(axes):
        return like(op, source, None) if source is not None else unknown_tensor(op, "tf")
    if axes is None or axes == ():
        if any(isinstance(d, Poly) for d in source.dims):
            known = [d for d in source.dims if d != 1]
            batch = all(
                isinstance(d, int) or op.tr.symbols.kind(next(iter(d.symbols)).name) == "batch" for d in source.dims
            )
            return like(op, source, known if batch else None, source.dtype)
        return like(op, source, [d for d in source.dims if d != 1], source.dtype)
    numbers = axes if isinstance(axes, tuple) else (axes,)
    chosen = set()
    for number in numbers:
        if not isinstance(number, int):
            return like(op, source, None)
        if not -len(source.dims) <= number < len(source.dims):
            fail(
                op,
                "axis-in-range",
                f"axis {number} is out of range for a tensor of {len(source.dims)} dimensions",
                (source,),
            )
        require(
            op,
            equal(source.dims[number], 1),
            "squeeze",
            (
                f"axis {number} of {show_shape(source.dims)} has size {source.dims[number]}; only an "
                "axis of size 1 can be squeezed"
            ),
            (source,),
        )
        chosen.add(number % len(source.dims))
    return like(op, source, [d for i, d in enumerate(source.dims) if i not in chosen], source.dtype, tags=source.tags)


@operator("tf.transpose tf.linalg.matrix_transpose", "a perm=None *rest")
def transpose(op: Op, a: Value, perm: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, a)
    if source is None or source.dims is None:
        return like(op, source, None) if source is not None else unknown_tensor(op, "tf")
    order = plain(op.tr, perm) if perm is not None else tuple(reversed(range(len(source.dims))))
    if op.short == "matrix_transpose":
        order = (*range(len(source.dims) - 2), len(source.dims) - 1, len(source.dims) - 2)
    if dropped(order) or not isinstance(order, tuple) or not all(isinstance(i, int) for i in order):
        return like(op, source, None)
    if len(order) != len(source.dims) or {i % len(order) for i in order} != set(range(len(order))):
        fail(
            op,
            "permutation",
            f"perm {list(order)} does not permute the {len(source.dims)} dimensions of {show_shape(source.dims)}",
            (source,),
        )
    return like(op, source, [source.dims[i] for i in order], source.dtype)


@operator("tf.concat", "values axis=None name=None")
def concat(op: Op, values: Value, axis: Value, name: Value) -> Value:
    if isinstance(values, int) and not isinstance(axis, int):  # before TensorFlow 1.0: (axis, values)
        values, axis = axis, values
    parts = (
        values.items
        if isinstance(values, ListV) and not values.open
        else list(values)
        if isinstance(values, tuple)
        else None
    )
    axis = op.extra.get("concat_dim", axis)
    if not parts or not isinstance(axis, int):
        return unknown_tensor(op, "tf")
    found = [tensor(op, p) for p in parts]
    if any(f is None or f.dims is None for f in found):
        return unknown_tensor(op, "tf", tuple(f for f in found if f is not None))
    if (
        any(
            isinstance(f.value, (tuple, int, Poly)) and f.value is not None and len(f.dims or ()) == 1
            for f in found
            if f is not None
        )
        and axis == 0
    ):
        values_ = [f.value if isinstance(f.value, tuple) else None for f in found if f is not None]
        if all(v is not None for v in values_):
            joined = tuple(x for v in values_ for x in v)  # type: ignore[union-attr]
            return Tensor(
                (len(joined),),
                "int32",
                "tf",
                site=op.where,
                value=joined,
                sources=tuple(f for f in found if f is not None),
                graph=any(f.graph for f in found if f is not None),
            )
    loose = [
        Tensor(f.shape, None, "tf", site=f.site, name=f.name, sources=(f,), graph=f.graph)
        for f in found
        if f is not None
    ]
    return apply(op, "keras", "Concatenate", loose, {"axis": axis}) if len(loose) > 1 else loose[0]


@operator("tf.stack tf.pack tf.parallel_stack", "values axis=0 name=None")
def stack(op: Op, values: Value, axis: Value, name: Value) -> Value:
    parts = (
        values.items
        if isinstance(values, ListV) and not values.open
        else list(values)
        if isinstance(values, tuple)
        else None
    )
    if not parts or not isinstance(axis, int):
        return unknown_tensor(op, "tf")
    found = [tensor(op, p) for p in parts]
    if any(f is None or f.dims is None for f in found):
        return unknown_tensor(op, "tf", tuple(f for f in found if f is not None))
    if all(f is not None and f.dims == () for f in found):
        elements = tuple(f.value for f in found if f is not None)
        known = elements if all(isinstance(e, (int, Poly)) for e in elements) else None
        return Tensor(
            (len(found),),
            "int32" if known else None,
            "tf",
            site=op.where,
            value=known,
            sources=tuple(f for f in found if f is not None),
            graph=any(f.graph for f in found if f is not None),
        )
    loose = [
        Tensor(f.shape, None, "tf", site=f.site, name=f.name, sources=(f,), graph=f.graph)
        for f in found
        if f is not None
    ]
    return apply(op, "tf", "Pack", loose, {"axis": axis})


@operator("tf.unstack tf.unpack", "value num=None axis=0 name=None")
def unstack(op: Op, value: Value, num: Value, axis: Value, name: Value) -> Value:
    source = tensor(op, value)
    if (
        source is None
        or source.dims is None
        or not isinstance(axis, int)
        or not -len(source.dims) <= axis < len(source.dims)
    ):
        return op.tr.unknown("unstack()", "data")
    count = source.dims[axis] if isinstance(source.dims[axis], int) else op.tr.term_of(num) if num is not None else None
    rest = [d for i, d in enumerate(source.dims) if i != axis % len(source.dims)]
    if not isinstance(count, int) or count > 512:
        return op.tr.unknown("unstack()", "data")
    return ListV([like(op, source, rest, source.dtype) for _ in range(count)])


@operator("tf.split", "value num_or_size_splits=None axis=0 *rest")
def split(op: Op, value: Value, num_or_size_splits: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, value)
    if isinstance(value, int) and not isinstance(num_or_size_splits, int):  # before TensorFlow 1.0
        return op.tr.unknown("split()", "data")
    if (
        source is None
        or source.dims is None
        or not isinstance(axis, int)
        or not -len(source.dims) <= axis < len(source.dims)
    ):
        return op.tr.unknown("split()", "data")
    parts = plain(op.tr, num_or_size_splits)
    size_ = source.dims[axis]
    position = axis % len(source.dims)

    def piece(length: Any) -> Tensor:
        return like(
            op,
            source,
            (*source.dims[:position], length, *source.dims[position + 1 :]) if source.dims else None,
            source.dtype,
        )

    if isinstance(parts, int) and parts > 0:
        from analyzer.validity.terms import floor_div, mod

        require(
            op,
            equal(mod(size_, parts), 0),
            "split",
            f"axis {axis} of {show_shape(source.dims)} has size {size_}, which {parts} does not divide",
            (source,),
        )
        return ListV([piece(floor_div(size_, parts)) for _ in range(min(parts, 512))])
    if isinstance(parts, tuple) and all(isinstance(p, (int, Poly)) for p in parts):
        total: Any = 0
        for p in parts:
            total = total + p
        if -1 not in parts:
            require(
                op,
                equal(total, size_),
                "split",
                f"the parts {list(parts)} sum to {total} but axis {axis} of {show_shape(source.dims)} has size {size_}",
                (source,),
            )
        return ListV([piece(p if not (isinstance(p, int) and p == -1) else size_ - total - 1) for p in parts])
    return op.tr.unknown("split()", "data")


@operator("tf.tile", "input multiples *rest")
def tile(op: Op, input: Value, multiples: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, input)
    times = shape_value(op, multiples)
    if source is None or source.dims is None or times is None:
        return like(op, source, None) if source is not None else unknown_tensor(op, "tf")
    if len(times) != len(source.dims):
        fail(
            op,
            "tile",
            f"multiples {show_shape(times)} must have one entry for each of the {len(source.dims)} dimensions",
            (source,),
        )
    return like(op, source, [d * t for d, t in zip(source.dims, times, strict=True)], source.dtype)


@operator("tf.broadcast_to", "input shape *rest")
def broadcast_to(op: Op, input: Value, shape: Value, rest: tuple[Value, ...]) -> Value:
    return Tensor(shape_value(op, shape), None, "tf", site=op.where)


@operator("tf.pad", "tensor paddings mode='CONSTANT' *rest")
def pad(op: Op, tensor: Value, paddings: Value, mode: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_of(op.tr, tensor, "tf")
    amounts = plain(op.tr, paddings)
    if (
        source is None
        or source.dims is None
        or dropped(amounts)
        or not isinstance(amounts, tuple)
        or not all(isinstance(a, tuple) and len(a) == 2 for a in amounts)
    ):
        return like(op, source, None) if source is not None else unknown_tensor(op, "tf")
    if len(amounts) != len(source.dims):
        fail(
            op, "paddings", f"paddings has {len(amounts)} rows for a tensor of {len(source.dims)} dimensions", (source,)
        )
    return like(op, source, [d + a + b for d, (a, b) in zip(source.dims, amounts, strict=True)], source.dtype)


@operator("tf.slice", "input_ begin size *rest")
def slice_(op: Op, input_: Value, begin: Value, size: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, input_)
    starts, sizes = shape_value(op, begin), shape_value(op, size)
    if (
        source is None
        or source.dims is None
        or starts is None
        or sizes is None
        or not (len(starts) == len(sizes) == len(source.dims))
    ):
        return like(op, source, None) if source is not None else unknown_tensor(op, "tf")
    dims = [d - s if isinstance(n, int) and n == -1 else n for d, s, n in zip(source.dims, starts, sizes, strict=True)]
    for d, s, n in zip(source.dims, starts, dims, strict=True):
        if isinstance(d, int) and isinstance(s, int) and isinstance(n, int) and s + n > d:
            fail(op, "slice", f"begin {s} and size {n} exceed a dimension of {show_shape(source.dims)}", (source,))
    return like(op, source, dims, source.dtype)


@operator("tf.gather tf.nn.embedding_lookup tf.embedding_lookup", "params indices *rest")
def gather(op: Op, params: Value, indices: Value, rest: tuple[Value, ...]) -> Value:
    table, where_ = tensor(op, params), tensor(op, indices)
    axis = op.extra.get("axis", 0)
    if (
        table is None
        or where_ is None
        or table.dims is None
        or where_.dims is None
        or not isinstance(axis, int)
        or not table.dims
        or "batch_dims" in op.extra
    ):
        return unknown_tensor(op, "tf", tuple(t for t in (table, where_) if t is not None))
    need_axis(op, table, axis)
    position = axis % len(table.dims)
    return Tensor(
        (*table.dims[:position], *where_.dims, *table.dims[position + 1 :]),
        table.dtype,
        "tf",
        site=op.where,
        sources=(table, where_),
        graph=table.graph or where_.graph,
    )


@operator("tf.one_hot", "indices depth on_value=None off_value=None axis=None *rest")
def one_hot(
    op: Op, indices: Value, depth: Value, on_value: Value, off_value: Value, axis: Value, rest: tuple[Value, ...]
) -> Value:
    source, classes = tensor(op, indices), op.tr.term_of(depth, "depth")
    if source is None or source.dims is None or classes is None or axis not in (None, -1):
        return unknown_tensor(op, "tf", (source,) if source else ())
    return like(op, source, (*source.dims, classes), "float32", tags=source.tags)


# ------------------------------------------------------------------------------------------------ reductions


@operator(
    " ".join(
        f"tf.{prefix}{n}"
        for n in (
            "reduce_sum",
            "reduce_mean",
            "reduce_max",
            "reduce_min",
            "reduce_prod",
            "reduce_all",
            "reduce_any",
            "reduce_logsumexp",
            "reduce_std",
            "reduce_variance",
        )
        for prefix in ("", "math.")
    )
    + " tf.norm tf.linalg.norm",
    "input_tensor=None *rest",
)
def reduce(op: Op, input_tensor: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, op.extra.get("tensor", input_tensor))
    if source is None:
        return unknown_tensor(op, "tf")
    position = 1 if op.short == "norm" else 0
    axes = next(
        (op.extra[k] for k in ("axis", "reduction_indices", "axes") if k in op.extra),
        rest[position] if len(rest) > position else None,
    )
    keep = next(
        (op.extra[k] for k in ("keepdims", "keep_dims") if k in op.extra),
        rest[position + 1] if len(rest) > position + 1 else False,
    )
    dims = () if axes is None and not keep else reduced_dims(op, source, axes, keep)
    return like(op, source, dims, "bool" if op.short in ("reduce_all", "reduce_any") else source.dtype)


@operator(
    "tf.argmax tf.argmin tf.math.argmax tf.math.argmin tf.arg_max", "input axis=None name=None dimension=None *rest"
)
def argmax(op: Op, input: Value, axis: Value, name: Value, dimension: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, input)
    axis = axis if axis is not None else dimension if dimension is not None else 0
    if source is None:
        return unknown_tensor(op, "tf")
    advise_argmax(op, source, axis)
    return like(op, source, reduced_dims(op, source, axis, False), "int64", tags=frozenset(("classes",)))


@operator("tf.nn.top_k tf.math.top_k", "input k=1 *rest")
def top_k(op: Op, input: Value, k: Value, rest: tuple[Value, ...]) -> Value:
    source, count = tensor(op, input), op.tr.term_of(k)
    if source is None or not source.dims or count is None:
        return op.tr.unknown("top_k()", "data")
    dims = (*source.dims[:-1], count)
    return like(op, source, dims, source.dtype), like(op, source, dims, "int32")


@operator("tf.nn.in_top_k tf.math.in_top_k", "predictions targets k *rest")
def in_top_k(op: Op, predictions: Value, targets: Value, k: Value, rest: tuple[Value, ...]) -> Value:
    a, b = tensor(op, predictions), tensor(op, targets)
    if a is None or b is None or a.dims is None or b.dims is None:
        return unknown_tensor(op, "tf", tuple(t for t in (a, b) if t is not None))
    if len(a.dims) != 2 or len(b.dims) != 1:
        fail(
            op,
            "rank",
            f"predictions {show_shape(a.dims)} must have 2 dimensions and targets {show_shape(b.dims)} 1",
            (a, b),
        )
    require(
        op,
        equal(a.dims[0], b.dims[0]),
        "size",
        f"{show_shape(a.dims)} predictions for {show_shape(b.dims)} targets",
        (a, b),
    )
    return Tensor(b.dims, "bool", "tf", site=op.where, sources=(a, b), graph=a.graph or b.graph)


# ----------------------------------------------------------------------------------------------- neural nets


@operator(
    "tf.nn.conv2d tf.nn.depthwise_conv2d tf.nn.conv3d tf.nn.depthwise_conv2d_native",
    "input filter=None strides=1 padding='VALID' *rest",
)
def conv(op: Op, input: Value, filter: Value, strides: Value, padding: Value, rest: tuple[Value, ...]) -> Value:
    source, weight = tensor(op, input), tensor(op, op.extra.get("filters", filter))
    if source is None or weight is None or source.dims is None or weight.dims is None:
        return unknown_tensor(op, "tf", tuple(t for t in (source, weight) if t is not None))
    spatial = 3 if op.short == "conv3d" else 2
    given = plain(op.tr, strides)
    if dropped(given) or not isinstance(padding, str):
        return unknown_tensor(
            op,
            "tf",
            (source, weight),
            (source.dims[0], *(op.tr.fresh("size", "unknown", 0) for _ in range(spatial)), weight.dims[-1])
            if op.short == "conv2d"
            else None,
        )
    if isinstance(given, int):
        given = (1, *(given,) * spatial, 1)
    elif len(given) == spatial:
        given = (1, *given, 1)
    form = op.extra.get("data_format", "NDHWC" if spatial == 3 else "NHWC")
    if not isinstance(form, str):
        return unknown_tensor(op, "tf", (source, weight))
    name = {"conv2d": "Conv2D", "conv3d": "Conv3D"}.get(op.short, "DepthwiseConv2dNative")
    loose = [
        Tensor(t.shape, None, "tf", site=t.site, name=t.name, sources=(t,), graph=t.graph) for t in (source, weight)
    ]
    return apply(op, "tf", name, loose, {"strides": given, "padding": padding.upper(), "data_format": form})


@operator("tf.nn.conv1d", "value filters=None stride=1 padding='VALID' *rest")
def conv1d(op: Op, value: Value, filters: Value, stride: Value, padding: Value, rest: tuple[Value, ...]) -> Value:
    source, weight = tensor(op, op.extra.get("input", value)), tensor(op, filters)
    if source is None or weight is None or source.dims is None or weight.dims is None:
        return unknown_tensor(op, "tf")
    if len(source.dims) != 3 or len(weight.dims) != 3:
        fail(
            op,
            "rank",
            f"the input {show_shape(source.dims)} and the filter {show_shape(weight.dims)} must have 3 dimensions",
            (source, weight),
        )
    require(
        op,
        equal(source.dims[2], weight.dims[1]),
        "channels",
        f"the input has {source.dims[2]} channels but the filter takes {weight.dims[1]}",
        (source, weight),
    )
    step = stride if isinstance(stride, int) else 1
    from analyzer.validity.terms import ceil_div, floor_div

    length = (
        ceil_div(source.dims[1], step) if padding == "SAME" else floor_div(source.dims[1] - weight.dims[0], step) + 1
    )
    return Tensor(
        (source.dims[0], length, weight.dims[2]),
        source.dtype,
        "tf",
        site=op.where,
        sources=(source, weight),
        graph=source.graph,
    )


@operator("tf.nn.conv2d_transpose", "value filter=None output_shape=None strides=None padding='SAME' *rest")
def conv_transpose(
    op: Op, value: Value, filter: Value, output_shape: Value, strides: Value, padding: Value, rest: tuple[Value, ...]
) -> Value:
    source, weight = tensor(op, op.extra.get("input", value)), tensor(op, op.extra.get("filters", filter))
    dims = shape_value(op, output_shape) if output_shape is not None else None
    if (
        source is not None
        and weight is not None
        and source.dims is not None
        and weight.dims is not None
        and len(source.dims) == 4
        and len(weight.dims) == 4
    ):
        require(
            op,
            equal(source.dims[3], weight.dims[3]),
            "channels",
            f"the input has {source.dims[3]} channels but the filter {show_shape(weight.dims)} takes {weight.dims[3]}",
            (source, weight),
        )
        if dims is not None and len(dims) == 4:
            require(
                op,
                equal(dims[3], weight.dims[2]),
                "channels",
                f"output_shape has {dims[3]} channels but the filter {show_shape(weight.dims)} gives {weight.dims[2]}",
                (source, weight),
            )
    return Tensor(
        dims,
        None,
        "tf",
        site=op.where,
        sources=tuple(t for t in (source, weight) if t is not None),
        graph=bool(source and source.graph),
    )


@operator(
    "tf.nn.max_pool tf.nn.avg_pool tf.nn.max_pool2d tf.nn.avg_pool2d",
    "value=None ksize=None strides=None padding='VALID' *rest",
)
def pool(op: Op, value: Value, ksize: Value, strides: Value, padding: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, op.extra.get("input", value))
    window, step = plain(op.tr, ksize), plain(op.tr, strides)
    if source is None or source.dims is None or dropped(window) or dropped(step) or not isinstance(padding, str):
        return like(op, source, None) if source is not None else unknown_tensor(op, "tf")
    if len(source.dims) != 4:
        fail(op, "rank", f"the input must have 4 dimensions and has the shape {show_shape(source.dims)}", (source,))

    def full(v: Any) -> Any:
        return (1, v, v, 1) if isinstance(v, int) else (1, *v, 1) if len(v) == 2 else v

    form = op.extra.get("data_format", "NHWC")
    if not isinstance(form, str) or window is None or step is None:
        return like(op, source, None)
    return apply(
        op,
        "tf",
        "MaxPool" if "max" in op.short else "AvgPool",
        (source,),
        {"ksize": full(window), "strides": full(step), "padding": padding.upper(), "data_format": form},
    )


@operator("tf.nn.moments", "x axes *rest")
def moments(op: Op, x: Value, axes: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, x)
    if source is None:
        return op.tr.unknown("moments()", "data")
    keep = op.extra.get("keepdims", op.extra.get("keep_dims", False))
    dims = reduced_dims(op, source, axes, keep)
    return like(op, source, dims, source.dtype), like(op, source, dims, source.dtype)


@operator("tf.nn.batch_normalization tf.nn.fused_batch_norm", "x *rest")
def batch_normalization(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, x)
    if source is None:
        return unknown_tensor(op, "tf")
    result = like(op, source, source.shape, source.dtype)
    return (
        result
        if op.short == "batch_normalization"
        else (result, op.tr.unknown("mean", "data"), op.tr.unknown("variance", "data"))
    )


@operator(
    (
        "tf.image.resize tf.image.resize_images tf.image.resize_bilinear "
        "tf.image.resize_nearest_neighbor tf.image.resize_image_with_crop_or_pad "
        "tf.image.resize_with_crop_or_pad"
    ),
    "images size *rest",
)
def resize(op: Op, images: Value, size: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, images)
    target = (size, rest[0]) if isinstance(size, (int, Poly)) and rest else shape_value(op, size)
    if source is None or source.dims is None or target is None or len(target) != 2 or len(source.dims) not in (3, 4):
        return unknown_tensor(op, "tf", (source,) if source else ())
    dims = (*source.dims[:-3], *target, source.dims[-1]) if all(isinstance(t, (int, Poly)) for t in target) else None
    return like(op, source, dims, "float32")


# ---------------------------------------------------------------------------------------------------- losses


@operator(
    (
        "tf.nn.softmax_cross_entropy_with_logits tf.nn.softmax_cross_entropy_with_logits_v2 "
        "tf.losses.softmax_cross_entropy"
    ),
    "*args",
)
def softmax_cross_entropy(op: Op, args: tuple[Value, ...]) -> Value:
    first = op.short == "softmax_cross_entropy"
    labels = op.extra.get("labels", op.extra.get("onehot_labels", args[0] if args else None))
    logits = op.extra.get("logits", args[1] if len(args) > 1 else None)
    a, b = tensor(op, labels), tensor(op, logits)
    if a is None or b is None or labels is None or logits is None:
        return unknown_tensor(op, "tf", tuple(t for t in (a, b) if t is not None), () if first else None)
    sources = (a, b)
    if a.dims is None or b.dims is None:
        return unknown_tensor(op, "tf", sources, () if first else None)
    sentence = f"logits {show_shape(b.dims)} and labels {show_shape(a.dims)} must have the same shape"
    if len(a.dims) != len(b.dims):
        fail(op, "same-shape", sentence, sources)
    for index, (x, y) in enumerate(zip(a.dims, b.dims, strict=True)):
        same = equal(x, y)
        if index < len(a.dims) - 1 or not first:
            same = any_of(same, equal(x, 1), equal(y, 1)) if not first else same
        require(op, same, "same-shape", sentence, sources)
    graph = a.graph or b.graph
    return Tensor(
        () if first else b.dims[:-1],
        "float32",
        "tf",
        site=op.where,
        sources=sources,
        graph=graph,
        tags=frozenset(("loss",)),
    )


@operator("tf.nn.sparse_softmax_cross_entropy_with_logits tf.losses.sparse_softmax_cross_entropy", "*args")
def sparse_cross_entropy(op: Op, args: tuple[Value, ...]) -> Value:
    scalar = op.name.startswith("tf.losses")
    labels = op.extra.get("labels", args[0] if scalar and args else None)
    logits = op.extra.get("logits", args[1] if scalar and len(args) > 1 else None)
    a, b = tensor(op, labels), tensor(op, logits)
    if a is None or b is None or labels is None or logits is None or a.dims is None or b.dims is None:
        return unknown_tensor(op, "tf", tuple(t for t in (a, b) if t is not None), () if scalar else None)
    if scalar and len(a.dims) == len(b.dims) and a.dims and a.dims[-1] == 1:
        a = Tensor(a.dims[:-1], a.dtype, "tf", site=a.site, name=a.name, sources=(a,), graph=a.graph)
    sources = (a, b)
    x, y = a.dims or (), b.dims
    sentence = f"labels {show_shape(x)} must have one dimension less than logits {show_shape(y)}"
    if len(x) != len(y) - 1:
        fail(op, "class-target", sentence, sources)
    for p, q in zip(x, y[:-1], strict=True):
        require(op, equal(p, q), "class-target", f"labels {show_shape(x)} do not match logits {show_shape(y)}", sources)
    return Tensor(
        () if scalar else x,
        "float32",
        "tf",
        site=op.where,
        sources=sources,
        graph=a.graph or b.graph,
        tags=frozenset(("loss",)),
    )


@operator("tf.nn.sigmoid_cross_entropy_with_logits tf.nn.weighted_cross_entropy_with_logits", "*args")
def sigmoid_cross_entropy(op: Op, args: tuple[Value, ...]) -> Value:
    a, b = tensor(op, op.extra.get("labels", op.extra.get("targets"))), tensor(op, op.extra.get("logits"))
    if a is None or b is None or a.dims is None or b.dims is None:
        return unknown_tensor(op, "tf", tuple(t for t in (a, b) if t is not None))
    sentence = f"logits {show_shape(b.dims)} and labels {show_shape(a.dims)} must have the same shape"
    if len(a.dims) != len(b.dims):
        fail(op, "same-shape", sentence, (a, b))
    for p, q in zip(a.dims, b.dims, strict=True):
        require(op, equal(p, q), "same-shape", sentence, (a, b))
    return Tensor(b.dims, "float32", "tf", site=op.where, sources=(a, b), graph=a.graph or b.graph)


@operator(
    (
        "tf.losses.absolute_difference tf.losses.mean_squared_error tf.losses.huber_loss "
        "tf.losses.log_loss tf.losses.sigmoid_cross_entropy tf.losses.hinge_loss"
    ),
    "labels=None predictions=None *rest",
)
def paired_loss(op: Op, labels: Value, predictions: Value, rest: tuple[Value, ...]) -> Value:
    labels = op.extra.get("multi_class_labels", labels)
    predictions = op.extra.get("logits", predictions)
    a, b = tensor(op, labels), tensor(op, predictions)
    if a is None or b is None or labels is None or predictions is None or a.dims is None or b.dims is None:
        return unknown_tensor(op, "tf", tuple(t for t in (a, b) if t is not None), ())
    sentence = f"labels {show_shape(a.dims)} and predictions {show_shape(b.dims)} must have the same shape"
    if len(a.dims) != len(b.dims):
        fail(op, "same-shape", sentence, (a, b))
    for p, q in zip(a.dims, b.dims, strict=True):
        require(op, equal(p, q), "same-shape", sentence, (a, b))
    return Tensor(
        (), "float32", "tf", site=op.where, sources=(a, b), graph=a.graph or b.graph, tags=frozenset(("loss",))
    )


@operator("tf.nn.l2_loss", "t *rest")
def l2_loss(op: Op, t: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, t)
    return like(op, source, (), source.dtype) if source is not None else unknown_tensor(op, "tf", (), ())


# ------------------------------------------------------------------------------------------ graph and session


@operator("tf.Session tf.InteractiveSession tf.train.MonitoredTrainingSession tf.train.MonitoredSession", "*args")
def session(op: Op, args: tuple[Value, ...]) -> Value:
    return Object("session", site=op.where)


@operator("tf.GradientTape", "*args")
def tape(op: Op, args: tuple[Value, ...]) -> Value:
    return Object("tape", site=op.where)


_OPTIMIZERS = (
    "GradientDescentOptimizer AdamOptimizer AdagradOptimizer RMSPropOptimizer "
    "MomentumOptimizer AdadeltaOptimizer FtrlOptimizer"
)


@operator(
    " ".join(f"tf.train.{n}" for n in _OPTIMIZERS.split())
    + " "
    + " ".join(
        f"keras.optimizers.{n}"
        for n in ["Adam", "SGD", "RMSprop", "Adagrad", "AdamW", "Nadam", "Adadelta", "Adamax", "Ftrl"]
    )
    + " tf.optimizers.Adam tf.optimizers.SGD "
    + " ".join(
        f"torch.optim.{n}" for n in ["Adam", "SGD", "RMSprop", "Adagrad", "AdamW", "Adadelta", "Adamax", "LBFGS"]
    ),
    "*args",
)
def optimizer(op: Op, args: tuple[Value, ...]) -> Value:
    return Object("optimizer", site=op.where)


@operator(
    (
        "tf.global_variables_initializer tf.initialize_all_variables "
        "tf.local_variables_initializer tf.group tf.no_op tf.tables_initializer"
    ),
    "*args",
)
def initializer(op: Op, args: tuple[Value, ...]) -> Value:
    sources = tuple(a for a in args if isinstance(a, Tensor))
    return Tensor((), None, "tf", name="operation", sources=sources, graph=any(s.graph for s in sources))


@operator("tf.assign tf.assign_add tf.assign_sub", "ref value *rest")
def assign(op: Op, ref: Value, value: Value, rest: tuple[Value, ...]) -> Value:
    target, source = tensor(op, ref), tensor(op, value)
    if (
        target is None
        or source is None
        or target.dims is None
        or source.dims is None
        or op.extra.get("validate_shape") is False
    ):
        return unknown_tensor(op, "tf")
    sentence = (
        f"a value of shape {show_shape(source.dims)} cannot be assigned to a variable of shape "
        f"{show_shape(target.dims)}"
    )
    if len(target.dims) != len(source.dims):
        fail(op, "assign", sentence, (target, source))
    for p, q in zip(target.dims, source.dims, strict=True):
        require(op, equal(p, q), "assign", sentence, (target, source))
    return target


@operator(
    "tf.variable_scope tf.name_scope tf.Graph tf.device tf.control_dependencies "
    "tf.get_default_graph tf.ConfigProto tf.get_variable_scope tf.init_scope "
    "tf.random_normal_initializer tf.truncated_normal_initializer tf.constant_initializer "
    "tf.zeros_initializer tf.contrib.layers.xavier_initializer "
    "tf.glorot_uniform_initializer tf.summary.FileWriter tf.train.Saver "
    "tf.contrib.layers.l2_regularizer tf.ones_initializer tf.train.Coordinator "
    "tf.keras.initializers.GlorotUniform tf.random_uniform_initializer tf.initializers.random_normal",
    "*args",
)
def ignored(op: Op, args: tuple[Value, ...]) -> Value:
    return op.tr.unknown(op.short, "data", op.short, "object")


@operator(
    "tf.summary.scalar tf.summary.histogram tf.set_random_seed tf.random.set_seed "
    "tf.add_to_collection tf.disable_v2_behavior tf.disable_eager_execution "
    "tf.enable_eager_execution tf.logging.set_verbosity tf.reset_default_graph tf.logging.info "
    "tf.print tf.scalar_summary tf.enable_v2_behavior "
    "tf.summary.image tf.compat.v1.disable_v2_behavior tf.get_logger tf.debugging.set_log_device_placement",
    "*args",
)
def silent(op: Op, args: tuple[Value, ...]) -> Value:
    return None


@operator("tf.summary.merge_all tf.summary.merge tf.merge_all_summaries", "*args")
def summaries(op: Op, args: tuple[Value, ...]) -> Value:
    return Tensor((), "string", "tf", name="summary")


@operator("tf.function tf.autograph.experimental.do_not_convert tf.custom_gradient", "func=None *rest")
def function(op: Op, func: Value, rest: tuple[Value, ...]) -> Value:
    return func


@operator("tf.cond", "pred true_fn=None false_fn=None *rest")
def cond(op: Op, pred: Value, true_fn: Value, false_fn: Value, rest: tuple[Value, ...]) -> Value:
    from analyzer.tracing.agreement import alike
    from analyzer.tracing.calls import call

    results = [call(op.tr, f, (), {}) for f in (true_fn, false_fn) if f is not None]
    if len(results) == 2 and alike(results[0], results[1]):
        return results[0]
    return unknown_tensor(op, "tf")


@operator("tf.app.run", "main=None *rest")
def app_run(op: Op, main: Value, rest: tuple[Value, ...]) -> Value:
    from analyzer.tracing.calls import call
    from analyzer.tracing.names import lookup

    target = main if main is not None else lookup(op.tr, "main")
    return call(op.tr, target, (op.tr.unknown("arguments", "data"),), {})


# -------------------------------------------------------------------------------------------- tensor methods


@operator("tf.Tensor.set_shape", "input shape")
def set_shape(op: Op, input: Value, shape: Value) -> Value:
    """A promise about the shape: it refines, it does not reshape."""
    source = input
    dims = plain(op.tr, shape)
    if not isinstance(source, Tensor) or dropped(dims) or not isinstance(dims, tuple):
        return None
    if source.dims is None:
        op.tr.set_rank(source, len(dims))
    assert source.dims is not None
    sentence = (
        f"set_shape {show_shape([d if d is not None else 'None' for d in dims])} contradicts "
        f"the shape {show_shape(source.dims)}; it cannot reshape"
    )
    if len(source.dims) != len(dims):
        fail(op, "set-shape", sentence, (source,))
    for have, want in zip(source.dims, dims, strict=True):
        if want is not None and not (isinstance(want, int) and want == -1):
            agrees = equal(have, want)
            if agrees is False:
                fail(op, "set-shape", sentence, (source,))
            op.tr.assume(agrees, "definition", op.where)  # a promise of the programmer
    return None


@operator("tf.ensure_shape", "x shape *rest")
def ensure_shape(op: Op, x: Value, shape: Value, rest: tuple[Value, ...]) -> Value:
    set_shape(op, x, shape)
    return x


@operator("tf.Tensor.assign tf.Tensor.assign_add tf.Tensor.assign_sub", "input value *rest")
def assign_method(op: Op, input: Value, value: Value, rest: tuple[Value, ...]) -> Value:
    return assign(op, input, value, ())


@operator("tf.Tensor.numpy tf.Tensor.read_value tf.Tensor.value tf.Tensor.initialized_value", "input")
def read(op: Op, input: Value) -> Value:
    if not isinstance(input, Tensor):
        return unknown_tensor(op, "tf")
    return Tensor(
        input.shape,
        input.dtype,
        "numpy" if op.short == "numpy" else "tf",
        site=op.where,
        value=input.value,
        sources=(input,),
        graph=input.graph,
    )


# ------------------------------------------------------------------------------------------- TF1 layer functions


@operator("tf.layers.dense tf.contrib.layers.fully_connected tf.contrib.slim.fully_connected", "inputs units *rest")
def dense(op: Op, inputs: Value, units: Value, rest: tuple[Value, ...]) -> Value:
    result = apply(op, "keras", "Dense", (tensor(op, inputs),), {"units": op.extra.get("num_outputs", units)})
    if isinstance(result, Tensor):
        result.framework = "tf"
    return result


@operator(
    "tf.layers.conv2d tf.layers.conv1d tf.layers.conv3d",
    "inputs filters kernel_size strides=1 padding='valid' data_format='channels_last' dilation_rate=1 *rest",
)
def layer_conv(
    op: Op,
    inputs: Value,
    filters: Value,
    kernel_size: Value,
    strides: Value,
    padding: Value,
    data_format: Value,
    dilation_rate: Value,
    rest: tuple[Value, ...],
) -> Value:
    source = tensor(op, inputs)
    return _layer(op, {"conv1d": "Conv1D", "conv2d": "Conv2D", "conv3d": "Conv3D"}[op.short], source, {
        "filters": filters, "kernel_size": kernel_size, "strides": strides,
        "padding": padding.lower() if isinstance(padding, str) else padding,
        "data_format": data_format, "dilation_rate": dilation_rate,
    })  # fmt: skip


@operator(
    "tf.layers.conv2d_transpose",
    "inputs filters kernel_size strides=1 padding='valid' data_format='channels_last' *rest",
)
def layer_conv_transpose(
    op: Op,
    inputs: Value,
    filters: Value,
    kernel_size: Value,
    strides: Value,
    padding: Value,
    data_format: Value,
    rest: tuple[Value, ...],
) -> Value:
    return _layer(op, "Conv2DTranspose", tensor(op, inputs), {
        "filters": filters, "kernel_size": kernel_size, "strides": strides,
        "padding": padding.lower() if isinstance(padding, str) else padding, "data_format": data_format,
    })  # fmt: skip


@operator(
    "tf.layers.max_pooling2d tf.layers.average_pooling2d tf.layers.max_pooling1d tf.layers.average_pooling1d",
    "inputs pool_size strides padding='valid' data_format='channels_last' *rest",
)
def layer_pool(
    op: Op, inputs: Value, pool_size: Value, strides: Value, padding: Value, data_format: Value, rest: tuple[Value, ...]
) -> Value:
    kind = ("MaxPooling" if "max" in op.short else "AveragePooling") + ("2D" if op.short.endswith("2d") else "1D")
    return _layer(
        op,
        kind,
        tensor(op, inputs),
        {
            "pool_size": pool_size,
            "strides": strides,
            "padding": padding.lower() if isinstance(padding, str) else padding,
            "data_format": data_format,
        },
    )


def _layer(op: Op, kind: str, source: Tensor | None, hyper: dict[str, Value]) -> Value:
    result = apply(op, "keras", kind, (source,), hyper)
    if isinstance(result, Tensor):
        result.framework = "tf"
    return result


@operator(
    "tf.contrib.layers.conv2d tf.contrib.slim.conv2d tf.contrib.slim.max_pool2d",
    "inputs num_outputs kernel_size=2 stride=1 padding='SAME' *rest",
)
def slim_conv(
    op: Op,
    inputs: Value,
    num_outputs: Value,
    kernel_size: Value,
    stride: Value,
    padding: Value,
    rest: tuple[Value, ...],
) -> Value:
    if "arg_scope" in op.extra or op.short == "max_pool2d":
        return unknown_tensor(op, "tf")
    return _layer(
        op,
        "Conv2D",
        tensor(op, inputs),
        {
            "filters": num_outputs,
            "kernel_size": kernel_size,
            "strides": stride,
            "padding": padding.lower() if isinstance(padding, str) else padding,
        },
    )


# -------------------------------------------------------------------------------------------------- TF1 cells


@operator(
    " ".join(
        f"tf.{home}.{n}"
        for home in ("nn.rnn_cell", "contrib.rnn")
        for n in ("BasicLSTMCell", "LSTMCell", "GRUCell", "BasicRNNCell", "LayerNormBasicLSTMCell")
    ),
    "num_units *rest",
)
def rnn_cell(op: Op, num_units: Value, rest: tuple[Value, ...]) -> Value:
    return Object("cell", data={"units": num_units, "lstm": "LSTM" in op.short}, site=op.where)


@operator("tf.nn.rnn_cell.DropoutWrapper tf.contrib.rnn.DropoutWrapper", "cell *rest")
def wrapped_cell(op: Op, cell: Value, rest: tuple[Value, ...]) -> Value:
    return cell


@operator("tf.nn.rnn_cell.MultiRNNCell tf.contrib.rnn.MultiRNNCell", "cells *rest")
def stacked_cells(op: Op, cells: Value, rest: tuple[Value, ...]) -> Value:
    last = cells.items[-1] if isinstance(cells, ListV) and cells.items else None
    units = last.data.get("units") if isinstance(last, Object) and last.kind == "cell" else None
    return Object("cell", data={"units": units, "stack": True}, site=op.where)


@operator("tf.nn.dynamic_rnn", "cell inputs *rest")
def dynamic_rnn(op: Op, cell: Value, inputs: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, inputs)
    units = (
        op.tr.term_of(cell.data["units"])
        if isinstance(cell, Object) and cell.kind == "cell" and cell.data.get("units") is not None
        else None
    )
    if source is not None and source.dims is not None:
        if len(source.dims) < 3:
            fail(
                op,
                "rank",
                (
                    "the inputs must have 3 dimensions (batch, time, features) and have the shape "
                    f"{show_shape(source.dims)}"
                ),
                (source,),
            )
        if units is not None:
            out = like(op, source, (*source.dims[:2], units), source.dtype)
            batch = source.dims[1 if op.extra.get("time_major") is True else 0]
            return out, _state(op, cell, source, batch, units)
    return unknown_tensor(op, "tf", (source,) if source else ()), op.tr.unknown("a state", "data", "state")


def _state(op: Op, cell: Any, source: Tensor, batch: Any, units: Any) -> Value:
    if cell.data.get("stack"):
        return op.tr.unknown("states", "data", "state")
    if cell.data.get("lstm"):
        c, h = like(op, source, (batch, units)), like(op, source, (batch, units))
        return Object("state", {"c": c, "h": h}, {"parts": [c, h]})
    return like(op, source, (batch, units))
