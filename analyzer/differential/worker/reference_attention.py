"""Attention in ONNX Runtime's own domain, ``com.microsoft``: heads side by side in the last axis, many masks."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx.reference.op_run import OpRun

Results = tuple[np.ndarray, ...]


def _heads(x: np.ndarray, count: int) -> np.ndarray:
    """(batch, sequence, heads x size) -> (batch, heads, sequence, size)."""
    return x.reshape(*x.shape[:2], count, -1).transpose(0, 2, 1, 3)


def _hidden(mask: np.ndarray | None, batch: int, queries: int, keys: int) -> np.ndarray | None:
    """Which keys a mask hides, (batch, 1, 1 or queries, keys): lengths, ends and begins, or a number for each."""
    if mask is None:
        return None
    place = np.arange(keys)
    if mask.ndim == 1 and mask.size == batch:
        return np.asarray((place >= mask[:, None])[:, None, None])
    if mask.ndim == 1 and mask.size == 2 * batch:
        return np.asarray(((place >= mask[:batch, None]) | (place < mask[batch:, None]))[:, None, None])
    if mask.ndim == 2 and mask.shape == (batch, keys):
        return np.asarray((mask == 0)[:, None, None])
    if mask.ndim == 3 and mask.shape == (batch, queries, keys):
        return np.asarray((mask == 0)[:, None])
    raise NotImplementedError(f"attention with a mask of shape {list(mask.shape)}")


def _attended(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    hidden: np.ndarray | None,
    added: np.ndarray | None,
    scale: float,
    causal: int,
    filler: float,
) -> np.ndarray:
    """Heads back side by side: (batch, sequence, heads x size)."""
    scores = (scale or 1 / np.sqrt(q.shape[-1])) * (q @ np.swapaxes(k, -1, -2))
    if added is not None:
        scores = scores + added
    if hidden is not None:
        scores = scores + np.where(hidden, filler, 0.0)
    if causal:
        queries, keys = scores.shape[-2:]
        later = np.arange(keys)[None, :] > np.arange(queries)[:, None] + (keys - queries)
        scores = np.where(later, -np.inf, scores)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    result = (weights / weights.sum(-1, keepdims=True)) @ v
    return np.asarray(result.transpose(0, 2, 1, 3).reshape(q.shape[0], q.shape[2], -1))


def _self_attention(
    outputs: int, projected: np.ndarray, mask: np.ndarray | None, past: np.ndarray | None, added: np.ndarray | None,
    num_heads: int, unidirectional: int, qkv_hidden_sizes: Any, scale: float, mask_filter_value: float,
    do_rotary: int,
) -> Results:  # fmt: skip
    if do_rotary:
        raise NotImplementedError("attention with rotary embeddings of its own")
    width = projected.shape[-1] // 3
    sizes = list(qkv_hidden_sizes or [width] * 3)
    parts = np.split(projected, np.cumsum(sizes)[:2], axis=-1)
    q, k, v = (_heads(part, num_heads) for part in parts)
    if past is not None:
        k, v = np.concatenate([past[0], k], axis=2), np.concatenate([past[1], v], axis=2)
    hidden = _hidden(mask, q.shape[0], q.shape[2], k.shape[2])
    y = _attended(q, k, v, hidden, added, scale, unidirectional, mask_filter_value)
    return (y.astype(projected.dtype), *([np.stack([k, v])] if outputs > 1 else []))


class Attention(OpRun):  # type: ignore[misc]
    op_domain = "com.microsoft"

    def _run(
        self, x: np.ndarray, weights: np.ndarray, bias: np.ndarray | None = None, mask: np.ndarray | None = None,
        past: np.ndarray | None = None, added: np.ndarray | None = None, past_length: np.ndarray | None = None,
        num_heads: int = 1, unidirectional: int = 0, qkv_hidden_sizes: Any = None, scale: float = 0.0,
        mask_filter_value: float = -10000.0, do_rotary: int = 0, **_: Any,
    ) -> Results:  # fmt: skip
        projected = x @ weights + (0 if bias is None else bias)
        return _self_attention(
            len(self.output), projected, mask, past, added, num_heads, unidirectional, qkv_hidden_sizes, scale,
            mask_filter_value, do_rotary,
        )  # fmt: skip


class QAttention(OpRun):  # type: ignore[misc]
    op_domain = "com.microsoft"

    def _run(
        self, x: np.ndarray, weights: np.ndarray, bias: np.ndarray, x_scale: np.ndarray, w_scale: np.ndarray,
        mask: np.ndarray | None = None, x_zero: np.ndarray | None = None, w_zero: np.ndarray | None = None,
        past: np.ndarray | None = None, num_heads: int = 1, unidirectional: int = 0, scale: float = 0.0,
        mask_filter_value: float = -10000.0, do_rotary: int = 0, **_: Any,
    ) -> Results:  # fmt: skip
        left = x.astype(np.int64) - (0 if x_zero is None else x_zero.astype(np.int64))
        right = weights.astype(np.int64) - (0 if w_zero is None else w_zero.astype(np.int64))
        projected = (left @ right) * (x_scale * w_scale) + bias
        return _self_attention(
            len(self.output), projected, mask, past, None, num_heads, unidirectional, None, scale, mask_filter_value,
            do_rotary,
        )  # fmt: skip


class MultiHeadAttention(OpRun):  # type: ignore[misc]
    """Query, key and value apart."""

    op_domain = "com.microsoft"

    def _run(
        self, query: np.ndarray, key: np.ndarray | None = None, value: np.ndarray | None = None,
        bias: np.ndarray | None = None, mask: np.ndarray | None = None, added: np.ndarray | None = None,
        past_key: np.ndarray | None = None, past_value: np.ndarray | None = None,
        past_length: np.ndarray | None = None, cache: np.ndarray | None = None, num_heads: int = 1,
        mask_filter_value: float = -10000.0, scale: float = 0.0, unidirectional: int = 0,
    ) -> Results:  # fmt: skip
        if past_length is not None or cache is not None:
            raise NotImplementedError("attention with a buffer that past and present share")
        if key is None or value is None or key.ndim == 5:
            raise NotImplementedError("attention with keys and values in one tensor")
        if bias is not None:
            width = query.shape[-1]
            added_to = np.split(bias, [width, 2 * width])
            query = query + added_to[0]
            if key.ndim == 3:
                key, value = key + added_to[1], value + added_to[2]
        q = _heads(query, num_heads)
        k, v = (part if part.ndim == 4 else _heads(part, num_heads) for part in (key, value))
        if past_key is not None and past_value is not None:
            k, v = np.concatenate([past_key, k], axis=2), np.concatenate([past_value, v], axis=2)
        hidden = _hidden(mask, q.shape[0], q.shape[2], k.shape[2])
        y = _attended(q, k, v, hidden, added, scale, unidirectional, mask_filter_value)
        return (y.astype(query.dtype), k, v)[: len(self.output)]


class RotaryEmbedding(OpRun):  # type: ignore[misc]
    op_domain = "com.microsoft"

    def _run(
        self, x: np.ndarray, position_ids: np.ndarray, cos_cache: np.ndarray, sin_cache: np.ndarray,
        interleaved: int = 0, is_packed_batching: int = 0, num_heads: int = 0, rotary_embedding_dim: int = 0,
        scale: float = 1.0,
    ) -> Results:  # fmt: skip
        turned = 2 * cos_cache.shape[1]
        if x.ndim == 3:
            size = x.shape[-1] // num_heads if rotary_embedding_dim else turned
            parts = x.reshape(*x.shape[:2], -1, size).transpose(0, 2, 1, 3)
        else:
            parts = x
        steps = parts.shape[2]
        places = position_ids + np.arange(steps)[None] if position_ids.size == 1 else position_ids
        cos, sin = (cache[places][:, None] for cache in (cos_cache, sin_cache))
        head, rest = parts[..., :turned], parts[..., turned:]
        one, two = (head[..., ::2], head[..., 1::2]) if interleaved else np.split(head, 2, axis=-1)
        first, second = one * cos - two * sin, two * cos + one * sin
        both = np.stack([first, second], -1).reshape(head.shape) if interleaved else np.concatenate([first, second], -1)
        y = np.concatenate([both, rest], axis=-1).astype(x.dtype)
        return (y if x.ndim == 4 else y.transpose(0, 2, 1, 3).reshape(x.shape),)


ATTENTIONS = (Attention, QAttention, MultiHeadAttention, RotaryEmbedding)
