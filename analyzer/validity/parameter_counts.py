"""The number of trainable parameters of one layer, as a term.

Counts are those of `layer.parameters()` in PyTorch and of `layer.trainable_variables` in Keras, element by element.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from analyzer.operators.declaration import WEIGHTS
from analyzer.operators.registry import layer_or_function
from analyzer.validity.architecture import ModelLayer
from analyzer.validity.registry import spec as spec_of
from analyzer.validity.spec import TensorType
from analyzer.validity.terms import Term, floor_div, product

Arguments = Mapping[str, Any]
Operands = Sequence[TensorType | None]
Count = Callable[[Arguments, Operands], Term | None]


def parameters(layer: ModelLayer, operands: Operands) -> Term | None:
    """The count; None where it is not known."""
    count = COUNTS.get((layer.framework, layer.operator))
    if count is not None:
        return count(layer.hyperparameters, operands)
    return 0 if weightless(layer) else None


def weightless(layer: ModelLayer) -> bool:
    """Whether the layer's operator is known and has no weights of its own."""
    spec = spec_of(layer.operator, layer.framework)
    if spec is None or layer.framework not in ("torch", "keras") or (layer.framework, layer.operator) in COUNTS:
        return False
    operator = layer_or_function(layer.framework, layer.operator)
    return operator is not None and not operator.traits & WEIGHTS


def each(value: Any, count: int) -> tuple[Term, ...]:
    """A size given once or for each axis, for each axis."""
    if not isinstance(value, (tuple, list)):
        return (value,) * count
    return tuple(value) * count if len(value) == 1 else tuple(value)


def _last(operands: Operands, index: int = 0) -> Term | None:
    operand = operands[index] if index < len(operands) else None
    return operand.shape[-1] if operand is not None and operand.shape else None


def _channels(a: Arguments, operands: Operands) -> Term | None:
    operand = operands[0] if operands else None
    if operand is None or not operand.shape:
        return None
    return operand.shape[1 if a.get("data_format") == "channels_first" else -1]


def _linear(a: Arguments, _: Operands) -> Term | None:
    if a.get("in_features") is None:
        return None
    return a["in_features"] * a["out_features"] + bool(a.get("bias", True)) * a["out_features"]


def _bilinear(a: Arguments, _: Operands) -> Term:
    return (a["in1_features"] * a["in2_features"] + bool(a.get("bias", True))) * a["out_features"]


def _convolution(rank: int, transposed: bool, a: Arguments, _: Operands) -> Term:
    read, made = a["in_channels"], a["out_channels"]
    first, second = (read, made) if transposed else (made, read)
    window = product(each(a["kernel_size"], rank))
    return first * floor_div(second, a.get("groups", 1)) * window + bool(a.get("bias", True)) * made


def _affine(size: str, default: bool, a: Arguments, _: Operands) -> Term:
    return 2 * a[size] * bool(a.get("affine", default))


def _layer_norm(biased: bool, a: Arguments, _: Operands) -> Term:
    shape = a["normalized_shape"]
    count = product(shape if isinstance(shape, (tuple, list)) else (shape,)) * bool(a.get("elementwise_affine", True))
    return count * (1 + (biased and bool(a.get("bias", True))))


def _recurrent(gates: int, a: Arguments, _: Operands) -> Term | None:
    projected = a.get("proj_size", 0)
    if not isinstance(projected, int):
        return None  # 0 stands for none, so that the count is no polynomial of it
    hidden, directions = a["hidden_size"], 1 + bool(a.get("bidirectional", False))
    biases = 2 * bool(a.get("bias", True))
    state = projected or hidden

    def stage(read: Term) -> Term:
        return directions * (gates * hidden * (read + state + biases) + projected * hidden)

    return stage(a["input_size"]) + (a.get("num_layers", 1) - 1) * stage(state * directions)


def _cell(gates: int, a: Arguments, _: Operands) -> Term:
    hidden = a["hidden_size"]
    return gates * hidden * (a["input_size"] + hidden + 2 * bool(a.get("bias", True)))


def _attention(a: Arguments, _: Operands) -> Term:
    size, biased = a["embed_dim"], bool(a.get("bias", True))
    key, value = (size if a.get(name) is None else a[name] for name in ("kdim", "vdim"))
    return size * (2 * size + key + value) + 4 * biased * size + 2 * bool(a.get("add_bias_kv", False)) * size


def _transformer(attentions: int, a: Arguments, _: Operands) -> Term:
    size, inner, biased = a["d_model"], a.get("dim_feedforward", 2048), bool(a.get("bias", True))
    attention = 4 * size * size + 4 * biased * size
    forward = 2 * size * inner + biased * (inner + size)
    return attentions * attention + forward + (attentions + 1) * (1 + biased) * size


def _embedding(rows: str, size: str, a: Arguments, _: Operands) -> Term:
    return a[rows] * a[size]


def _parameter(a: Arguments, _: Operands) -> Term:
    return product(a["shape"] if isinstance(a["shape"], (tuple, list)) else (a["shape"],))


def _dense(a: Arguments, operands: Operands) -> Term | None:
    read = _last(operands)
    return None if read is None else (read + bool(a.get("use_bias", True))) * a["units"]


