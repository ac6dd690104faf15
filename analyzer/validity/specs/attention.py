"""Attention and transformer layers."""

from __future__ import annotations

from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.common import (
    broadcast,
    need_dtype,
    need_min_rank,
    need_positive,
    need_rank,
    same_dtype,
)
from analyzer.validity.terms import Term, all_of, equal, floor_div, mod

HEADS = Rule(
    "heads-divide",
    Category.IMPROPER_VALUE,
    "{heads} heads do not divide an embedding of {size}",
    ("num_heads", "embed_dim"),
)
EMBEDDING = Rule(
    "embedding-size",
    Category.INCOMPATIBLE_SHAPE,
    "the {operand} has {size} features; it must have {expected}",
    ("embed_dim",),
)
SEQUENCE = Rule("sequence", Category.INCOMPATIBLE_SHAPE, "the key has {key} positions but the value has {value}")
BATCH = Rule("batch", Category.INCOMPATIBLE_SHAPE, "the query has a batch of {query} but the {operand} of {other}")
MASK = Rule("mask", Category.INCOMPATIBLE_SHAPE, "the mask is {mask}; the scores are {scores}")
KEY_WIDTH = Rule(
    "key-size", Category.INCOMPATIBLE_SHAPE, "the query has {query} features but the key has {key}; they must agree"
)


# Seen in `benchmarks/framework_versions.py`: Keras 3.5 and 3.6 refuse what 3.4 and 3.7 take.
EQUAL_WIDTHS = Rule(
    "equal-widths",
    Category.INCOMPATIBLE_SHAPE,
    "Keras 3.5 and 3.6 want a query and a value of the same width; they have {query} and {value}",
)


@define("torch", "MultiheadAttention")
def torch_multihead_attention(
    case: Case,
    query: TensorType,
    key: TensorType,
    value: TensorType,
    *,
    embed_dim: Term,
    num_heads: Term,
    dropout: float = 0.0,
    bias: bool = True,
    add_bias_kv: bool = False,
    add_zero_attn: bool = False,
    kdim: Any = None,
    vdim: Any = None,
    batch_first: bool = False,
    dtype: str = "float32",
) -> tuple[TensorType, ...]:
    """``nn.MultiheadAttention``: output and averaged weights."""
    need_positive(case, embed_dim=embed_dim, num_heads=num_heads)
    case.require(HEADS, equal(mod(embed_dim, num_heads), 0), heads=num_heads, size=embed_dim)
    need_rank(case, query, 2, 3, operand="the query")
    need_rank(case, key, query.rank, operand="the key")
    need_rank(case, value, query.rank, operand="the value")
    need_dtype(case, query, (dtype,), "the query")
    key_width, value_width = (embed_dim if w is None else w for w in (kdim, vdim))
    need_positive(case, kdim=key_width, vdim=value_width)
    sizes = (("query", query, embed_dim), ("key", key, key_width), ("value", value, value_width))
    for operand, tensor, expected in sizes:
        case.require(
            EMBEDDING, equal(tensor.dims[-1], expected), operand=operand, size=tensor.dims[-1], expected=expected
        )
    batch_axis = 0 if batch_first else 1
    step_axis = 0 if query.rank == 2 else 1 - batch_axis
    case.require(
        SEQUENCE,
        equal(key.dims[step_axis], value.dims[step_axis]),
        key=key.dims[step_axis],
        value=value.dims[step_axis],
    )
    batch: tuple[Term, ...] = ()
    if query.rank == 3:
        batch = (query.dims[batch_axis],)
        for operand, tensor in (("key", key), ("value", value)):
            other = tensor.dims[batch_axis]
            case.require(BATCH, equal(batch[0], other), query=batch[0], operand=operand, other=other)
    weights = (*batch, query.dims[step_axis], key.dims[step_axis])
    return TensorType(query.dims, dtype), TensorType(weights, dtype)


@define("torch", "scaled_dot_product_attention")
def torch_attention(
    case: Case,
    query: TensorType,
    key: TensorType,
    value: TensorType,
    mask: TensorType | None = None,
    *,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: Any = None,
    enable_gqa: bool = False,
) -> TensorType:
    """``functional.scaled_dot_product_attention``."""
    same_dtype(case, ("the query", query), ("the key", key), ("the value", value))
    for name, tensor in (("the query", query), ("the key", key), ("the value", value)):
        need_min_rank(case, tensor, 2, name)
    case.require(KEY_WIDTH, equal(query.dims[-1], key.dims[-1]), query=query.dims[-1], key=key.dims[-1])
    case.require(SEQUENCE, equal(key.dims[-2], value.dims[-2]), key=key.dims[-2], value=value.dims[-2])
    if enable_gqa and query.rank >= 3 and key.rank >= 3:
        case.require(HEADS, equal(mod(query.dims[-3], key.dims[-3]), 0), heads=key.dims[-3], size=query.dims[-3])
        lead = query.dims[:-2]
    else:
        lead = broadcast(case, query.dims[:-2], key.dims[:-2], value.dims[:-2])
    scores = (*lead, query.dims[-2], key.dims[-2])
    if mask is not None:
        broadcast(case, scores, mask.dims)
    return TensorType((*lead, query.dims[-2], value.dims[-1]), query.dtype)


