"""What the constructors of torch layers refuse: numbers that contradict each other whatever the input will be."""

from __future__ import annotations

from collections.abc import Mapping

from analyzer.operators.declaration import RECURRENT
from analyzer.operators.registry import layer_or_function
from analyzer.tracing.language.values import Unknown, Value, is_term
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op
from analyzer.validity.terms import Poly, equal, mod

_COUNTS = {
    "in_features", "out_features", "in_channels", "out_channels", "num_features", "num_channels", "num_embeddings",
    "embedding_dim", "input_size", "hidden_size", "embed_dim", "d_model",
}  # fmt: skip
_PROBABILITIES = {
    **dict.fromkeys(("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout"), "p"),
    **dict.fromkeys(("TransformerEncoderLayer", "TransformerDecoderLayer", "Transformer"), "dropout"),
    **dict.fromkeys(("RNN", "LSTM", "GRU"), "dropout"),
}  # whose constructors refuse it, `MultiheadAttention` only when it is called
_HEADS = {
    "MultiheadAttention": ("embed_dim", "num_heads"),
    "TransformerEncoderLayer": ("d_model", "nhead"),
    "TransformerDecoderLayer": ("d_model", "nhead"),
}


def check_construction(op: Op, arguments: Mapping[str, Value]) -> None:
    """Fails as ``nn.Conv2d(3, 4, 1, groups=2)`` does, on the line that makes the layer."""
    kind = op.short
    for name in _COUNTS & arguments.keys():
        _at_least_one(op, arguments[name], name)
    if kind in _PROBABILITIES:
        check_probability(op, _PROBABILITIES[kind], arguments.get(_PROBABILITIES[kind]))
    if "in_channels" in arguments or "out_channels" in arguments:
        for name in ("in_channels", "out_channels"):
            _divides(op, arguments, "groups", name)
    elif kind == "GroupNorm":
        _divides(op, arguments, "num_groups", "num_channels")
    elif kind in _HEADS:
        width, heads = _HEADS[kind]
        _divides(op, arguments, heads, width)
    elif (layer := layer_or_function("torch", kind)) is not None and layer.traits & RECURRENT:
        for name in ("input_size", "hidden_size", "num_layers"):
            size = arguments.get(name, 1)
            if isinstance(size, int) and size <= 0:
                fail(op, "positive", f"{name} is {size}; it must be at least 1")


def check_probability(op: Op, name: str, value: Value) -> None:
    """Fails where it is a number below 0 or above 1."""
    if isinstance(value, (int, float)) and (value < 0 or value > 1):
        fail(op, "probability", f"{name} is {value}; it must lie between 0 and 1")


def _at_least_one(op: Op, value: Value, name: str) -> None:
    """A layer without features is legal and never meant: sizes that callers choose are at least one."""
    term = op.tr.term_of(value, name) if isinstance(value, (Unknown, Poly)) else None
    if isinstance(term, Poly) and term.interval.lo < 1:
        op.tr.assume(term >= 1, "definition", op.where)


def _divides(op: Op, arguments: Mapping[str, Value], divisor: str, whole: str) -> None:
    parts, total = arguments.get(divisor, 1), arguments.get(whole)
    if not is_term(parts) or not is_term(total) or parts == 1:
        return
    if isinstance(parts, int) and parts <= 0:
        fail(op, "positive", f"{divisor} is {parts}; it must be at least 1")
    if isinstance(parts, int) or parts.interval.lo >= 1:
        rest = mod(total, parts)
        require(op, equal(rest, 0), "divides", f"{divisor} {parts} does not divide {whole} {total}")
