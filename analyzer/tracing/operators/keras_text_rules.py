"""Keras: layers that make numbers of text."""

from __future__ import annotations

from analyzer.tracing.language.values import Layer, Value
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, tensor, text_tensor

_FOR_EACH_WORD = ("multi_hot", "count", "tf_idf")
_LAID_OUT_BY = ("split", "ragged", "sparse")  # arguments by which each text gives something else than a row of numbers


@operator("keras.layers.TextVectorization.__init__", "max_tokens=None *rest")
def vectorization_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator("keras.layers.TextVectorization.__call__", "layer inputs *rest")
def vectorized(op: Op, layer: Layer, inputs: Value, rest: tuple[Value, ...]) -> Value:
    """A row of numbers of each text: of its tokens, filled up to a length that is asked for, or one of each word."""
    args, source = layer.args, text_tensor(op, inputs) or tensor(op, inputs)
    texts = None if source is None else source.dims
    if source is None or texts is None or "*" in args or rest or any(name in args for name in _LAID_OUT_BY):
        return unknown_tensor(op, "tf")
    if len(texts) == 2 and texts[1] == 1:
        texts = texts[:1]
    if len(texts) > 1:
        return unknown_tensor(op, "tf")
    mode = args.get("output_mode", "int")
    if mode == "int":
        length = args.get("output_sequence_length")
        known = None if length is None else op.tr.term_of(length, "output_sequence_length")
        size = known if known is not None else op.tr.fresh("tokens", "unknown")
        return like(op, source, (*texts, size), "int64")
    if mode not in _FOR_EACH_WORD:
        return unknown_tensor(op, "tf")
    full = args.get("pad_to_max_tokens") is True
    known = op.tr.term_of(args.get("max_tokens"), "max_tokens") if full and args.get("max_tokens") is not None else None
    return like(op, source, (*texts, known if known is not None else op.tr.fresh("words", "unknown")))