def _torch_transformer_layer(decoder: bool) -> Any:
    def layer(
        case: Case,
        x: TensorType,
        memory: TensorType | None = None,
        *,
        d_model: Term,
        nhead: Term,
        dim_feedforward: Term = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: str = "float32",
        **_others: Any,
    ) -> TensorType:
        """``nn.TransformerEncoderLayer`` and ``nn.TransformerDecoderLayer``."""
        need_positive(case, d_model=d_model, nhead=nhead, dim_feedforward=dim_feedforward)
        case.require(HEADS, equal(mod(d_model, nhead), 0), heads=nhead, size=d_model)
        need_rank(case, x, 2, 3)
        need_dtype(case, x, (dtype,))
        case.require(EMBEDDING, equal(x.dims[-1], d_model), operand="input", size=x.dims[-1], expected=d_model)
        if decoder and memory is not None:
            need_rank(case, memory, x.rank, operand="the memory")
            width = memory.dims[-1]
            case.require(EMBEDDING, equal(width, d_model), operand="memory", size=width, expected=d_model)
            if x.rank == 3:
                axis = 0 if batch_first else 1
                facts = {"query": x.dims[axis], "operand": "memory", "other": memory.dims[axis]}
                case.require(BATCH, equal(x.dims[axis], memory.dims[axis]), **facts)
        return x

    return layer


torch_encoder_layer = define("torch", "TransformerEncoderLayer")(_torch_transformer_layer(False))
torch_decoder_layer = define("torch", "TransformerDecoderLayer")(_torch_transformer_layer(True))


@define("keras", "MultiHeadAttention")
def keras_multihead_attention(
    case: Case,
    query: TensorType,
    value: TensorType,
    key: TensorType | None = None,
    *,
    num_heads: Term,
    key_dim: Term,
    value_dim: Any = None,
    output_shape: Any = None,
    **_others: Any,
) -> TensorType:
    """``keras.layers.MultiHeadAttention``: heads have a size of their own, so that nothing need divide."""
    key = key or value
    need_positive(case, num_heads=num_heads, key_dim=key_dim)
    if value_dim is not None:
        need_positive(case, value_dim=value_dim)
    need_min_rank(case, query, 3, "the query")
    need_rank(case, value, query.rank, operand="the value")
    need_rank(case, key, query.rank, operand="the key")
    for a, b in zip(key.dims[1:-1], value.dims[1:-1], strict=True):
        case.require(SEQUENCE, equal(a, b), key=a, value=b)
    if case.version is not None and (3, 5) <= case.version < (3, 7):
        case.require(EQUAL_WIDTHS, equal(query.dims[-1], value.dims[-1]), query=query.dims[-1], value=value.dims[-1])
    case.require(BATCH, equal(query.dims[0], value.dims[0]), query=query.dims[0], operand="value", other=value.dims[0])
    width = query.dims[-1] if output_shape is None else output_shape
    sizes = tuple(width) if isinstance(width, (tuple, list)) else (width,)
    return TensorType((*query.dims[:-1], *sizes), query.dtype)


@define("keras", "Attention", "AdditiveAttention")
def keras_attention(
    case: Case, query: TensorType, value: TensorType, key: TensorType | None = None, **_others: Any
) -> TensorType:
    """``keras.layers.Attention`` (dot product) and ``AdditiveAttention``."""
    key = key or value
    for name, tensor in (("the query", query), ("the value", value), ("the key", key)):
        need_min_rank(case, tensor, 3, name)
    need_rank(case, value, query.rank, operand="the value")
    need_rank(case, key, query.rank, operand="the key")
    case.require(KEY_WIDTH, equal(query.dims[-1], key.dims[-1]), query=query.dims[-1], key=key.dims[-1])
    for a, b in zip(key.dims[1:-1], value.dims[1:-1], strict=True):
        case.require(SEQUENCE, equal(a, b), key=a, value=b)
    case.require(BATCH, equal(query.dims[0], value.dims[0]), query=query.dims[0], operand="value", other=value.dims[0])
    return TensorType((*query.dims[:-1], value.dims[-1]), query.dtype)


@define("keras", "GroupQueryAttention", "GroupedQueryAttention")
def keras_group_query_attention(
    case: Case,
    query: TensorType,
    value: TensorType,
    key: TensorType | None = None,
    *,
    head_dim: Term,
    num_query_heads: Term,
    num_key_value_heads: Term,
    **_others: Any,
) -> TensorType:
    """``keras.layers.GroupQueryAttention``."""
    need_positive(case, head_dim=head_dim, num_query_heads=num_query_heads, num_key_value_heads=num_key_value_heads)
    divides = equal(mod(num_query_heads, num_key_value_heads), 0)
    case.require(HEADS, divides, heads=num_key_value_heads, size=num_query_heads)
    need_rank(case, query, 3, operand="the query")
    need_rank(case, value, 3, operand="the value")
    return query


