"""What `torch.nn.functional.multi_head_attention_forward` is made of, which programs call on their own.

Source: the docstrings of `_in_projection`, `_in_projection_packed` and `_mha_shape_check`.
"""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require, require_shape
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import Term, equal

_UNFLATTENED = (2, 2)  # the version from which on packed weights of another size are refused by themselves


@operator("torch.nn.functional._in_projection", "q k v w_q w_k w_v b_q=None b_k=None b_v=None")
def projected(
    op: Op, q: Value, k: Value, v: Value, w_q: Value, w_k: Value, w_v: Value, b_q: Value, b_k: Value, b_v: Value
) -> Value:
    """Each weight makes of the features of its own input as many as the query has."""
    query = tensor_of(op.tr, q, "torch")
    if query is None or not query.dims:
        return tuple(unknown_tensor(op, "torch") for _ in range(3))
    width = query.dims[-1]
    each = (("query", q, w_q, b_q), ("key", k, w_k, b_k), ("value", v, w_v, b_v))
    return tuple(_projected(op, width, name, given, weight, bias) for name, given, weight, bias in each)


def _projected(op: Op, width: Term, name: str, given: Value, weight: Value, bias: Value) -> Value:
    source = tensor_of(op.tr, given, "torch")
    if source is None or not source.dims:
        return unknown_tensor(op, "torch")
    _demand(op, f"the {name} weights", weight, (width, source.dims[-1]))
    _demand(op, f"the {name} bias", bias, (width,))
    return _of_width(op, source, width)


def _of_width(op: Op, source: Tensor, width: Term) -> Tensor:
    assert source.dims is not None
    return Tensor((*source.dims[:-1], width), source.dtype, "torch", site=op.where, sources=(source,))


def _demand(op: Op, name: str, given: Value, expected: tuple[Term, ...]) -> None:
    """It has the shape, where it is a tensor whose shape is known."""
    if isinstance(given, Tensor):
        told = f"{name} must have the shape {show_shape(expected)} and have {show_shape(given.dims or ())}"
        require_shape(op, given, expected, "size", told, "rank")


@operator("torch.nn.functional._in_projection_packed", "q k v w b=None")
def projected_together(op: Op, q: Value, k: Value, v: Value, w: Value, b: Value) -> Value:
    """One weight holds those of the query, the key and the value, one below the other."""
    given = [tensor_of(op.tr, x, "torch") for x in (q, k, v)]
    weight = tensor_of(op.tr, w, "torch")
    query, version = given[0], op.tr.shared.versions.get("torch")
    whole = weight is not None and weight.dims is not None and len(weight.dims) == 2
    if not whole or query is None or not query.dims:
        return tuple(unknown_tensor(op, "torch") for _ in range(3))
    assert weight is not None
    assert weight.dims is not None
    rows, columns = weight.dims
    width = query.dims[-1]
    for name, source in zip(("query", "key", "value"), given, strict=True):
        if source is not None and source.dims:
            told = f"the {name} has {source.dims[-1]} features but the weights take {columns}"
            require(op, equal(source.dims[-1], columns), "size", told, (source, weight))
    _demand(op, "the bias", b, (rows,))
    if k is v and (q is not k or version is None or version >= _UNFLATTENED):
        told = f"the weights have {rows} rows and need 3 times the {width} features of the query"
        require(op, equal(rows, width * 3), "size", told, (weight, query))
    elif equal(rows, width * 3) is not True:
        return tuple(unknown_tensor(op, "torch") for _ in range(3))
    known = [x is not None and bool(x.dims) for x in given]
    return tuple(
        _of_width(op, x, width) if x is not None and has else unknown_tensor(op, "torch")
        for x, has in zip(given, known, strict=True)
    )


@operator("torch.nn.functional._mha_shape_check", "query key value key_padding_mask attn_mask num_heads")
def batched(
    op: Op, query: Value, key: Value, value: Value, key_padding_mask: Value, attn_mask: Value, num_heads: Value
) -> Value:
    """Whether the query has a batch; the others must have one as it has."""
    q = tensor_of(op.tr, query, "torch")
    if q is None or q.dims is None:
        return op.tr.unknown("whether there is a batch", pytype="bool")
    rank = len(q.dims)
    if rank not in (2, 3):
        fail(op, "rank", f"the query must have 2 or 3 dimensions and has the shape {show_shape(q.dims)}", (q,))
    allowed = (("key", key, (rank,)), ("value", value, (rank,)), ("key_padding_mask", key_padding_mask, (rank - 1,)))
    for name, given, ranks in (*allowed, ("attn_mask", attn_mask, (2, 3))):
        if isinstance(given, Tensor) and given.dims is not None and len(given.dims) not in ranks:
            told = f"the {name} has the shape {show_shape(given.dims)} beside a query of {show_shape(q.dims)}"
            fail(op, "rank", told, (given, q))
    return rank == 3
