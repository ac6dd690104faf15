"""`conv_utils` of Keras: how its own convolutions, and published ones that follow them, read their settings."""

from __future__ import annotations

from analyzer.tracing.language.values import ListV, Value, is_term
from analyzer.tracing.operators.keras_backend_rules import image_data_format
from analyzer.tracing.operators.table import Op, operator

_HOME = "keras.utils.conv_utils"
_PADDINGS = ("valid", "same", "causal")
_FORMATS = {
    "channels_last": {3: "NWC", 4: "NHWC", 5: "NDHWC"},
    "channels_first": {3: "NCW", 4: "NCHW", 5: "NCDHW"},
}


@operator(f"{_HOME}.normalize_tuple", "value n name *rest")
def normalize_tuple(op: Op, value: Value, n: Value, name: Value, rest: tuple[Value, ...]) -> Value:
    """One whole number for each of `n` axes."""
    if type(n) is int and is_term(value):
        return (value,) * n
    given = tuple(value.items) if isinstance(value, ListV) and not value.open else value
    if isinstance(given, tuple) and len(given) == n and all(map(is_term, given)):
        return given
    return op.tr.unknown(op.short, "imprecise")


@operator(f"{_HOME}.normalize_padding", "value")
def normalize_padding(op: Op, value: Value) -> Value:
    if isinstance(value, (ListV, tuple)):
        return value
    if isinstance(value, str) and value.lower() in _PADDINGS:
        return value.lower()
    return op.tr.unknown(op.short, "imprecise")


@operator(f"{_HOME}.normalize_data_format", "value")
def normalize_data_format(op: Op, value: Value) -> Value:
    """What the program has set for all of Keras, where it states none."""
    stated = image_data_format(op) if value is None else value
    if isinstance(stated, str) and stated.lower() in _FORMATS:
        return stated.lower()
    return op.tr.unknown(op.short, "imprecise", pytype="str")


@operator(f"{_HOME}.convert_data_format", "data_format ndim")
def convert_data_format(op: Op, data_format: Value, ndim: Value) -> Value:
    """The name that TensorFlow has for it."""
    if isinstance(data_format, str) and type(ndim) is int:
        found = _FORMATS.get(data_format, {}).get(ndim)
        if found is not None:
            return found
    return op.tr.unknown(op.short, "imprecise", pytype="str")
