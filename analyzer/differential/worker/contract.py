"""What every engine gives: a description of the model as a graph of named tensors, and one way to evaluate it."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class TensorRef:
    """A tensor, by its name, among the arguments of an operation."""

    tensor: str


# Layers that an engine keeps compiled at once: each has threads of its own, and a wall bounds their number.
KEPT = 16

AHEAD = 512 << 20  # bytes of weights up to which an engine makes the whole model ready when it is loaded
PART = 1 << 20  # bytes that are hashed at once


class EngineError(Exception):
    """A verdict about the engine, not a failure of Assay.

    `kind` is ``missing`` (not installed, no such device), ``unsupported`` (the engine says it cannot), ``crash``, or
    ``unreplayed``: the part could not be cut out or fed here, which says nothing about the engine.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class WorkerEngine(Protocol):
    """One engine with its knobs. An evaluation starts from any tensors and ends at any tensors of the description.

    Feeding the model's inputs and fetching its outputs is a run; fetching hidden tensors extracts hidden states;
    feeding a layer's inputs and fetching its outputs replays the layer; feeding a cut runs the suffix (splice).
    """

    def fingerprint(self) -> dict[str, Any]:
        """Versions and device; raises `EngineError("missing")`."""

    def load(self, model: dict[str, Any], folder: Path) -> dict[str, Any]:
        """Load the artefact; returns the description: ``nodes``, ``inputs``, ``outputs``, ``alive``, ``notes``."""

    def evaluate(self, feeds: Arrays, fetches: Sequence[str] | None) -> Arrays:
        """Compute `fetches` (None: the model's outputs as a user calls it, nothing marked)."""

    def weights(self) -> Mapping[str, np.ndarray]:
        """The state that a run must leave alone."""

    # Optional: `cuts() -> list[str] | None`, the ``alive`` of a description that says ``deferred``: to know them costs.
    # Optional: `prepare(model, folder)` does what of a `load` needs no exported weights; the `load` comes later.
    # Optional: `reset()` brings back what runs may have changed: statistics, counters, states of recurrent layers.
    # Optional: `state() -> Arrays`, what an entry point has made; `load` takes it back from ``model["state"]``.

    def cut(self, inputs: Sequence[str], outputs: Sequence[str]) -> tuple[dict[str, Any], Arrays]:
        """The part between two sets of tensors as data from which a script can rebuild it: JSON and arrays."""


def node(name: str, op: str, inputs: Iterable[str], outputs: Iterable[str], **more: Any) -> dict[str, Any]:
    """One entry of a description; `more` may hold ``layer``, ``layer_class``, ``path``, ``line``, ``attributes``."""
    return {"name": name, "op": op, "inputs": list(inputs), "outputs": list(outputs), **more}


def tensor(name: str, dtype: str, shape: Sequence[Any]) -> dict[str, Any]:
    """An input or output of a description; unknown sizes are strings or None."""
    return {"name": name, "dtype": dtype, "shape": list(shape)}


def digest(weights: Mapping[str, np.ndarray]) -> str:
    """A hash over names, dtypes, shapes and bytes, to be compared within one process."""
    state = hashlib.sha256()
    for name in sorted(weights):
        array = np.ascontiguousarray(weights[name])
        state.update(f"{name}\0{array.dtype}\0{array.shape}\0".encode())
        content = array.reshape(-1).view(np.uint8)
        # Python's own hash is twice as fast; it holds within one process, and so does this answer.
        parts = [hash(content[i : i + PART].tobytes()) for i in range(0, content.size, PART)]
        state.update(str(parts).encode())
    return state.hexdigest()


def machine() -> dict[str, Any]:
    """Python and the processor features that change arithmetic."""
    features: list[str] = []
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("flags"):
                wanted = ("avx2", "fma", "avx512f", "avx512_bf16", "avx512_vnni", "avx_vnni", "amx_bf16", "amx_int8")
                features = [flag for flag in wanted if flag in line.split()]
                break
    except OSError:
        pass
    return {"python": platform.python_version(), "machine": platform.machine(), "cpu": features}
