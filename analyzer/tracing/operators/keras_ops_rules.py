"""``keras.ops``: shapes as Keras 3 computes them (``keras.ops.*.compute_output_spec``)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from analyzer.tracing.operators.element_types import dtype_name
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator, rules, run_entry
from analyzer.tracing.operators.tf_math_rules import need_axis
from analyzer.tracing.operators.tf_operands import like, shape_value, tensor, tensors_of
from analyzer.tracing.operators.torch_operands import reduced_dims
from analyzer.tracing.operators.torch_reduction_rules import advise_argmax, advise_softmax
from analyzer.tracing.tensors import Tensor, show_shape
from analyzer.tracing.values import ListV, Unknown, Value
from analyzer.validity.terms import equal, floor_div, mod, product


def _names(words: str) -> str:
    return " ".join(f"keras.ops.{word}" for word in words.split())


# ---------------------------------------------------------------------------------------------- elementwise

_TRUTH = "isfinite isinf isnan isneginf isposinf isreal logical_not signbit"


@operator(
    _names(
        "abs absolute negative sign round floor ceil trunc fabs conj conjugate real imag nan_to_num stop_gradient copy "
        "arccos arccosh arcsin arcsinh arctan arctanh cos cosh sin sinh tan tanh erf erfc erfinv exp exp2 expm1 log "
        "log10 log1p log2 sqrt rsqrt square reciprocal sigmoid sinc cbrt deg2rad rad2deg angle bitwise_not "
        "relu relu6 elu selu celu gelu silu swish softplus softsign hard_sigmoid hard_silu hard_swish hard_tanh "
        "bitwise_invert "
        "log_sigmoid leaky_relu hard_shrink soft_shrink tanh_shrink squareplus sparse_plus sparse_sigmoid threshold "
        "clip sparsemax tril triu flip fliplr flipud roll sort layer_normalization rms_normalization normalize "
        + _TRUTH
    ),
    "x *rest",
)
def same_shape(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, x)
    if source is None:
        return unknown_tensor(op, "tf")
    return like(op, source, source.shape, "bool" if op.short in _TRUTH.split() else source.dtype, tags=source.tags)


@operator(_names("softmax log_softmax"), "x axis=-1")
def softmax(op: Op, x: Value, axis: Value) -> Value:
    source = tensor(op, x)
    if source is None:
        return unknown_tensor(op, "tf")
    for one in axis.items if isinstance(axis, ListV) else axis if isinstance(axis, tuple) else (axis,):
        need_axis(op, source, one)
    if op.short == "softmax":
        advise_softmax(op, source, axis)
    more = {"probabilities"} if op.short == "softmax" else frozenset[str]()
    return like(op, source, source.shape, source.dtype, tags=source.tags | more)


@operator(_names("cast saturate_cast"), "x dtype")
def cast(op: Op, x: Value, dtype: Value) -> Value:
    source = tensor(op, x)
    return unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, dtype_name(dtype))


@operator(_names("convert_to_tensor array"), "x dtype=None *rest")
def convert(op: Op, x: Value, dtype: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, x)
    if source is None:
        return unknown_tensor(op, "tf")
    return like(op, source, source.shape, dtype_name(dtype) or source.dtype, value=source.value, tags=source.tags)


@operator(_names("zeros_like ones_like empty_like full_like"), "x *rest")
def filled_like(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, x)
    stated = dtype_name(op.extra.get("dtype"))
    return unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, stated or source.dtype)


_SIGNS = {
    "subtract": "-", "divide": "/", "true_divide": "/", "divide_no_nan": "/", "floor_divide": "//",
    "mod": "%", "fmod": "%",
    "power": "**", "maximum": "maximum", "minimum": "minimum", "fmax": "maximum", "fmin": "minimum", "arctan2": "/",
    "hypot": "+", "logaddexp": "+", "logaddexp2": "+", "heaviside": "+", "nextafter": "+", "equal": "==",
    "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "logical_and": "&",
    "logical_or": "|", "logical_xor": "|", "isclose": "==",
}  # fmt: skip
_COMPARING = ("==", "!=", "<", "<=", ">", ">=", "&", "|")


@operator(_names(" ".join(_SIGNS)), "x1 x2 *rest")
def arithmetic(op: Op, x1: Value, x2: Value, rest: tuple[Value, ...]) -> Value:
    sign = _SIGNS[op.short]
    return broadcast(op, sign, x1, x2, "tf", "bool" if sign in _COMPARING else "")


@operator(_names("where select"), "condition x1=None x2=None")
def where(op: Op, condition: Value, x1: Value, x2: Value) -> Value:
    if x1 is None or x2 is None or op.short == "select":
        return unknown_tensor(op, "tf")
    chosen = broadcast(op, "+", x1, x2, "tf")
    return broadcast(op, "+", _untyped(op, condition), chosen, "tf")


def _untyped(op: Op, value: Value) -> Value:
    found = tensor(op, value)
    return value if found is None else like(op, found, found.shape)


# ------------------------------------------------------------------------------------------------ reductions

_REDUCING = (
    "all any amax amin min max sum mean prod std var logsumexp nansum nanmean nanmax nanmin nanprod nanstd nanvar "
    "count_nonzero median nanmedian ptp"
)


@operator(_names(_REDUCING), "x axis=None keepdims=False *rest")
def reduce(op: Op, x: Value, axis: Value, keepdims: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, x)
    if source is None:
        return unknown_tensor(op, "tf")
    keepdims = op.extra.get("keepdims", keepdims)
    dims = () if axis is None and keepdims is False else reduced_dims(op, source, axis, keepdims)
    return like(op, source, dims, "bool" if op.short in ("all", "any") else source.dtype)


@operator(_names("argmax argmin nanargmax nanargmin"), "x axis=None keepdims=False")
def arg_reduce(op: Op, x: Value, axis: Value, keepdims: Value) -> Value:
    source = tensor(op, x)
    if source is None:
        return unknown_tensor(op, "tf")
    if axis is not None:
        advise_argmax(op, source, axis)
    dims = () if axis is None and keepdims is False else reduced_dims(op, source, axis, keepdims)
    return like(op, source, dims, "int32", tags=frozenset(("classes",)))


@operator(_names("norm"), "x ord=None axis=None keepdims=False")
def norm(op: Op, x: Value, ord: Value, axis: Value, keepdims: Value) -> Value:
    source = tensor(op, x)
    if source is None:
        return unknown_tensor(op, "tf")
    dims = () if axis is None and keepdims is False else reduced_dims(op, source, axis, keepdims)
    return like(op, source, dims, source.dtype)


@operator(_names("moments"), "x axes keepdims=False *rest")
def moments(op: Op, x: Value, axes: Value, keepdims: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, x)
    if source is None:
        return unknown_tensor(op, "tf"), unknown_tensor(op, "tf")
    dims = reduced_dims(op, source, axes, keepdims)
    return like(op, source, dims, source.dtype), like(op, source, dims, source.dtype)


@operator(_names("cumsum cumprod nancumsum nancumprod argsort"), "x axis=None *rest")
def along(op: Op, x: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    """Without an axis a sum runs over the flat tensor; a sort takes the last one where nothing is said."""
    source = tensor(op, x)
    if source is None:
        return unknown_tensor(op, "tf")
    said = axis is not None or "axis" in op.extra or op.short == "argsort"
    dims = source.dims if said or source.dims is None else (product(source.dims),)
    need_axis(op, source, axis)
    return like(op, source, dims, "int32" if op.short == "argsort" else source.dtype)


@operator(_names("top_k"), "x k sorted=True")
def top_k(op: Op, x: Value, k: Value, sorted: Value) -> Value:
    source, count = tensor(op, x), op.tr.term_of(k)
    if source is None or not source.dims or count is None:
        return op.tr.unknown("top_k()", "data")
    dims = (*source.dims[:-1], count)
    return like(op, source, dims, source.dtype), like(op, source, dims, "int32")


# ------------------------------------------------------------------------------------------ places and pieces


@operator(_names("take"), "x indices axis=None")
def take(op: Op, x: Value, indices: Value, axis: Value) -> Value:
    source, places = tensor(op, x), tensor(op, indices)
    if source is None or places is None or source.dims is None or places.dims is None or isinstance(axis, Unknown):
        return unknown_tensor(op, "tf", tuple(t for t in (source, places) if t is not None))
    if axis is None:
        return _of_both(op, source, places, places.dims)
    if not isinstance(axis, int):
        return unknown_tensor(op, "tf", (source, places))
    need_axis(op, source, axis)
    position = axis % max(len(source.dims), 1)
    return _of_both(op, source, places, (*source.dims[:position], *places.dims, *source.dims[position + 1 :]))


@operator(_names("take_along_axis"), "x indices axis=None")
def take_along_axis(op: Op, x: Value, indices: Value, axis: Value) -> Value:
    """Both are broadcast, but along the axis, which has the places' size."""
    source, places = tensor(op, x), tensor(op, indices)
    if source is None or places is None or source.dims is None or places.dims is None:
        return unknown_tensor(op, "tf", tuple(t for t in (source, places) if t is not None))
    if axis is None:
        return _of_both(op, source, places, (product(places.dims),))
    if not isinstance(axis, int):
        return unknown_tensor(op, "tf", (source, places))
    if len(source.dims) != len(places.dims):
        given = f"indices {show_shape(places.dims)} have another rank than {show_shape(source.dims)}"
        fail(op, "rank", given, (source, places))
    need_axis(op, source, axis)
    at = axis % len(source.dims)
    dims = [p if i == at or p != 1 else d for i, (d, p) in enumerate(zip(source.dims, places.dims, strict=True))]
    return _of_both(op, source, places, tuple(dims))


