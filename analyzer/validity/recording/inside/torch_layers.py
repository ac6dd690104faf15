"""A forward pass of PyTorch as a list of layers whose attributes and sizes are expressions."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from .numbers import Number, Real, Text, Trace, parts_of, plain

QUIET = frozenset({"requires_grad_", "__set__", "__repr__", "is_floating_point", "is_complex", "numel", "device"})
SAME = frozenset({"to", "float", "contiguous", "clone", "detach", "type_as", "double", "half"})
UNUSED = ("inplace", "out", "dtype", "training")
VARIADIC = {"view": "shape", "reshape": "shape", "permute": "dims", "expand": "size", "repeat": "repeats"}
OPERATORS = {
    "__add__": "add", "__radd__": "add", "__iadd__": "add", "add_": "add", "__mul__": "mul", "__rmul__": "mul",
    "mul_": "mul", "multiply": "mul", "__sub__": "sub", "__rsub__": "sub", "rsub": "sub", "subtract": "sub",
    "__matmul__": "matmul", "__truediv__": "div", "divide": "div", "swapdims": "transpose",
}  # fmt: skip


class Recorder(TorchFunctionMode):  # type: ignore[misc]
    """Records leaf modules that have a type, and functions outside of them.

    `specs` maps an operator to the names of its attributes.
    """

    def __init__(self, trace: Trace, specs: dict[str, list[str]]) -> None:
        super().__init__()
        self.trace, self.specs = trace, specs
        self.layers: list[dict[str, Any]] = []
        self.inputs: dict[str, Any] = {}
        self._names: dict[int, tuple[str, Any]] = {}
        self._inside = 0
        self._modules: dict[int, str] = {}
        self._counts: dict[str, int] = {}

    def given(self, name: str, tensor: torch.Tensor, shape: list[Any]) -> None:
        """An input of the model."""
        self._names[id(tensor)] = (name, tensor)
        self.inputs[name] = {"shape": shape, "dtype": str(tensor.dtype).removeprefix("torch.")}

    def __enter__(self) -> Recorder:
        self._hooks = [
            nn.modules.module.register_module_forward_pre_hook(self._before),
            nn.modules.module.register_module_forward_hook(self._after, always_call=True),
        ]
        super().__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        for hook in self._hooks:
            hook.remove()

    def named(self, root: nn.Module) -> None:
        self._modules = {id(m): n for n, m in root.named_modules()}

    def _leaf(self, module: nn.Module) -> bool:
        kind = type(module)
        return kind.__name__ in self.specs and kind.__module__.startswith("torch.nn")

    def _before(self, module: nn.Module, args: Any) -> None:
        if self._leaf(module):
            if not self._inside:
                operands = [a for a in parts_of(args) if isinstance(a, torch.Tensor)]
                attributes = self._attributes(module)
                self._add(type(module).__name__, self._modules.get(id(module), ""), operands, attributes)
            self._inside += 1

    def _after(self, module: nn.Module, args: Any, output: Any) -> None:
        if self._leaf(module):
            self._inside -= 1
            if not self._inside:
                self._made(output)

    def _attributes(self, module: nn.Module) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name in self.specs[type(module).__name__]:
            if name == "dtype" or not hasattr(module, name):
                continue
            value = getattr(module, name)
            if isinstance(value, (torch.Tensor, nn.Module)) or name == "bias":
                continue
            if isinstance(value, (int, float, str, bool, tuple, list, type(None))):
                found[name] = value
        return found

    def _add(self, operator: str, name: str, operands: list[Any], attributes: dict[str, Any]) -> None:
        inputs = [self._names[id(t)][0] if id(t) in self._names else None for t in operands]
        base = name or operator.lower()
        count = self._counts.get(base, -1) + 1
        self._counts[base] = count
        title = base if count == 0 else f"{base}@{count}"
        self.layers.append({"name": title, "op": operator, "inputs": inputs, "attributes": attributes})
        for index, tensor in enumerate(operands):
            if inputs[index] is None:  # a parameter or a constant: its own sizes are what they are
                constant = f"{title}.constant{index}"
                self.given(constant, tensor, list(tensor.shape))
                inputs[index] = constant

    def _made(self, output: Any) -> None:
        if not self.layers:
            return
        title = self.layers[-1]["name"]
        for index, tensor in enumerate(t for t in parts_of(output) if isinstance(t, torch.Tensor)):
            self._names[id(tensor)] = (title if index == 0 else f"{title}:{index}", tensor)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        owner = getattr(getattr(func, "__self__", None), "__name__", "")
        if not self._inside and name == "__get__" and owner == "shape":
            return self._shape(args[0], func(*args, **kwargs))
        if not self._inside and name == "size" and args and isinstance(args[0], torch.Tensor):
            shape = self._shape(args[0], args[0].shape)
            axis = args[1] if len(args) > 1 else kwargs.get("dim")
            return shape if axis is None else shape[plain(axis)]
        if self._inside or name in ("__get__", "dim", "ndimension", "size", *QUIET):
            return func(*args, **kwargs)
        self._inside += 1
        try:
            operands = [a for a in parts_of(list(args)) if isinstance(a, torch.Tensor)]
            operands += [a for a in kwargs.values() if isinstance(a, torch.Tensor)]
            known = [t for t in operands if id(t) in self._names]
            if known:
                self._function(OPERATORS.get(name, name), operands, args, kwargs)
            result = func(*args, **kwargs)
            if known:
                self._made(result)
        finally:
            self._inside -= 1
        return result

    def _function(self, name: str, operands: list[Any], args: Any, kwargs: Any) -> None:
        rest = [a for a in args if not _holds_tensor(a)]
        named = {k: v for k, v in kwargs.items() if not _holds_tensor(v) and k not in UNUSED}
        if name in SAME or (name in ("add", "sub", "mul", "div", "pow") and len(operands) == 1):
            self._add("Identity", "", operands[:1], {})
            return
        keys = self.specs.get(name)
        if keys is None:
            self.trace.lost.append(name)
            self._add(f"torch.{name}", "", operands, {})
            return
        attributes: dict[str, Any] = {}
        if name in VARIADIC:
            whole = rest[0] if len(rest) == 1 and isinstance(rest[0], (tuple, list)) else rest
            if whole:
                attributes[VARIADIC[name]] = tuple(whole)
        else:
            attributes = dict(zip(keys, rest, strict=False))
        if name == "flatten":
            attributes.setdefault("start_dim", named.get("start_dim", 0))
        attributes.update({k: v for k, v in named.items() if k in keys})
        self._add(name, "", operands, attributes)

    def _shape(self, tensor: Any, sizes: Any) -> Any:
        if id(tensor) not in self._names:
            return sizes
        name = self._names[id(tensor)][0]
        return tuple(Number(int(n), f"sizes[{name!r}][{i}]", self.trace) for i, n in enumerate(sizes))


def _holds_tensor(value: Any) -> bool:
    return any(isinstance(part, torch.Tensor) for part in parts_of(value))


def described(value: Any) -> Any:
    """An attribute for JSON: a recording value as its expression."""
    if isinstance(value, (Number, Real, Text)):
        return {"text": value.text}
    if isinstance(value, (list, tuple)):
        return [described(v) for v in value]
    return value
