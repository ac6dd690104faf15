"""keras: models, functions, losses, recurrent layers and attention."""

from __future__ import annotations

from itertools import chain
from typing import Any

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensors import Size, Tensor, show_shape
from analyzer.tracing.language.values import Layer, ListV, Object, Unknown, Value
from analyzer.tracing.operators import shape_of
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.element_types import asked_type, default_float
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.keras_cell_rules import check_first_states
from analyzer.tracing.operators.keras_configurations import copied_model
from analyzer.tracing.operators.keras_losses import apply_loss
from analyzer.tracing.operators.keras_models import build_sequential, flat, input_tensor
from analyzer.tracing.operators.layers import call_layer
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator, rules, run_entry
from analyzer.tracing.operators.tf_operands import like, tensor
from analyzer.validity.terms import equal


@operator("keras.Input keras.layers.Input", "shape=None batch_size=None *rest")
def input_(op: Op, shape: Value, batch_size: Value, rest: tuple[Value, ...]) -> Value:
    """A symbolic input; its name, by which data is given to the model, is kept as a tag."""
    result = _input(op, shape, batch_size)
    name = op.extra.get("name")
    if isinstance(result, Tensor) and isinstance(name, str):
        result.tags |= {f"input {name}"}
    return result


def _input(op: Op, shape: Value, batch_size: Value) -> Value:
    if op.extra.get("tensor") is not None or (shape is None and op.extra.get("batch_shape") is None):
        return unknown_tensor(op, "tf")
    batch = op.extra.get("batch_shape")
    if isinstance(batch_size, int):
        given = plain(op.tr, shape)
        return (
            Tensor((batch_size, *given), None, "tf", site=op.where, graph=True)
            if isinstance(given, tuple)
            else unknown_tensor(op, "tf")
        )
    return input_tensor(op, shape, batch)


@operator("keras.Model keras.models.Model", "inputs=None outputs=None *rest")
def model(op: Op, inputs: Value, outputs: Value, rest: tuple[Value, ...]) -> Value:
    inputs, outputs = op.extra.get("input", inputs), op.extra.get("output", outputs)
    if inputs is None or outputs is None:
        return op.tr.unknown("a model")
    return Object(
        "model",
        {"inputs": ListV(flat(inputs)), "outputs": ListV(flat(outputs)), "input": inputs, "output": outputs},
        {"inputs": inputs, "outputs": outputs},
        op.where,
    )


@operator("keras.Sequential keras.models.Sequential", "layers=None *rest")
def sequential(op: Op, layers: Value, rest: tuple[Value, ...]) -> Value:
    items = (
        ListV(layers.items, layers.open)
        if isinstance(layers, ListV)
        else ListV(layers)
        if isinstance(layers, tuple)
        else ListV((), layers is not None)
    )
    result = Object("sequential", {}, {"layers": items}, op.where)
    build_sequential(op.tr, result, op.where)
    return result


@operator("keras.models.clone_model", "model *rest")
def clone_model(op: Op, model: Value, rest: tuple[Value, ...]) -> Value:
    """A model of the same layers, with weights of its own."""
    if not isinstance(model, Object) or rest or op.extra:
        return op.tr.unknown("a model")
    return copied_model(model)


@operator(
    (
        "keras.layers.concatenate keras.layers.add keras.layers.multiply keras.layers.average "
        "keras.layers.subtract keras.layers.maximum keras.layers.dot"
    ),
    "inputs *rest",
)
def merge(op: Op, inputs: Value, rest: tuple[Value, ...]) -> Value:
    names = {
        "concatenate": "Concatenate",
        "add": "Add",
        "multiply": "Multiply",
        "average": "Average",
        "subtract": "Subtract",
        "maximum": "Maximum",
        "dot": "Dot",
    }
    args: dict[str, Value] = {k: v for k, v in op.extra.items() if k in ("axis", "axes", "normalize")}
    if rest:
        args["axes" if op.short == "dot" else "axis"] = rest[0]
    return call_layer(op.tr, Layer(f"keras.layers.{names[op.short]}", args, op.where), (inputs,), {}, op.node)