def _keras_convolution(rank: int, a: Arguments, operands: Operands) -> Term | None:
    read = _channels(a, operands)
    if read is None:
        return None
    window = product(each(a["kernel_size"], rank))
    return (window * floor_div(read, a.get("groups", 1)) + bool(a.get("use_bias", True))) * a["filters"]


def _depthwise(rank: int, a: Arguments, operands: Operands) -> Term | None:
    read = _channels(a, operands)
    if read is None:
        return None
    return (product(each(a["kernel_size"], rank)) + bool(a.get("use_bias", True))) * read * a.get("depth_multiplier", 1)


def _separable(rank: int, a: Arguments, operands: Operands) -> Term | None:
    read = _channels(a, operands)
    if read is None:
        return None
    made, filters = read * a.get("depth_multiplier", 1), a["filters"]
    return product(each(a["kernel_size"], rank)) * made + made * filters + bool(a.get("use_bias", True)) * filters


def _keras_norm(a: Arguments, operands: Operands) -> Term | None:
    read = _last(operands)
    if read is None or a.get("axis", -1) not in (-1, (-1,), [-1]):
        return None
    if a.get("rms_scaling"):
        return read  # its scale, whatever `center` and `scale` say
    return (bool(a.get("center", True)) + bool(a.get("scale", True))) * read


def _keras_recurrent(gates: int, biases: int, a: Arguments, operands: Operands) -> Term | None:
    read, units = _last(operands), a["units"]
    if read is None:
        return None
    rows = biases if a.get("reset_after", True) else 1
    count = gates * units * (read + units + rows * bool(a.get("use_bias", True)))
    return count * (1 + bool(a.get("bidirectional", False)))


def _keras_attention(a: Arguments, operands: Operands) -> Term | None:
    query, value = _last(operands), _last(operands, 1)
    key = _last(operands, 2) if len(operands) > 2 and operands[2] is not None else value
    if query is None or value is None or key is None or a.get("output_shape") is not None:
        return None
    heads, size = a["num_heads"], a["key_dim"]
    depth, biased = size if a.get("value_dim") is None else a["value_dim"], bool(a.get("use_bias", True))
    read = heads * (size * (query + key + 2 * biased) + depth * (value + biased))
    return read + (heads * depth + biased) * query


_RANKS = (1, 2, 3)
COUNTS: Mapping[tuple[str, str], Count] = MappingProxyType(
    {
        ("torch", "Linear"): _linear,
        ("torch", "Bilinear"): _bilinear,
        **{("torch", f"Conv{n}d"): partial(_convolution, n, False) for n in _RANKS},
        **{("torch", f"ConvTranspose{n}d"): partial(_convolution, n, True) for n in _RANKS},
        **{("torch", f"BatchNorm{n}d"): partial(_affine, "num_features", True) for n in _RANKS},
        **{("torch", f"InstanceNorm{n}d"): partial(_affine, "num_features", False) for n in _RANKS},
        ("torch", "GroupNorm"): partial(_affine, "num_channels", True),
        ("torch", "LayerNorm"): partial(_layer_norm, True),
        ("torch", "RMSNorm"): partial(_layer_norm, False),
        ("torch", "Embedding"): partial(_embedding, "num_embeddings", "embedding_dim"),
        ("torch", "PReLU"): lambda a, _: a.get("num_parameters", 1),
        ("torch", "Parameter"): _parameter,
        ("torch", "LSTM"): partial(_recurrent, 4),
        ("torch", "GRU"): partial(_recurrent, 3),
        ("torch", "RNN"): partial(_recurrent, 1),
        ("torch", "LSTMCell"): partial(_cell, 4),
        ("torch", "GRUCell"): partial(_cell, 3),
        ("torch", "RNNCell"): partial(_cell, 1),
        ("torch", "MultiheadAttention"): _attention,
        ("torch", "TransformerEncoderLayer"): partial(_transformer, 1),
        ("torch", "TransformerDecoderLayer"): partial(_transformer, 2),
        ("keras", "Dense"): _dense,
        **{("keras", f"Conv{n}D"): partial(_keras_convolution, n) for n in _RANKS},
        **{("keras", f"Conv{n}DTranspose"): partial(_keras_convolution, n) for n in _RANKS},
        **{("keras", f"DepthwiseConv{n}D"): partial(_depthwise, n) for n in (1, 2)},
        **{("keras", f"SeparableConv{n}D"): partial(_separable, n) for n in (1, 2)},
        ("keras", "BatchNormalization"): _keras_norm,
        ("keras", "LayerNormalization"): _keras_norm,
        ("keras", "GroupNormalization"): _keras_norm,
        ("keras", "Embedding"): partial(_embedding, "input_dim", "output_dim"),
        ("keras", "LSTM"): partial(_keras_recurrent, 4, 1),
        ("keras", "GRU"): partial(_keras_recurrent, 3, 2),
        ("keras", "SimpleRNN"): partial(_keras_recurrent, 1, 1),
        ("keras", "MultiHeadAttention"): _keras_attention,
        ("keras", "Parameter"): _parameter,
    }
)
