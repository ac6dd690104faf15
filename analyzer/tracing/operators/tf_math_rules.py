"""TensorFlow: elementwise functions, arithmetic and products."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import ListV, Value
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.axis_names import tell_renamed
from analyzer.tracing.operators.element_types import asked_type, dtype_name, real_of
from analyzer.tracing.operators.element_values import converted, count_true
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.hyperparameters import dropped, plain
from analyzer.tracing.operators.linear import matmul as product_of
from analyzer.tracing.operators.operands import items_of, unknown_tensor
from analyzer.tracing.operators.own_gradients import DETACHED
from analyzer.tracing.operators.refusals import fail, require, require_when_run
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, tensor, tensors_of
from analyzer.tracing.operators.torch_reduction_rules import advise_softmax
from analyzer.validity.terms import equal

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
    "random_shuffle random.shuffle "
    "math.rsqrt math.sign math.cos math.sin to_float to_int32 to_int64 cast saturate_cast "
    "nn.local_response_normalization nn.lrn "
    "debugging.check_numerics math.reciprocal contrib.layers.layer_norm "
    "argsort contrib.layers.dropout math.erf "
    "tan asin acos atan sinh cosh asinh acosh atanh lgamma digamma expm1 erfc rint "
    "cumprod math.cumprod math.cumulative_logsumexp math.erfinv math.erfcinv math.ndtri math.log_sigmoid "
    "math.lgamma math.digamma math.bessel_i0 math.bessel_i1 math.conj bitwise.invert"
)


def need_axis(op: Op, source: Tensor, axis: Value) -> None:
    """The axis must exist."""
    if not isinstance(axis, int) or source.dims is None or isinstance(axis, bool):
        return
    if not -len(source.dims) <= axis < max(len(source.dims), 1):
        sentence = f"axis {axis} is out of range for a tensor of {len(source.dims)} dimensions"
        fail(op, "axis-in-range", f"{sentence} (shape {show_shape(source.dims)})", (source,))


@operator("tf.clip_by_global_norm", "t_list clip_norm use_norm=None name=None")
def clip_by_global_norm(op: Op, t_list: Value, clip_norm: Value, use_norm: Value, name: Value) -> Value:
    """The tensors, each of its shape, and the norm of all of them."""
    given = list(items_of(t_list))
    norm = Tensor((), None, "tf", site=op.where)
    if not given:
        return op.tr.unknown("tensors", "data"), norm
    found = [None if item is None else (tensor(op, item), item) for item in given]
    kept = [None if f is None else unknown_tensor(op, "tf") if f[0] is None else like(op, f[0], f[0].dims, f[0].dtype)
            for f in found]  # fmt: skip
    return ListV(kept), norm


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
    elif op.short in ("zeros_like", "ones_like"):
        stated = op.extra.get("dtype", rest[0] if rest else None)
        dtype = asked_type(stated, dtype)
    elif op.short == "argsort":
        dtype = "int32"
    elif op.short == "abs":
        dtype = real_of(dtype)
    if op.short in ("cumsum", "cumprod", "l2_normalize", "reverse", "log_softmax", "softmax"):
        stated = op.extra.get("axis", op.extra.get("dim", rest[0] if rest else None))
        for axis in stated.items if isinstance(stated, ListV) else (stated,):
            need_axis(op, found, axis)
    if op.short in ("softmax", "log_softmax") and found.dims == ():
        fail(op, "rank", f"{op.short} needs at least one dimension and the operand is a scalar", (found,))
    if op.short == "softmax":
        axis = op.extra.get("axis", op.extra.get("dim", rest[0] if rest else -1))
        advise_softmax(op, found, axis)
    value = found.value if found.dims is not None and op.short in ("identity", "cast") else None
    if op.short == "cast" and value is not None:
        value = converted(value, dtype) if (dtype or "").startswith(("int", "uint", "bool")) else None
    if op.short in _WHOLE and isinstance(x, float) and abs(x) < _EXACT:
        value = _WHOLE[op.short](struct.unpack("f", struct.pack("f", x))[0])  # TensorFlow makes it a float32 first
    return Tensor(
        found.shape,
        dtype,
        "tf",
        site=op.where,
        value=value,
        sources=(found,),
        graph=found.graph,
        tags=found.tags | _TAGS.get(op.short, frozenset()),
    )


_EXACT = 2**24  # below it each whole number is one of float32
_WHOLE: dict[str, Callable[[float], int]] = {
    "ceil": math.ceil,
    "floor": math.floor,
    "round": round,
    "rint": round,
}  # both of halves to the even one

_CUT = "stop_gradient zeros_like ones_like round floor ceil rint argsort"  # TensorFlow has no gradient of these
_TAGS = {"softmax": frozenset({"probabilities"}), **dict.fromkeys(_CUT.split(), frozenset({DETACHED}))}


_BINARY = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "div": "/", "sub": "-", "mul": "*",
    "maximum": "maximum", "minimum": "minimum",
    "pow": "**", "floordiv": "//", "mod": "%", "floormod": "%", "equal": "==", "not_equal": "!=", "less": "<",
    "less_equal": "<=", "greater": ">",
    "greater_equal": ">=", "logical_and": "&", "logical_or": "|", "squared_difference": "-", "math.add": "+",
    "math.subtract": "-", "scalar_mul": "*",
    "math.multiply": "*", "math.divide": "/", "math.equal": "==", "math.pow": "**", "math.maximum": "maximum",
    "math.minimum": "minimum", "truediv": "/",
    "realdiv": "/", "math.squared_difference": "-", "div_no_nan": "/", "math.divide_no_nan": "/", "atan2": "/",
    "math.greater": ">", "math.less": "<", "logical_xor": "^", "math.xlogy": "*", "math.xlog1py": "*",
    "math.xdivy": "/", "math.multiply_no_nan": "*", "math.floordiv": "//", "truncatediv": "/", "truncatemod": "%",
    "bitwise.bitwise_and": "*", "bitwise.bitwise_or": "*", "bitwise.bitwise_xor": "*", "math.igamma": "*",
    "math.igammac": "*", "math.polygamma": "*", "math.zeta": "*", "math.nextafter": "*",
}  # fmt: skip


_TRUTHS = ("==", "!=", "<", "<=", ">", ">=", "&", "|", "^")


@operator(" ".join(f"tf.{n}" for n in _BINARY), "x y *rest")
def arithmetic(op: Op, x: Value, y: Value, rest: tuple[Value, ...]) -> Value:
    sign = _BINARY[op.name[3:]]
    return broadcast(op, sign, x, y, "tf", "bool" if sign in _TRUTHS else "")


@operator("tf.add_n", "inputs *rest")
def add_n(op: Op, inputs: Value, rest: tuple[Value, ...]) -> Value:
    found, known = tensors_of(op, inputs)
    if not known:
        return unknown_tensor(op, "tf", found)
    total = apply(op, "tf", "AddN", found)
    if isinstance(total, Tensor) and len(found) > 1:
        total.value = None
    return total


@operator("tf.where", "condition x=None y=None *rest")
def where(op: Op, condition: Value, x: Value, y: Value, rest: tuple[Value, ...]) -> Value:
    """Of a condition alone the places where it is true; TensorFlow 1 broadcasts no operand to the others."""
    if x is None:
        chosen = tensor(op, condition)
        if chosen is None or chosen.dims is None:
            return unknown_tensor(op, "tf")
        count: Any = count_true(chosen.value)
        count = op.tr.fresh("true", "unknown", 0, graph=chosen.graph) if count is None else count
        return like(op, chosen, (count, len(chosen.dims)), "int64")
    a, b, chosen = tensor(op, x), tensor(op, y), tensor(op, condition)
    if a is None or a.dims is None:
        return unknown_tensor(op, "tf")
    if op.variant == "v1" or b is None or b.dims is None or chosen is None or chosen.dims is None:
        others = (chosen, b)
        grows = len(a.dims) < max((len(o.dims) for o in others if o is not None and o.dims is not None), default=0)
        grows = grows or (not a.dims and any(o is None or o.dims != () for o in others))
        grows = grows or (op.variant != "v1" and 1 in a.dims)
        return unknown_tensor(op, "tf") if grows else like(op, a, a.shape, a.dtype)
    whole = broadcast(op, "*", _untyped(a), _untyped(b), "tf")
    whole = broadcast(op, "*", _untyped(whole), _untyped(chosen), "tf") if isinstance(whole, Tensor) else whole
    if not isinstance(whole, Tensor) or whole.dims is None:
        return unknown_tensor(op, "tf", (a, b, chosen))
    return Tensor(
        whole.dims, a.dtype or b.dtype, "tf", site=op.where, sources=(a, b, chosen),
        graph=a.graph or b.graph or chosen.graph,
    )  # fmt: skip


def _untyped(value: Tensor) -> Tensor:
    """The tensor by its shape alone."""
    found = Tensor(
        value.shape, None, "tf", site=value.site, name=value.name, sources=(value,), graph=value.graph, tags=value.tags
    )
    found.operation = value.operation
    return found


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
    built = not (x.graph or y.graph) or all(isinstance(d, int) for d in (*x.dims, *y.dims))
    for i, j in zip(left, right, strict=False):
        (require if built else require_when_run)(
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
    tell_renamed(op, found, equation)
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
