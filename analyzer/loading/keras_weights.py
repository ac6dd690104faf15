"""Where Keras keeps a layer's weights: by position in ``.keras`` archives, by name in legacy HDF5 files."""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import onnx_ir as ir

from analyzer.loading.files import shown
from analyzer.loading.hdf5 import check_dataset, open_file
from analyzer.loading.limits import Limits
from analyzer.loading.weight import Weight
from analyzer.problem import TargetProblem


class Store(Protocol):
    """The weights of one layer or model."""

    def get(self, child: str, alias: str, names: Sequence[str]) -> dict[str, Weight]:
        """Weights of the layer's own part `child` (an attribute of the layer's object, empty for the layer itself).

        `alias` is the part's own name in legacy files; `names` are what it has, in the order of their creation.
        """

    def layer(self, name: str, class_name: str) -> Store:
        """The store of a nested model's layer; layers are asked for once each, in the model's order."""

    def part(self, child: str, alias: str) -> Store:
        """The store of a layer inside a layer."""


@dataclass
class Datasets:
    """All datasets of a file by path, each read when asked for."""

    source: Path | io.BytesIO
    what: str
    limits: Limits
    found: dict[str, tuple[tuple[int, ...], np.dtype[Any]]]

    def weight(self, path: str) -> Weight | None:
        if path not in self.found:
            return None
        shape, dtype = self.found[path]
        try:
            onnx_type = ir.DataType.from_numpy(dtype)
        except TypeError:
            raise TargetProblem(
                f"the weight '{shown(path)}' has the type {shown(dtype)}, which is no tensor type."
            ) from None
        return Weight(onnx_type, shape, functools.partial(self.read, path))

    def read(self, path: str) -> np.ndarray:
        with open_file(self.source, self.what, self.limits) as file:
            check_dataset(file[path], path, self.limits)
            return np.asarray(file[path][()])


class ArchiveStore:
    """``model.weights.h5`` of Keras 3: groups named after classes, weights numbered."""

    def __init__(self, data: Datasets, path: str = "") -> None:
        self.data = data
        self.path = path
        self.used: dict[str, int] = {}

    def get(self, child: str, alias: str, names: Sequence[str]) -> dict[str, Weight]:
        base = "/".join(p for p in (self.path, child, "vars") if p)
        found = {name: self.data.weight(f"{base}/{i}") for i, name in enumerate(names)}
        return {name: weight for name, weight in found.items() if weight is not None}

    def layer(self, name: str, class_name: str) -> ArchiveStore:
        base = _snake_case(class_name)
        number = self.used.get(base, -1) + 1
        self.used[base] = number
        group = base if number == 0 else f"{base}_{number}"
        return ArchiveStore(self.data, "/".join(p for p in (self.path, "layers", group) if p))

    def part(self, child: str, alias: str) -> ArchiveStore:
        return ArchiveStore(self.data, "/".join(p for p in (self.path, child) if p))


def _snake_case(name: str) -> str:
    name = re.sub(r"\W+", "", name)
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


class LegacyStore:
    """``model_weights`` of an ``.h5`` file: a group a top-level layer, weights by their names."""

    def __init__(self, data: Datasets, root: str, scope: tuple[str, ...] = ()) -> None:
        self.data = data
        self.root = root
        self.scope = scope

    def get(self, child: str, alias: str, names: Sequence[str]) -> dict[str, Weight]:
        scope = (*self.scope[1:], *((alias,) if alias else ()))
        found: dict[str, Weight] = {}
        prefix = "/".join(p for p in (self.root, *self.scope[:1]) if p) + "/"
        for path in self.data.found:
            if not path.startswith(prefix):
                continue
            *folders, last = path[len(prefix) :].split("/")
            name = self._named(last.partition(":")[0], names)
            if name is not None and name not in found and _contains(folders, scope):
                weight = self.data.weight(path)
                if weight is not None:
                    found[name] = weight
        return found

    @staticmethod
    def _named(last: str, names: Sequence[str]) -> str | None:
        return next((name for name in names if last in name.split("|")), None)

    def layer(self, name: str, class_name: str) -> LegacyStore:
        return LegacyStore(self.data, self.root, (*self.scope, name))

    def part(self, child: str, alias: str) -> LegacyStore:
        return LegacyStore(self.data, self.root, (*self.scope, alias))


def _contains(folders: list[str], scope: Sequence[str]) -> bool:
    """Whether the names of `scope` occur among `folders` in this order."""
    rest = iter(folders)
    return all(any(name == folder for folder in rest) for name in scope)
