"""ONNX Runtime. Knobs: ``opt`` (disable, basic, extended, all), ``disabled`` (pass names joined by ``+``), ``threads``,
``device`` (cpu, cuda, tensorrt), ``precision`` (float32, or tf32 on CUDA)."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from .contract import AHEAD, KEPT, Arrays, EngineError
from .onnx_model import OnnxModel

LEVELS = {"disable": 0, "basic": 1, "extended": 2, "all": 99}
PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider", "tensorrt": "TensorrtExecutionProvider"}
WRITTEN = 2**29  # bytes of weights that are written to look at an optimised graph; a worker may write 1 GiB
LIMIT = 2**31 - 2**20  # bytes a serialised model may have


class OnnxRuntime:
    def __init__(self, knobs: Mapping[str, Any]) -> None:
        self.knobs = {"opt": "all", "disabled": "", "threads": 0, "device": "cpu", "precision": "float32", **knobs}
        self.sessions: dict[tuple[Any, ...], Any] = {}

    def fingerprint(self) -> dict[str, Any]:
        import onnxruntime

        wanted = PROVIDERS[self.knobs["device"]]
        have = onnxruntime.get_available_providers()
        if wanted not in have:
            raise EngineError("missing", f"this ONNX Runtime has no {wanted} (it has {', '.join(have)})")
        return {"versions": {"onnxruntime": onnxruntime.__version__}, "device": self.knobs["device"]}

    def load(self, model: dict[str, Any], folder: Path) -> dict[str, Any]:
        self.model = OnnxModel(folder / model["path"])
        self.path = folder / model["path"]
        self.sessions.clear()
        if self.model.weighs <= AHEAD and not self.model.needs_carriers:
            with suppress(Exception):  # said by the run itself
                self._session(("whole",), lambda: self.path)
        return {**self.model.describe(), "deferred": self.knobs["opt"] != "disable"}

    def weights(self) -> Mapping[str, np.ndarray]:
        return self.model.weights()

    def cut(self, inputs: Sequence[str], outputs: Sequence[str]) -> tuple[dict[str, Any], Arrays]:
        return self.model.cut(inputs, outputs)

    def evaluate(self, feeds: Arrays, fetches: Sequence[str] | None) -> Arrays:
        if fetches is None and self.model.needs_carriers:
            fetches = self.model.outputs
        if fetches is None:
            return self._run(self._session(("whole",), lambda: self.path), self.model.outputs, feeds)
        key = ("part", *sorted((n, a.dtype.str, a.shape) for n, a in feeds.items()), *fetches)
        session = self._session(key, lambda: self.model.extract(feeds, fetches, embed=False))
        fetched = self._run(session, [o.name for o in session.get_outputs()], feeds)
        return {n.removesuffix("/fetched"): a for n, a in fetched.items()}

    def _run(self, session: Any, names: Sequence[str], feeds: Arrays) -> Arrays:
        wanted = {i.name: i.type for i in session.get_inputs()}
        values = session.run(list(names), {n: _fit(feeds[n.removesuffix("/fed")], t) for n, t in wanted.items()})
        return {
            n: np.asarray(v)
            for n, v in zip(names, values, strict=False)
            if v is not None and not isinstance(v, (list, dict))
        }

    def _session(self, key: tuple[Any, ...], build: Any) -> Any:
        if key not in self.sessions:
            if self.model.external:
                self.sessions.clear()  # each holds the weights again
            if len(self.sessions) > KEPT:
                del self.sessions[next(k for k in self.sessions if k != ("whole",))]
            self.sessions[key] = self._open(build())
        return self.sessions[key]

    def _open(self, model: Path | onnx.ModelProto, optimized: str | None = None, level: str | None = None) -> Any:
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.log_severity_level = 4
        # Threads that spin while they wait keep the processors from the sessions of the next layers.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.graph_optimization_level = ort.GraphOptimizationLevel(LEVELS[level or self.knobs["opt"]])
        if self.knobs["threads"]:
            options.intra_op_num_threads = int(self.knobs["threads"])
            options.inter_op_num_threads = 1
        if optimized:
            options.optimized_model_filepath = optimized
            if self.model.external:
                name = "session.optimized_model_external_initializers_file_name"
                options.add_session_config_entry(name, f"{Path(optimized).name}.data")
        if self.model.external and not isinstance(model, Path):
            name = "session.model_external_initializers_file_folder_path"
            options.add_session_config_entry(name, str(self.model.folder))
        provider: Any = PROVIDERS[self.knobs["device"]]
        if self.knobs["device"] != "cpu":
            tf32 = "1" if self.knobs["precision"] == "tf32" else "0"
            provider = (provider, {"use_tf32": tf32}) if self.knobs["device"] == "cuda" else (provider, {})
        disabled = [name for name in str(self.knobs["disabled"]).split("+") if name]
        if isinstance(model, Path):
            source: Any = str(model)
        elif model.ByteSize() < LIMIT:
            source = model.SerializeToString()
        else:
            temporary = tempfile.mkdtemp(prefix="assay-")
            source = f"{temporary}/model.onnx"
            onnx.save(model, source, save_as_external_data=True)
        arguments = {"disabled_optimizers": disabled} if disabled else {}
        return ort.InferenceSession(source, options, providers=[provider, "CPUExecutionProvider"], **arguments)

    def cuts(self) -> list[str] | None:
        """Names that survive optimisation: the points at which the fused graph can be cut.

        Layout passes rename tensors without changing what they hold, so the graph before them is looked at. It is
        written with its weights: of a model too large for that, all tensors are points.
        """
        if self.knobs["opt"] == "disable" or self.model.weighs > WRITTEN:
            return None
        level = "extended" if self.knobs["opt"] == "all" else self.knobs["opt"]
        with tempfile.TemporaryDirectory(prefix="assay-") as temporary:
            path = f"{temporary}/optimized.onnx"
            try:
                self._open(self.path, optimized=path, level=level)
                graph = onnx.load(path, load_external_data=False).graph
            except Exception:  # the model does not load optimised; the run itself will say so
                return None
        names = {o for n in graph.node for o in n.output} | {i.name for i in graph.initializer}
        return sorted(names & set(self.model.producer))


def _fit(array: np.ndarray, wanted: str) -> np.ndarray:
    """Hidden states of another precision in the type that this engine declares."""
    if wanted == "tensor(float16)" and array.dtype == np.float32:
        return array.astype(np.float16)
    return array
