"""``python -m assay_worker ENGINE``: one JSON request a line on standard input, one JSON reply a line on the output.

Whatever the engine prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from . import tensors
from .contract import EngineError, WorkerEngine, digest, machine


def open_engine(name: str, knobs: dict[str, Any]) -> WorkerEngine:
    """The engine called `name`; modules are imported here so that one worker imports one engine."""
    if name == "onnxruntime":
        from .onnxruntime_engine import OnnxRuntime

        return OnnxRuntime(knobs)
    if name == "reference":
        from .reference_engine import Reference

        return Reference(knobs)
    if name == "openvino":
        from .openvino_engine import OpenVINO

        return OpenVINO(knobs)
    if name == "torch":
        from .torch_engine import Torch

        return Torch(knobs)
    if name == "jax":
        from .jax_engine import Jax

        return Jax(knobs)
    if name.startswith("keras-"):
        from .keras_engine import Keras

        return Keras(name.removeprefix("keras-"), knobs)
    if name == "tensorflow":
        from .tensorflow_engine import TensorFlow

        return TensorFlow(knobs)
    if name == "tflite":
        from .tflite_engine import TensorFlowLite

        return TensorFlowLite(knobs)
    raise EngineError("missing", f"there is no engine called {name}")


class WorkerServer:
    """Answers requests; keeps the engine and the loaded model between them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.engine: WorkerEngine | None = None
        self.prepared: Any = None  # the knobs of an engine that waits for its model

    def answer(self, request: dict[str, Any], folder: Path) -> dict[str, Any]:
        """One reply; an exception of the engine becomes ``{"error": {"kind", "type", "message"}}``."""
        try:
            return {"value": getattr(self, "do_" + str(request["op"]))(request, folder)}
        except EngineError as error:
            return _error(error.kind, error)
        except (ImportError, ModuleNotFoundError) as error:
            return _error("missing", error)
        except NotImplementedError as error:
            return _error("unsupported", error)
        except MemoryError as error:
            return _error("memory", error)
        except Exception as error:
            traceback.print_exc()
            return _error("unreplayed" if _is_ours(error) else _kind(error), error)

    def do_probe(self, request: dict[str, Any], folder: Path) -> Any:
        knobs = request.get("knobs", {})
        if self.engine is None or self.prepared != knobs:
            self.engine = open_engine(self.name, knobs)
        self.prepared = None
        return {**self.engine.fingerprint(), **machine(), "knobs": knobs}

    def do_prepare(self, request: dict[str, Any], folder: Path) -> Any:
        """What `load` begins with and what needs no exported weights, while the export is made."""
        self.do_probe(request, folder)
        prepare = getattr(self.engine, "prepare", None)
        if prepare is not None:
            prepare(request["model"], folder)
        self.prepared = request.get("knobs", {})
        return {}

    def do_load(self, request: dict[str, Any], folder: Path) -> Any:
        """Open the engine and load the model; the reply holds fingerprint, description and example inputs.

        With ``"state": file`` what an entry point made is kept there, for the other workers that build it.
        """
        fingerprint = self.do_probe(request, folder)
        assert self.engine is not None
        description = self.engine.load(request["model"], folder)
        examples = tensors.write(folder / request["result"], getattr(self.engine, "examples", None) or {})
        reply = {"fingerprint": fingerprint, "description": description, "examples": examples}
        keep = getattr(self.engine, "state", None)
        state = keep() if request.get("state") and keep is not None else {}
        if state:
            reply["state"] = tensors.write(folder / request["state"], state)
        return reply

    def do_evaluate(self, request: dict[str, Any], folder: Path) -> Any:
        """``cases``: list of ``{"feeds": {tensor: key in arrays}, "fetches": [tensors] | null}``.

        A case that fails gives its error and leaves the others alone: each starts from the state that was loaded.
        Weights are hashed before and after unless ``"state": false``.
        """
        assert self.engine is not None
        arrays = tensors.read(folder / request["arrays"], request["manifest"])
        reset = getattr(self.engine, "reset", lambda: None)
        reset()
        before = digest(self.engine.weights()) if request.get("state", True) else ""
        results: list[dict[str, Any]] = []
        out: dict[str, Any] = {}
        for index, case in enumerate(request["cases"]):
            feeds = {name: arrays[key] for name, key in case["feeds"].items()}
            reset()
            started, spent = time.perf_counter(), time.process_time()
            reply = self.answer({"op": "one", "feeds": feeds, "fetches": case["fetches"]}, folder)
            # On a machine that others use too, the processor's time is nearer to what an idle one would take.
            seconds = min(time.perf_counter() - started, time.process_time() - spent)
            if "error" in reply:
                results.append({"error": reply["error"], "seconds": seconds})
                continue
            keys = {}
            for name, array in reply["value"].items():
                keys[name] = f"{index}/{name}"
                out[keys[name]] = array
            results.append({"keys": keys, "seconds": seconds})
        after = digest(self.engine.weights()) if request.get("state", True) else ""
        manifest = tensors.write(folder / request["result"], out)
        return {"results": results, "manifest": manifest, "mutated": before != after}

    def do_cuts(self, request: dict[str, Any], folder: Path) -> Any:
        cuts = getattr(self.engine, "cuts", None)
        return cuts() if cuts is not None else None

    def do_one(self, request: dict[str, Any], folder: Path) -> Any:
        assert self.engine is not None
        return self.engine.evaluate(request["feeds"], request["fetches"])

    def do_cut(self, request: dict[str, Any], folder: Path) -> Any:
        assert self.engine is not None
        part, arrays = self.engine.cut(request["inputs"], request["outputs"])
        return {"part": part, "manifest": tensors.write(folder / request["result"], arrays)}

    def do_exit(self, request: dict[str, Any], folder: Path) -> Any:
        os._exit(0)


