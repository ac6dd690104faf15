"""Attributes of layer objects: hyperparameters, weights of the shapes that follow from them, and what a layer lacks."""

from __future__ import annotations

import re
from types import NoneType

from analyzer.frameworks.api_tables import all_tables, framework_data
from analyzer.tracing.language.known_types import OTHER_CLASS, PARALLEL
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import CHILDREN, Bound, Instance, Layer, ListV, Unknown, Value
from analyzer.tracing.operators.convolution_sizes import of_convolution
from analyzer.tracing.operators.element_types import dtype_name
from analyzer.tracing.operators.keras_graphs import INPUT, OUTPUT, trained_weights_of, weight_by_name, weights_of
from analyzer.tracing.operators.layer_parameters import STATISTICS, has_parameter, sizes_of
from analyzer.tracing.operators.parts_of_layers import makes_anew, part_of
from analyzer.tracing.operators.torch_modules import BUFFERS, children_by_name, children_of
from analyzer.tracing.paths.problems import PyRaise
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Poly

_PARAMETERS = {"weight", "bias", "kernel", "weights", "running_mean", "running_var", "in_proj_weight", "weight_ih_l0"}


_NUMBERS = {"eps": 1e-5, "momentum": 0.1}  # of layers that normalise, where nothing else is asked for


def layer_attribute(tr: Tracer, layer: Layer, name: str) -> Value:
    named = children_by_name(layer)
    if named is not None and name in named.items:
        return named.items[name]
    if name in ("weight", "bias") and layer.name.startswith("torch."):
        found = parameter(tr, layer, name)  # `bias=False` of the constructor is not the bias
        if tr.types_open and isinstance(found, Tensor):
            found.dtype = None
        return found
    if name == "normalized_shape" and isinstance(layer.args.get(name), (int, Poly, ListV)):
        given = layer.args[name]  # kept as a tuple
        return tuple(given.items) if isinstance(given, ListV) and not given.open else (given,)
    size = of_convolution(layer, name)
    if size is not None:
        return size
    if makes_anew(layer, name) and isinstance(layer.attrs.get(name), (int, float, str, NoneType)):
        made = part_of(tr, layer, name)
        return made if made is not None else tr.unknown(name)
    if name == "stride" and "Pool" in layer.name and layer.attrs.get(name, layer.args.get(name)) is None:
        return layer_attribute(tr, layer, "kernel_size") if "kernel_size" in layer.args else tr.unknown(name)
    if name == "start_dim" and layer.name == "torch.nn.Flatten" and name not in layer.args:
        return 1
    if name == "module" and PARALLEL in layer.attrs:
        return layer
    lazy = layer.name.startswith("torch.nn.Lazy") and name in _TOLD
    if lazy and layer.attrs.get(name, layer.args.get(name)) is None:  # the first input tells it
        return layer.built[name] if name in layer.built else tr.unknown(f"attribute {name}")
    if name in layer.attrs:
        default = layer.attrs[name] is None and not _kept(layer, name)  # in whose place stands something else
        return tr.unknown(f"attribute {name}") if default else layer.attrs[name]
    if name in layer.args:
        return layer.args[name] if _kept(layer, name) else tr.unknown(f"attribute {name}")
    if name in ("weight", "bias") and not layer.name.startswith("keras.layers."):
        return parameter(tr, layer, name)
    if name == "layers" and isinstance(layer.attrs.get(CHILDREN), ListV):
        return layer.attrs[CHILDREN]
    if layer.name.startswith("torch.") and (name == "_modules" or name.isdigit()):
        children = children_of(layer)
        return children if name == "_modules" else children.items.get(name, tr.unknown(f"child {name}"))
    if name in STATISTICS and layer.name.startswith("torch.nn.BatchNorm"):
        return parameter(tr, layer, name)
    of_keras = _of_keras(layer, name) if layer.name.startswith("keras.layers.") else None
    if of_keras is not None:
        return of_keras
    if has_parameter(layer, name):
        return parameter(tr, layer, name)
    if (part := part_of(tr, layer, name)) is not None:
        return part
    if name in _PARAMETERS:
        return tr.unknown(f"parameter {name}")
    if name in _NUMBERS and "Norm" in layer.name and layer.name.startswith("torch."):
        return _NUMBERS[name]
    if name == "head_dim" and layer.name == "torch.nn.MultiheadAttention":
        width, heads = layer.args.get("embed_dim"), layer.args.get("num_heads")
        return width // heads if isinstance(width, int) and isinstance(heads, int) and heads else tr.unknown(name)
    if name == "training" or _is_parameter_of(layer, name):
        return tr.unknown(f"attribute {name}")  # what the constructor makes of its default
    if tr.guards and lacks_attribute(tr, layer, name):
        raise PyRaise("AttributeError", name)
    return Bound(layer, name)


