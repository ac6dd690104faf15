"""Second names of Keras: its releases had their functions under the files that hold them."""

from __future__ import annotations

from collections.abc import Container

_ROOMS = {"engine": "layers", "operations": "ops"}
_LAST = ("preprocessing", "mixed_precision", "applications", "datasets", "wrappers")  # whose own modules are public


def own_keras_name(name: str, known: Container[str]) -> str:
    """``keras.backend.cast`` for ``keras.backend.tensorflow_backend.cast``, where the tables know that one alone."""
    parts = name.split(".")
    if parts[0] != "keras" or len(parts) < 3 or name in known or parts[1] in _LAST:
        return name
    own = ".".join((parts[0], _ROOMS.get(parts[1], parts[1]), parts[-1]))
    return own if own in known else name
