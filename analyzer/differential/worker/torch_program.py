"""A traced PyTorch program as a graph of named tensors: what it holds, and any part of it as operations to run."""

from __future__ import annotations

import contextlib
import operator
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .contract import Arrays, EngineError, node


class Program:
    """The nodes of an exported program under the names that the ONNX exporter uses."""

    def __init__(self, exported: Any) -> None:
        import torch

        exported = _decomposed(exported)
        signature = exported.graph_signature
        graph = exported.graph_module.graph
        self.constants: dict[str, Any] = {}
        self.inputs: dict[str, Any] = {}  # by name: a tensor like the one to come
        users = set(signature.user_inputs)
        for each in graph.nodes:
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
            if target is not None and target in exported.state_dict:
                self.constants[each.name] = exported.state_dict[target]
            else:
                key = target or signature.inputs_to_lifted_tensor_constants.get(each.name)
                self.constants[each.name] = exported.constants.get(key)
        self.nodes = [n for n in graph.nodes if n.op == "call_function"]
        self.by_name = {n.name: n for n in self.nodes}
        self.outputs = [n for n in signature.user_outputs if isinstance(n, str)]

    def describe(self) -> list[dict[str, Any]]:
        """The nodes of a description."""
        found = []
        for each in self.nodes:
            if each.target is operator.getitem:
                continue
            tuples = [u.name for u in each.users if u.target is operator.getitem]
            layer, kind = _module_of(each)
            path, line = _source(each)
            simple = {f"arg{i}": a for i, a in enumerate(each.args) if isinstance(a, (int, float, bool, str))}
            found.append(
                node(
                    each.name,
                    getattr(each.target, "__name__", str(each.target)).split(".")[0],
                    [n.name for n in each.all_input_nodes if n.name not in self.constants],
                    tuples if isinstance(each.meta.get("val"), (tuple, list)) else [each.name],
                    layer=layer,
                    layer_class=kind,
                    attributes=simple,
                    path=path,
                    line=line,
                )
            )
        return found

    def alive(self, names: Mapping[str, str] | None, *, by_module: bool) -> list[str]:
        """Tensors that can be cut. With the exporter's notes (`names`): those whose traced node is the same there as
        here, and so are all that it is computed from: an operator that is decomposed on one side shifts the numbers in
        names. `by_module`: the last of each module only, for compiling a part takes seconds."""
        import torch

        plain = [n for n in self.nodes if isinstance(n.meta.get("val"), torch.Tensor)]
        if names is not None:
            same: set[str] = set()
            noted = {_text(text) for text in names.values()}
            for each in self.nodes:
                computed = {n.name for n in each.all_input_nodes if n.op == "call_function"}
                if computed <= same and _noted(each, names, noted):
                    same.add(each.name)
            plain = [n for n in plain if n.name in same]
        if by_module:
            plain = list({_module_of(n)[0] or n.name: n for n in plain}.values())
        return [n.name for n in plain]

    def needed(self, given: Mapping[str, Any], fetches: Sequence[str]) -> list[Any]:
        """The nodes that compute `fetches` from `given`, in order."""
        wanted: set[str] = set()
        queue = [n for n in fetches if n not in given]
        while queue:
            name = queue.pop()
            if name in wanted or name in given or name in self.constants:
                continue
            if name not in self.by_name:
                raise EngineError("unreplayed", f"tensor {name!r} can be computed from none of {sorted(given)}")
            wanted.add(name)
            queue.extend(n.name for n in self.by_name[name].all_input_nodes)
        return [n for n in self.nodes if n.name in wanted]

    def interpret(self, given: Mapping[str, Any], fetches: Sequence[str]) -> dict[str, Any]:
        """Run the part node by node."""
        from torch.fx.node import map_arg

        env = dict(given)

        def value(n: Any) -> Any:
            return env[n.name] if n.name in env else self.constants[n.name]

        for each in self.needed(given, fetches):
            env[each.name] = each.target(*map_arg(each.args, value), **map_arg(each.kwargs, value))
        return env

    def part(self, given: Sequence[str], fetches: Sequence[str]) -> Any:
        """The part as a module of its own, to be compiled as one function."""
        import torch

        graph = torch.fx.Graph()
        env: dict[str, Any] = {n: graph.placeholder(n) for n in given}
        attributes = torch.nn.Module()
        for name, value in self.constants.items():
            if isinstance(value, torch.Tensor):
                attributes.register_buffer(name, value)
        for each in self.needed(env, fetches):
            for source in each.all_input_nodes:
                if source.name not in env:
                    env[source.name] = graph.get_attr(source.name)
            env[each.name] = graph.node_copy(each, lambda n, env=env: env[n.name])
        graph.output(tuple(env[n] for n in fetches))
        return torch.fx.GraphModule(attributes, graph)

    def cut(self, inputs: Sequence[str], outputs: Sequence[str]) -> tuple[dict[str, Any], Arrays]:
        """The operators with their arguments: tensors by name, weights as arrays, the rest as JSON."""
        import torch

        arrays: Arrays = {}

        def plain(value: Any) -> Any:
            if isinstance(value, torch.fx.Node):
                if value.name in self.constants and isinstance(self.constants[value.name], torch.Tensor):
                    arrays[value.name] = as_array(self.constants[value.name])
                return {"tensor": value.name}
            if isinstance(value, (list, tuple)):
                return [plain(v) for v in value]
            if isinstance(value, (torch.dtype, torch.device, torch.layout, torch.memory_format)):
                return {"torch": str(value)}
            if value is None or isinstance(value, (int, float, bool, str)):
                return value
            raise EngineError("unreplayed", f"argument of type {type(value).__name__}")

        steps = []
        for each in self.needed(dict.fromkeys(inputs), outputs):
            target = "getitem" if each.target is operator.getitem else str(each.target)
            kwargs = {k: plain(v) for k, v in each.kwargs.items()}
            steps.append({"name": each.name, "target": target, "args": plain(each.args), "kwargs": kwargs})
        return {"steps": steps}, arrays


