"""A forward pass of PyTorch as a list of layers whose attributes and sizes are expressions."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from .describing import subscripts
from .numbers import Number, PathCondition, Real, parts_of, plain

QUIET = frozenset({
    "requires_grad_", "__set__", "__repr__", "is_floating_point", "is_complex", "numel", "device", "data_ptr",
    "is_contiguous", "stride", "storage_offset", "get_device", "element_size", "__hash__", "untyped_storage",
})  # fmt: skip
READS = frozenset({"item", "tolist", "__bool__", "__int__", "__float__", "__len__", "__index__", "__iter__", "numpy"})
UNUSED = ("inplace", "out", "dtype", "training")
ASKED = frozenset({"__get__", "dim", "ndimension", "size"})
VARIADIC = {"view": "shape", "reshape": "shape", "permute": "dims", "expand": "size", "repeat": "repeats"}
OPERATORS = {
    **{f"__{p}{n}__": n for n in ("add", "sub", "mul", "matmul", "pow", "eq", "ne", "lt", "le", "gt", "ge")
       for p in ("", "r", "i")},
    **{f"__{p}{n}__": "div" for n in ("truediv", "div", "floordiv") for p in ("", "r", "i")},
    **{f"__{p}{n}__": f"logical_{n}" for n in ("and", "or", "xor") for p in ("", "r", "i")},
    **{f"__{p}mod__": "remainder" for p in ("", "r", "i")},
    "__neg__": "neg", "__abs__": "abs", "__invert__": "logical_not", "add_": "add", "mul_": "mul", "multiply": "mul",
    "rsub": "sub", "subtract": "sub", "divide": "div", "floor_divide": "div", "swapdims": "transpose",
}  # fmt: skip


class TorchRecorder(TorchFunctionMode):  # type: ignore[misc]
    """Records leaf modules that have a type, and functions outside of them.

    `specs` maps an operator to the names of its attributes. `traits`: functions that give their operand back, that
    make a tensor from sizes, and that have the shape of their only operand when the others are numbers.
    """

    def __init__(self, trace: PathCondition, specs: dict[str, list[str]], traits: dict[str, list[str]]) -> None:
        super().__init__()
        self.trace, self.specs, self.traits = trace, specs, traits
        self.layers: list[dict[str, Any]] = []
        self.inputs: dict[str, Any] = {}
        self._names: dict[int, tuple[str, Any]] = {}
        self._stored: dict[int, tuple[str, Any]] = {}  # by where the elements lie: a Parameter is another object
        self._built = 0  # layers that the construction made, before the first input
        self._inside = 0
        self._modules: dict[int, str] = {}
        self._counts: dict[str, int] = {}

    def given(self, name: str, tensor: torch.Tensor, shape: list[Any]) -> None:
        """An input of the model."""
        self._named(tensor, name)
        self.inputs[name] = {"shape": shape, "dtype": str(tensor.dtype).removeprefix("torch.")}

    def forward(self) -> None:
        """From here on the model runs."""
        self._built = len(self.layers)

    def used(self) -> list[dict[str, Any]]:
        """The layers, but for what the construction made and nothing reads, such as weights of layers."""
        read: set[str] = set()
        kept = []
        for index, layer in reversed(list(enumerate(self.layers))):
            if index >= self._built or layer["name"] in read:
                kept.append(layer)
                read.update(str(i).partition(":")[0] for i in layer["inputs"])
        return kept[::-1]

    def _named(self, tensor: torch.Tensor, name: str) -> None:
        self._names[id(tensor)] = (name, tensor)
        if type(tensor) in (torch.Tensor, nn.Parameter) and tensor.layout is torch.strided and tensor.numel():
            self._stored[tensor.data_ptr()] = (name, tensor)

    def _name(self, tensor: torch.Tensor) -> str | None:
        found = self._names.get(id(tensor))
        if found is None and tensor.layout is torch.strided and tensor.numel():
            found = self._stored.get(tensor.data_ptr())
            if found is not None and (found[1].shape != tensor.shape or found[1].stride() != tensor.stride()):
                return None
        return None if found is None else found[0]

    def __enter__(self) -> TorchRecorder:
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
        inputs = [self._name(t) for t in operands]
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
            self._named(tensor, title if index == 0 else f"{title}:{index}")

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
        if self._inside or name in ASKED or name in QUIET or name == "__setitem__":
            return func(*args, **kwargs)
        if name.endswith("_") and not name.endswith("__") and name not in OPERATORS:
            return func(*args, **kwargs)  # in place: the shape stays
        if name in READS:
            self.trace.lost.append(name)
            return func(*args, **kwargs)
        self._inside += 1
        try:
            operands = [a for a in parts_of(list(args)) if isinstance(a, torch.Tensor)]
            operands += [a for a in kwargs.values() if isinstance(a, torch.Tensor)]
            known = _numbered([args, *kwargs.values()]) or any(self._name(t) is not None for t in operands)
            if known:
                self._function(OPERATORS.get(name, name), operands, args, kwargs)
            result = func(*args, **kwargs)
            if known:
                self._made(result)
        finally:
            self._inside -= 1
        return result

    def _function(self, name: str, operands: list[Any], args: Any, kwargs: Any) -> None:
        if name == "__getitem__":
            index = subscripts(args[1])
            if index is not None:
                self._add("getitem", "", operands[:1], {"index": index})
                return
        rest = [a for a in args if not _holds_tensor(a)]
        named = {k: v for k, v in kwargs.items() if not _holds_tensor(v) and k not in UNUSED}
        scalar = name in self.traits["broadcast"] and len(operands) == 1
        if scalar or name in self.traits["same"] or name.endswith("_like"):
            self._add("Identity", "", operands[:1], {})
            return
        if name in self.specs and (name in self.traits["made"] or name.startswith("new_")):
            self._add(name, "", [], {**self._sizes(name, rest, named), **_element_type(kwargs)})
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

    def _sizes(self, name: str, rest: list[Any], named: dict[str, Any]) -> dict[str, Any]:
        """What a tensor is made from."""
        if name in ("arange", "linspace", "eye"):
            return {k: v for k, v in {**dict(zip(self.specs[name], rest, strict=False)), **named}.items()
                    if k in self.specs[name]}  # fmt: skip
        whole = named.get("size", rest[0] if rest and isinstance(rest[0], (tuple, list)) else None)
        if whole is None:
            whole = rest[:1] if name in ("full", "new_full") else rest
        return {"shape": tuple(whole)}

    def _shape(self, tensor: Any, sizes: Any) -> Any:
        name = self._name(tensor)
        if name is None:
            return sizes
        if name in self.inputs and len(self.inputs[name]["shape"]) == len(sizes):
            return tuple(self.inputs[name]["shape"])
        return tuple(Number(int(n), f"sizes[{name!r}][{i}]", self.trace) for i, n in enumerate(sizes))


def _numbered(value: Any) -> bool:
    """Whether a recording number is among the arguments."""
    if isinstance(value, slice):
        return any(isinstance(v, Number) for v in (value.start, value.stop, value.step))
    if isinstance(value, (list, tuple)):
        return any(_numbered(v) for v in value)
    return isinstance(value, (Number, Real))


def _element_type(named: dict[str, Any]) -> dict[str, str]:
    dtype = named.get("dtype")
    return {} if dtype is None else {"dtype": str(dtype).removeprefix("torch.")}


def _holds_tensor(value: Any) -> bool:
    return any(isinstance(part, torch.Tensor) for part in parts_of(value))