UNSUPPORTED = (
    "not implemented", "not_implemented", "notimplemented", "unimplemented", "could not find an implementation",
    "no implementation for operator",
    "unsupported", "not supported", "no opset import", "is not a registered function/op", "not compilable",
    "opconversionfailure", "no conversion rule", "does not support", "only supports", "no kernel image",
    "invalidcxxcompiler", "no working c++ compiler",
    "failed to construct locale",  # ONNX Runtime's StringNormalizer on a machine without that language
)  # fmt: skip
TYPES = ("type 'tensor(", "of operator", "is invalid")  # ONNX Runtime on a type that an operator does not take
MEMORY = (
    "out of memory", "out_of_memory", "failed to allocate", "bad_alloc", "unable to allocate",
    "cannot allocate memory", "can't allocate memory", "resourceexhausted", "oom when allocating",
)  # fmt: skip
OURS = (KeyError, IndexError, AttributeError, TypeError, NameError, AssertionError)


def _is_ours(error: BaseException) -> bool:
    """Whether this worker's own code made a mistake: raised by one of its lines, not by what the line called."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    here = str(Path(__file__).parent)
    return isinstance(error, OURS) and trace is not None and trace.tb_frame.f_code.co_filename.startswith(here)


PLACES = ("Exception from src/", "Check 'false' failed at", "FrontEnd API failed with")  # of the engine's own sources


def _kind(error: BaseException) -> str:
    text = f"{type(error).__name__} {error}".lower()
    if any(word in text for word in MEMORY):
        return "memory"
    return "unsupported" if any(w in text for w in UNSUPPORTED) or all(w in text for w in TYPES) else "crash"


def _error(kind: str, error: BaseException) -> dict[str, Any]:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith(PLACES)] or lines
    message = " ".join(lines[:4])[:600] or type(error).__name__
    # A verdict of Assay's own is a sentence; other errors are named by their class.
    text = message if isinstance(error, EngineError) else f"{type(error).__name__}: {message}"
    return {"error": {"kind": kind, "message": text}}


CORES = 2  # that an engine sees: its pools of threads grow with them, and a wall bounds how many there are


def _show_cores() -> None:
    """Narrow this process to `CORES` of the cores, before the engine is imported and counts them."""
    try:
        cores = sorted(os.sched_getaffinity(0))
        first = os.getpid() % len(cores)  # not all workers on the same ones
        os.sched_setaffinity(0, (cores[first:] + cores[:first])[:CORES])
    except (AttributeError, OSError):  # another system than Linux
        pass


def _processor_time() -> float:
    """Seconds of this process and of the compilers that it has started and waited for."""
    ours = os.times()
    return ours.user + ours.system + ours.children_user + ours.children_system


def main() -> None:
    """With ``--send`` the result files a request names follow its reply as bytes, and are removed here."""
    name = sys.argv[1]
    _show_cores()
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    server = WorkerServer(name)
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path.cwd()
    for line in sys.stdin:
        request = json.loads(line)
        began = _processor_time()
        reply = {**server.answer(request, folder), "spent": _processor_time() - began}
        files = []
        if "--send" in sys.argv:
            files = [folder / n for n in request.get("receive", ()) if (folder / n).is_file()]
            reply["files"] = [[str(f.relative_to(folder)), f.stat().st_size] for f in files]
        replies.write(json.dumps({"id": request.get("id"), **reply}).encode() + b"\n")
        for file in files:
            replies.write(file.read_bytes())
            file.unlink()
        replies.flush()


if __name__ == "__main__":
    main()
