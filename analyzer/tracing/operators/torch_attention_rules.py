"""Attention and transformers of torch.nn: queries, keys, values and masks held against each other as PyTorch does.

Source: `torch.nn.functional.multi_head_attention_forward` and `torch.nn.modules.transformer`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Layer, Value
from analyzer.tracing.operators.construction import check_probability
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_modes import surely_trains
from analyzer.tracing.operators.torch_operands import made, shape_argument
from analyzer.validity.terms import Term, equal, mod


@dataclass(frozen=True)
class Heads:
    """The hyperparameters of one attention."""

    width: Term  # embed_dim
    count: Any  # num_heads, None where it is not known
    batch_first: Value
    key_width: Term
    value_width: Term


@dataclass(frozen=True)
class Masks:
    """What may not be seen: of each query, and of each key."""

    queries: Value = None  # attn_mask
    keys: Value = None  # key_padding_mask
    aside: bool = False  # whether attn_mask may be left aside for a causal one, and so have any size


def _size(op: Op, layer: Layer, name: str) -> Any:
    value = layer.args.get(name)
    return None if value is None else op.tr.term_of(value, name)


def heads_of(op: Op, layer: Layer, width: str, count: str) -> Heads | None:
    """None where the width is not known; the heads divide it."""
    size, heads = _size(op, layer, width), _size(op, layer, count)
    if size is None:
        return None
    if heads is not None:
        require(op, equal(mod(size, heads), 0), "heads", f"{width} {size} is not divisible by {count} {heads}")
    key_width, value_width = (_size(op, layer, name) for name in ("kdim", "vdim"))
    return Heads(
        size, heads, layer.args.get("batch_first", False),
        size if key_width is None else key_width, size if value_width is None else value_width,
    )  # fmt: skip


def attend(op: Op, heads: Heads, q: Tensor, k: Tensor | None, v: Tensor | None, masks: Masks) -> None:
    """Refuse queries, keys, values and masks that do not belong together."""
    if q.dims is None:
        return
    if len(q.dims) not in (2, 3):
        fail(op, "rank", f"the query must have 3 dimensions (or 2) and has the shape {show_shape(q.dims)}", (q,))
    named = (("query", q, heads.width), ("key", k, heads.key_width), ("value", v, heads.value_width))
    for name, tensor, width in named:
        if tensor is None or tensor.dims is None:
            continue
        if len(tensor.dims) != len(q.dims):
            message = f"the {name} has the shape {show_shape(tensor.dims)} and the query {show_shape(q.dims)}"
            fail(op, "rank", message, (tensor, q))
        if (tensor.dtype or "").startswith(("int", "uint", "bool")):
            fail(op, "dtype", f"the {name} must be floating and is {tensor.dtype}", (tensor,))
        said = f"the {name} has {tensor.dims[-1]} features but the attention takes {width}"
        require(op, equal(tensor.dims[-1], width), "size", said, (tensor,))
    if k is None or k.dims is None:
        return
    for name, tensor, reference in (("value", v, k), ("query", q, k)):
        if tensor is not None and tensor.dims is not None:
            _alike(op, heads, name, tensor, reference)
    if isinstance(heads.batch_first, bool):
        _hold_masks(op, heads, q, k, masks)


def _axes(heads: Heads, rank: int) -> tuple[int, int | None]:
    """(the axis of steps, that of the batch)"""
    if rank == 2:
        return 0, None
    return (1, 0) if heads.batch_first else (0, 1)


def _alike(op: Op, heads: Heads, name: str, tensor: Tensor, key: Tensor) -> None:
    """The value has the key's steps and batch, the query its batch."""
    assert tensor.dims is not None
    assert key.dims is not None
    if not isinstance(heads.batch_first, bool):
        return
    steps, batch = _axes(heads, len(key.dims))
    for axis, kind in ((steps, "steps"), (batch, "batch")):
        if axis is not None and (name == "value" or axis == batch):
            said = f"the {name} has the shape {show_shape(tensor.dims)} and the key {show_shape(key.dims)}"
            require(op, equal(tensor.dims[axis], key.dims[axis]), kind, f"{said}: their {kind} differ", (tensor, key))


def _hold_masks(op: Op, heads: Heads, q: Tensor, k: Tensor, masks: Masks) -> None:
    assert q.dims is not None
    assert k.dims is not None
    steps, axis = _axes(heads, len(q.dims))
    rows, columns = q.dims[steps], k.dims[steps]
    batch = None if axis is None else q.dims[axis]
    if isinstance(masks.keys, Tensor):
        _hold_mask(op, masks.keys, "key_padding_mask", [(columns,) if batch is None else (batch, columns)])
    if isinstance(masks.queries, Tensor):
        count = None if heads.count is None else heads.count if batch is None else heads.count * batch
        _hold_mask(op, masks.queries, "attn_mask", [(rows, columns), (count, rows, columns)], masks.aside)


