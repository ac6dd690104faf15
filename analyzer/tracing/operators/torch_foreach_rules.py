"""torch._foreach_*: one operator on each tensor of lists, which stand side by side."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Api, ListV, Value
from analyzer.tracing.operators.operands import items_of
from analyzer.tracing.operators.table import Op, operator

_OF_ONE = ("abs ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round rsqrt "
           "sigmoid sign sin sinh sqrt tan tanh trunc")  # fmt: skip
_OF_MORE = "add sub mul div pow maximum minimum clamp_max clamp_min lerp addcmul addcdiv"
_NAMES = [*_OF_ONE.split(), *_OF_MORE.split()]


@operator(" ".join(f"torch._foreach_{name} torch._foreach_{name}_" for name in _NAMES), "tensors *rest")
def each(op: Op, tensors: Value, rest: tuple[Value, ...]) -> Value:
    """The operator of that name for each place of the lists; numbers stand beside all of them."""
    function = Api(f"torch.{op.short.removeprefix('_foreach_').removesuffix('_')}")
    first, whole = items_of(tensors), not (isinstance(tensors, ListV) and tensors.open)
    if not whole or any(isinstance(r, ListV) and (r.open or len(r.items) != len(first)) for r in rest):
        return op.tr.unknown(op.short)
    extra = {name: value for name, value in op.extra.items() if name == "alpha"}
    made = []
    for place, tensor in enumerate(first):
        beside = tuple(items_of(r)[place] if isinstance(r, ListV) else r for r in rest)
        made.append(call(op.tr, function, (tensor, *beside), extra))
    return tensors if op.short.endswith("_") else tuple(made)


@operator("torch._foreach_copy_ torch._foreach_zero_", "tensors *rest")
def each_written(op: Op, tensors: Value, rest: tuple[Value, ...]) -> Value:
    if op.short == "_foreach_copy_" and rest:
        for target, source in zip(items_of(tensors), items_of(rest[0]), strict=False):
            call(op.tr, Api("torch.Tensor.copy_"), (target, source), {})
    return tensors


@operator("torch._foreach_norm", "tensors *rest")
def each_norm(op: Op, tensors: Value, rest: tuple[Value, ...]) -> Value:
    found = items_of(tensors)
    kinds = (t.dtype if isinstance(t, Tensor) else None for t in found)
    return tuple(Tensor((), kind, "torch", site=op.where) for kind in kinds) if found else op.tr.unknown("norms")