def _of_keras(layer: Layer, name: str) -> Value:
    """What a layer has once it was called: its symbolic input and output, and its weights; None where not known."""
    if name in ("input", "output"):
        return layer.built.get(OUTPUT if name == "output" else INPUT)
    if name in ("trainable_weights", "trainable_variables"):
        return trained_weights_of(layer)
    return weights_of(layer) if name in ("weights", "variables") else weight_by_name(layer, name)


_MADE_OF = frozenset((
    "activation", "recurrent_activation", "data_format", "dtype", "mean", "variance", "factor", "value_range", "seed",
    "vocabulary", "idf_weights", "shared_axes", "output_shape", "batch_shape", "noise_shape", "salt",
    "addition_factor", "threshold_factor", "x_factor", "y_factor", "sigma", "fill_value", "attention_axes",
))  # fmt: skip  # Keras: from names, defaults and the shape of what it is given
_PAIRS = ("strides", "dilation_rate", "pool_size", "kernel_size", "size", "padding", "cropping", "output_padding")


def _kept(layer: Layer, name: str) -> bool:
    """Whether the attribute is what the constructor was given: Keras makes functions of names and pairs of numbers."""
    if not layer.name.startswith(("keras.", "tf.")):
        return True
    if name in _PAIRS:
        return isinstance(layer.args.get(name), (str, tuple))
    return name not in _MADE_OF and not name.endswith(("_initializer", "_regularizer", "_constraint"))


def _is_parameter_of(layer: Layer, name: str) -> bool:
    """Whether PyTorch's constructor of the layer takes an argument of the name, which it keeps."""
    home, _, last = layer.name.rpartition(".")
    declared = all_tables("torch")[-1].modules.get(home, {}).get(last) if home == "torch.nn" else None
    return any(entry.lstrip("*/").rstrip("=") == name for entry in declared or ())


def has_attribute(layer: Layer, name: str) -> bool:
    """Whether a layer is known to have it: what it was made of, its parameters, PyTorch's methods."""
    if isinstance(layer.built.get(name), Unknown) and name not in layer.attrs:
        return False  # it was deleted
    if (named := children_by_name(layer)) is not None and name in named.items:
        return True
    if name in layer.args or name in layer.attrs or of_convolution(layer, name) is not None:
        return True
    weighted = bool(WEIGHTED.match(layer.name))
    if name in ("weight", "bias", "reset_parameters") and weighted:
        return name != "bias" or "Embedding" not in layer.name
    return layer.name.startswith("torch.nn.") and name in framework_data("torch")["attributes"]["torch.nn.Module"]


def lacks_private(layer: Layer, name: str) -> bool:
    """Whether a layer of PyTorch has no private attribute of the name: of those that it brings, few are no methods."""
    if not layer.name.startswith("torch.nn.") or not name.startswith("_") or name.startswith("__"):
        return False
    known = framework_data("torch")["attributes"]["torch.nn.Module"]
    return name not in layer.attrs and name not in known and not _PRIVATE.fullmatch(name)


_WHOLE = re.compile(
    r"torch\.nn\.(Linear|Conv(Transpose)?[123]d|BatchNorm[123]d|LayerNorm|GroupNorm|Embedding|Identity)"
)
_BROUGHT = frozenset((
    "weight", "bias", "reset_parameters", "transposed", "output_padding", "running_mean", "running_var",
    "num_batches_tracked", "reset_running_stats", "from_pretrained", "parametrizations",
))  # fmt: skip


def lacks_attribute(tr: Tracer, layer: Layer, name: str) -> bool:
    """Whether a layer of PyTorch, all of whose attributes are known, has none of the name.

    Not once an object was given to what is not understood, nor where the program sets attributes on classes of PyTorch.
    """
    if not _WHOLE.fullmatch(layer.name) or name.startswith("_") or OTHER_CLASS in layer.attrs:
        return False
    if not tr.knows_objects or tr.modes_origin or any(name in told for told in tr.shared.set_on_libraries.items):
        return False
    if has_attribute(layer, name) or name in layer.built or _is_parameter_of(layer, name):
        return False
    return name not in _BROUGHT and name not in framework_data("torch")["attributes"]["torch.nn.Module"]