@operator("keras.layers.Lambda.__init__", "function *rest")
def lambda_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator("keras.layers.Lambda.__call__", "layer inputs *rest")
def lambda_layer(op: Op, layer: Layer, inputs: Value, rest: tuple[Value, ...]) -> Value:
    given = layer.args.get("arguments")
    extra = {str(k): v for k, v in given.items.items()} if given is not None and hasattr(given, "items") else {}
    return call(op.tr, layer.args.get("function"), (inputs,), extra)


@operator("keras.layers.ReversibleEmbedding.__call__", "layer inputs reverse=False")
def reversible_embedding(op: Op, layer: Layer, inputs: Value, reverse: Value) -> Value:
    """Vectors of indices, or logits of vectors."""
    source = tensor(op, inputs)
    if reverse is False:
        sizes: dict[str, Value] = {name: layer.args[name] for name in ("input_dim", "output_dim") if name in layer.args}
        return apply(op, "keras", "ReversibleEmbedding", [inputs], sizes)
    if reverse is not True or source is None or not source.dims:
        return unknown_tensor(op, "tf")
    count, width = (op.tr.term_of(layer.args.get(name), name) for name in ("input_dim", "output_dim"))
    if count is None or width is None:
        return unknown_tensor(op, "tf")
    shown = show_shape(source.dims)
    require(op, equal(source.dims[-1], width), "width", f"the vectors {shown} must have {width} elements", (source,))
    return like(op, source, (*source.dims[:-1], count), source.dtype)


@operator(
    "keras.layers.TimeDistributed.__init__ keras.layers.Bidirectional.__init__ keras.layers.Wrapper.__init__",
    "layer *rest",
)
def wrapper_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator("keras.layers.TimeDistributed.__call__", "layer inputs *rest")
def time_distributed(op: Op, layer: Layer, inputs: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, inputs)
    inner = layer.args.get("layer")
    if source is None or source.dims is None:
        return unknown_tensor(op, "tf")
    if len(source.dims) < 3:
        fail(op, "rank", f"the input must have at least 3 dimensions and has {show_shape(source.dims)}", (source,))
    result = call(op.tr, inner, (like(op, source, (source.dims[0], *source.dims[2:]), source.dtype),), {})
    if not isinstance(result, Tensor) or not result.dims:
        return unknown_tensor(op, "tf")
    return like(op, source, (result.dims[0], source.dims[1], *result.dims[1:]), result.dtype)


@operator(
    (
        "keras.layers.LSTM.__init__ keras.layers.GRU.__init__ keras.layers.SimpleRNN.__init__ "
        "keras.layers.CuDNNLSTM.__init__ keras.layers.CuDNNGRU.__init__"
    ),
    "units *rest",
)
def recurrent_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator(
    (
        "keras.layers.LSTM.__call__ keras.layers.GRU.__call__ keras.layers.SimpleRNN.__call__ "
        "keras.layers.CuDNNLSTM.__call__ keras.layers.CuDNNGRU.__call__"
    ),
    "layer inputs *rest",
)
def recurrent(op: Op, layer: Layer, inputs: Value, rest: tuple[Value, ...]) -> Value:
    units = op.tr.term_of(layer.args.get("units"), "units")
    sequences, state = layer.args.get("return_sequences", False), layer.args.get("return_state", False)
    source = tensor(op, inputs.items[0] if isinstance(inputs, ListV) and inputs.items else inputs)
    if (
        source is None
        or source.dims is None
        or units is None
        or isinstance(sequences, Unknown)
        or isinstance(state, Unknown)
    ):
        return unknown_tensor(op, "tf") if state is False else op.tr.unknown("states", "imprecise")
    if len(source.dims) != 3:
        fail(
            op,
            "rank",
            f"the input must have 3 dimensions (batch, time, features) and has the shape {show_shape(source.dims)}",
            (source,),
        )
    check_first_states(op, source, rest[0] if rest else op.extra.get("initial_state"), units)
    width = op.extra.get("width", units)
    kind = asked_type(layer.args.get("dtype"), default_float(op.tr))
    out = like(
        op,
        source,
        (source.dims[0], source.dims[1], width) if sequences else (source.dims[0], width),
        kind,
    )
    if not state:
        return out
    one = like(op, source, (source.dims[0], units), kind)
    return (out, one, like(op, source, (source.dims[0], units), kind)) if "LSTM" in layer.name else (out, one)


