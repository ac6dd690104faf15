"""Where each layer was created: modules and Keras layers are watched while the project builds its model.

A tracer knows the line that calls a layer. For layers in a container (``nn.Sequential``, a functional Keras model) that
line is one for all, or inside the framework; the line that creates the layer is what a person looks for.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import sys
from collections.abc import Iterable
from typing import Any

from .failure import Place, Project

_created: dict[int, tuple[Any, Place]] = {}  # id(layer) -> the layer (kept alive, ids are not reused) and its place


def place_of(layer: Any) -> Place | None:
    """Where `layer` was created, if the project's code created it."""
    found = _created.get(id(layer))
    return found[1] if found is not None else None


def watch(project: Project, files: Iterable[str], root: str) -> None:
    """Watch the frameworks that `files` (the entry's file and what it imports from the project) mention."""
    mentioned = _mentioned(root, files)
    if "torch" in mentioned and importlib.util.find_spec("torch"):
        import torch

        _wrap(torch.nn.Module, project)
    if mentioned & {"keras", "tensorflow"} and (
        importlib.util.find_spec("keras") or importlib.util.find_spec("tensorflow")
    ):
        _choose_keras_backend()
        try:
            if importlib.util.find_spec("tensorflow") and os.environ.get("KERAS_BACKEND", "tensorflow") == "tensorflow":
                import tensorflow

                _wrap(tensorflow.keras.layers.Layer, project)
            else:
                import keras

                _wrap(keras.layers.Layer, project)
        except Exception:  # the project's own import will say what is wrong
            pass


def _mentioned(root: str, files: Iterable[str]) -> set[str]:
    """Frameworks named in the import statements of `files`."""
    pattern = re.compile(r"^\s*(?:import|from)\s+(torch|tensorflow|keras|tf_keras)\b", re.M)
    found: set[str] = set()
    for name in files:
        try:
            with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
                found.update(pattern.findall(file.read(1 << 20)))
        except OSError:
            continue
    return found


def _choose_keras_backend() -> None:
    """TensorFlow where it is installed, else Torch: the two whose graphs can be taken out of Keras."""
    if "KERAS_BACKEND" not in os.environ and "keras" not in sys.modules and not importlib.util.find_spec("tensorflow"):
        if importlib.util.find_spec("torch"):
            os.environ["KERAS_BACKEND"] = "torch"
        elif importlib.util.find_spec("jax"):
            os.environ["KERAS_BACKEND"] = "jax"


def _wrap(base: Any, project: Project) -> None:
    original = base.__init__

    @functools.wraps(original)
    def noting(self: Any, *args: Any, **kwargs: Any) -> None:
        if id(self) not in _created:
            place = project.of_stack(sys._getframe(1), but_not_self=self)
            if place is not None:
                _created[id(self)] = (self, place)
        original(self, *args, **kwargs)

    base.__init__ = noting
