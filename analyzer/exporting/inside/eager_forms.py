"""What TensorFlow code may do eagerly and a graph refuses although it could: allowed while code is traced."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def allowed(tf: Any) -> Iterator[None]:
    """As code runs eagerly: ``a, b = tensor`` where its first size is known, and ``tf.constant(tensor)``."""
    with _taken_apart(tf), _constants_of_tensors(tf):
        yield


@contextlib.contextmanager
def _taken_apart(tf: Any) -> Iterator[None]:
    """A graph refuses to take any tensor apart, since it cannot count the parts of those whose size is open."""
    refuse = getattr(tf.Tensor, "_disallow_iteration", None)
    if refuse is None:
        yield
        return

    def unless_sized(tensor: Any) -> None:
        if not tensor.shape.rank or tensor.shape[0] is None:
            refuse(tensor)

    tf.Tensor._disallow_iteration = unless_sized
    try:
        yield
    finally:
        tf.Tensor._disallow_iteration = refuse


@contextlib.contextmanager
def _constants_of_tensors(tf: Any) -> Iterator[None]:
    """``tf.constant`` of a tensor gives the same numbers; eagerly too another element type is a mistake."""
    original = tf.constant

    def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Any:
        if not tf.is_tensor(value) or hasattr(value, "numpy"):
            return original(value, dtype=dtype, shape=shape, name=name)
        if dtype is not None and tf.as_dtype(dtype) != value.dtype:
            raise TypeError(f"Expected {tf.as_dtype(dtype).name}, but got a tensor of {value.dtype.name}")
        return tf.identity(value) if shape is None else tf.reshape(value, shape)

    tf.constant = constant
    try:
        yield
    finally:
        tf.constant = original