def as_array(value: Any) -> np.ndarray:
    import torch

    value = value.detach().cpu()
    if value.dtype in (torch.bfloat16,):
        return np.asarray(value.to(torch.float32).numpy())
    return np.asarray(value.numpy())


def _decomposed(exported: Any) -> Any:
    """The same decompositions as the ONNX exporter makes, so that names agree; else the program as it is."""
    try:
        import torch
        from torch.onnx._internal.exporter import _fx_passes, _registration

        registry = _registration.ONNXRegistry.from_torchlib()
        with contextlib.suppress(ImportError):  # where a program is run, not an entry point
            from assay_inside import translations  # type: ignore[import-not-found]

            for overload, translation in translations.table(torch).items():
                registry.register_op(overload, translation)
        return _fx_passes.decompose_with_registry(exported, registry)
    except Exception:
        return exported


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


def _noted(each: Any, names: Mapping[str, str], noted: set[str]) -> bool:
    """Whether the exporter notes the node under its name. A part of a tuple has the note of the whole; the whole, and
    what is no tensor, have none under their own names."""
    if each.target is operator.getitem:
        return _alike(each.args[0], names.get(each.name)) or _alike(each, names.get(each.name))
    if each.name in names:
        return _alike(each, names[each.name])
    parts = isinstance(each.meta.get("val"), (tuple, list))
    return any(_alike(each, text) for text in noted if f"%{each.name} " in text) if parts else _is_size(each)


def _is_size(each: Any) -> bool:
    import torch

    return not isinstance(each.meta.get("val"), torch.Tensor)


def _alike(each: Any, note: str | None) -> bool:
    """Whether a note is that of the node. The exporter turns numbers into tensors where types are promoted."""
    here, there = (_TOKEN.findall(_text(text)) for text in (each.format_node(), note))
    return len(here) == len(there) and all(
        one == other
        or (other.startswith("%scalar_tensor_default") and _NUMBER.fullmatch(one))
        or (one.startswith("torch.ops.aten.") and one.rpartition(".")[0] == other.rpartition(".")[0])
        for one, other in zip(here, there)  # noqa: B905
    )


_TOKEN = re.compile(r"[%\w.+-]+|\S")
_NUMBER = re.compile(r"-?[\d.]+(e[+-]?\d+)?")


def _text(text: str | None) -> str:
    return re.sub(r"\[num_users=\d+\]", "", text or "")
