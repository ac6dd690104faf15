"""Second names of TensorFlow: `tf.math.floor` is the function that the tables know as `tf.floor`."""

from __future__ import annotations

from collections.abc import Container

_HOMES = ("tf.math.", "tf.linalg.", "tf.dtypes.")
# Where TensorFlow has under a public name what its own files define; the first that the tables know counts.
_PUBLIC = ("", "math.", "nn.", "linalg.", "image.", "random.", "strings.", "sparse.", "debugging.", "train.", "layers.",
           "io.", "io.gfile.", "nest.", "compat.", "config.", "data.", "logging.", "summary.", "ragged.",
           "signal.")  # fmt: skip
_OF_FILES = {
    "nn_ops": "nn.", "nn": "nn.", "nn_impl": "nn.", "linalg_ops": "linalg.", "linalg_impl": "linalg.",
    "image_ops": "image.", "image_ops_impl": "image.", "sparse_ops": "sparse.", "random_ops": "random.",
    "string_ops": "strings.", "check_ops": "debugging.", "nest": "nest.", "gfile": "io.gfile.",
    "tf_logging": "logging.", "layers": "layers.", "signal": "signal.", "ragged": "ragged.",
}  # fmt: skip
_OF_KERAS = ("initializers", "losses", "metrics", "optimizers", "regularizers", "constraints")
_CLASSES_OF_KERAS = {"init_ops": "initializers", "init_ops_v2": "initializers"}


def own_tf_name(name: str, known: Container[str]) -> str:
    """The name under which the table has the function; a name that it has itself, or has in no form, stays."""
    if name in known:
        return name
    for home in _HOMES:
        if name.startswith(home) and f"tf.{name[len(home) :]}" in known:
            return f"tf.{name[len(home) :]}"
    parts = name.split(".")
    if len(parts) == 3 and parts[1] in _OF_KERAS and f"keras.{parts[1]}.{parts[2]}" in known:
        return f"keras.{parts[1]}.{parts[2]}" if parts[1] == "initializers" or parts[2][:1].isupper() else name
    return _of_file(parts, known) if name.startswith("tf.python.") else name


def _of_file(parts: list[str], known: Container[str]) -> str:
    """``tf.reshape`` for ``tf.python.ops.array_ops.reshape``: what a file of TensorFlow's own defines is public."""
    last = parts[-1]
    if parts[-2] in _CLASSES_OF_KERAS and f"keras.initializers.{last}" in known:
        return f"keras.initializers.{last}"
    first = _OF_FILES.get(parts[-2])
    for home in (*([] if first is None else [first]), *_PUBLIC):
        if f"tf.{home}{last}" in known:
            return f"tf.{home}{last}"
    for found in (f"tf.{last}", f"tf.math.{last}"):
        if (own := own_tf_name(found, known)) != found:
            return own
    return ".".join(parts)
