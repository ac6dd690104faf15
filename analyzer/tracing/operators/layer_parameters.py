"""The sizes of PyTorch's parameters, where they follow from the hyperparameters of a layer."""

from __future__ import annotations

import re
from typing import Any

from analyzer.tracing.language.known_types import OTHER_CLASS
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Layer, ListV, Unknown, Value, is_term
from analyzer.tracing.operators.convolution_sizes import kernel_of, of_convolution

STATISTICS = ("running_mean", "running_var")
RECURRENT = re.compile(r"(weight|bias)_(ih|hh|hr)_l(\d+)(_reverse)?")
_GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
_OF_CELLS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
_OF_ATTENTION = ("in_proj_weight", "in_proj_bias", "q_proj_weight", "k_proj_weight", "v_proj_weight")


def has_parameter(layer: Layer, name: str) -> bool:
    """Whether it is a name of parameters that only layers of this kind have."""
    kind = layer.name.rpartition(".")[2]
    return bool(
        (kind in _GATES and RECURRENT.fullmatch(name))
        or (kind.removesuffix("Cell") in _GATES and name in _OF_CELLS)
        or (kind == "MultiheadAttention" and name in _OF_ATTENTION)
    )


def sizes_of(layer: Layer, name: str) -> list[Value] | None:
    """Sizes of a parameter, those that are not known as None; None in all where the layer may not have it."""
    kind, args = layer.name.rpartition(".")[2], layer.args
    if kind == "Linear":
        return [args.get("out_features"), args.get("in_features")] if name == "weight" else [args.get("out_features")]
    if kind == "Bilinear":
        outer = args.get("out_features")
        return [outer, args.get("in1_features"), args.get("in2_features")] if name == "weight" else [outer]
    if kind in ("Embedding", "EmbeddingBag") and name == "weight":
        return [args.get("num_embeddings"), args.get("embedding_dim")]
    if kind == "PReLU" and name == "weight":
        return [args.get("num_parameters", 1)]
    if kind in ("LayerNorm", "RMSNorm") and args.get("elementwise_affine", True) is True:
        given = args.get("normalized_shape")
        found = given.items if isinstance(given, ListV) else list(given) if isinstance(given, tuple) else [given]
        return found if kind == "LayerNorm" or name == "weight" else None
    if kind == "GroupNorm" and args.get("affine", True) is True:
        return [args.get("num_channels")]
    if kind.startswith("InstanceNorm") and args.get("affine", False) is True:
        return [args.get("num_features")]
    if kind.startswith("BatchNorm"):
        kept = "track_running_stats" if name in STATISTICS else "affine"
        return [args.get("num_features")] if args.get(kept, True) is True else None
    if kind.startswith("Conv"):
        return kernel_of(layer) if name == "weight" else [args.get("out_channels")]
    if kind in _GATES:
        return _recurrent(layer, kind, name)
    if kind.removesuffix("Cell") in _GATES:
        return _recurrent(layer, kind.removesuffix("Cell"), f"{name}_l0")
    return _of_attention(layer, name) if kind == "MultiheadAttention" else None


_BY_WEIGHT: dict[str, tuple[str, ...]] = {
    "Linear": ("out_features", "in_features"),
    "Embedding": ("num_embeddings", "embedding_dim"),
}
_BY_WEIGHT |= {f"BatchNorm{rank}d": ("num_features",) for rank in (1, 2, 3)}


