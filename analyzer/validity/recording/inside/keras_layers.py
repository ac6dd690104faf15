"""A Keras model as a list of layers whose attributes are expressions: symbolic calls are noted as they are made."""

from __future__ import annotations

import inspect
import re
from typing import Any

import keras
from keras import tree

from .describing import subscripts
from .numbers import OPEN, Number, PathCondition, parts_of

INNER = re.compile(r"(?<!^)(?=[A-Z])")
NAMES = {"get_item": "getitem"}


class KerasRecorder:
    """Notes what keras' operations are called on. `specs` maps a layer to the names of its attributes."""

    def __init__(self, trace: PathCondition, specs: dict[str, list[str]]) -> None:
        self.trace, self.specs = trace, specs
        self.layers: list[dict[str, Any]] = []
        self.inputs: dict[str, Any] = {}
        self._names: dict[int, tuple[str, Any]] = {}
        self._given: dict[int, tuple[dict[str, Any], Any]] = {}  # constructor arguments of each operation
        self._called: dict[tuple[int, tuple[str, ...]], dict[str, Any]] = {}
        self._counts: dict[str, int] = {}
        self._inside = 0

    def __enter__(self) -> KerasRecorder:
        operation, layer = keras.Operation, keras.layers.Layer
        self._before = operation.__new__, operation.symbolic_call, layer.__call__
        make, symbolic, call = self._before
        recorder = self

        def made(cls: Any, *args: Any, **kwargs: Any) -> Any:
            one = make(cls, *args, **kwargs)
            try:
                bound = inspect.signature(cls.__init__).bind(one, *args, **kwargs)
            except TypeError:
                return one
            named = dict(list(bound.arguments.items())[1:])
            named.update(named.pop("kwargs", None) or {})
            recorder._given[id(one)] = (named, one)
            return one

        operation.__new__ = staticmethod(made)
        operation.symbolic_call = lambda one, *args, **kwargs: recorder._call(symbolic, one, args, kwargs)
        layer.__call__ = lambda one, *args, **kwargs: recorder._call(call, one, args, kwargs)
        return self

    def __exit__(self, *error: Any) -> None:
        operation, layer = keras.Operation, keras.layers.Layer
        operation.__new__ = staticmethod(self._before[0])
        operation.symbolic_call, layer.__call__ = self._before[1:]

    def given(self, name: str, tensor: Any, shape: list[Any]) -> None:
        """An input of the model."""
        self.inputs[name] = {"shape": shape, "dtype": tensor.dtype}
        self._names[id(tensor)] = (name, tensor)

    def used(self) -> list[dict[str, Any]]:
        """The layers in order."""
        return self.layers

    def _call(self, call: Any, operation: Any, args: Any, kwargs: Any) -> Any:
        operands = [t for t in tree.flatten([args, kwargs]) if isinstance(t, keras.KerasTensor)]
        if self._inside or not operands:
            return call(operation, *args, **kwargs)
        known = self._operator(operation)
        inputs = [self._name(t) for t in operands]
        key = (id(operation), tuple(inputs))
        layer = self._called.get(key)
        if layer is None:
            layer = self._add(operation, known, inputs, args)
            self._called[key] = layer
        self._inside += 1
        try:
            result = call(operation, *args, **kwargs)
        finally:
            self._inside -= 1
        made = [t for t in tree.flatten(result) if isinstance(t, keras.KerasTensor)]
        for index, tensor in enumerate(made):
            self._names[id(tensor)] = (layer["name"] if index == 0 else f"{layer['name']}:{index}", tensor)
        return result

    def _operator(self, operation: Any) -> str | None:
        kind = type(operation)
        if not kind.__module__.startswith("keras."):
            return None
        if isinstance(operation, keras.layers.Layer):
            return kind.__name__ if kind.__name__ in self.specs else None
        plain = INNER.sub("_", kind.__name__).lower()
        name = NAMES.get(plain, f"ops.{plain}")
        return name if name in self.specs else None

    def _add(self, operation: Any, known: str | None, inputs: list[str], args: Any) -> dict[str, Any]:
        attributes: dict[str, Any] = {}
        operator = known
        arguments = self._given.get(id(operation), ({}, None))[0]
        if known == "getitem":
            index = subscripts(args[1])
            operator, attributes = (None, {}) if index is None else (known, {"index": index})
        elif known == "Bidirectional":
            inner = arguments.get("layer")
            operator = self._operator(inner) if inner is not None else None
            if operator is not None:
                attributes = self._attributes(operator, self._given[id(inner)][0])
                attributes |= {"bidirectional": True, "merge_mode": arguments.get("merge_mode", "concat")}
        elif known == "TimeDistributed":
            operator = None
        elif known is not None:
            attributes = self._attributes(known, arguments)
        if operator is None:
            operator = f"keras.{type(operation).__name__}"
            self.trace.lost.append(operator)
        base = operation.name
        count = self._counts.get(base, -1) + 1
        self._counts[base] = count
        layer = {"name": base if count == 0 else f"{base}@{count}", "op": operator, "inputs": inputs}
        layer["attributes"] = attributes
        self.layers.append(layer)
        return layer

    def _attributes(self, operator: str, arguments: dict[str, Any]) -> dict[str, Any]:
        plain = (int, float, str, bool, type(None))
        return {
            name: value
            for name, value in arguments.items()
            if name in self.specs[operator] and name != "dtype" and all(isinstance(p, plain) for p in parts_of(value))
        }

    def _name(self, tensor: Any) -> str:
        found = self._names.get(id(tensor))
        if found is not None:
            return found[0]
        operation = getattr(getattr(tensor, "_keras_history", None), "operation", None)
        arguments = self._given.get(id(operation), ({}, None))[0]
        name = operation.name if operation is not None else f"input{len(self.inputs)}"
        shape = list(tensor.shape)
        if arguments.get("shape") is not None and len(arguments["shape"]) == len(shape) - 1:
            shape[1:] = arguments["shape"]
        elif arguments.get("batch_shape") is not None:
            shape = list(arguments["batch_shape"])
        self.given(name, tensor, [_open(name, i, n) for i, n in enumerate(shape)])
        return name


def _open(name: str, axis: int, size: Any) -> Any:
    if size is not None:
        return size
    text = "batch" if axis == 0 else f"{re.sub(r'[^a-zA-Z0-9]', '_', name)}_{axis}"
    return Number(OPEN, text, PathCondition())
