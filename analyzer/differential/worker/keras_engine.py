"""Keras 3 on any backend (`KERAS_BACKEND` is set before the start: it is read once, at import).

Tensors are named after the layer that makes them (``block/conv``; with ``:1`` for its second call, ``#1`` for its
second output); nested models are flattened. A run calls the model as a user does; parts are run operation by operation.

Knobs: ``call`` (inference: ``model(x, training=False)``; plain: ``model(x)``; predict), ``precision`` (a dtype policy;
OpenVINO also ``default``, its own choice),
``jit`` (on: compiled with XLA or the backend's own compiler), ``device``, ``threads``.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import tensors
from .contract import Arrays, EngineError, TensorRef, node, tensor
from .keras_models import (
    as_array,
    declare_precision,
    keep_float64,
    path_of,
    read,
    restore,
    symbolically_called,
    variables_of,
    with_policy,
)

PACKAGES = {"tensorflow": "tensorflow", "jax": "jax", "torch": "torch", "openvino": "openvino", "numpy": "numpy"}
SIMPLE = (int, float, bool, str)


@dataclass
class OperationCall:
    """One call of one operation: what goes in, what comes out, by tensor name."""

    operation: Any
    args: Any
    kwargs: Any
    inputs: list[str]
    outputs: list[str]
    name: str


class Keras:
    def __init__(self, backend: str, knobs: Mapping[str, Any]) -> None:
        self.backend = backend
        self.knobs = {"precision": "float32", "call": "inference", "jit": "off", "device": "cpu", "threads": 0, **knobs}

    def fingerprint(self) -> dict[str, Any]:
        import keras

        if keras.backend.backend() != self.backend:
            raise EngineError("missing", f"Keras runs on {keras.backend.backend()}, not on {self.backend}")
        engine = importlib.import_module(PACKAGES[self.backend])
        if self.backend == "openvino" and self.knobs["precision"] != "default":
            declare_precision(engine)
        if self.knobs["device"] == "cuda" and not self._has_gpu():
            raise EngineError("missing", f"Keras on {self.backend} finds no GPU")
        if self.knobs["threads"] and self.backend == "torch":
            engine.set_num_threads(int(self.knobs["threads"]))
        return {
            "versions": {"keras": str(keras.__version__), PACKAGES[self.backend]: str(engine.__version__)},
            "device": self.knobs["device"],
        }

    def _has_gpu(self) -> bool:
        if self.backend == "torch":
            import torch

            return bool(torch.cuda.is_available())
        if self.backend == "tensorflow":
            import tensorflow as tf

            return bool(tf.config.list_physical_devices("GPU"))
        if self.backend == "jax":
            import jax

            return any(d.platform == "gpu" for d in jax.devices())
        return False

    def load(self, model: dict[str, Any], folder: Path) -> dict[str, Any]:
        import keras

        keras.utils.set_random_seed(0)
        self.examples: Arrays = {}
        examples = None
        if model["kind"] == "keras":
            loaded = read(folder / model["path"])
        else:
            from assay_inside.entry import build  # type: ignore[import-not-found]

            built = build(model["entry"], str(folder / model["root"]))
            loaded, examples = built.model, built.inputs
            if _functional(loaded) is None and examples is not None:
                loaded = symbolically_called(loaded, examples)
            if model.get("state"):
                restore(loaded, tensors.read(folder / model["state"]["file"], model["state"]["manifest"]))
        policy = "float32" if self.knobs["precision"] == "default" else self.knobs["precision"]
        self.built = loaded
        if policy == "float64":
            keep_float64()
        self.model = loaded if policy == "float32" else with_policy(loaded, policy)
        self.compiled = False
        self.stateful = [
            v for v in self.model._flatten_layers() if getattr(v, "stateful", False) and hasattr(v, "cell")
        ]
        plain = self.knobs["call"] == "plain"
        kept = [v for v in variables_of(self.model) if not v.trainable] if plain else []
        self.written = [(v, as_array(v)) for v in kept]
        self._flatten()
        names = [n for n, _ in self.inputs]
        if examples is not None:
            values = list(examples.values()) if isinstance(examples, dict) else list(examples)
            if len(values) == len(names):
                self.examples = {n: as_array(v) for n, v in zip(names, values)}  # noqa: B905
        return {
            "nodes": [self._describe(s) for s in self.steps],
            "inputs": [
                tensor(n, str(t.dtype), [d if isinstance(d, int) else None for d in t.shape]) for n, t in self.inputs
            ],
            "outputs": self.outputs,
            "alive": None if self.steps else [],
            "dtypes": {},
            "notes": []
            if self.steps
            else ["The Keras model is subclassed: it is compared as a whole, not layer by layer."],
        }

    def weights(self) -> Mapping[str, np.ndarray]:
        found = {}
        for index, variable in enumerate(self.model.variables):
            path = getattr(variable, "path", variable.name)
            if "seed_generator" not in path:  # a random layer may draw; it must not change what it computes with
                found[f"{index}/{path}"] = as_array(variable)
        return found

    def reset(self) -> None:
        """States of recurrent layers, and what a plain call may have written: statistics of normalisations."""
        for layer in self.stateful:
            layer.reset_state()
        for variable, value in self.written:
            variable.assign(value)

    def state(self) -> Arrays:
        """The weights by position and path: initial values are random, and other ones on each backend."""
        return {f"{i}/{path_of(v)}": as_array(v) for i, v in enumerate(variables_of(self.built))}

    def cut(self, inputs: Sequence[str], outputs: Sequence[str]) -> tuple[dict[str, Any], Arrays]:
        """Layers by their own serialised configuration, with their weights; how tensors run between them by name."""
        import keras

        steps, arrays = [], {}
        for number, step in enumerate(self._needed(set(inputs), outputs)):
            if not isinstance(step.operation, keras.layers.Layer):
                raise EngineError("unreplayed", f"{type(step.operation).__name__} is not a layer")
            if any(isinstance(v, TensorRef) for v in keras.tree.flatten(step.kwargs)):
                raise EngineError("unreplayed", "a layer that is called with tensors by keyword")
            nested = any(isinstance(a, (list, tuple)) for a in step.args)
            config = keras.saving.serialize_keras_object(step.operation)
            names = [f"w{number}_{i}" for i in range(len(step.operation.weights))]
            arrays.update({n: as_array(w) for n, w in zip(names, step.operation.weights)})  # noqa: B905
            steps.append(
                {"layer": config, "weights": names, "inputs": step.inputs, "outputs": step.outputs, "as_list": nested}
            )
        return {"steps": steps}, arrays

    def evaluate(self, feeds: Arrays, fetches: Sequence[str] | None) -> Arrays:
        import keras

        wide = self.knobs["precision"] == "float64"
        feeds = {n: a.astype(np.float64) if wide and a.dtype.kind == "f" else a for n, a in feeds.items()}
        if fetches is None:
            values = self._call([feeds[n] for n, _ in self.inputs])
            flat = keras.tree.flatten(values)
            return {n: as_array(v) for n, v in zip(self.outputs, flat)}  # noqa: B905
        if self.backend == "openvino":
            return self._symbolic(feeds, fetches)
        env: dict[str, Any] = {n: keras.ops.convert_to_tensor(a) for n, a in feeds.items()}
        self._walk(env, fetches)
        return {n: as_array(env[n]) for n in fetches if n in env}

    def _call(self, values: list[np.ndarray]) -> Any:
        form = None
        with contextlib.suppress(AttributeError, ValueError):  # a Sequential model that was loaded may have none
            form = self.model.input
        argument: Any = values if len(values) > 1 or isinstance(form, (list, tuple)) else values[0]
        if isinstance(form, dict):
            argument = dict(zip(form, values))  # noqa: B905
        if self.backend == "openvino" or self.knobs["call"] == "predict" or self.knobs["jit"] == "on":
            if not self.compiled:
                self.model.compile(jit_compile=self.knobs["jit"] == "on", run_eagerly=False)
                self.compiled = True
            return self.model.predict(argument, batch_size=max(1, len(values[0])), verbose=0)
        if self.backend == "torch":
            import torch

            with torch.no_grad():
                return self.model(argument) if self.knobs["call"] == "plain" else self.model(argument, training=False)
        return self.model(argument) if self.knobs["call"] == "plain" else self.model(argument, training=False)

    def _walk(self, env: dict[str, Any], fetches: Sequence[str]) -> None:
        """Run the steps that `fetches` need and `env` does not have, in order."""
        if self.backend == "torch":
            import torch

            context: Any = torch.no_grad()
        else:
            context = contextlib.nullcontext()
        with context:
            for step in self._needed(set(env), fetches):
                values = self._apply(step, env)
                for name, value in zip(step.outputs, values):  # noqa: B905
                    env[name] = value

    def _apply(self, step: OperationCall, env: Mapping[str, Any]) -> list[Any]:
        import keras

        def value(x: Any) -> Any:
            return env[x.tensor] if isinstance(x, TensorRef) else x

        args, kwargs = keras.tree.map_structure(value, (step.args, step.kwargs))
        if getattr(step.operation, "_call_has_training_arg", False):
            kwargs = {**kwargs, "training": False}
        return list(keras.tree.flatten(step.operation(*args, **kwargs)))

    def _symbolic(self, feeds: Arrays, fetches: Sequence[str]) -> Arrays:
        """The OpenVINO backend computes in `predict` only: the part becomes a model of its own."""
        import keras

        env: dict[str, Any] = {}
        used = {i for s in self._needed(set(feeds), fetches) for i in s.inputs} | set(fetches)
        for name, array in feeds.items():
            if name in used:
                env[name] = keras.Input(batch_shape=array.shape, dtype=str(array.dtype))
        inputs = [env[n] for n in env]
        names = list(env)
        self._walk(env, fetches)
        outputs = [env[n] for n in fetches]
        part = keras.Model(inputs, outputs)
        part.compile(jit_compile=False)
        values = part.predict([feeds[n] for n in names], batch_size=max(1, len(feeds[names[0]])), verbose=0)
        return {n: as_array(v) for n, v in zip(fetches, keras.tree.flatten(values))}  # noqa: B905

    def _needed(self, given: set[str], fetches: Sequence[str]) -> list[OperationCall]:
        wanted: set[int] = set()
        queue = [n for n in fetches if n not in given]
        while queue:
            name = queue.pop()
            if name in given:
                continue
            if name not in self.producer:
                raise EngineError("unreplayed", f"tensor {name!r} can be computed from none of {sorted(given)}")
            index = self.producer[name]
            if index not in wanted:
                wanted.add(index)
                queue.extend(self.steps[index].inputs)
        return [self.steps[i] for i in sorted(wanted)]

    def _flatten(self) -> None:
        """The calls of a functional model in order; nested models become their own calls."""
        self.steps: list[OperationCall] = []
        self.names: dict[int, str] = {}
        self.keep: list[Any] = []
        counts: dict[str, int] = {}
        model = _functional(self.model)
        if model is None:
            self.model_inputs_unknown()
            return
        self.inputs = []
        for symbolic in _flat(model._inputs):
            # The layer's name: a tensor's own changes when the model is built again from its configuration.
            name = symbolic._keras_history.operation.name
            self.names[id(symbolic)] = name
            self.inputs.append((name, symbolic))
        self._add(model, "", counts)
        self.outputs = [self.names[id(t)] for t in _flat(model._outputs)]
        self.producer = {name: i for i, s in enumerate(self.steps) for name in s.outputs}

    def model_inputs_unknown(self) -> None:
        """A subclassed model: one opaque unit with the inputs and outputs that its build recorded, if any."""
        inputs = getattr(self.model, "_inputs", None) or getattr(self.model, "inputs", None)
        if not inputs:
            raise EngineError("unreplayed", "a subclassed Keras model has no layers that can be told apart")
        self.inputs = [(t.name, t) for t in _flat(inputs)]
        self.outputs = [f"output_{i}" for i in range(len(_flat(self.model.outputs)))]
        self.producer = {}

    def _add(self, model: Any, prefix: str, counts: dict[str, int]) -> None:
        for depth in sorted(model._nodes_by_depth, reverse=True):
            for each in model._nodes_by_depth[depth]:
                if each.is_input or not each.operation:
                    continue
                inner = _functional(each.operation)
                sources = _tensors((each.arguments.args, each.arguments.kwargs))
                if inner is not None and len(sources) == len(_flat(inner._inputs)):
                    for outside, inside in zip(sources, _flat(inner._inputs)):  # noqa: B905
                        self.names[id(inside)] = self.names[id(outside)]
                    self._add(inner, f"{prefix}{each.operation.name}/", counts)
                    for outside, inside in zip(_flat(each.outputs), _flat(inner._outputs)):  # noqa: B905
                        self.names[id(outside)] = self.names[id(inside)]
                    continue
                base = f"{prefix}{each.operation.name}"
                number = counts.get(base, 0)
                counts[base] = number + 1
                name = base if number == 0 else f"{base}:{number}"
                outputs = _flat(each.outputs)
                names = [name] if len(outputs) == 1 else [f"{name}#{i}" for i in range(len(outputs))]
                inputs = [self.names[id(t)] for t in sources]
                frozen = _replace(each.arguments, self.names)
                for symbolic, label in zip(outputs, names):  # noqa: B905
                    self.names[id(symbolic)] = label
                self.keep.append(each)
                self.steps.append(OperationCall(each.operation, *frozen, inputs, names, name))

    def _describe(self, step: OperationCall) -> dict[str, Any]:
        kind = type(step.operation).__name__
        return node(
            step.name,
            kind,
            step.inputs,
            step.outputs,
            layer=step.name,
            layer_class=kind,
            attributes=_config(step.operation),
            random=_samples(step.operation, plain=self.knobs["call"] == "plain"),
        )


def _samples(operation: Any, *, plain: bool) -> bool:
    """A layer that draws whenever it is called; one that knows whether it trains, as dropout does, draws then only.
    Called `plain`, augmentation draws too: its own default is that it trains."""
    if not any("seed_generator" in path_of(v) for v in getattr(operation, "variables", ())):
        return False
    if not getattr(operation, "_call_has_training_arg", False):
        return True
    training = inspect.signature(operation.call).parameters.get("training")
    return plain and training is not None and training.default is True


def _functional(model: Any) -> Any:
    """The functional graph inside a model, or None."""
    if hasattr(model, "_functional") and model._functional is not None:  # Sequential
        return model._functional
    return model if hasattr(model, "_nodes_by_depth") and hasattr(model, "_inputs") else None


def _replace(arguments: Any, names: Mapping[int, str]) -> tuple[Any, Any]:
    """Arguments with each symbolic tensor replaced by its name now: a nested model that is called twice renames it."""
    import keras

    def name(x: Any) -> Any:
        return TensorRef(names[id(x)]) if isinstance(x, keras.KerasTensor) else x

    args, kwargs = keras.tree.map_structure(name, (arguments.args, arguments.kwargs))
    return args, kwargs


def _flat(structure: Any) -> list[Any]:
    import keras

    return list(keras.tree.flatten(structure))


def _tensors(structure: Any) -> list[Any]:
    import keras

    return [t for t in keras.tree.flatten(structure) if isinstance(t, keras.KerasTensor)]


def _config(operation: Any) -> dict[str, Any]:
    """The layer's own settings, short ones only."""
    try:
        config = operation.get_config()
    except Exception:
        return {}
    found: dict[str, Any] = {}
    for key, value in config.items():
        if isinstance(value, SIMPLE) and len(str(value)) < 64:
            found[key] = value
        elif isinstance(value, (list, tuple)) and len(value) <= 8 and all(isinstance(v, SIMPLE) for v in value):
            found[key] = list(value)
    return {k: v for k, v in found.items() if k not in ("name", "trainable")}
