"""keras.backend: functions of TensorFlow under other names, and some of its own."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.evaluation import call, seen
from analyzer.tracing.language.tensors import Size, Tensor, show_shape
from analyzer.tracing.language.values import Bound, Function, Native, Partial, Unknown, Value
from analyzer.tracing.operators import shape_of
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.element_types import asked_type, default_float
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.operands import as_numpy, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator, rules, run_entry
from analyzer.tracing.operators.tf_operands import like, tensor
from analyzer.validity.terms import equal, product

_AS_TF = {
    "mean": "reduce_mean", "sum": "reduce_sum", "max": "reduce_max", "min": "reduce_min", "prod": "reduce_prod",
    "std": "reduce_std", "var": "reduce_variance", "any": "reduce_any", "all": "reduce_all", "argmax": "argmax",
    "argmin": "argmin", "logsumexp": "reduce_logsumexp", "cumsum": "cumsum", "cumprod": "cumprod",
    "reshape": "reshape", "expand_dims": "expand_dims", "squeeze": "squeeze", "shape": "shape", "stack": "stack",
    "concatenate": "concat", "permute_dimensions": "transpose", "transpose": "transpose", "tile": "tile",
    "reverse": "reverse", "gather": "gather", "one_hot": "one_hot", "cast": "cast", "arange": "range", "eye": "eye",
    "zeros": "zeros", "ones": "ones", "random_normal": "random.normal", "random_uniform": "random.uniform",
    "truncated_normal": "random.truncated_normal", "constant": "constant", "zeros_like": "zeros_like",
    "ones_like": "ones_like", "maximum": "maximum", "minimum": "minimum", "equal": "equal", "not_equal": "not_equal",
    "greater": "greater", "greater_equal": "greater_equal", "less": "less", "less_equal": "less_equal", "pow": "pow",
    "stop_gradient": "stop_gradient", "identity": "identity", "map_fn": "map_fn", "foldl": "foldl", "foldr": "foldr",
}  # fmt: skip
_AXIS = {"expand_dims": -1, "concatenate": -1, "argmax": -1, "argmin": -1}  # where none is given
_NAMED = {("transpose", "pattern"): "perm", ("tile", "n"): "multiples", ("reverse", "axes"): "axis",
          ("concat", "tensors"): "values", ("gather", "reference"): "params", ("range", "stop"): "limit",
          ("range", "step"): "delta", ("one_hot", "num_classes"): "depth", ("eye", "size"): "num_rows",
          ("pow", "a"): "y"}  # fmt: skip


@operator(" ".join(f"keras.backend.{name}" for name in _AS_TF), "*args")
def of_tensorflow(op: Op, args: tuple[Value, ...]) -> Value:
    target = _AS_TF[op.short]
    entry = rules()[f"tf.{target}"]
    first = entry.parameters[0].name if entry.parameters else "x"
    if op.short in _AXIS and len(args) < 2:
        op.extra.setdefault("axis", _AXIS[op.short])
    named = {_NAMED.get((target, k), first if k == "x" else k): v for k, v in op.extra.items()}
    return run_entry(op.tr, entry, f"tf.{target}", args, named, op.node)


_UNARY = """relu elu sigmoid hard_sigmoid softmax softplus softsign tanh exp log square sqrt abs sign round sin cos clip
    dropout l2_normalize update cast_to_floatx"""


@operator(" ".join(f"keras.backend.{name}" for name in _UNARY.split()), "x *rest")
def same_shape(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, x)
    return like(op, source, source.shape, source.dtype) if source is not None else unknown_tensor(op, "tf")


@operator("keras.backend.variable", "value dtype=None name=None constraint=None")
def variable(op: Op, value: Value, dtype: Value, name: Value, constraint: Value) -> Value:
    source = tensor(op, value)
    kind = asked_type(dtype, default_float(op.tr))
    return unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, kind)


@operator("keras.backend.get_value keras.backend.eval", "x")
def as_array(op: Op, x: Value) -> Value:
    source = tensor(op, x)
    return unknown_tensor(op, "numpy") if source is None else as_numpy(source, op.where)


@operator("keras.backend.bias_add", "x bias data_format=None")
def bias_add(op: Op, x: Value, bias: Value, data_format: Value) -> Value:
    """A bias of one axis is for the channels; another has all axes of an example."""
    source, added = tensor(op, x), tensor(op, bias)
    if source is None or added is None or source.dims is None or added.dims is None:
        return same_shape(op, x, ())
    asked = image_data_format(op) if data_format is None else data_format
    rank, axes = len(source.dims), len(added.dims)
    if axes not in (1, rank - 1):
        told = f"the bias has the shape {show_shape(added.dims)} and must have 1 or {rank - 1} axes"
        fail(op, "rank", told, (source, added))
    if axes == 1 and asked in ("channels_last", "channels_first"):
        form = "NHWC" if asked == "channels_last" else "NCHW"
        return apply(op, "tf", "BiasAdd", (source, added), {"data_format": form})
    if axes > 1 and asked == "channels_last":
        return broadcast(op, "+", source, added, "tf")
    return same_shape(op, x, ())


@operator("keras.backend.int_shape", "x")
def int_shape(op: Op, x: Value) -> Value:
    """A tuple: sizes that are known are numbers."""
    source = tensor(op, x)
    return Size(source.dims) if source is not None and source.dims is not None else shape_of(op.tr, x)


@operator("keras.backend.ndim", "x")
def ndim(op: Op, x: Value) -> Value:
    source = tensor(op, x)
    return op.tr.unknown("a rank", "data", pytype="int") if source is None else op.tr.rank_of(source)


@operator("keras.backend.image_data_format keras.config.image_data_format", "")
def image_data_format(op: Op) -> Value:
    """The default, where the program sets no other."""
    return stated_format(op, None)


def stated_format(op: Op, data_format: Value) -> Value:
    """The format that a call states, or what the program has set for all."""
    return seen(op.tr.machine.get("image_data_format", "channels_last")) if data_format is None else data_format


@operator("keras.backend.set_image_data_format keras.config.set_image_data_format", "data_format")
def set_image_data_format(op: Op, data_format: Value) -> Value:
    """From here on layers and functions that state no format have this one."""
    known = data_format in ("channels_first", "channels_last") if isinstance(data_format, str) else False
    setting = Unknown("a setting", "foreign", "image_data_format", "str")
    setting.value = (data_format,) if known else None
    op.tr.machine["image_data_format"] = setting
    return None


@operator("keras.backend.dot", "x y")
def dot(op: Op, x: Value, y: Value) -> Value:
    """Over the last axis of the first and the last but one of the second, whatever axes there are besides."""
    left, right = tensor(op, x), tensor(op, y)
    if left is None or right is None or left.dims is None or right.dims is None:
        return unknown_tensor(op, "tf")
    if len(left.dims) < 2 or len(right.dims) < 2:
        return unknown_tensor(op, "tf")
    told = f"the last axis of {show_shape(left.dims)} and the last but one of {show_shape(right.dims)} differ"
    require(op, equal(left.dims[-1], right.dims[-2]), "inner-size", told, (left, right))
    graph = left.graph or right.graph
    dims = (*left.dims[:-1], *right.dims[:-2], right.dims[-1])
    return Tensor(dims, left.dtype, "tf", site=op.where, sources=(left, right), graph=graph)


@operator("keras.backend.batch_dot", "x y axes=None")
def batch_dot(op: Op, x: Value, y: Value, axes: Value) -> Value:
    """Of each example its own product, over an axis of each."""
    left, right = tensor(op, x), tensor(op, y)
    if left is None or right is None or left.dims is None or right.dims is None:
        return unknown_tensor(op, "tf")
    told = f"the tensors are {show_shape(left.dims)} and {show_shape(right.dims)}"
    a, b = len(left.dims), len(right.dims)
    if a < 2 or b < 2:
        fail(op, "rank", f"{told}: each needs a batch and another axis", (left, right))
    given = plain(op.tr, axes)
    pair = (a - 1, b - 1 if b == 2 else b - 2) if given is None else (given, given) if isinstance(given, int) else given
    if not (isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(n, int) for n in pair)):
        return unknown_tensor(op, "tf")
    first, second = pair[0] % a if -a <= pair[0] < a else 0, pair[1] % b if -b <= pair[1] < b else 0
    if first == 0 or second == 0:
        return unknown_tensor(op, "tf")
    require(op, equal(left.dims[0], right.dims[0]), "batch", f"{told}: their batches differ", (left, right))
    sentence = f"{told}: axis {first} of the first and axis {second} of the second differ"
    require(op, equal(left.dims[first], right.dims[second]), "inner-size", sentence, (left, right))
    dims = (
        *(n for i, n in enumerate(left.dims) if i != first),
        *(n for i, n in enumerate(right.dims) if i not in (0, second)),
    )
    graph = left.graph or right.graph
    return Tensor(
        dims if len(dims) > 1 else (*dims, 1), left.dtype, "tf", site=op.where, sources=(left, right), graph=graph
    )


@operator("keras.backend.batch_flatten keras.backend.flatten", "x")
def flatten(op: Op, x: Value) -> Value:
    source = tensor(op, x)
    if source is None or not source.dims:
        return unknown_tensor(op, "tf")
    kept = source.dims[:1] if op.short == "batch_flatten" else ()
    return like(op, source, (*kept, product(source.dims[len(kept) :])), source.dtype)


@operator("keras.backend.repeat", "x n")
def repeat(op: Op, x: Value, n: Value) -> Value:
    """Each row of a table so many times, along a new axis."""
    source, count = tensor(op, x), op.tr.term_of(n)
    if source is None or source.dims is None or count is None:
        return unknown_tensor(op, "tf")
    if len(source.dims) != 2:
        fail(op, "rank", f"a table is repeated, not {show_shape(source.dims)}", (source,))
    return like(op, source, (source.dims[0], count, source.dims[1]), source.dtype)


@operator("keras.backend.repeat_elements", "x rep axis")
def repeat_elements(op: Op, x: Value, rep: Value, axis: Value) -> Value:
    source, count = tensor(op, x), op.tr.term_of(rep)
    if source is None or source.dims is None or count is None or not isinstance(axis, int):
        return unknown_tensor(op, "tf")
    if not -len(source.dims) <= axis < len(source.dims):
        return unknown_tensor(op, "tf")
    at = axis % len(source.dims)
    return like(op, source, (*source.dims[:at], source.dims[at] * count, *source.dims[at + 1 :]), source.dtype)


@operator("keras.backend.resize_images", "x height_factor width_factor data_format *rest")
def resize_images(
    op: Op, x: Value, height_factor: Value, width_factor: Value, data_format: Value, rest: tuple[Value, ...]
) -> Value:
    source, factors = tensor(op, x), (op.tr.term_of(height_factor), op.tr.term_of(width_factor))
    if source is None or source.dims is None or None in factors or len(source.dims) != 4:
        return unknown_tensor(op, "tf")
    first = {"channels_first": 2, "channels_last": 1}.get(_named(data_format))
    if first is None:
        return unknown_tensor(op, "tf")
    dims: list[Any] = list(source.dims)
    for place, factor in enumerate(factors, first):
        dims[place] = dims[place] * factor
    return like(op, source, dims, source.dtype)


def _named(data_format: Value) -> str:
    return data_format if isinstance(data_format, str) else ""


@operator(
    "keras.backend.spatial_3d_padding keras.backend.spatial_2d_padding keras.backend.temporal_padding",
    "x padding=None data_format=None",
)
def padding(op: Op, x: Value, padding: Value, data_format: Value) -> Value:
    """Rows of zeros around the axes between the batch and the channels."""
    source, flat = tensor(op, x), op.short.startswith("temporal")
    given = plain(op.tr, padding)
    given = ((1, 1) if flat else ((1, 1),) * int(op.short[8])) if padding is None else given  # spatial_2d: of two axes
    pairs = (given,) if flat else given
    known = isinstance(pairs, tuple) and all(isinstance(p, tuple) and len(p) == 2 for p in pairs)
    if source is None or source.dims is None or not known or len(pairs) != len(source.dims) - 2:
        return unknown_tensor(op, "tf")
    if data_format not in (None, "channels_last"):
        return unknown_tensor(op, "tf")
    dims: list[Any] = list(source.dims)
    for place, (before, after) in enumerate(pairs, 1):
        dims[place] = dims[place] + before + after
    return like(op, source, dims, source.dtype)


@operator("keras.backend.switch", "condition then_expression else_expression")
def switch(op: Op, condition: Value, then_expression: Value, else_expression: Value) -> Value:
    sides = [
        call(op.tr, v, (), {}) if isinstance(v, (Function, Bound, Partial, Native)) else v
        for v in (then_expression, else_expression)
    ]
    found = [tensor(op, v) for v in sides]
    first, second = found
    if first is None or second is None or first.dims is None or first.dims != second.dims:
        return unknown_tensor(op, "tf")
    return like(op, first, first.dims, first.dtype)
