"""What Keras's attention layer keeps for classes that inherit from it and compute with its parts."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Instance, Layer, Native, Value

PARTS = ("_query_dense", "_key_dense", "_value_dense", "_compute_attention", "_output_dense")
_FEATURES = "__query_features__"


def attention_part(instance: Instance, layer: Layer, name: str) -> Native | None:
    """A projection or the attention itself, of an object whose class inherits from the layer."""
    if name not in PARTS or layer.name != "keras.layers.MultiHeadAttention":
        return None
    if name == "_compute_attention":
        return Native(name, _attend)
    if name == "_output_dense":
        return Native(name, lambda c: _joined(c, instance, layer))
    return Native(name, lambda c: _projected(c, instance, layer, name))


def _projected(c: Any, instance: Instance, layer: Layer, name: str) -> Value:
    """Features as heads of features each."""
    x, size = c.get(0), layer.args.get("key_dim")
    if name == "_value_dense" and layer.args.get("value_dim") is not None:
        size = layer.args["value_dim"]
    heads = layer.args.get("num_heads")
    if not isinstance(x, Tensor) or not x.dims or heads is None or size is None:
        return c.tr.unknown(name)
    if name == "_query_dense":
        c.tr.touch(instance)
        instance.attrs[_FEATURES] = x.dims[-1]
    return Tensor((*x.dims[:-1], heads, size), x.dtype, x.framework, site=c.tr.site(c.node), sources=(x,))


def _attend(c: Any) -> Value:
    """The values weighted for each query, and the weights."""
    query, key, value = (c.get(i, name) for i, name in enumerate(("query", "key", "value")))
    if not all(isinstance(t, Tensor) and t.dims is not None and len(t.dims) == 4 for t in (query, key, value)):
        return (c.tr.unknown("attention"), c.tr.unknown("attention scores"))
    batch, length, heads, _ = query.dims
    made = Tensor((batch, length, heads, value.dims[-1]), query.dtype, query.framework, sources=(query, value))
    return made, Tensor((batch, heads, length, key.dims[1]), query.dtype, query.framework, sources=(query, key))


def _joined(c: Any, instance: Instance, layer: Layer) -> Value:
    """Heads of features as the features that the query has had."""
    x, features = c.get(0), instance.attrs.get(_FEATURES)
    if not isinstance(x, Tensor) or x.dims is None or features is None or layer.args.get("output_shape") is not None:
        return c.tr.unknown("_output_dense()")
    return Tensor((*x.dims[:-2], features), x.dtype, x.framework, site=c.tr.site(c.node), sources=(x,))