WINDOW = Rule(
    "attention-window", Category.ILLEGAL_VALUE, "`{name}` is {size}; it must be -1 (no limit) or a number of positions"
)
CACHES = Rule("attention-cache", Category.IMPROPER_VALUE, "past keys and past values come together or not at all")
CACHE = Rule("attention-cache", Category.INCOMPATIBLE_SHAPE, "the cached {operand} is {cached} and must be {expected}")


@define("onnx", "Attention")
def onnx_attention(
    case: Case,
    q: TensorType,
    k: TensorType,
    v: TensorType,
    mask: TensorType | None = None,
    past_key: TensorType | None = None,
    past_value: TensorType | None = None,
    *_more: TensorType | None,
    q_num_heads: Any = None,
    kv_num_heads: Any = None,
    left_window_size: int = -1,
    right_window_size: int = -1,
    **_attributes: Any,
) -> tuple[TensorType, ...]:
    """ONNX Attention: (batch, heads, steps, size), or (batch, steps, width) with the numbers of heads as attributes."""
    for name, size in (("left_window_size", left_window_size), ("right_window_size", right_window_size)):
        case.require(WINDOW, size >= -1, name=name, size=size)
    need_rank(case, q, 3, 4, operand="Q")
    need_rank(case, k, q.rank, operand="K")
    need_rank(case, v, q.rank, operand="V")
    for operand, tensor in (("key", k), ("value", v)):
        case.require(BATCH, equal(q.dims[0], tensor.dims[0]), query=q.dims[0], operand=operand, other=tensor.dims[0])
    case.require(SEQUENCE, equal(k.dims[-2], v.dims[-2]), key=k.dims[-2], value=v.dims[-2])
    if q.rank == 3:
        if q_num_heads is None or kv_num_heads is None:
            return (q.with_shape(None),) * 4
        for heads, tensor in ((q_num_heads, q), (kv_num_heads, k), (kv_num_heads, v)):
            need_positive(case, num_heads=heads)
            case.require(HEADS, equal(mod(tensor.dims[-1], heads), 0), heads=heads, size=tensor.dims[-1])
        query_width, key_width = floor_div(q.dims[-1], q_num_heads), floor_div(k.dims[-1], kv_num_heads)
        case.require(KEY_WIDTH, equal(query_width, key_width), query=query_width, key=key_width)
        case.require(HEADS, equal(mod(q_num_heads, kv_num_heads), 0), heads=kv_num_heads, size=q_num_heads)
        value_width = floor_div(v.dims[-1], kv_num_heads) * q_num_heads
        y = TensorType((*q.dims[:-1], value_width), q.dtype)
        head_count, value_size = kv_num_heads, floor_div(v.dims[-1], kv_num_heads)
    else:
        case.require(KEY_WIDTH, equal(q.dims[-1], k.dims[-1]), query=q.dims[-1], key=k.dims[-1])
        case.require(HEADS, equal(mod(q.dims[1], k.dims[1]), 0), heads=k.dims[1], size=q.dims[1])
        y = TensorType((*q.dims[:-1], v.dims[-1]), q.dtype)
        head_count, key_width, value_size = k.dims[1], k.dims[-1], v.dims[-1]
    steps: Term = k.dims[-2]
    case.require(CACHES, (past_key is None) == (past_value is None))
    for operand, past, width in (("key", past_key, key_width), ("value", past_value, value_size)):
        if past is not None and past.shape is not None:
            need_rank(case, past, 4, operand=f"the cached {operand}")
            expected = (q.dims[0], head_count, past.dims[2], width)
            agree = all_of(*(equal(a, b) for a, b in zip(past.dims, expected, strict=True)))
            case.require(CACHE, agree, operand=operand, cached=past.dims, expected=expected)
    if past_key is not None and past_key.shape is not None:
        steps = steps + past_key.dims[-2]
    present_k = TensorType((q.dims[0], head_count, steps, key_width), k.dtype)
    present_v = TensorType((q.dims[0], head_count, steps, value_size), v.dtype)
    return y, present_k, present_v, TensorType(None, q.dtype)


@define("ai.onnx.preview", "FlexAttention")
def onnx_flex_attention(case: Case, q: TensorType, k: TensorType, v: TensorType, **_attributes: Any) -> TensorType:
    """ONNX FlexAttention: (batch, heads, steps, size); what its bodies make of the scores keeps their shape."""
    need_rank(case, q, 4, operand="Q")
    y: TensorType = onnx_attention(case, q, k, v)[0]
    case.require(HEADS, equal(mod(q.dims[1], v.dims[1]), 0), heads=v.dims[1], size=q.dims[1])
    return y


@define("onnx", "RotaryEmbedding")
def onnx_rotary(case: Case, x: TensorType, *_caches: TensorType | None, **_attributes: Any) -> TensorType:
    """ONNX RotaryEmbedding keeps the shape."""
    need_rank(case, x, 3, 4)
    return x


@define("keras", "TimeDistributed", "Bidirectional")
def keras_wrapper(case: Case, x: TensorType, **_others: Any) -> TensorType:
    """Keras wrappers whose inner layer is not described: time stays, the rest is unknown."""
    need_min_rank(case, x, 3)
    return TensorType(None, x.dtype)