def _hold_mask(op: Op, mask: Tensor, name: str, allowed: list[tuple[Any, ...]], aside: bool = False) -> None:
    if (mask.dtype or "").startswith(("int", "uint")) and not aside:
        fail(op, "mask-dtype", f"{name} must be of truths or floating numbers and is {mask.dtype}", (mask,))
    if mask.dims is None:
        return
    fitting = [sizes for sizes in allowed if len(sizes) == len(mask.dims)]
    if not fitting:
        ranks = " or ".join(str(len(sizes)) for sizes in allowed)
        fail(op, "mask", f"{name} must have {ranks} dimensions and has the shape {show_shape(mask.dims)}", (mask,))
    for have, want in zip(mask.dims, fitting[0], strict=True):
        if want is not None and not aside:
            said = f"{name} has the shape {show_shape(mask.dims)} and must be {show_shape(fitting[0])}"
            require(op, equal(have, want), "mask", said, (mask,))


@operator(
    "torch.nn.MultiheadAttention.__init__",
    "embed_dim num_heads dropout=0.0 bias=True add_bias_kv=False add_zero_attn=False kdim=None vdim=None "
    "batch_first=False",
)
def multihead_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator(
    "torch.nn.MultiheadAttention.__call__",
    "layer query key=None value=None key_padding_mask=None need_weights=True attn_mask=None average_attn_weights=True "
    "is_causal=False",
)
def multihead(
    op: Op, layer: Layer, query: Value, key: Value, value: Value, key_padding_mask: Value, need_weights: Value,
    attn_mask: Value, average_attn_weights: Value, is_causal: Value,
) -> Value:  # fmt: skip
    heads = heads_of(op, layer, "embed_dim", "num_heads")
    q = tensor_of(op.tr, query, "torch")
    if q is not None and q.dims is None and heads is not None:
        last = op.tr.dimension(q, -1)
        said = f"the query has {last} features but the attention takes {heads.width}"
        require(op, equal(last, heads.width), "size", said, (q,))
        weights = None if need_weights is False else op.tr.unknown("attention weights", "data")
        return Tensor(q.shape, q.dtype, "torch", site=op.where, sources=(q,)), weights
    if q is None or not q.dims or heads is None:
        return unknown_tensor(op, "torch"), op.tr.unknown("attention weights", "data")
    k, v = (tensor_of(op.tr, given, "torch") if given is not None else None for given in (key, value))
    aside = is_causal is not False and key_padding_mask is None and need_weights is not True
    attend(op, heads, q, k, v, Masks(attn_mask, key_padding_mask, aside))
    if is_causal is True and attn_mask is None and key is not query:  # itself is not looked at where gradients are off
        fail(op, "causal", "is_causal needs attn_mask beside it")
    if need_weights is True and surely_trains(op.tr, layer):
        _hold_probability(op, layer.args.get("dropout", 0.0))
    weights = _weights(op, layer, heads, q, k, need_weights, average_attn_weights)
    return Tensor(q.dims, q.dtype, "torch", site=op.where, sources=(q,)), weights


def _hold_probability(op: Op, dropout: Value) -> None:
    """The constructor takes any; `functional.dropout`, which is left out for one that is not above 0, does not."""
    if isinstance(dropout, (int, float)) and dropout > 0:
        check_probability(op, "dropout", dropout)


def _weights(
    op: Op, layer: Layer, heads: Heads, query: Tensor, key: Tensor | None, wanted: Value, averaged: Value
) -> Value:
    """None, or one row for each query and one column for each key, averaged over the heads or not."""
    if wanted is False:
        return None
    plainly = wanted is True and isinstance(averaged, bool) and isinstance(heads.batch_first, bool)
    grown = [layer.args.get(name, False) for name in ("add_bias_kv", "add_zero_attn")]
    known = plainly and all(isinstance(g, bool) for g in grown) and heads.count is not None
    if not known or query.dims is None or key is None or key.dims is None or len(key.dims) != len(query.dims):
        return op.tr.unknown("attention weights", "data")
    steps, axis = _axes(heads, len(query.dims))
    batch = () if axis is None else (query.dims[axis],)
    dims = (*batch, *(() if averaged else (heads.count,)), query.dims[steps], key.dims[steps] + sum(map(bool, grown)))
    return Tensor(dims, query.dtype, "torch", site=op.where)


_LAYER = (
    "d_model nhead dim_feedforward=2048 dropout=0.1 activation='relu' layer_norm_eps=1e-05 batch_first=False "
    "norm_first=False bias=True"
)


@operator("torch.nn.TransformerEncoderLayer.__init__ torch.nn.TransformerDecoderLayer.__init__", _LAYER)
def layer_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator(
    "torch.nn.TransformerEncoder.__init__ torch.nn.TransformerDecoder.__init__", "layer num_layers norm=None *rest"
)
def stack_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator(
    "torch.nn.Transformer.__init__",
    "d_model=512 nhead=8 num_encoder_layers=6 num_decoder_layers=6 dim_feedforward=2048 dropout=0.1 activation='relu' "
    "custom_encoder=None custom_decoder=None layer_norm_eps=1e-05 batch_first=False norm_first=False bias=True",
)
def transformer_arguments(op: Op, **arguments: Value) -> Value:
    return None