def _of_both(op: Op, source: Tensor, places: Tensor, dims: tuple[Any, ...]) -> Tensor:
    graph = source.graph or places.graph
    return Tensor(dims, source.dtype, "tf", site=op.where, sources=(source, places), graph=graph)


@operator(_names("split array_split"), "x indices_or_sections axis=0")
def split(op: Op, x: Value, indices_or_sections: Value, axis: Value) -> Value:
    source, parts = tensor(op, x), plain(op.tr, indices_or_sections)
    if source is None or not source.dims or not isinstance(axis, int):
        return op.tr.unknown("split()", "data")
    need_axis(op, source, axis)
    size, position = source.dims[axis], axis % len(source.dims)
    lengths = _lengths(op, source, size, parts)
    if lengths is None:
        return op.tr.unknown("split()", "data")
    pieces = [(*source.dims[:position], length, *source.dims[position + 1 :]) for length in lengths]
    return ListV([like(op, source, dims, source.dtype) for dims in pieces])


def _lengths(op: Op, source: Tensor, size: Any, parts: Any) -> list[Any] | None:
    """The sizes of the parts: so many equal ones, or those between places."""
    if isinstance(parts, int) and not isinstance(parts, bool) and 0 < parts <= 512:
        if op.short == "array_split":
            return [(size + parts - 1 - i) // parts for i in range(parts)] if isinstance(size, int) else None
        sentence = f"an axis of {show_shape(source.dims or ())} has size {size}, which {parts} does not divide"
        require(op, equal(mod(size, parts), 0), "split", sentence, (source,))
        return [floor_div(size, parts) for _ in range(parts)]
    if isinstance(parts, tuple) and all(isinstance(p, int) and p >= 0 for p in parts) and isinstance(size, int):
        cuts = [0, *(min(p, size) for p in parts), size]
        return [max(end - start, 0) for start, end in itertools.pairwise(cuts)]
    return None


@operator(_names("unstack"), "x num=None axis=0")
def unstack(op: Op, x: Value, num: Value, axis: Value) -> Value:
    return _as_tensorflow(op, "tf.unstack", x, num, axis)


@operator(_names("tile"), "x repeats")
def tile(op: Op, x: Value, repeats: Value) -> Value:
    """The shorter of sizes and repeats is filled with ones in front, as NumPy does."""
    source, times = tensor(op, x), shape_value(op, repeats)
    if source is None or source.dims is None or times is None:
        return unknown_tensor(op, "tf", (source,) if source else ())
    rank = max(len(times), len(source.dims))
    sizes, times = _filled(source.dims, rank), _filled(times, rank)
    return like(op, source, [d * t for d, t in zip(sizes, times, strict=True)], source.dtype)


def _filled(sizes: Sequence[Any], rank: int) -> tuple[Any, ...]:
    return (*(1 for _ in range(rank - len(sizes))), *sizes)


@operator(_names("repeat"), "x repeats axis=None")
def repeat(op: Op, x: Value, repeats: Value, axis: Value) -> Value:
    source, times = tensor(op, x), op.tr.term_of(repeats)
    if source is None or source.dims is None or times is None or isinstance(axis, Unknown):
        return unknown_tensor(op, "tf", (source,) if source else ())
    if axis is None:
        return like(op, source, (product(source.dims) * times,), source.dtype)
    if not isinstance(axis, int):
        return like(op, source, None, source.dtype)
    need_axis(op, source, axis)
    at = axis % max(len(source.dims), 1)
    return like(op, source, [d * times if i == at else d for i, d in enumerate(source.dims)], source.dtype)


@operator(_names("pad"), "x pad_width *rest")
def pad(op: Op, x: Value, pad_width: Value, rest: tuple[Value, ...]) -> Value:
    """A pair for each axis; what else Keras takes depends on the backend."""
    source, widths = tensor(op, x), plain(op.tr, pad_width)
    if source is None or source.dims is None:
        return unknown_tensor(op, "tf")
    pairs = [w for w in widths if isinstance(w, tuple) and len(w) == 2] if isinstance(widths, tuple) else []
    if not pairs or len(pairs) != len(widths):
        return like(op, source, None, source.dtype)
    if len(pairs) != len(source.dims):
        sentence = f"pad_width has {len(pairs)} entries for a tensor of {len(source.dims)} dimensions"
        fail(op, "paddings", sentence, (source,))
    return like(op, source, [d + a + b for d, (a, b) in zip(source.dims, pairs, strict=True)], source.dtype)


@operator(_names("slice"), "inputs start_indices shape")
def slice_(op: Op, inputs: Value, start_indices: Value, shape: Value) -> Value:
    source, sizes = tensor(op, inputs), shape_value(op, shape)
    return unknown_tensor(op, "tf") if source is None else like(op, source, sizes, source.dtype)


@operator(_names("slice_update scatter_update"), "inputs *rest")
def updated(op: Op, inputs: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, inputs)
    return unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, source.dtype)


