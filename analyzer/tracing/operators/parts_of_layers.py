"""Layers that PyTorch's own layers are made of: the projections of attention, and what a Transformer holds."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.values import Api, Layer, ListV, Native, Value, is_term
from analyzer.tracing.operators.convolution_sizes import of_convolution
from analyzer.tracing.paths.tracer import Tracer

_PART = "part {}"  # under which it is kept beside what the first call has fixed: no program has such a name
MOST_COPIES = 96  # of the layer that a Transformer repeats


def makes_anew(layer: Layer, name: str) -> bool:
    """Whether the attribute is no longer what the constructor was given under its name, but a part made of that."""
    return _MAKERS.get(layer.name) is _of_block and name in ("dropout", "activation")


def part_of(tr: Tracer, layer: Layer, name: str) -> Value:
    """A layer within a layer, one object however often it is asked for; None where it is none, or is not known."""
    key = _PART.format(name)
    if key not in layer.built:
        made = _MAKERS[layer.name](tr, layer, name) if layer.name in _MAKERS else None
        if made is None:
            return None
        tr.touch(layer)
        layer.built[key] = made
    return layer.built[key]


def _of_attention(tr: Tracer, layer: Layer, name: str) -> Value:
    width = layer.args.get("embed_dim")
    return _layer(tr, layer, "Linear", width, width) if name == "out_proj" else None


def _of_convolution(tr: Tracer, layer: Layer, name: str) -> Value:
    """`_conv_forward(input, weight, bias)`, which classes call that change the weight first."""
    if name != "_conv_forward":
        return None
    function = Api(f"torch.nn.functional.{layer.name.rpartition('.')[2].lower()}")
    sizes = tuple(of_convolution(layer, size) for size in ("stride", "padding", "dilation", "groups"))
    return Native(name, lambda c: call(c.tr, function, (c.get(0), c.get(1), c.get(2), *sizes), {}, c.node))


def _of_block(tr: Tracer, layer: Layer, name: str) -> Value:
    """A part of `TransformerEncoderLayer`, or of `TransformerDecoderLayer`, which attends twice."""
    width, inner = layer.args.get("d_model"), layer.args.get("dim_feedforward", 2048)
    decodes = layer.name.endswith("DecoderLayer")
    if name == "self_attn" or (decodes and name == "multihead_attn"):
        batch_first = layer.args.get("batch_first", False)
        return _layer(tr, layer, "MultiheadAttention", width, layer.args.get("nhead"), batch_first=batch_first)
    if name in ("linear1", "linear2"):
        return _layer(tr, layer, "Linear", *((width, inner) if name == "linear1" else (inner, width)))
    if name in ("norm1", "norm2") or (decodes and name == "norm3"):
        return _layer(tr, layer, "LayerNorm", width)
    if name == "activation":
        return _activation(layer.args.get(name, "relu"))
    if name in ("dropout", "dropout1", "dropout2") or (decodes and name == "dropout3"):
        return call(tr, Api("torch.nn.Dropout"), (layer.args.get("dropout", 0.1),), {})
    return None


def _activation(given: Value) -> Value:
    if isinstance(given, str):
        return Api(f"torch.nn.functional.{given}") if given in ("relu", "gelu") else None
    return given


def _of_stack(tr: Tracer, layer: Layer, name: str) -> Value:
    """`TransformerEncoder(layer, count)` holds so many copies of the layer."""
    names, count = ("layer", "encoder_layer", "decoder_layer"), layer.args.get("num_layers")
    one = next((layer.args[n] for n in names if n in layer.args), None)
    if name != "layers" or one is None or not isinstance(count, int) or not 0 <= count <= MOST_COPIES:
        return None
    copies = [call(tr, Api("copy.deepcopy"), (one,), {}) for _ in range(count)]
    return call(tr, Api("torch.nn.ModuleList"), (ListV(copies),), {})


def _of_transformer(tr: Tracer, layer: Layer, name: str) -> Value:
    """The encoder or the decoder, where no other one was given."""
    args = layer.args
    if name not in ("encoder", "decoder"):
        return None
    if args.get(f"custom_{name}") is not None:
        return args[f"custom_{name}"]
    given: dict[str, Value] = {
        k: args[k] for k in ("dim_feedforward", "dropout", "batch_first", "bias", "dtype") if k in args
    }
    one = call(
        tr, Api(f"torch.nn.Transformer{name.title()}Layer"), (args.get("d_model", 512), args.get("nhead", 8)), given
    )
    norm = _layer(tr, layer, "LayerNorm", args.get("d_model", 512))
    count = args.get(f"num_{name}_layers", 6)
    return call(tr, Api(f"torch.nn.Transformer{name.title()}"), (one, count), {"norm": norm})


def _layer(tr: Tracer, owner: Layer, kind: str, *sizes: Value, **options: Value) -> Value:
    if not all(is_term(size) for size in sizes):
        return None
    given: dict[str, Any] = {k: owner.args[k] for k in ("bias", "dtype") if k in owner.args}
    return call(tr, Api(f"torch.nn.{kind}"), sizes, {**given, **options})


_MAKERS = {
    **{f"torch.nn.Conv{n}d": _of_convolution for n in (1, 2, 3)},
    "torch.nn.Transformer": _of_transformer,
    "torch.nn.MultiheadAttention": _of_attention,
    "torch.nn.TransformerEncoderLayer": _of_block,
    "torch.nn.TransformerDecoderLayer": _of_block,
    "torch.nn.TransformerEncoder": _of_stack,
    "torch.nn.TransformerDecoder": _of_stack,
}
