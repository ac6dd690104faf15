"""PyTorch: eager, ``torch.compile`` and exported programs.

Tensors are named as the traced program names them, which is also what the ONNX exporter calls them. A run calls the
module as a user does; hidden states and replays interpret (or compile) the traced program between the given tensors.

Knobs: ``mode`` (eager, compile, export), ``backend`` of compile, ``precision`` (``mixed_…`` is autocast), ``device``,
``cudnn`` (plain, benchmark: it chooses among algorithms by time), ``mkldnn``, ``threads``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .contract import Arrays, EngineError, tensor
from .torch_module import Buffers, Repacked, build_module, take_weights, unchecked_distributions
from .torch_parts import NotRead, put_together
from .torch_program import Program, as_array

MIXED = {"mixed_bfloat16": "bfloat16", "mixed_float16": "float16"}
DTYPES = {"float64": "float64", "bfloat16": "bfloat16", "float16": "float16"}


class Torch:
    def __init__(self, knobs: Mapping[str, Any]) -> None:
        self.knobs = {
            "mode": "eager",
            "backend": "inductor",
            "precision": "float32",
            "device": "cpu",
            "cudnn": "plain",
            "mkldnn": "on",
            "threads": 0,
            **knobs,
        }
        self.parts: dict[Any, Any] = {}
        self.inputs: dict[str, Any] = {}  # by name: a tensor like the one to come
        self.outputs: list[str] = []
        self.named: list[str] = []
        self.program: Program | None = None  # None: it cannot be traced
        self.where: list[str] = []  # the layers that are being called, where nothing can be traced
        self.ahead: tuple[Any, Any, Any, Any] | None = None  # module, arguments, keywords, trace: made by `prepare`

    def fingerprint(self) -> dict[str, Any]:
        import torch

        if self.knobs["device"] == "cuda" and not torch.cuda.is_available():
            raise EngineError("missing", f"torch {torch.__version__} finds no CUDA device ({_reason()})")
        if self.knobs["threads"]:
            torch.set_num_threads(int(self.knobs["threads"]))
        torch.backends.mkldnn.enabled = self.knobs["mkldnn"] == "on"
        tf32 = self.knobs["precision"] == "tf32"
        torch.backends.cuda.matmul.allow_tf32 = tf32
        torch.backends.cudnn.allow_tf32 = tf32
        torch.backends.cudnn.benchmark = self.knobs["cudnn"] == "benchmark"
        found = {"versions": {"torch": str(torch.__version__)}, "device": self.knobs["device"]}
        if self.knobs["device"] == "cuda":
            found["gpu"] = torch.cuda.get_device_name()
        return found

    def prepare(self, model: dict[str, Any], folder: Path) -> None:
        import torch

        torch.manual_seed(0)
        module, args, kwargs = build_module(model, folder)
        self.ahead = module, args, kwargs, self._traced(module, args, kwargs)

    def _traced(self, module: Any, args: Any, kwargs: Any) -> Any:
        """The exported program and what is read from it, or why the module cannot be traced."""
        import torch

        try:
            with torch.no_grad(), unchecked_distributions(torch):
                exported = torch.export.export(module, tuple(args), kwargs or None)
        except Exception as error:
            return error
        return exported, Program(exported)

    def load(self, model: dict[str, Any], folder: Path) -> dict[str, Any]:
        import torch

        torch.manual_seed(0)
        self.examples: Arrays = {}
        self.parts.clear()  # of the model that was loaded before
        notes: list[str] = []
        ahead, self.ahead = self.ahead, None
        traced: Any = None
        if model["kind"] == "torch-program":
            exported = load_program(folder, model)
            module = exported.module()
            args, kwargs = exported.example_inputs or ((), {})
            traced = exported, None
        else:
            module, args, kwargs, traced = ahead or (*build_module(model, folder), None)
            notes += take_weights(module, folder / model["weights"]) if model.get("weights") else []  # the trace's too
        dtype = DTYPES.get(self.knobs["precision"])
        if dtype is not None:
            module = module.to(getattr(torch, dtype))
        module = module.to(self.knobs["device"])
        args, kwargs = self._place(args), self._place(kwargs)
        self.module, self.kwargs = module, kwargs
        self.buffers = Buffers(module)
        if traced is None or dtype is not None or self.knobs["device"] != "cpu":
            traced = self._traced(module, args, kwargs)
        if isinstance(traced, Exception):
            if self.knobs["mode"] == "export":
                raise traced
            notes.append(f"PyTorch cannot trace the module: {_first(traced)}")
            return self._opaque(args, kwargs, notes, model.get("inputs") or ())
        self.exported, program = traced
        self.runnable = self._runnable(module)
        self.program = program or Program(self.exported)
        self.inputs, self.outputs = self.program.inputs, self.program.outputs
        self._note_examples(args, kwargs)
        return {
            "nodes": self.program.describe(),
            "inputs": [
                tensor(n, str(v.dtype).replace("torch.", ""), [d if isinstance(d, int) else None for d in v.shape])
                for n, v in self.inputs.items()
            ],
            "outputs": self.outputs,
            "alive": self.program.alive(model.get("names"), by_module=self.knobs["mode"] == "compile"),
            "dtypes": {},
            "notes": notes,
        }

    def _opaque(self, args: Any, kwargs: Any, notes: list[str], names: Sequence[str]) -> dict[str, Any]:
        """A module that cannot be traced runs as a whole; where it raises, the layer is known from its calls.

        `names`: what its inputs are called in the export, in order.
        """
        import torch

        self.program = None
        for name, part in self.module.named_modules():
            label = f"`{name}` ({type(part).__name__})" if name else ""
            part.register_forward_pre_hook(lambda *_, label=label: self.where.append(label))
            part.register_forward_hook(lambda *_: self.where.pop() and None)
        self.runnable = self._runnable(self.module) if self.knobs["mode"] == "compile" else self.module
        leaves = [v for v in torch.utils._pytree.tree_leaves((args, kwargs)) if isinstance(v, torch.Tensor)]
        names = names if len(names) == len(leaves) else [f"input_{i}" for i in range(len(leaves))]
        self.inputs = dict(zip(names, leaves))  # noqa: B905
        self.examples = {n: as_array(v) for n, v in self.inputs.items()}
        self.runnable = Repacked(self.runnable, args, kwargs)
        self.positional = list(self.inputs)
        described = [tensor(n, str(v.dtype).replace("torch.", ""), list(v.shape)) for n, v in self.inputs.items()]
        notes[-1] += ". It is compared as a whole, not layer by layer."
        whole = {"nodes": [], "outputs": [], "alive": [], "dtypes": {}, "replayable": False}
        return {**whole, "inputs": described, "notes": notes}

    def reset(self) -> None:
        self.buffers.restore()

    def weights(self) -> Mapping[str, np.ndarray]:
        return {n: as_array(p) for n, p in [*self.module.named_parameters(), *self.module.named_buffers()]}

    def cut(self, inputs: Sequence[str], outputs: Sequence[str]) -> tuple[dict[str, Any], Arrays]:
        if self.program is None:
            raise EngineError("unreplayed", "PyTorch cannot trace this module, so it has no parts")
        return self.program.cut(inputs, outputs)

    def evaluate(self, feeds: Arrays, fetches: Sequence[str] | None) -> Arrays:
        import torch

        if self.program is None:
            return self._whole(feeds, fetches)
        given = {n: self._tensor(a) for n, a in feeds.items()}
        with torch.no_grad(), self._autocast():
            if fetches is None:
                values = self.runnable(*[given[n] for n in self.positional], **{n: given[n] for n in self.named})
                flat = torch.utils._pytree.tree_leaves(values)
                tensors = [v for v in flat if isinstance(v, torch.Tensor)]
                if len(tensors) != len(self.outputs):
                    raise EngineError("crash", f"{len(tensors)} outputs instead of {len(self.outputs)}")
                return {n: as_array(v) for n, v in zip(self.outputs, tensors)}  # noqa: B905
            if self.knobs["mode"] == "compile":
                return self._compiled_part(given, fetches)
            env = self.program.interpret(given, fetches)
            return {n: as_array(env[n]) for n in fetches if isinstance(env.get(n), torch.Tensor)}

    def _whole(self, feeds: Arrays, fetches: Sequence[str] | None) -> Arrays:
        import torch

        if fetches is not None:
            raise EngineError("unreplayed", "PyTorch cannot trace this module, so it has no parts to run")
        self.where.clear()
        try:
            with torch.no_grad(), self._autocast():
                values = self.runnable(*[self._tensor(feeds[n]) for n in self.positional])
        except Exception as error:
            place = next((w for w in reversed(self.where) if w), "")
            raise EngineError("crash", f"{f'in {place}: ' if place else ''}{_first(error)}") from error
        leaves = [v for v in torch.utils._pytree.tree_leaves(values) if isinstance(v, torch.Tensor)]
        return {f"output_{i}": as_array(v) for i, v in enumerate(leaves)}

    def _autocast(self) -> Any:
        """Operators that PyTorch holds for safe compute in half precision, where the knob says mixed."""
        import torch

        half = MIXED.get(self.knobs["precision"])
        return torch.autocast(self.knobs["device"], getattr(torch, half or "bfloat16"), enabled=half is not None)

    def _place(self, value: Any) -> Any:
        import torch

        def move(v: Any) -> Any:
            if not isinstance(v, torch.Tensor):
                return v
            dtype = DTYPES.get(self.knobs["precision"])
            v = v.to(self.knobs["device"])
            return v.to(getattr(torch, dtype)) if dtype is not None and v.is_floating_point() else v

        return torch.utils._pytree.tree_map(move, value)

    def _runnable(self, module: Any) -> Any:
        import torch

        if self.knobs["mode"] == "compile":
            torch._dynamo.reset()
            return torch.compile(module, backend=self.knobs["backend"], dynamic=False)
        return self.exported.module() if self.knobs["mode"] == "export" else module

    def _note_examples(self, args: Any, kwargs: Any) -> None:
        import torch

        flat = list(torch.utils._pytree.tree_leaves((args, kwargs)))
        order = list(self.inputs)
        tensors = [v for v in flat if isinstance(v, torch.Tensor)]
        self.examples = {n: as_array(v) for n, v in zip(order, tensors)}  # noqa: B905
        simple = all(isinstance(v, torch.Tensor) for v in args) and all(
            isinstance(v, torch.Tensor) for v in kwargs.values()
        )
        if not simple and self.knobs["mode"] != "export":
            self.runnable = Repacked(self.runnable, args, kwargs)
            self.positional, self.named = order, []
        else:
            self.positional = order[: len(args)]
            self.named = order[len(args) :]

    def _compiled_part(self, given: Mapping[str, Any], fetches: Sequence[str]) -> Arrays:
        """The part of the program between `given` and `fetches`, compiled as one function."""
        import torch

        assert self.program is not None
        key = (tuple(sorted((n, tuple(v.shape), v.dtype) for n, v in given.items())), tuple(fetches))
        if key not in self.parts:
            torch._dynamo.reset()
            part = self.program.part(list(given), fetches)
            self.parts[key] = torch.compile(part, backend=self.knobs["backend"], dynamic=False)
        values = self.parts[key](*given.values())
        return {n: as_array(v) for n, v in zip(fetches, values) if isinstance(v, torch.Tensor)}  # noqa: B905

    def _tensor(self, array: np.ndarray) -> Any:
        import torch

        value = torch.from_numpy(np.array(array)).to(self.knobs["device"])
        dtype = DTYPES.get(self.knobs["precision"])
        return value.to(getattr(torch, dtype)) if dtype is not None and value.is_floating_point() else value


def load_program(folder: Path, model: dict[str, Any]) -> Any:
    """An exported program from its parts."""
    try:
        if model.get("refused"):
            raise NotRead(model["refused"])
        return put_together(folder / model["path"])
    except NotRead as problem:
        raise EngineError("unsupported", str(problem)) from problem


def _reason() -> str:
    """What the driver says of devices that it does not give; a build for processors has none to ask."""
    import torch

    if not (torch.version.cuda or torch.version.hip):
        return "it is a build for processors"
    try:
        torch.cuda.init()
    except Exception as error:
        return _first(error)
    return "its driver tells no reason"


def _first(error: BaseException) -> str:
    """The first line of a message, with the exception's type."""
    return f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0]}"[:300]
