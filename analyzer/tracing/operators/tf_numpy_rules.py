"""tf.experimental.numpy: NumPy's functions on TensorFlow's tensors, whose element types are not followed."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import ListV, Value
from analyzer.tracing.operators.table import Entry, Op, parse_signature, rules, run_entry

_AS_KERAS = """
    abs absolute add all amax amin any append arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax
    argmin argsort array average broadcast_to ceil clip concatenate conj copy cos cosh count_nonzero cross cumprod
    cumsum diag diagonal diff divide dot einsum empty equal exp expand_dims expm1 eye flip floor floor_divide full
    full_like greater greater_equal hstack identity imag isclose isfinite isinf isnan kron less less_equal
    linspace log log10 log1p log2 logaddexp logical_and logical_not logical_or logical_xor logspace matmul max
    maximum mean median meshgrid min minimum mod moveaxis multiply nan_to_num negative not_equal ones ones_like
    outer pad power prod quantile ravel real reciprocal repeat reshape roll round select sign sin sinh sort split
    sqrt square squeeze stack std subtract sum swapaxes take take_along_axis tan tanh tensordot tile trace
    transpose tri tril triu true_divide var vdot vstack where zeros zeros_like
"""
_PREFIX = "tf.experimental.numpy."
_SECOND = {"asarray": "array", "asanyarray": "array", "ascontiguousarray": "array", "concat": "concatenate"}


def as_keras(op: Op, args: tuple[Value, ...]) -> Value:
    """What Keras's function of the name gives; the types that NumPy's rules lead to are open."""
    target = f"keras.ops.{_SECOND.get(op.short, op.short)}"
    entry = rules().get(target)
    if entry is None:
        return op.tr.unknown(f"result of {op.name}", "imprecise")
    given = {{"a": "x"}.get(key, key) if _takes_x(entry) else key: value for key, value in op.extra.items()}
    return _without_type(run_entry(op.tr, entry, target, args, given, op.node))


def _takes_x(entry: Entry) -> bool:
    return any(parameter.name == "x" for parameter in entry.parameters)


def _without_type(value: Value) -> Value:
    if isinstance(value, Tensor):
        value.dtype = None
    elif isinstance(value, (tuple, ListV)):
        for part in value.items if isinstance(value, ListV) else value:
            _without_type(part)
    return value


_ANY = parse_signature("*args")
TABLE = {f"{_PREFIX}{name}": Entry(_ANY, as_keras) for name in (*_AS_KERAS.split(), *_SECOND)}
