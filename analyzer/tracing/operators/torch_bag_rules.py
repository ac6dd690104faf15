"""Bags of embeddings: one row for each row of indices, or for each offset into a single row of them."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Layer, Unknown, Value
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import Term, equal


@operator("torch.nn.EmbeddingBag.__call__", "layer input offsets=None per_sample_weights=None")
def bag_layer(op: Op, layer: Layer, input: Value, offsets: Value, per_sample_weights: Value) -> Value:
    index = tensor_of(op.tr, input, "torch")
    given = layer.args.get("embedding_dim")
    width = None if given is None else op.tr.term_of(given, "embedding_dim")
    if index is None or width is None:
        return unknown_tensor(op, "torch")
    return _bags(op, index, offsets, per_sample_weights, layer.args.get("include_last_offset", False), width, "float32")


@operator(
    "torch.nn.functional.embedding_bag",
    "input weight offsets=None max_norm=None norm_type=2 scale_grad_by_freq=False mode='mean' sparse=False "
    "per_sample_weights=None include_last_offset=False padding_idx=None",
)
def embedding_bag(
    op: Op, input: Value, weight: Value, offsets: Value, per_sample_weights: Value, include_last_offset: Value,
    **_others: Value,
) -> Value:  # fmt: skip
    index, table = tensor_of(op.tr, input, "torch"), tensor_of(op.tr, weight, "torch")
    if index is not None and table is not None and (table.dtype or "").startswith("int"):
        index, table = table, index  # an old order of the arguments, which is still taken
    if index is None or table is None or not table.dims:
        return unknown_tensor(op, "torch")
    return _bags(op, index, offsets, per_sample_weights, include_last_offset, table.dims[-1], table.dtype)


def _bags(
    op: Op, index: Tensor, offsets: Value, weights: Value, with_end: Value, width: Term, dtype: str | None
) -> Value:
    if index.dims is None:
        return unknown_tensor(op, "torch")
    shown = show_shape(index.dims)
    if len(index.dims) not in (1, 2):
        fail(op, "rank", f"the input must have 1 or 2 dimensions and has the shape {shown}", (index,))
    if (index.dtype or "").startswith("float"):
        fail(op, "dtype", f"the indices must be integers and are {index.dtype}", (index,))
    _hold_weights(op, index, weights)
    if len(index.dims) == 2:
        if isinstance(offsets, Tensor):
            fail(op, "offsets", f"offsets are for an input of 1 dimension, this one has the shape {shown}", (index,))
        return Tensor((index.dims[0], width), dtype, "torch", site=op.where, sources=(index,))
    if offsets is None:
        fail(op, "offsets", f"an input of 1 dimension (shape {shown}) needs offsets", (index,))
    starts = tensor_of(op.tr, offsets, "torch")
    if starts is None or starts.dims is None or isinstance(with_end, Unknown):
        return Tensor((op.tr.fresh("bags", "unknown"), width), dtype, "torch", site=op.where, sources=(index,))
    if len(starts.dims) != 1:
        fail(
            op, "offsets", f"the offsets must have 1 dimension and have the shape {show_shape(starts.dims)}", (starts,)
        )
    count = starts.dims[0] - 1 if with_end else starts.dims[0]
    return Tensor((count, width), dtype, "torch", site=op.where, sources=(index, starts))


def _hold_weights(op: Op, index: Tensor, weights: Value) -> None:
    """Every index has its weight."""
    if not isinstance(weights, Tensor) or weights.dims is None or index.dims is None:
        return
    message = f"the weights have the shape {show_shape(weights.dims)} and the indices {show_shape(index.dims)}"
    if len(weights.dims) != len(index.dims):
        fail(op, "weights", message, (weights, index))
    for have, want in zip(weights.dims, index.dims, strict=True):
        require(op, equal(have, want), "weights", message, (weights, index))