_PRIVATE = re.compile(
    r"_(all_weights|flat_\w+|key_to_attr|keys|mask|output_padding|qkv_same_embed_dim|random_samples|size|\w+_block"
    r"|reversed_padding_repeated_twice|weights_have_changed|(apply|check|compute|fill|get|init|infer|lazy|load|reset)_\w+"
    r"|(require|resolve|update|handle|initialize)_\w+|conv_forward|ceil_div|fill_padding_idx_with_zero)"
)
WEIGHTED = re.compile(r"torch\.nn\.(Linear|Bilinear|Embedding|Conv|BatchNorm|LayerNorm|GroupNorm|InstanceNorm)")


def parameter(tr: Tracer, layer: Layer, name: str) -> Value:
    """The shape of a weight, where it follows from the hyperparameters."""
    if name in layer.built:
        return layer.built[name]
    args, dims = layer.args, sizes_of(layer, name)
    if name == "bias" and args.get("bias") is False:
        return None
    terms = [tr.term_of(d, "size") if d is not None else None for d in dims] if dims is not None else [None]
    if any(t is None for t in terms):
        return tr.unknown(f"parameter {name}")
    tensor = Tensor(
        terms,
        dtype_name(args["dtype"]) if args.get("dtype") is not None else "float32",
        "torch",
        site=layer.site,
        name=name,
        tags=frozenset(("variable",)),
    )
    tr.touch(layer)
    layer.built[name] = tensor
    return tensor


def layer_attribute_set(layer: Layer, name: str, value: Value) -> None:
    if name in ("weight", "bias"):
        layer.built[name] = value
    elif computes_with(layer, name):
        layer.args = {**layer.args, name: value}


def computes_with(layer: Layer, name: str) -> bool:
    """Whether it is a name by which a layer computes. Sizes of weights that are made only tell what those are."""
    window = _WINDOWS.fullmatch(layer.name)
    if window is not None and name in (_OF_CONVOLUTIONS if window[1].startswith("Conv") else _OF_POOLS):
        return True
    if "last" in layer.built and name in _BUILT_BY:  # a layer of Keras has its weights since it was built
        return False
    if layer.name.startswith("keras.layers.") and name in _OF_WINDOWS:
        return True
    return name in layer.args and not (layer.name.startswith("torch.") and name in _TOLD)


_WINDOWS = re.compile(r"torch\.nn\.(Conv|ConvTranspose|MaxPool|AvgPool)[123]d")
_OF_CONVOLUTIONS = ("stride", "padding", "dilation", "groups", "output_padding")
_OF_POOLS = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")
_OF_WINDOWS = ("strides", "padding", "dilation_rate", "data_format", "pool_size")
_BUILT_BY = ("units", "filters", "kernel_size", "depth_multiplier", "groups", "use_bias")
_TOLD = ("in_features", "out_features", "in_channels", "out_channels", "num_features", "num_embeddings",
         "embedding_dim", "num_channels")  # fmt: skip


def layer_attribute_deleted(tr: Tracer, layer: Layer, name: str) -> None:
    if name in ("weight", "bias"):
        layer.built[name] = tr.unknown(f"a deleted {name}")


def register_tensor(
    tr: Tracer, owner: Layer | Instance, args: tuple[Value, ...], kwargs: dict[str, Value], parameter: bool
) -> None:
    """`register_buffer(name, tensor, persistent=True)` and `register_parameter(name, param)`."""
    name = args[0] if args else kwargs.get("name")
    value = args[1] if len(args) > 1 else kwargs.get("tensor", kwargs.get("param"))
    if isinstance(name, str):
        tr.touch(owner)
        owner.attrs[name] = value
        if not parameter:
            persistent = args[2] if len(args) > 2 else kwargs.get("persistent", True)
            others = (entry for entry in owner.attrs.get(BUFFERS, ()) if entry[0] != name)
            owner.attrs[BUFFERS] = (*others, (name, persistent))
        if isinstance(owner, Layer):
            layer_attribute_set(owner, name, value)