@operator(_names("one_hot"), "x num_classes axis=-1 *rest")
def one_hot(op: Op, x: Value, num_classes: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    source, classes = tensor(op, x), op.tr.term_of(num_classes, "num_classes")
    if source is None or source.dims is None or classes is None or not isinstance(axis, int):
        return unknown_tensor(op, "tf", (source,) if source else ())
    at = axis % (len(source.dims) + 1)
    dims = (*source.dims[:at], classes, *source.dims[at:])
    return like(op, source, dims, dtype_name(op.extra.get("dtype")) or "float32", tags=source.tags)


# ------------------------------------------------------------------------------------------------ new shapes


@operator(_names("swapaxes"), "x axis1 axis2")
def swapaxes(op: Op, x: Value, axis1: Value, axis2: Value) -> Value:
    source = tensor(op, x)
    if source is None or source.dims is None:
        return unknown_tensor(op, "tf", (source,) if source else ())
    if not isinstance(axis1, int) or not isinstance(axis2, int):
        return like(op, source, None, source.dtype)
    need_axis(op, source, axis1)
    need_axis(op, source, axis2)
    dims = list(source.dims)
    dims[axis1], dims[axis2] = dims[axis2], dims[axis1]
    return like(op, source, dims, source.dtype)


@operator(_names("moveaxis"), "x source destination")
def moveaxis(op: Op, x: Value, source: Value, destination: Value) -> Value:
    given = tensor(op, x)
    if given is None or given.dims is None:
        return unknown_tensor(op, "tf", (given,) if given else ())
    left, reached = _numbers(op, source), _numbers(op, destination)
    if left is None or reached is None or len(left) != len(reached):
        return like(op, given, None, given.dtype)
    for axis in (*left, *reached):
        need_axis(op, given, axis)
    rank = len(given.dims)
    places = {b % rank: a % rank for a, b in zip(left, reached, strict=True)}
    others = iter(i for i in range(rank) if i not in places.values())
    return like(op, given, [given.dims[places[i] if i in places else next(others)] for i in range(rank)], given.dtype)


def _numbers(op: Op, value: Value) -> tuple[int, ...] | None:
    found = plain(op.tr, value)
    numbers = found if isinstance(found, tuple) else (found,)
    return numbers if all(isinstance(n, int) for n in numbers) else None


@operator(_names("ravel"), "x")
def ravel(op: Op, x: Value) -> Value:
    source = tensor(op, x)
    dims = None if source is None or source.dims is None else (product(source.dims),)
    return unknown_tensor(op, "tf") if source is None else like(op, source, dims, source.dtype)


@operator(_names("broadcast_to"), "x shape")
def broadcast_to(op: Op, x: Value, shape: Value) -> Value:
    source = tensor(op, x)
    return Tensor(shape_value(op, shape), source.dtype if source else None, "tf", site=op.where)


@operator(_names("empty full"), "shape *rest")
def full(op: Op, shape: Value, rest: tuple[Value, ...]) -> Value:
    return Tensor(shape_value(op, shape), dtype_name(op.extra.get("dtype")), "tf", site=op.where)


@operator(_names("identity"), "n *rest")
def identity(op: Op, n: Value, rest: tuple[Value, ...]) -> Value:
    return eye(op, n, None, ())


@operator(_names("eye tri"), "N M=None *rest")
def eye(op: Op, N: Value, M: Value, rest: tuple[Value, ...]) -> Value:
    rows, columns = op.tr.term_of(N), op.tr.term_of(N if M is None else M)
    return Tensor(None if rows is None or columns is None else (rows, columns), None, "tf", site=op.where)


@operator(_names("arange"), "start stop=None step=1 *rest")
def arange(op: Op, start: Value, stop: Value, step: Value, rest: tuple[Value, ...]) -> Value:
    made = run_entry(op.tr, rules()["numpy.arange"], "numpy.arange", _given(start, stop, step), {}, op.node)
    return (
        Tensor(made.shape, dtype_name(op.extra.get("dtype")), "tf", site=op.where) if isinstance(made, Tensor) else made
    )


def _given(start: Value, stop: Value, step: Value) -> tuple[Value, ...]:
    return (start,) if stop is None else (start, stop, step)


@operator(_names("linspace logspace geomspace"), "start stop num=50 *rest")
def linspace(op: Op, start: Value, stop: Value, num: Value, rest: tuple[Value, ...]) -> Value:
    term, ends = op.tr.term_of(num), [tensor(op, v) for v in (start, stop)]
    scalars = all(end is not None and end.dims == () for end in ends)
    return Tensor((term,) if term is not None and scalars else None, None, "tf", site=op.where)


@operator(_names("hstack vstack"), "xs")
def stacked(op: Op, xs: Value) -> Value:
    found, known = tensors_of(op, xs)
    if not known:
        return unknown_tensor(op, "tf", found)
    flat = len(found[0].dims or ()) == 1
    if op.short == "vstack" and flat:
        return unknown_tensor(op, "tf", found)  # vectors become rows in NumPy, one vector in TensorFlow
    return _as_tensorflow(op, "tf.concat", xs, 0 if flat or op.short == "vstack" else 1)


@operator(_names("meshgrid"), "*x")
def meshgrid(op: Op, x: tuple[Value, ...]) -> Value:
    found, known = tensors_of(op, ListV(x))
    indexing = op.extra.get("indexing", "xy")
    if not known or not isinstance(indexing, str):
        return op.tr.unknown("meshgrid()", "data")
    sizes = [product(t.dims or ()) for t in found]
    if indexing == "xy" and len(sizes) > 1:
        sizes[0], sizes[1] = sizes[1], sizes[0]
    return ListV([like(op, t, tuple(sizes), t.dtype) for t in found])


# --------------------------------------------------------------------------------------------------- products


@operator(_names("dot"), "x1 x2")
def dot(op: Op, x1: Value, x2: Value) -> Value:
    """Over the last axis of the first and the last but one of the second; a scalar scales."""
    a, b = tensor(op, x1), tensor(op, x2)
    if a is None or b is None or a.dims is None or b.dims is None:
        return unknown_tensor(op, "tf", tuple(t for t in (a, b) if t is not None))
    if not a.dims or not b.dims:
        return broadcast(op, "*", x1, x2, "tf")
    inner = b.dims[-1] if len(b.dims) == 1 else b.dims[-2]
    sentence = f"the last axis of {show_shape(a.dims)} and the one of {show_shape(b.dims)} that it meets differ"
    require(op, equal(a.dims[-1], inner), "inner-size", sentence, (a, b))
    rest = () if len(b.dims) == 1 else (*b.dims[:-2], b.dims[-1])
    return _of_both(op, a, b, (*a.dims[:-1], *rest))


@operator(_names("outer"), "x1 x2")
def outer(op: Op, x1: Value, x2: Value) -> Value:
    a, b = tensor(op, x1), tensor(op, x2)
    if a is None or b is None or a.dims is None or b.dims is None:
        return unknown_tensor(op, "tf", tuple(t for t in (a, b) if t is not None))
    return _of_both(op, a, b, (product(a.dims), product(b.dims)))


@operator(_names("binary_crossentropy"), "target output from_logits=False")
def binary_crossentropy(op: Op, target: Value, output: Value, from_logits: Value) -> Value:
    a, b = tensor(op, target), tensor(op, output)
    if a is None or b is None or a.dims is None or b.dims is None:
        return unknown_tensor(op, "tf", tuple(t for t in (a, b) if t is not None))
    _same_shape(op, a, b)
    return like(op, b, b.shape, b.dtype)


@operator(_names("categorical_crossentropy"), "target output from_logits=False axis=-1")
def categorical_crossentropy(op: Op, target: Value, output: Value, from_logits: Value, axis: Value) -> Value:
    a, b = tensor(op, target), tensor(op, output)
    if a is None or b is None or a.dims is None or b.dims is None or axis != -1:
        return unknown_tensor(op, "tf", tuple(t for t in (a, b) if t is not None))
    _same_shape(op, a, b)
    return like(op, b, b.dims[:-1], b.dtype)


def _same_shape(op: Op, target: Tensor, output: Tensor) -> None:
    a, b = target.dims or (), output.dims or ()
    shapes = f"target {show_shape(a)} and output {show_shape(b)} must have the same shape"
    if len(a) != len(b):
        fail(op, "rank", shapes, (target, output))
    for first, second in zip(a, b, strict=True):
        require(op, equal(first, second), "size", shapes, (target, output))


@operator(_names("sparse_categorical_crossentropy"), "target output from_logits=False axis=-1")
def sparse_categorical_crossentropy(op: Op, target: Value, output: Value, from_logits: Value, axis: Value) -> Value:
    b = tensor(op, output)
    known = b is not None and b.dims and axis == -1
    return like(op, b, b.dims[:-1], b.dtype) if b is not None and b.dims and known else unknown_tensor(op, "tf")


@operator(_names("batch_normalization"), "x *rest")
def batch_normalization(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, x)
    return (
        unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, source.dtype, tags=source.tags)
    )


def _as_tensorflow(op: Op, target: str, *arguments: Value) -> Value:
    return run_entry(op.tr, rules()[target], target, arguments, {}, op.node)
