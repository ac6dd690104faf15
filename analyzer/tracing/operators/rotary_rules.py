"""rotary_embedding_torch: queries and keys turned by their places in a sequence, of the shapes that they had."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Native, Object, Value
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.table import Op, operator

_HOMES = ("rotary_embedding_torch", "rotary_embedding_torch.rotary_embedding_torch")


def _named(short: str) -> str:
    return " ".join(f"{home}.{short}" for home in _HOMES)


@operator(_named("RotaryEmbedding"), "*rest")
def rotary_embedding(op: Op, rest: tuple[Value, ...]) -> Value:
    turned = Native("rotate_queries_or_keys", lambda c: _turned(c, 0))
    both = Native("rotate_queries_and_keys", lambda c: (_turned(c, 0), _turned(c, 1)))
    cached = Native("rotate_queries_with_cached_keys", lambda c: (_turned(c, 0), _turned(c, 1)))
    return Object("rotary embedding", {f.name: f for f in (turned, both, cached)}, site=op.where)


@operator(_named("apply_rotary_emb"), "freqs t *rest")
def apply_rotary_emb(op: Op, freqs: Value, t: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_of(op.tr, t, "torch")
    return unknown_tensor(op, "torch") if source is None else _like(source)


def _turned(c: Any, place: int) -> Value:
    given = c.args[place] if len(c.args) > place else c.kwargs.get("qk"[place], c.kwargs.get("t"))
    source = tensor_of(c.tr, given, "torch")
    return c.tr.unknown("a turned tensor") if source is None else _like(source)


def _like(source: Tensor) -> Tensor:
    return Tensor(source.dims, source.dtype, "torch", site=source.site, sources=(source,))
