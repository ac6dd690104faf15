"""Second names of TensorFlow: `tf.math.floor` is the function that the tables know as `tf.floor`."""

from __future__ import annotations

from collections.abc import Container

_HOMES = ("tf.math.", "tf.linalg.", "tf.dtypes.")


def own_tf_name(name: str, known: Container[str]) -> str:
    """The name under which the table has the function; a name that it has itself, or has in no form, stays."""
    if name in known:
        return name
    for home in _HOMES:
        if name.startswith(home) and f"tf.{name[len(home) :]}" in known:
            return f"tf.{name[len(home) :]}"
    return name
