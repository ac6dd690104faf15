"""torch.vmap: a function of one example called for a batch."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.nested import Leaves, Open, rebuilt
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Native, Value
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import equal


@operator(
    "torch.vmap torch.func.vmap torch._vmap_internals.vmap torch._vmap_internals._vmap",
    "func in_dims=0 out_dims=0 *rest",
)
def vmap(op: Op, func: Value, in_dims: Value, out_dims: Value, rest: tuple[Value, ...]) -> Value:
    return Native("vmap", lambda c: _mapped(c, func, in_dims, out_dims))


def _mapped(c: Any, func: Value, in_dims: Value, out_dims: Value) -> Value:
    """The function is followed once, for arguments without the axis of the batch, which its results have again."""
    axes = in_dims if isinstance(in_dims, tuple) else (in_dims,) * len(c.args)
    if len(axes) != len(c.args) or not all(isinstance(a, (int, type(None))) for a in axes):
        return c.tr.unknown("result of vmap()")
    batch = _Batch(c)
    try:
        args = tuple(batch.one(a, axis) for a, axis in zip(c.args, axes, strict=True))
        kwargs = {name: batch.one(value, 0) for name, value in c.kwargs.items()}
    except Open:
        return c.tr.unknown("result of vmap()")
    made = call(c.tr, func, args, kwargs, c.node)
    if batch.size is None or not isinstance(out_dims, int):
        return c.tr.unknown("result of vmap()")
    try:
        return rebuilt(made, Leaves(), lambda leaf: _whole(c, leaf, batch.size, out_dims))
    except Open:
        return c.tr.unknown("result of vmap()")


class _Batch:
    """The axis that all arguments share."""

    def __init__(self, c: Any) -> None:
        self.c, self.size = c, None

    def one(self, value: Value, axis: int | None) -> Value:
        """An argument of one example. Raises Open where its parts or their shapes are not known."""
        if axis is None:
            return value
        return rebuilt(value, Leaves(), lambda leaf: self._without(leaf, axis))

    def _without(self, leaf: Value, axis: int) -> Tensor:
        if not isinstance(leaf, Tensor) or not leaf.dims or not -len(leaf.dims) <= axis < len(leaf.dims):
            raise Open
        place = axis % len(leaf.dims)
        size: Any = leaf.dims[place]
        if self.size is not None and equal(self.size, size) is not True:
            if equal(self.size, size) is False:
                told = f"one argument has {self.size} examples and another, of shape {show_shape(leaf.dims)}, {size}"
                fail(Op(self.c.tr, "torch.vmap", self.c.node, self.c.tr.site(self.c.node)), "batch", told, (leaf,))
            raise Open
        self.size = size
        dims = (*leaf.dims[:place], *leaf.dims[place + 1 :])
        return Tensor(dims, leaf.dtype, "torch", site=leaf.site, name=leaf.name, sources=(leaf,))


def _whole(c: Any, leaf: Value, size: Any, axis: int) -> Value:
    if not isinstance(leaf, Tensor) or leaf.dims is None or not -len(leaf.dims) - 1 <= axis <= len(leaf.dims):
        return c.tr.unknown("result of vmap()")
    place = axis % (len(leaf.dims) + 1)
    dims = (*leaf.dims[:place], size, *leaf.dims[place:])
    return Tensor(dims, leaf.dtype, "torch", site=c.tr.site(c.node), sources=(leaf,))
