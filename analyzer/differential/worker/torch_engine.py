"""PyTorch: eager, ``torch.compile`` and exported programs.

Tensors are named as the traced program names them, which is also what the ONNX exporter calls them. A run calls the
module as a user does; hidden states and replays interpret (or compile) the traced program between the given tensors.

Knobs: ``mode`` (eager, compile, export), ``backend`` of compile, ``precision``, ``device``, ``mkldnn``, ``threads``.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .contract import Arrays, EngineError, node, tensor

DTYPES = {"float64": "float64", "bfloat16": "bfloat16", "float16": "float16"}


class Torch:
    def __init__(self, knobs: Mapping[str, Any]) -> None:
        self.knobs = {
            "mode": "eager",
            "backend": "inductor",
            "precision": "float32",
            "device": "cpu",
            "mkldnn": "on",
            "threads": 0,
            **knobs,
        }
        self.parts: dict[Any, Any] = {}
        self.inputs: dict[str, Any] = {}  # by name: a tensor like the one to come
        self.outputs: list[str] = []
        self.named: list[str] = []
        self.where: list[str] = []  # the layers that are being called, where nothing can be traced

    def fingerprint(self) -> dict[str, Any]:
        import torch

        if self.knobs["device"] == "cuda" and not torch.cuda.is_available():
            raise EngineError("missing", f"torch {torch.__version__} finds no CUDA device")
        if self.knobs["threads"]:
            torch.set_num_threads(int(self.knobs["threads"]))
        torch.backends.mkldnn.enabled = self.knobs["mkldnn"] == "on"
        tf32 = self.knobs["precision"] == "tf32"
        torch.backends.cuda.matmul.allow_tf32 = tf32
        torch.backends.cudnn.allow_tf32 = tf32
        found = {"versions": {"torch": str(torch.__version__)}, "device": self.knobs["device"]}
        if self.knobs["device"] == "cuda":
            found["gpu"] = torch.cuda.get_device_name()
        return found

    def load(self, model: dict[str, Any], folder: Path) -> dict[str, Any]:
        import torch

        torch.manual_seed(0)
        self.examples: Arrays = {}
        notes: list[str] = []
        if model["kind"] == "torch-program":
            program = torch.export.load(str(folder / model["path"]))
            module = program.module()
            args, kwargs = program.example_inputs or ((), {})
        else:
            module, args, kwargs = self._build(model, folder)
            notes += self._weights_from(module, folder / model["weights"]) if model.get("weights") else []
        dtype = DTYPES.get(self.knobs["precision"])
        if dtype is not None:
            module = module.to(getattr(torch, dtype))
        module = module.to(self.knobs["device"])
        args, kwargs = self._place(args), self._place(kwargs)
        self.module, self.kwargs = module, kwargs
        if model["kind"] == "torch-program" and dtype is None and self.knobs["device"] == "cpu":
            self.program = program
        else:
            try:
                with torch.no_grad():
                    self.program = torch.export.export(module, tuple(args), kwargs or None)
            except Exception as error:
                if self.knobs["mode"] == "export":
                    raise
                return self._opaque(args, kwargs, [*notes, f"PyTorch cannot trace the module: {_first(error)}"])
        self.runnable = self._runnable(module)
        self.program = self._decomposed(self.program)
        self.graph = self.program.graph_module.graph
        self._index()
        self._note_examples(args, kwargs)
        alive = self._alive(model.get("names"))
        return {
            "nodes": self._nodes(),
            "inputs": [
                tensor(n, str(v.dtype).replace("torch.", ""), [d if isinstance(d, int) else None for d in v.shape])
                for n, v in self.inputs.items()
            ],
            "outputs": self.outputs,
            "alive": alive,
            "dtypes": {},
            "notes": notes,
        }

    def _opaque(self, args: Any, kwargs: Any, notes: list[str]) -> dict[str, Any]:
        """A module that cannot be traced runs as a whole; where it raises, the layer is known from its calls."""
        import torch

        self.program = None
        for name, part in self.module.named_modules():
            label = f"`{name}` ({type(part).__name__})" if name else ""
            part.register_forward_pre_hook(lambda *_, label=label: self.where.append(label))
            part.register_forward_hook(lambda *_: self.where.pop() and None)
        self.runnable = self._runnable(self.module) if self.knobs["mode"] == "compile" else self.module
        leaves = [v for v in torch.utils._pytree.tree_leaves((args, kwargs)) if isinstance(v, torch.Tensor)]
        self.inputs = {f"input_{i}": v for i, v in enumerate(leaves)}
        self.examples = {n: _numpy(v) for n, v in self.inputs.items()}
        self.runnable = _Repacked(self.runnable, args, kwargs)
        self.positional = list(self.inputs)
        described = [tensor(n, str(v.dtype).replace("torch.", ""), list(v.shape)) for n, v in self.inputs.items()]
        notes[-1] += ". It is compared as a whole, not layer by layer."
        return {"nodes": [], "inputs": described, "outputs": [], "alive": [], "dtypes": {}, "notes": notes}

    def weights(self) -> Mapping[str, np.ndarray]:
        return {n: _numpy(p) for n, p in [*self.module.named_parameters(), *self.module.named_buffers()]}

    def cut(self, inputs: Sequence[str], outputs: Sequence[str]) -> tuple[dict[str, Any], Arrays]:
        """The operators with their arguments: tensors by name, weights as arrays, the rest as JSON."""
        import torch

        arrays: Arrays = {}

        def plain(value: Any) -> Any:
            if isinstance(value, torch.fx.Node):
                if value.name in self.constants and isinstance(self.constants[value.name], torch.Tensor):
                    arrays[value.name] = _numpy(self.constants[value.name])
                return {"tensor": value.name}
            if isinstance(value, (list, tuple)):
                return [plain(v) for v in value]
            if isinstance(value, (torch.dtype, torch.device, torch.layout, torch.memory_format)):
                return {"torch": str(value)}
            if value is None or isinstance(value, (int, float, bool, str)):
                return value
            raise EngineError("unsupported", f"argument of type {type(value).__name__}")

        steps = []
        for each in self._needed(dict.fromkeys(inputs), outputs):
            target = "getitem" if each.target is operator.getitem else str(each.target)
            kwargs = {k: plain(v) for k, v in each.kwargs.items()}
            steps.append({"name": each.name, "target": target, "args": plain(each.args), "kwargs": kwargs})
        return {"steps": steps}, arrays

    def evaluate(self, feeds: Arrays, fetches: Sequence[str] | None) -> Arrays:
        import torch

        if self.program is None:
            return self._whole(feeds, fetches)
        given = {n: self._tensor(a) for n, a in feeds.items()}
        with torch.no_grad():
            if fetches is None:
                values = self.runnable(*[given[n] for n in self.positional], **{n: given[n] for n in self.named})
                flat = torch.utils._pytree.tree_leaves(values)
                tensors = [v for v in flat if isinstance(v, torch.Tensor)]
                if len(tensors) != len(self.outputs):
                    raise EngineError("crash", f"{len(tensors)} outputs instead of {len(self.outputs)}")
                return {n: _numpy(v) for n, v in zip(self.outputs, tensors)}  # noqa: B905
            if self.knobs["mode"] == "compile":
                return self._compiled_part(given, fetches)
            env = dict(given)
            for each in self._needed(given, fetches):
                env[each.name] = self._call(each, env)
            return {n: _numpy(env[n]) for n in fetches if isinstance(env.get(n), torch.Tensor)}

    def _whole(self, feeds: Arrays, fetches: Sequence[str] | None) -> Arrays:
        import torch

        if fetches is not None:
            raise EngineError("unsupported", "PyTorch cannot trace this module, so it has no parts to run")
        self.where.clear()
        try:
            with torch.no_grad():
                values = self.runnable(*[self._tensor(feeds[n]) for n in self.positional])
        except Exception as error:
            place = next((w for w in reversed(self.where) if w), "")
            raise EngineError("crash", f"{f'in {place}: ' if place else ''}{_first(error)}") from error
        leaves = [v for v in torch.utils._pytree.tree_leaves(values) if isinstance(v, torch.Tensor)]
        return {f"output_{i}": _numpy(v) for i, v in enumerate(leaves)}

    def _build(self, model: dict[str, Any], folder: Path) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        import torch
        from assay_inside.entry import build  # type: ignore[import-not-found]

        built = build(model["entry"], str(folder / model["root"]))
        module = built.model
        if not isinstance(module, torch.nn.Module):
            function = module

            class Function(torch.nn.Module):  # type: ignore[misc]
                def forward(self, *args: Any, **kwargs: Any) -> Any:
                    return function(*args, **kwargs)

            module = Function()
        module.eval()
        inputs = built.inputs
        if inputs is None:
            examples = model.get("examples") or {}
            if not examples:
                raise EngineError("unsupported", "the entry point gives a module without example inputs")
            inputs = {n: torch.zeros(s["shape"], dtype=getattr(torch, s["dtype"])) for n, s in examples.items()}
            return module, tuple(inputs.values()), {}
        if isinstance(inputs, dict):
            return module, (), dict(inputs)
        return module, tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,), {}

    def _weights_from(self, module: Any, path: Path) -> list[str]:
        """The exported weights are the truth: an entry point that initialises at random makes others each time."""
        import torch

        try:
            import onnx
            from onnx import numpy_helper
        except ImportError:
            return ["PyTorch ran with the weights that the entry point makes, not with the exported ones."]
        stored = {i.name: i for i in onnx.load(str(path)).graph.initializer}
        missing = []
        with torch.no_grad():
            for name, value in [*module.named_parameters(), *module.named_buffers()]:
                if name in stored:
                    array = numpy_helper.to_array(stored[name])
                    if tuple(array.shape) == tuple(value.shape):
                        value.copy_(
                            torch.from_numpy(
                                array.astype(np.float32) if array.dtype.kind not in "biuf" else array.copy()
                            )
                        )
                        continue
                missing.append(name)
        return []

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
        return self.program.module() if self.knobs["mode"] == "export" else module

    def _decomposed(self, program: Any) -> Any:
        """The same decompositions as the ONNX exporter makes, so that names agree; else the program as it is."""
        try:
            from torch.onnx._internal.exporter import _fx_passes, _registration

            return _fx_passes.decompose_with_registry(program, _registration.ONNXRegistry.from_torchlib())
        except Exception:
            return program

    def _index(self) -> None:
        import torch

        signature = self.program.graph_signature
        self.constants: dict[str, Any] = {}
        self.inputs = {}
        users = set(signature.user_inputs)
        for each in self.graph.nodes:
            if each.op != "placeholder":
                continue
            if each.name in users:
                value = each.meta.get("val")
                if isinstance(value, torch.Tensor):
                    self.inputs[each.name] = value
                else:
                    self.constants[each.name] = value
                continue
            target = signature.inputs_to_parameters.get(each.name) or signature.inputs_to_buffers.get(each.name)
            if target is not None and target in self.program.state_dict:
                self.constants[each.name] = self.program.state_dict[target]
            else:
                key = target or signature.inputs_to_lifted_tensor_constants.get(each.name)
                self.constants[each.name] = self.program.constants.get(key)
        self.nodes = [n for n in self.graph.nodes if n.op == "call_function"]
        self.by_name = {n.name: n for n in self.nodes}
        self.outputs = [n for n in signature.user_outputs if isinstance(n, str)]

    def _note_examples(self, args: Any, kwargs: Any) -> None:
        import torch

        flat = list(torch.utils._pytree.tree_leaves((args, kwargs)))
        order = list(self.inputs)
        tensors = [v for v in flat if isinstance(v, torch.Tensor)]
        self.examples = {n: _numpy(v) for n, v in zip(order, tensors)}  # noqa: B905
        simple = all(isinstance(v, torch.Tensor) for v in args) and all(
            isinstance(v, torch.Tensor) for v in kwargs.values()
        )
        if not simple and self.knobs["mode"] != "export":
            self.runnable = _Repacked(self.runnable, args, kwargs)
            self.positional, self.named = order, []
        else:
            self.positional = order[: len(args)]
            self.named = order[len(args) :]

    def _nodes(self) -> list[dict[str, Any]]:
        found = []
        for each in self.nodes:
            if each.target is operator.getitem:
                continue
            tuples = [u.name for u in each.users if u.target is operator.getitem]
            layer, kind = _module_of(each)
            outputs = tuples if isinstance(each.meta.get("val"), (tuple, list)) else [each.name]
            inputs = [n.name for n in each.all_input_nodes if n.name not in self.constants]
            attributes = {f"arg{i}": a for i, a in enumerate(each.args) if isinstance(a, (int, float, bool, str))}
            op = getattr(each.target, "__name__", str(each.target)).split(".")[0]
            path, line = _source(each)
            found.append(
                node(
                    each.name,
                    op,
                    inputs,
                    outputs,
                    layer=layer,
                    layer_class=kind,
                    attributes=attributes,
                    path=path,
                    line=line,
                )
            )
        return found

    def _alive(self, names: Mapping[str, str] | None) -> list[str]:
        """Tensors that can be cut. With the exporter's notes: those whose traced node is the same there as here."""
        import torch

        plain = [n for n in self.nodes if isinstance(n.meta.get("val"), torch.Tensor)]
        if names is not None:
            plain = [n for n in plain if n.name in names and _text(n.format_node()) == _text(names[n.name])]
        if self.knobs["mode"] == "compile":  # compiling takes seconds: cut at modules, not at operators
            last: dict[str, Any] = {}
            for n in plain:
                last[_module_of(n)[0] or n.name] = n
            plain = list(last.values())
        return [n.name for n in plain]

    def _needed(self, given: Mapping[str, Any], fetches: Sequence[str]) -> list[Any]:
        wanted: set[str] = set()
        queue = [n for n in fetches if n not in given]
        while queue:
            name = queue.pop()
            if name in wanted or name in given or name in self.constants:
                continue
            if name not in self.by_name:
                raise EngineError("crash", f"tensor {name!r} can be computed from none of {sorted(given)}")
            wanted.add(name)
            queue.extend(n.name for n in self.by_name[name].all_input_nodes)
        return [n for n in self.nodes if n.name in wanted]

    def _call(self, each: Any, env: Mapping[str, Any]) -> Any:
        from torch.fx.node import map_arg

        def value(n: Any) -> Any:
            return env[n.name] if n.name in env else self.constants[n.name]

        return each.target(*map_arg(each.args, value), **map_arg(each.kwargs, value))

    def _compiled_part(self, given: Mapping[str, Any], fetches: Sequence[str]) -> Arrays:
        """The part of the program between `given` and `fetches`, compiled as one function."""
        import torch

        key = (tuple(sorted((n, tuple(v.shape), v.dtype) for n, v in given.items())), tuple(fetches))
        if key not in self.parts:
            graph = torch.fx.Graph()
            env: dict[str, Any] = {n: graph.placeholder(n) for n in given}
            attributes = torch.nn.Module()
            for name, value in self.constants.items():
                if isinstance(value, torch.Tensor):
                    attributes.register_buffer(name, value)
            for each in self._needed(given, fetches):
                for source in each.all_input_nodes:
                    if source.name not in env:
                        env[source.name] = graph.get_attr(source.name)
                env[each.name] = graph.node_copy(each, lambda n, env=env: env[n.name])
            graph.output(tuple(env[n] for n in fetches))
            torch._dynamo.reset()
            module = torch.fx.GraphModule(attributes, graph)
            self.parts[key] = torch.compile(module, backend=self.knobs["backend"], dynamic=False)
        values = self.parts[key](*given.values())
        return {n: _numpy(v) for n, v in zip(fetches, values) if isinstance(v, torch.Tensor)}  # noqa: B905

    def _tensor(self, array: np.ndarray) -> Any:
        import torch

        value = torch.from_numpy(np.array(array)).to(self.knobs["device"])
        dtype = DTYPES.get(self.knobs["precision"])
        return value.to(getattr(torch, dtype)) if dtype is not None and value.is_floating_point() else value


