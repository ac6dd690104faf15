"""Keras models: built once under the recorder, or really built and run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import keras
import numpy as np

from .keras_layers import KerasRecorder
from .numbers import OPEN, PathCondition, plain


def recorder_of(trace: PathCondition, request: Mapping[str, Any]) -> KerasRecorder:
    return KerasRecorder(trace, request["specs"]["keras"])


def recorded(recorder: KerasRecorder, build: Callable[[], Any], shapes: Callable[[], Any]) -> None:
    """Build the model; one without inputs of its own is called with the given ones. Raises what it raises."""
    keras.backend.clear_session()
    with recorder:
        model = _model(build())
        if not _inputs(model):
            tensors = []
            for name, shape, dtype in shapes():
                tensor = keras.KerasTensor([int(plain(n)) for n in shape], dtype=dtype)
                recorder.given(name, tensor, shape)
                tensors.append(tensor)
            model(tensors[0] if len(tensors) == 1 else tensors)


def really(build: Callable[[], Any], shapes: Callable[[], Any]) -> None:
    """Build the model and run it on zeros. Raises what it raises."""
    keras.backend.clear_session()
    model = _model(build())
    inputs = _inputs(model)
    if inputs:
        sizes = [[OPEN if n is None else n for n in x.shape] for x in inputs]
        arrays = [np.zeros(size, x.dtype) for size, x in zip(sizes, inputs, strict=True)]
    else:
        arrays = [np.zeros([int(plain(n)) for n in shape], dtype) for _, shape, dtype in shapes()]
    model(arrays[0] if len(arrays) == 1 else arrays)


def _model(built: Any) -> Any:
    model = built[0] if isinstance(built, tuple) and built else built
    if not isinstance(model, keras.Model):
        raise TypeError(f"the function gave {type(model).__name__}, not a keras.Model")
    return model


def _inputs(model: Any) -> list[Any]:
    try:
        return list(model.inputs or ())
    except (AttributeError, ValueError):
        return []