def _of_layers(op: Op, layer: Layer) -> Heads | None:
    """What the layers of a stack are made with; None where it is not known, or a stack has no layer."""
    stack = layer.name.endswith(("Encoder", "Decoder"))
    names = ("layer", "encoder_layer", "decoder_layer")
    inner = next((layer.args[n] for n in names if n in layer.args), None) if stack else layer
    if not isinstance(inner, Layer) or "nhead" not in inner.args or (stack and layer.args.get("num_layers") == 0):
        return None
    return heads_of(op, inner, "d_model", "nhead")


def _same(op: Op, x: Tensor) -> Tensor:
    return Tensor(x.dims, x.dtype, "torch", site=op.where, sources=(x,)) if x.dims is not None else x


@operator(
    "torch.nn.TransformerEncoderLayer.__call__ torch.nn.TransformerEncoder.__call__",
    "layer src src_mask|mask=None src_key_padding_mask=None is_causal=False",
)
def encoder(
    op: Op, layer: Layer, src: Value, src_mask: Value, src_key_padding_mask: Value, is_causal: Value
) -> Value:  # fmt: skip
    heads, x = _of_layers(op, layer), tensor_of(op.tr, src, "torch")
    if x is None or not x.dims or heads is None:
        return x if x is not None else unknown_tensor(op, "torch")
    attend(op, heads, x, x, x, Masks(src_mask, src_key_padding_mask, _hinted(is_causal, src_key_padding_mask)))
    return _same(op, x)


def _hinted(causal: Value, padding: Value) -> bool:
    """Whether a layer may take its mask for a causal one without looking: weights are not asked for."""
    return causal is not False and causal is not None and padding is None


_OF_DECODER = (
    "tgt_mask=None memory_mask=None tgt_key_padding_mask=None memory_key_padding_mask=None tgt_is_causal=False "
    "memory_is_causal=False"
)


@operator(
    "torch.nn.TransformerDecoderLayer.__call__ torch.nn.TransformerDecoder.__call__", f"layer tgt memory {_OF_DECODER}"
)
def decoder(op: Op, layer: Layer, tgt: Value, memory: Value, **masks: Value) -> Value:
    heads, x = _of_layers(op, layer), tensor_of(op.tr, tgt, "torch")
    if x is None or not x.dims or heads is None:
        return x if x is not None else unknown_tensor(op, "torch")
    _decode(op, heads, x, tensor_of(op.tr, memory, "torch"), masks)
    return _same(op, x)


def _decode(op: Op, heads: Heads, x: Tensor, memory: Tensor | None, masks: dict[str, Value]) -> None:
    for kind, keys in (("tgt", x), ("memory", memory)):
        padding = masks[f"{kind}_key_padding_mask"]
        aside = _hinted(masks[f"{kind}_is_causal"], padding)
        attend(op, heads, x, keys, keys, Masks(masks[f"{kind}_mask"], padding, aside))


@operator(
    "torch.nn.Transformer.__call__",
    "layer src tgt src_mask=None tgt_mask=None memory_mask=None src_key_padding_mask=None tgt_key_padding_mask=None "
    "memory_key_padding_mask=None src_is_causal=None tgt_is_causal=None memory_is_causal=False",
)
def transformer(
    op: Op, layer: Layer, src: Value, tgt: Value, src_mask: Value, src_key_padding_mask: Value, src_is_causal: Value,
    **masks: Value,
) -> Value:  # fmt: skip
    own = [name for name in ("custom_encoder", "custom_decoder") if layer.args.get(name) is not None]
    if own:
        return unknown_tensor(op, "torch")
    asked = {"d_model": 512, "nhead": 8, **layer.args}
    heads = heads_of(op, Layer(layer.name, asked, layer.site), "d_model", "nhead")
    x, y = tensor_of(op.tr, src, "torch"), tensor_of(op.tr, tgt, "torch")
    if x is None or y is None or heads is None:
        return unknown_tensor(op, "torch")
    if x.dims:
        hinted = _hinted(src_is_causal, src_key_padding_mask)
        attend(op, heads, x, x, x, Masks(src_mask, src_key_padding_mask, hinted))
    if y.dims:
        _decode(op, heads, y, x, masks)
    return _same(op, y)


@operator("torch.nn.Transformer.generate_square_subsequent_mask", "sz *rest")
def subsequent_mask(op: Op, sz: Value, rest: tuple[Value, ...]) -> Value:
    """Minus infinity where a place stands behind another, and zero elsewhere."""
    return made(op, shape_argument(op, (sz, sz)))