@operator("keras.layers.MultiHeadAttention.__init__", "num_heads key_dim value_dim=None *rest")
def attention_arguments(op: Op, **arguments: Value) -> Value:
    return None


@operator("keras.layers.MultiHeadAttention.__call__", "layer query value=None key=None *rest")
def attention(op: Op, layer: Layer, query: Value, value: Value, key: Value, rest: tuple[Value, ...]) -> Value:
    q = tensor(op, query)
    if q is None or q.dims is None or layer.args.get("output_shape") is not None:
        return unknown_tensor(op, "tf")
    if len(q.dims) < 3:
        fail(op, "rank", f"the query must have at least 3 dimensions and has the shape {show_shape(q.dims)}", (q,))
    _check_attended(op, q, value, key)
    result = like(op, q, q.dims, q.dtype)
    return (result, op.tr.unknown("scores", "data")) if op.extra.get("return_attention_scores") is True else result


def _check_attended(op: Op, query: Tensor, value: Value, key: Value) -> None:
    """Keys and values are as many as queries have examples, and as many as one another."""
    values, keys = tensor(op, value), tensor(op, value if key is None else key)
    for name, found in (("key", keys), ("value", values)):
        if found is not None and found.dims and query.dims and len(found.dims) == len(query.dims):
            sentence = f"the query has {query.dims[0]} examples but the {name} {found.dims[0]}"
            require(op, equal(query.dims[0], found.dims[0]), "batch", sentence, (query, found))
    if keys is not None and values is not None and keys.dims and values.dims and len(keys.dims) == len(values.dims):
        for a, b in zip(keys.dims[1:-1], values.dims[1:-1], strict=True):
            sentence = f"the key has {a} positions but the value {b}"
            require(op, equal(a, b), "sequence", sentence, (keys, values))


_LOSSES = {
    "CategoricalCrossentropy": "categorical_crossentropy",
    "SparseCategoricalCrossentropy": "sparse_categorical_crossentropy",
    "BinaryCrossentropy": "binary_crossentropy", "MeanSquaredError": "mean_squared_error",
    "MeanAbsoluteError": "mean_absolute_error", "Huber": "huber", "Poisson": "poisson",
    "KLDivergence": "kl_divergence", "CosineSimilarity": "cosine_similarity", "Hinge": "hinge",
    "SquaredHinge": "squared_hinge", "CategoricalHinge": "categorical_hinge", "LogCosh": "log_cosh",
    "MeanAbsolutePercentageError": "mean_absolute_percentage_error",
    "MeanSquaredLogarithmicError": "mean_squared_logarithmic_error",
    "BinaryFocalCrossentropy": "binary_focal_crossentropy",
    "CategoricalFocalCrossentropy": "categorical_focal_crossentropy",
}  # fmt: skip


@operator(" ".join(f"{home}.losses.{n}" for home in ("keras", "tf") for n in _LOSSES), "*args")
def loss_object(op: Op, args: tuple[Value, ...]) -> Value:
    reduction = op.extra.get("reduction", "mean")
    none = reduction in (None, "none") or getattr(reduction, "name", "").lower().endswith("none")
    if op.extra.get("axis", -1) != -1:
        return op.tr.unknown(op.short, "imprecise")
    return Object(
        "loss",
        data={"name": _LOSSES[op.short].replace("_", ""), "reduction": "none" if none else "mean"},
        site=op.where,
    )


_ELSEWHERE = ("poisson", "kl_divergence", "hinge", "mean_absolute_percentage_error", "mean_squared_logarithmic_error")
_FUNCTIONS = [name for name in _LOSSES.values() if name not in _ELSEWHERE]


