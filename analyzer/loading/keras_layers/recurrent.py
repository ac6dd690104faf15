"""Recurrent layers and the wrappers around layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.loading.keras_builder import Config, KerasLayer, Unsupported, dims, known_dims, rank
from analyzer.loading.keras_layers.merging import concatenated
from analyzer.loading.keras_layers.rules import Conversion, LayerCall
from analyzer.loading.keras_layers.shapes import transpose

# Gates in Keras's order, and in ONNX's.
_GATES = {"LSTM": ("ifco", "iofc"), "GRU": ("zrh", "zrh"), "SimpleRNN": ("h", "h")}
_OPERATORS = {"LSTM": "LSTM", "GRU": "GRU", "SimpleRNN": "RNN"}
_ACTIVATIONS = {
    "tanh": ("Tanh",), "sigmoid": ("Sigmoid",), "relu": ("Relu",), "softsign": ("Softsign",),
    "softplus": ("Softplus",), "linear": ("Affine", 1.0, 0.0), "elu": ("Elu", 1.0), None: ("Affine", 1.0, 0.0),
}  # fmt: skip


def _recurrent(kind: str) -> Conversion:
    def convert(layer: KerasLayer, call: LayerCall) -> Any:
        outputs = _run(layer, call, kind, layer.config, reverse=bool(layer.config.get("go_backwards")))
        return outputs if len(outputs) > 1 else outputs[0]

    return convert


def _reordered(kind: str) -> Callable[[np.ndarray], np.ndarray]:
    """Gates along the last axis from Keras's order to ONNX's, then transposed to (1, gates · units, inputs)."""
    theirs, ours = _GATES[kind]

    def arrange(array: np.ndarray) -> np.ndarray:
        parts = np.split(array, len(theirs), axis=-1)
        return np.concatenate([parts[theirs.index(gate)] for gate in ours], axis=-1).T[None]

    return arrange


def _bias(kind: str) -> Callable[[np.ndarray], np.ndarray]:
    """(gates · units) or (2, gates · units) -> (1, 2 · gates · units): input bias, then recurrent bias."""
    theirs, ours = _GATES[kind]

    def arrange(array: np.ndarray) -> np.ndarray:
        rows = array if array.ndim == 2 else np.stack([array, np.zeros_like(array)])
        split = [np.split(row, len(theirs)) for row in rows]
        return np.concatenate([parts[theirs.index(gate)] for parts in split for gate in ours])[None]

    return arrange


def _run(layer: KerasLayer, call: LayerCall, kind: str, config: Config, reverse: bool) -> list[ir.Value]:
    """The layer's outputs: what it returns, then its states if it returns them."""
    if layer.model.masked or call.named(1, "mask") is not None or config.get("stateful"):
        raise Unsupported
    arguments = call.arguments[0] if call.arguments else None
    given = list(arguments) if isinstance(arguments, list | tuple) else [arguments]
    initial = call.keywords.get("initial_state") or given[1:]
    initial = list(initial) if isinstance(initial, list | tuple) else [initial]
    x = layer.computed(given[0]) if isinstance(given[0], ir.Value) else None
    starts = [layer.computed(v) for v in initial if isinstance(v, ir.Value)]
    if x is None or rank(x) != 3 or len(starts) != len(initial):
        raise Unsupported
    bias = bool(config.get("use_bias", True))
    arrange = {"kernel": _reordered(kind), "recurrent_kernel": _reordered(kind), "bias": _bias(kind)}
    names = ["kernel", "recurrent_kernel", *(["bias"] if bias else [])]
    weights = layer.weights(*names, child="cell", arrange=arrange)
    units = int(known_dims(weights[1])[-1] or 0)
    batch, steps = known_dims(x)[:2]
    states = [layer.op("Unsqueeze", v, layer.ints([0]), shape=(1, batch, units)) for v in starts]
    states = states[: 2 if kind == "LSTM" else 1]
    inputs: list[ir.Value | None] = [transpose(layer, x, [1, 0, 2]), *weights]
    if states:
        inputs += [*([None] if not bias else []), None, *states]
    activations, alpha, beta = _activations(layer, kind, config)
    attributes: dict[str, Any] = {"hidden_size": units, "direction": "reverse" if reverse else "forward"}
    if kind == "GRU":
        attributes["linear_before_reset"] = int(bool(config.get("reset_after", layer.model.keras_major >= 3)))
    made = layer.op(
        _OPERATORS[kind],
        *inputs,
        outputs=3 if kind == "LSTM" else 2,
        activations=activations,
        activation_alpha=alpha or None,
        activation_beta=beta or None,
        shape=(steps, 1, batch, units),
        **attributes,
    )
    last = [layer.op("Squeeze", v, layer.ints([0]), shape=(batch, units)) for v in made[1:]]
    if config.get("return_sequences"):
        sequence = layer.op("Squeeze", made[0], layer.ints([1]), shape=(steps, batch, units))
        result = transpose(layer, sequence, [1, 0, 2])
        if reverse:  # Keras gives the steps in the order in which it took them
            result = reversed_steps(layer, result)
    else:
        result = last[0]
    return [result, *last] if config.get("return_state") else [result]


