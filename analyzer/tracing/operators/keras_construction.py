"""What the constructors of Keras layers refuse, whatever the input will be."""

from __future__ import annotations

from collections.abc import Mapping

from analyzer.tracing.language.values import ListV, Value
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op

_OF_CONVOLUTIONS = ("filters", "kernel_size", "strides", "dilation_rate", "groups", "depth_multiplier")
_WINDOWS = ("kernel_size", "strides", "dilation_rate", "pool_size", "size")
# Arguments that layers have in Keras 1 alone: its axes are in another order, or as the user's machine is configured.
OF_KERAS_1 = frozenset((
    "nb_filter", "nb_row", "nb_col", "border_mode", "subsample", "subsample_length", "filter_length", "dim_ordering",
    "W_regularizer", "b_regularizer", "U_regularizer", "W_constraint", "b_constraint", "inner_init",
    "inner_activation", "dropout_W", "dropout_U", "atrous_rate", "pool_length",
))  # fmt: skip
_OTHERS = {
    "Dense": ("units",),
    "LSTM": ("units",), "GRU": ("units",), "SimpleRNN": ("units",),
    "LSTMCell": ("units",), "GRUCell": ("units",), "SimpleRNNCell": ("units",),
    "MultiHeadAttention": ("num_heads",),
    "Embedding": ("input_dim",),
    "RepeatVector": ("n",),
}  # fmt: skip


def check_keras_construction(op: Op, arguments: Mapping[str, Value]) -> None:
    """Fails as ``Conv2D(3, 0)`` does, on the line that makes the layer."""
    kind = op.short
    for name in _positive(kind):
        value = arguments.get(name)
        sizes = tuple(value.items) if isinstance(value, ListV) else value if isinstance(value, tuple) else (value,)
        wrong = [size for size in sizes if type(size) is int and size <= 0]
        if wrong:
            fail(op, "positive", f"{name} is {value}; it must be at least 1")
        window = name in _WINDOWS and isinstance(value, tuple) and kind[-2:] in ("1D", "2D", "3D")
        if window and len(sizes) != int(kind[-2]):
            fail(op, "sizes", f"{name} has {len(sizes)} sizes, and the layer has {kind[-2]} dimensions")
    filters, groups = arguments.get("filters"), arguments.get("groups")
    if "Conv" in kind and type(filters) is int and type(groups) is int and filters % groups:
        fail(op, "divides", f"groups {groups} does not divide filters {filters}")


def _positive(kind: str) -> tuple[str, ...]:
    if "Conv" in kind:
        return _OF_CONVOLUTIONS
    if kind.startswith(("MaxPool", "AveragePool")):
        return ("pool_size",)
    return ("size",) if kind.startswith("UpSampling") else _OTHERS.get(kind, ())
