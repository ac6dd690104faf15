"""OpenVINO on ONNX files.

Knobs: ``precision`` (float32, bfloat16, float16, default), ``threads``, ``device`` (cpu, gpu).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from .contract import AHEAD, KEPT, Arrays, EngineError
from .mapped_pages import given_back
from .onnx_model import OnnxModel

HINTS = {"float32": "f32", "bfloat16": "bf16", "float16": "f16", "tf32": "f32"}


class OpenVINO:
    def __init__(self, knobs: Mapping[str, Any]) -> None:
        self.knobs = {"precision": "float32", "threads": 0, "device": "cpu", **knobs}
        self.compiled: dict[tuple[Any, ...], Any] = {}

    def fingerprint(self) -> dict[str, Any]:
        import openvino

        device = "GPU" if self.knobs["device"] in ("gpu", "cuda") else "CPU"
        have = openvino.Core().available_devices
        if not any(d.split(".")[0] == device for d in have):
            raise EngineError("missing", f"OpenVINO sees no {device} (it sees {', '.join(have) or 'nothing'})")
        return {"versions": {"openvino": openvino.__version__}, "device": device.lower()}

    def load(self, model: dict[str, Any], folder: Path) -> dict[str, Any]:
        import openvino

        self.core = openvino.Core()
        self.model = OnnxModel(folder / model["path"])
        self.path = folder / model["path"]
        if self.model.external:
            os.chdir(self.model.folder)  # a part without a path refers to weights from here
        self.compiled.clear()
        if self.model.weighs <= AHEAD and not self.model.needs_carriers:
            with suppress(Exception):  # said by the run itself
                self._compile(("whole",), self.core.read_model(str(self.path)))
        return self.model.describe()

    def weights(self) -> Mapping[str, np.ndarray]:
        return self.model.weights()

    def cut(self, inputs: Sequence[str], outputs: Sequence[str]) -> tuple[dict[str, Any], Arrays]:
        return self.model.cut(inputs, outputs)

    def evaluate(self, feeds: Arrays, fetches: Sequence[str] | None) -> Arrays:
        key: tuple[Any, ...]
        if fetches is None and self.model.needs_carriers:
            fetches = self.model.outputs
        if fetches is None:
            names, key = self.model.outputs, ("whole",)
            if key not in self.compiled:
                self._compile(key, self.core.read_model(str(self.path)))
        else:
            names = list(fetches)
            key = ("part", *sorted((n, a.dtype.str, a.shape) for n, a in feeds.items()), *fetches)
            if key not in self.compiled:
                part = self.model.extract(feeds, fetches, embed=False)
                self._compile(key, self.core.read_model(part.SerializeToString()))
        compiled = self.compiled[key]
        request = compiled.create_infer_request()
        result = request.infer({p: feeds[_known(p, feeds)] for p in compiled.inputs})
        found: Arrays = {}
        for port, value in result.items():
            for name in port.get_names():
                found[name.removesuffix("/fetched")] = np.array(value)
        return {n: found[n] for n in names if n in found}

    def _compile(self, key: tuple[Any, ...], graph: Any) -> None:
        config: dict[str, Any] = {}
        if self.knobs["precision"] != "default":
            config["INFERENCE_PRECISION_HINT"] = HINTS[self.knobs["precision"]]
        if self.knobs["threads"]:
            config["INFERENCE_NUM_THREADS"] = int(self.knobs["threads"])
        if self.model.external:
            self.compiled.clear()  # each holds the weights again
        if len(self.compiled) > KEPT:
            del self.compiled[next(k for k in self.compiled if k != ("whole",))]
        device = "GPU" if self.knobs["device"] in ("gpu", "cuda") else "CPU"
        # OpenVINO maps the file and packs its weights into memory of its own.
        with given_back(self.model.beside):
            self.compiled[key] = self.core.compile_model(graph, device, config)


def _known(port: Any, feeds: Mapping[str, Any]) -> str:
    for name in port.get_names():
        if name.removesuffix("/fed") in feeds:
            return str(name.removesuffix("/fed"))
    raise EngineError("unreplayed", f"OpenVINO asks for an input {sorted(port.get_names())} that is not there")