def reversed_steps(layer: KerasLayer, x: ir.Value) -> ir.Value:
    """The second axis backwards."""
    ends = layer.ints([np.iinfo(np.int64).min])
    result: ir.Value = layer.op("Slice", x, layer.ints([-1]), ends, layer.ints([1]), layer.ints([-1]), shape=dims(x))
    return result


def _activations(layer: KerasLayer, kind: str, config: Config) -> tuple[list[str], list[float], list[float]]:
    main, gate = config.get("activation", "tanh"), config.get("recurrent_activation", "sigmoid")
    wanted = {"LSTM": [gate, main, main], "GRU": [gate, main], "SimpleRNN": [main]}[kind]
    names: list[str] = []
    alphas: list[float] = []
    betas: list[float] = []
    for name in wanted:
        if name == "hard_sigmoid":
            found: tuple[Any, ...] = ("HardSigmoid", 1 / 6 if layer.model.keras_major >= 3 else 0.2, 0.5)
        elif isinstance(name, str | None) and name in _ACTIVATIONS:
            found = _ACTIVATIONS[name]
        else:
            raise Unsupported
        names.append(found[0])
        alphas += found[1:2]
        betas += found[2:3]
    return names, alphas, betas


def _bidirectional(layer: KerasLayer, call: LayerCall) -> Any:
    inner = layer.config.get("layer") or {}
    kind, config = inner.get("class_name"), inner.get("config") or {}
    backward = (layer.config.get("backward_layer") or {}).get("config") or {
        **config,
        "name": "backward_" + str(config.get("name", "")).removeprefix("forward_"),
        "go_backwards": not config.get("go_backwards"),
    }
    if kind not in _OPERATORS or config.get("return_state") or len(call.several()) != 1:
        raise Unsupported
    results = []
    for child, part in (("forward_layer", config), ("backward_layer", backward)):
        one = layer.inner(kind, part, child, str(part.get("name", "")))
        results.append(_run(one, call, kind, part, reverse=bool(part.get("go_backwards")))[0])
    if config.get("return_sequences"):
        results[1] = reversed_steps(layer, results[1])
    mode = layer.config.get("merge_mode", "concat")
    if mode is None:
        return results
    if mode == "concat":
        return concatenated(layer, results, -1)
    if mode not in ("sum", "mul", "ave"):
        raise Unsupported
    merged = layer.op("Mul" if mode == "mul" else "Add", *results, shape=dims(results[0]))
    return layer.op("Div", merged, layer.constant(2.0), shape=dims(merged)) if mode == "ave" else merged


def time_distributed(table: Mapping[str, Conversion], layer: KerasLayer, call: LayerCall) -> ir.Value:
    """The inner layer, one of `table`, on all steps as one batch."""
    inner = layer.config.get("layer") or {}
    kind, config = str(inner.get("class_name")), inner.get("config") or {}
    x = layer.computed(call.first())
    shape = known_dims(x)
    if kind not in table or layer.model.masked or None in shape[2:] or len(shape) < 3:
        raise Unsupported
    rest = [int(d or 0) for d in shape[2:]]
    flat = layer.op("Reshape", x, layer.ints([-1, *rest]), shape=(None, *rest))
    one = replace(layer.inner(kind, config, "layer", str(config.get("name", ""))))
    y = table[kind](one, LayerCall([flat], {}))
    if not isinstance(y, ir.Value):
        raise Unsupported
    after = known_dims(y)[1:]
    if None in after:
        raise Unsupported
    sizes = [int(d or 0) for d in after]
    steps = layer.op("Shape", x, start=0, end=2)
    target = layer.op("Concat", steps, layer.ints(sizes), axis=0)
    result: ir.Value = layer.op("Reshape", y, target, shape=(*shape[:2], *sizes))
    return result


LAYERS: dict[str, Conversion] = {
    "LSTM": _recurrent("LSTM"),
    "GRU": _recurrent("GRU"),
    "SimpleRNN": _recurrent("SimpleRNN"),
    "Bidirectional": _bidirectional,
}