def sizes_by_weight(layer: Layer) -> dict[str, Value]:
    """The sizes that a layer computes with where the program has put another weight in the place of its own, or has
    given its own other `data`.

    Its attributes still tell the old ones. Of a weight that is not known nothing is.
    """
    kind = layer.name.removeprefix("torch.nn.")
    convolves = _CONVOLUTION.fullmatch(kind)
    names = _OF_KERNEL if convolves else _BY_WEIGHT.get(kind, ())
    weight = layer.attrs.get("weight", layer.built.get("weight"))
    if weight is None and kind.startswith("BatchNorm"):
        weight = layer.attrs.get("running_mean")
    if not names or weight is None:
        return {}
    dims = weight.dims if isinstance(weight, Tensor) else None
    if dims is None or len(dims) != (2 + int(kind[-2]) if convolves else len(names)):
        return {name: Unknown("a size of another weight", "imprecise", name) for name in names}
    if [*dims] == sizes_of(layer, "weight"):
        return {}
    if not convolves:
        return dict(zip(names, dims, strict=True))
    groups: Any = of_convolution(layer, "groups")
    outer: Any = dims[0]
    inner: Any = Unknown("a size of another weight", "imprecise", "in_channels")
    if type(groups) is int:  # the second counts once for each of them
        outer, inner = (dims[1] * groups, dims[0]) if "Transpose" in kind else (dims[0], dims[1] * groups)
    return dict(zip(_OF_KERNEL, (outer, inner, tuple(dims[2:])), strict=True))


_CONVOLUTION = re.compile(r"Conv(Transpose)?[123]d")
_OF_KERNEL = ("out_channels", "in_channels", "kernel_size")


def names_of_recurrent(layer: Layer) -> list[str]:
    """Those of a recurrent layer of PyTorch in its order; none of another, or where their number is not known."""
    kind, args = layer.name.removeprefix("torch.nn."), layer.args
    biased, projected = args.get("bias", True), args.get("proj_size", 0)
    if type(biased) is not bool or type(projected) is not int:
        return []
    if kind in ("LSTMCell", "GRUCell", "RNNCell"):
        return [name for name in _OF_CELLS if biased or name.startswith("weight")]
    layers, both = args.get("num_layers", 1), args.get("bidirectional", False)
    if kind not in _GATES or type(layers) is not int or type(both) is not bool or OTHER_CLASS in layer.attrs:
        return []
    parts = ["weight_ih", "weight_hh", *(["bias_ih", "bias_hh"] if biased else []), *["weight_hr"] * bool(projected)]
    ways = ("", "_reverse") if both else ("",)
    return [f"{part}_l{place}{way}" for place in range(layers) for way in ways for part in parts]


def _recurrent(layer: Layer, kind: str, name: str) -> list[Value] | None:
    found, args = RECURRENT.fullmatch(name), layer.args
    hidden: Any = args.get("hidden_size")
    features, projected = args.get("input_size"), args.get("proj_size", 0)
    layers, both, biased = args.get("num_layers", 1), args.get("bidirectional", False), args.get("bias", True)
    whole = is_term(hidden) and is_term(features) and isinstance(projected, int) and type(layers) is int
    if found is None or not whole or type(both) is not bool or type(biased) is not bool:
        return None
    place, given = int(found[3]), projected or hidden
    if place >= layers or (found[4] and not both) or (found[1] == "bias" and not biased):
        return None
    if found[2] == "hr":
        return [projected, hidden] if found[1] == "weight" and projected else None
    gates = _GATES[kind] * hidden
    if found[1] == "bias":
        return [gates]
    return [gates, given if found[2] == "hh" else features if not place else given * (2 if both else 1)]


def _of_attention(layer: Layer, name: str) -> list[Value] | None:
    """Of projections in one, where queries, keys and values have the same width; else in three."""
    width, biased = layer.args.get("embed_dim"), layer.args.get("bias", True)
    widths = [w if (w := layer.args.get(f"{part}dim")) is not None else width for part in "kv"]
    if type(width) is not int or any(type(w) is not int for w in widths) or type(biased) is not bool:
        return None
    if name == "in_proj_bias":
        return [3 * width] if biased else None
    one = widths == [width, width]
    if name == "in_proj_weight":
        return [3 * width, width] if one else None
    return None if one else [width, {"q": width, "k": widths[0], "v": widths[1]}[name[0]]]
