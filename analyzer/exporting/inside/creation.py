"""Where each layer was created: modules and Keras layers are watched while the project builds its model.

A tracer knows the line that calls a layer. For layers in a container (``nn.Sequential``, a functional Keras model) that
line is one for all, or inside the framework; the line that creates the layer is what a person looks for.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from .failure import Place, Project

_IMPORT = re.compile(r"^\s*(?:import|from)\s+(torch|tensorflow|keras|tf_keras|jax)\b", re.M)
_BACKEND = re.compile(
    r"""KERAS_BACKEND["']\s*\]\s*=\s*["'](\w+)["']|setdefault\(\s*["']KERAS_BACKEND["']\s*,\s*["'](\w+)["']"""
)
_graphs: list[Any] = []  # of TensorFlow 1, kept alive: a GraphDef of one has lost the lines that made its nodes
_created: dict[int, tuple[Any, Place]] = {}  # id(layer) -> the layer (kept alive, ids are not reused) and its place


def place_of(layer: Any) -> Place | None:
    """Where `layer` was created, if the project's code created it."""
    found = _created.get(id(layer))
    return found[1] if found is not None else None


def graphs() -> list[Any]:
    """The TensorFlow graphs that were made while the project built its model, the latest first."""
    return _graphs[::-1]


def watch(project: Project, files: Iterable[str], root: str) -> None:
    """Watch the frameworks that `files` (the entry's file and what it imports from the project) mention."""
    texts = list(_texts(root, files))
    mentioned = {name for text in texts for name in _IMPORT.findall(text)}
    if "torch" in mentioned and _installed("torch"):
        import torch

        _wrap(torch.nn.Module, project)
    if mentioned & {"keras", "tensorflow", "tf_keras"}:
        _choose_keras_backend(texts, mentioned)
        with contextlib.suppress(Exception):  # the project's own import will say what is wrong
            for layers in _keras_layers(mentioned):
                _wrap(layers.Layer, project)
    if "tensorflow" in mentioned and _installed("tensorflow"):
        with contextlib.suppress(Exception):
            _keep_graphs(importlib.import_module("tensorflow").Graph)


def _texts(root: str, files: Iterable[str]) -> Iterator[str]:
    for name in files:
        try:
            with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
                yield file.read(1 << 20)
        except OSError:
            continue


def _installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def _keras_layers(mentioned: set[str]) -> Iterator[Any]:
    if "tf_keras" in mentioned:
        yield importlib.import_module("tf_keras").layers
    if os.environ.get("KERAS_BACKEND", "tensorflow") == "tensorflow" and _installed("tensorflow"):
        yield importlib.import_module("tensorflow").keras.layers
    elif _installed("keras"):
        yield importlib.import_module("keras").layers


def _choose_keras_backend(texts: list[str], mentioned: set[str]) -> None:
    """The one the project's code sets; else TensorFlow where it is installed, else Torch.

    Those two have graphs that can be taken out of Keras, so code that asks for JAX gets TensorFlow, unless it calls
    JAX itself.
    """
    if "KERAS_BACKEND" in os.environ or "keras" in sys.modules:
        return
    wanted = next((found for text in texts for pair in _BACKEND.findall(text) for found in pair if found), None)
    if wanted is None or (wanted == "jax" and "jax" not in mentioned):
        wanted = next((name for name in ("tensorflow", "torch", "jax") if _installed(name)), None)
    if wanted is not None and wanted != "tensorflow":
        os.environ["KERAS_BACKEND"] = wanted


def _wrap(base: Any, project: Project) -> None:
    original = base.__init__

    @functools.wraps(original)
    def noting(self: Any, *args: Any, **kwargs: Any) -> None:
        if id(self) not in _created:
            place = project.of_stack(sys._getframe(1), but_not_self=self)
            if place is not None:
                _created[id(self)] = (self, place)
        original(self, *args, **kwargs)

    noting.__signature__ = inspect.signature(original)  # type: ignore[attr-defined]  # Keras reads it when it saves
    base.__init__ = noting


def _keep_graphs(kind: Any) -> None:
    original = kind.__init__

    @functools.wraps(original)
    def noting(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        if type(self) is kind:  # those of functions belong to their callers
            _graphs.append(self)

    kind.__init__ = noting