@operator(" ".join(f"keras.losses.{n}" for n in (*_FUNCTIONS, "mse", "mae")), "y_true y_pred *rest")
def loss_function(op: Op, y_true: Value, y_pred: Value, rest: tuple[Value, ...]) -> Value:
    if op.extra.get("axis", -1) != -1:
        return unknown_tensor(op, "tf")
    return apply_loss(op.tr, op.short, y_true, y_pred, op.node, reduced=False)


@operator(
    "keras.utils.to_categorical keras.utils.np_utils.to_categorical keras.np_utils.to_categorical",
    "y num_classes=None *rest",
)
def to_categorical(op: Op, y: Value, num_classes: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_of(op.tr, y, "numpy")
    count = op.tr.term_of(num_classes) if num_classes is not None else None
    if source is None or source.dims is None:
        return Tensor(None, None, "numpy", site=op.where)
    if count is None:
        count = op.tr.fresh("classes", "unknown")
    dims = source.dims[:-1] if source.dims and source.dims[-1] == 1 and len(source.dims) > 1 else source.dims
    kind = op.extra.get("dtype", rest[0] if rest else None)  # without it 32 bits in Keras 2, and 64 in Keras 3
    return Tensor((*dims, count), asked_type(kind, None), "numpy", site=op.where, name="one-hot")


@operator("keras.ops.shape", "x")
def shape(op: Op, x: Value) -> Value:
    """A tuple: sizes that are known are numbers."""
    source = tensor(op, x)
    return Size(source.dims) if source is not None and source.dims is not None else shape_of(op.tr, x)


def _promoted(op: Op, args: tuple[Value, ...]) -> tuple[Value, ...]:
    """Tensors, and those of a list, without their element types where these differ."""
    parts = [list(a) if isinstance(a, tuple) else a.items if isinstance(a, ListV) and not a.open else [a] for a in args]
    if len({part.dtype for part in chain.from_iterable(parts) if isinstance(part, Tensor)}) < 2:
        return args
    loose = [[like(op, p, p.shape) if isinstance(p, Tensor) else p for p in given] for given in parts]
    return tuple(
        ListV(new) if isinstance(a, ListV) and not a.open else tuple(new) if isinstance(a, tuple) else new[0]
        for a, new in zip(args, loose, strict=True)
    )


def _delegate(target: str) -> Any:
    def run(op: Op, **arguments: Value) -> Value:
        args = arguments.pop("args")
        named = {_NAMED_AS_IN_TF.get((target, k), k): v for k, v in op.extra.items()}
        if target in _CONVERTING:
            args, named = _promoted(op, args), dict(zip(named, _promoted(op, tuple(named.values())), strict=True))
        return run_entry(op.tr, rules()[target], target, args, named, op.node)

    return run


_NAMED_AS_IN_TF = {
    ("tf.transpose", "axes"): "perm",
    ("tf.transpose", "pattern"): "perm",
    ("tf.transpose", "x"): "a",
    ("tf.reshape", "newshape"): "shape",
    ("tf.reshape", "x"): "tensor",
    ("tf.concat", "xs"): "values",
    ("tf.concat", "tensors"): "values",
    ("tf.stack", "x"): "values",
    ("tf.expand_dims", "x"): "input",
    ("tf.squeeze", "x"): "input",
}  # (TensorFlow's function, Keras's parameter): TensorFlow's
_CONVERTING = ("tf.concat", "tf.stack", "tf.einsum")  # whose operands Keras brings to one type
_SAME_AS_TF = {
    "keras.ops.reshape": "tf.reshape", "keras.ops.expand_dims": "tf.expand_dims",
    "keras.ops.squeeze": "tf.squeeze", "keras.ops.concatenate": "tf.concat", "keras.ops.transpose": "tf.transpose",
    "keras.ops.stack": "tf.stack", "keras.ops.zeros": "tf.zeros", "keras.ops.ones": "tf.ones",
    "keras.random.normal": "tf.random.normal", "keras.random.uniform": "tf.random.uniform",
    "keras.random.truncated_normal": "tf.random.truncated_normal",
    "keras.ops.einsum": "tf.einsum",
}  # fmt: skip
TABLE = {
    name: entry
    for source, target in _SAME_AS_TF.items()
    for name, entry in getattr(operator(source, "*args")(_delegate(target)), "entries", ())
}
