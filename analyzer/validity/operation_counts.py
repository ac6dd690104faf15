"""Floating point operations of one forward pass of one layer, as a term.

Two for each multiplication and addition of a product of matrices or a convolution, none for anything else, as
`torch.utils.flop_counter` counts where recurrent layers and attention are taken apart into their products.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from analyzer.validity.architecture import Layer
from analyzer.validity.parameter_counts import COUNTS as PARAMETERS
from analyzer.validity.parameter_counts import each, weightless
from analyzer.validity.spec import TensorType
from analyzer.validity.specs.common import size_of
from analyzer.validity.terms import Term, floor_div, product

Shape = tuple[Term, ...]
Arguments = Mapping[str, Any]
Count = Callable[
    [Arguments, Sequence[Shape], Shape], Term | None
]  # of the operands that are tensors, and of the output


def operations(layer: Layer, operands: Sequence[TensorType | None], output: TensorType) -> Term | None:
    """The count; None where it is not known."""
    count = PRODUCTS.get((layer.framework, layer.operator))
    if count is None:
        known = weightless(layer) or (layer.framework, layer.operator) in PARAMETERS
        return 0 if known and (layer.framework, layer.operator) not in NOT_KNOWN else None
    shapes = [x.shape for x in operands if x is not None]
    if not shapes or None in shapes or output.shape is None or any(not x for x in shapes):
        return None
    return count(layer.hyperparameters, [x for x in shapes if x is not None], output.shape)


def _linear(read: str | None, a: Arguments, operands: Sequence[Shape], output: Shape) -> Term:
    return 2 * size_of(output) * (operands[0][-1] if read is None or a.get(read) is None else a[read])


def _linear_function(_: Arguments, operands: Sequence[Shape], output: Shape) -> Term | None:
    return 2 * size_of(output) * operands[1][-1] if len(operands) > 1 else None


def _convolution(rank: int, transposed: bool, a: Arguments, operands: Sequence[Shape], output: Shape) -> Term:
    across, channels = (operands[0], a["out_channels"]) if transposed else (output, a["in_channels"])
    return 2 * size_of(across) * floor_div(channels, a.get("groups", 1)) * product(each(a["kernel_size"], rank))


def _convolution_function(_: Arguments, operands: Sequence[Shape], output: Shape) -> Term | None:
    return 2 * size_of(output) * product(operands[1][1:]) if len(operands) > 1 else None


def _products(steps: Term, gates: int, hidden: Term, read: Term, state: Term) -> Term:
    return 2 * steps * gates * hidden * (read + state)


def _recurrent(gates: int, a: Arguments, operands: Sequence[Shape], _: Shape) -> Term | None:
    projected = a.get("proj_size", 0)
    if not isinstance(projected, int):
        return None  # 0 stands for none, so that the count is no polynomial of it
    hidden, directions, steps = a["hidden_size"], 1 + bool(a.get("bidirectional", False)), product(operands[0][:-1])
    state = projected or hidden

    def stage(read: Term) -> Term:
        return directions * (_products(steps, gates, hidden, read, state) + 2 * steps * projected * hidden)

    return stage(a["input_size"]) + (a.get("num_layers", 1) - 1) * stage(state * directions)


def _cell(gates: int, a: Arguments, operands: Sequence[Shape], _: Shape) -> Term:
    return _products(product(operands[0][:-1]), gates, a["hidden_size"], a["input_size"], a["hidden_size"])


def _attended(size: Term, queries: Term, rows: tuple[Term, Term], read: tuple[Term, Term], length: Term) -> Term:
    """Projections of queries, keys and values (`rows` of width `read`), scores, weighted sums, the last projection."""
    projections = 2 * size * (2 * queries * size + rows[0] * read[0] + rows[1] * read[1])
    return projections + 4 * queries * length * size


def _attention(a: Arguments, operands: Sequence[Shape], _: Shape) -> Term:
    query, key, value = [*operands, operands[-1], operands[-1]][:3]
    size = a["embed_dim"]
    read = (size if a.get("kdim") is None else a["kdim"], size if a.get("vdim") is None else a["vdim"])
    length = key[-2] if a.get("batch_first", False) or len(key) == 2 else key[0]
    more = bool(a.get("add_bias_kv", False)) + bool(a.get("add_zero_attn", False))
    return _attended(size, product(query[:-1]), (product(key[:-1]), product(value[:-1])), read, length + more)


def _transformer(crossing: bool, a: Arguments, operands: Sequence[Shape], _: Shape) -> Term | None:
    size, inner = a["d_model"], a.get("dim_feedforward", 2048)
    sides = (operands[0], operands[1]) if crossing and len(operands) > 1 else (operands[0],)
    if crossing and len(sides) < 2:
        return None
    own = product(sides[0][:-1])
    made = 4 * own * size * inner
    for side in sides:
        rows = product(side[:-1])
        length = side[-2] if a.get("batch_first", False) or len(side) == 2 else side[0]
        made = made + _attended(size, own, (rows, rows), (size, size), length)
    return made


def _scaled_attention(_: Arguments, operands: Sequence[Shape], output: Shape) -> Term | None:
    if len(operands) < 3:
        return None
    query, key, value = operands[:3]
    return 2 * product(query[:-1]) * key[-2] * query[-1] + 2 * size_of(output) * value[-2]


def _channels(a: Arguments, shape: Shape) -> Term:
    return shape[1] if a.get("data_format") == "channels_first" else shape[-1]


def _keras_convolution(rank: int, a: Arguments, operands: Sequence[Shape], output: Shape) -> Term:
    read = floor_div(_channels(a, operands[0]), a.get("groups", 1))
    return 2 * size_of(output) * read * product(each(a["kernel_size"], rank))


def _keras_transposed(rank: int, a: Arguments, operands: Sequence[Shape], _: Shape) -> Term:
    return 2 * size_of(operands[0]) * a["filters"] * product(each(a["kernel_size"], rank))


def _depthwise(rank: int, a: Arguments, _: Sequence[Shape], output: Shape) -> Term:
    return 2 * size_of(output) * product(each(a["kernel_size"], rank))


def _separable(rank: int, a: Arguments, operands: Sequence[Shape], output: Shape) -> Term:
    between = _channels(a, operands[0]) * a.get("depth_multiplier", 1)
    places = product(output[1:-1]) if a.get("data_format") != "channels_first" else product(output[2:])
    return 2 * output[0] * places * between * product(each(a["kernel_size"], rank)) + 2 * size_of(output) * between


def _keras_recurrent(gates: int, a: Arguments, operands: Sequence[Shape], _: Shape) -> Term:
    steps = product(operands[0][:-1])
    return (1 + bool(a.get("bidirectional", False))) * _products(steps, gates, a["units"], operands[0][-1], a["units"])


def _keras_attention(a: Arguments, operands: Sequence[Shape], output: Shape) -> Term | None:
    if len(operands) < 2 or any(len(x) != 3 for x in operands):
        return None
    query, value, key = (*operands, operands[1])[:3]
    heads, size = a["num_heads"], a["key_dim"]
    depth = size if a.get("value_dim") is None else a["value_dim"]
    queries, values = product(query[:-1]), product(value[:-1])
    projections = queries * (size * query[-1] + depth * output[-1]) + values * (size * key[-1] + depth * value[-1])
    return 2 * heads * (projections + queries * value[-2] * (size + depth))


_RANKS = (1, 2, 3)
PRODUCTS: Mapping[tuple[str, str], Count] = MappingProxyType(
    {
        ("torch", "Linear"): partial(_linear, "in_features"),
        ("torch", "linear"): _linear_function,
        **{("torch", name): partial(_linear, None) for name in ("matmul", "bmm", "mm")},
        **{("torch", f"Conv{n}d"): partial(_convolution, n, False) for n in _RANKS},
        **{("torch", f"ConvTranspose{n}d"): partial(_convolution, n, True) for n in _RANKS},
        **{("torch", f"conv{n}d"): _convolution_function for n in _RANKS},
        ("torch", "LSTM"): partial(_recurrent, 4),
        ("torch", "GRU"): partial(_recurrent, 3),
        ("torch", "RNN"): partial(_recurrent, 1),
        ("torch", "LSTMCell"): partial(_cell, 4),
        ("torch", "GRUCell"): partial(_cell, 3),
        ("torch", "RNNCell"): partial(_cell, 1),
        ("torch", "MultiheadAttention"): _attention,
        ("torch", "TransformerEncoderLayer"): partial(_transformer, False),
        ("torch", "TransformerDecoderLayer"): partial(_transformer, True),
        ("torch", "scaled_dot_product_attention"): _scaled_attention,
        ("keras", "Dense"): partial(_linear, None),
        ("keras", "ops.matmul"): partial(_linear, None),
        **{("keras", f"Conv{n}D"): partial(_keras_convolution, n) for n in _RANKS},
        **{("keras", f"Conv{n}DTranspose"): partial(_keras_transposed, n) for n in _RANKS},
        **{("keras", f"DepthwiseConv{n}D"): partial(_depthwise, n) for n in (1, 2)},
        **{("keras", f"SeparableConv{n}D"): partial(_separable, n) for n in (1, 2)},
        ("keras", "LSTM"): partial(_keras_recurrent, 4),
        ("keras", "GRU"): partial(_keras_recurrent, 3),
        ("keras", "SimpleRNN"): partial(_keras_recurrent, 1),
        ("keras", "MultiHeadAttention"): _keras_attention,
    }
)
# Layers whose parameters are counted and whose products are not: PyTorch chooses the order in which it makes x₁ᵀ A x₂.
NOT_KNOWN = frozenset([("torch", "Bilinear")])
