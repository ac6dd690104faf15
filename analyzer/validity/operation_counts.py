"""Floating point operations of one forward pass of one layer, as a term.

Two for each multiplication and addition of a product of matrices or a convolution, none for anything else, as
`torch.utils.flop_counter` counts where recurrent layers and attention are taken apart into their products.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

from analyzer.validity.architecture import ModelLayer
from analyzer.validity.parameter_counts import COUNTS as PARAMETERS
from analyzer.validity.parameter_counts import parameters, weightless
from analyzer.validity.spec import TensorType
from analyzer.validity.specs.common import size_of
from analyzer.validity.terms import Term, product

Shape = tuple[Term, ...]
Arguments = Mapping[str, Any]
Count = Callable[[Arguments, Sequence[Shape], Shape], Term | None]  # of operands that are tensors, and of the output


def operations(layer: ModelLayer, operands: Sequence[TensorType | None], output: TensorType) -> Term | None:
    """The count; None where it is not known."""
    name = (layer.framework, layer.operator)
    if name not in PRODUCTS and name not in PLACES:
        return 0 if (weightless(layer) or name in PARAMETERS) and name not in NOT_KNOWN else None
    shapes = [x.shape for x in operands if x is not None]
    known = [x for x in shapes if x]
    if not shapes or len(known) < len(shapes) or output.shape is None:
        return None
    if name in PRODUCTS:
        return PRODUCTS[name](layer.hyperparameters, known, output.shape)
    weights = _weights(layer, operands)
    places = product(PLACES[name](layer.hyperparameters, known[0], output.shape))
    return None if weights is None else 2 * places * weights


def _weights(layer: ModelLayer, operands: Sequence[TensorType | None]) -> Term | None:
    """How many numbers are multiplied at each place: the parameters without biases, or the second operand."""
    if (layer.framework, layer.operator) in PARAMETERS:
        biases = {"bias": False, "use_bias": False}
        return parameters(replace(layer, hyperparameters={**layer.hyperparameters, **biases}), operands)
    second = operands[1] if len(operands) > 1 else None
    return None if second is None or second.shape is None else product(second.shape)


# The places of a layer: the axes, of its operand or its output, at each of which all its weights are multiplied once.
def _rows(_: Arguments, operand: Shape, __: Shape) -> Shape:
    return operand[:-1]


def _window(rank: int, _: Arguments, __: Shape, output: Shape) -> Shape:
    return output[: -rank - 1] + output[-rank:]


def _transposed(rank: int, a: Arguments, operand: Shape, _: Shape) -> Shape:
    return _window(rank, a, (), operand)


def _keras_window(rank: int, a: Arguments, operand: Shape, output: Shape) -> Shape:
    return _window(rank, a, operand, output) if a.get("data_format") == "channels_first" else output[:-1]


def _keras_transposed(rank: int, a: Arguments, operand: Shape, _: Shape) -> Shape:
    return _keras_window(rank, a, (), operand)


def _matrices(_: Arguments, operands: Sequence[Shape], output: Shape) -> Term:
    return 2 * size_of(output) * operands[0][-1]


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


def _transformer(attentions: int, a: Arguments, operands: Sequence[Shape], _: Shape) -> Term | None:
    if len(operands) < attentions:
        return None
    size, inner, own = a["d_model"], a.get("dim_feedforward", 2048), product(operands[0][:-1])
    made = 4 * own * size * inner
    for side in operands[:attentions]:
        rows = product(side[:-1])
        length = side[-2] if a.get("batch_first", False) or len(side) == 2 else side[0]
        made = made + _attended(size, own, (rows, rows), (size, size), length)
    return made


def _scaled_attention(_: Arguments, operands: Sequence[Shape], output: Shape) -> Term | None:
    if len(operands) < 3:
        return None
    query, key, value = operands[:3]
    return 2 * product(query[:-1]) * key[-2] * query[-1] + 2 * size_of(output) * value[-2]


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
PLACES: Mapping[tuple[str, str], Callable[[Arguments, Shape, Shape], Shape]] = MappingProxyType(
    {
        **{("torch", f"{kind}{form}"): _rows for kind in ("LSTM", "GRU", "RNN") for form in ("", "Cell")},
        **{("keras", name): _rows for name in ("Dense", "LSTM", "GRU", "SimpleRNN")},
        **{("torch", name): _rows for name in ("Linear", "linear")},
        **{("torch", f"{kind}{n}d"): partial(_window, n) for kind in ("Conv", "conv") for n in _RANKS},
        **{("torch", f"ConvTranspose{n}d"): partial(_transposed, n) for n in _RANKS},
        **{("keras", f"{kind}Conv{n}D"): partial(_keras_window, n)
           for kind, ranks in (("", _RANKS), ("Depthwise", (1, 2)), ("Separable", (1, 2))) for n in ranks},
        **{("keras", f"Conv{n}DTranspose"): partial(_keras_transposed, n) for n in _RANKS},
    }
)  # fmt: skip
PRODUCTS: Mapping[tuple[str, str], Count] = MappingProxyType(
    {
        **{("torch", name): _matrices for name in ("matmul", "bmm", "mm")},
        ("keras", "ops.matmul"): _matrices,
        ("torch", "MultiheadAttention"): _attention,
        ("torch", "TransformerEncoderLayer"): partial(_transformer, 1),
        ("torch", "TransformerDecoderLayer"): partial(_transformer, 2),
        ("torch", "scaled_dot_product_attention"): _scaled_attention,
        ("keras", "MultiHeadAttention"): _keras_attention,
    }
)
# Layers whose parameters are counted and whose products are not: PyTorch chooses the order in which it makes x₁ᵀ A x₂.
NOT_KNOWN = frozenset([("torch", "Bilinear")])