class _Repacked:
    """Calls a module whose arguments are nested with tensors in a flat order."""

    def __init__(self, module: Any, args: Any, kwargs: Any) -> None:
        import torch

        self.module = module
        self.leaves, self.spec = torch.utils._pytree.tree_flatten((args, kwargs))

    def __call__(self, *tensors: Any) -> Any:
        import torch

        given = iter(tensors)
        leaves = [next(given) if isinstance(leaf, torch.Tensor) else leaf for leaf in self.leaves]
        args, kwargs = torch.utils._pytree.tree_unflatten(leaves, self.spec)
        return self.module(*args, **kwargs)


def _first(error: BaseException) -> str:
    """The first line of a message, with the exception's type."""
    return f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0]}"[:300]


def _numpy(value: Any) -> np.ndarray:
    import torch

    value = value.detach().cpu()
    if value.dtype in (torch.bfloat16,):
        return np.asarray(value.to(torch.float32).numpy())
    return np.asarray(value.numpy())


def _module_of(each: Any) -> tuple[str, str]:
    stack = list((each.meta.get("nn_module_stack") or {}).values())
    if not stack:
        return "", ""
    path, kind = stack[-1]
    path = re.sub(r"^L\['self'\]\.?", "", str(path))
    return path, str(kind).split(".")[-1] if not isinstance(kind, type) else kind.__name__


def _source(each: Any) -> tuple[str | None, int | None]:
    """Innermost line of the stack that lies in the project."""
    for match in reversed(re.findall(r'File "([^"]+)", line (\d+)', each.meta.get("stack_trace") or "")):
        path = match[0].partition("/project/")[2]
        if path and "site-packages" not in match[0]:
            return path, int(match[1])
    return None, None


def _text(text: str | None) -> str:
    return re.sub(r"\[num_users=\d+\]", "", text or "")
