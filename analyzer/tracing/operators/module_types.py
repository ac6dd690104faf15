"""The element types of a program's own modules: `double`, `half`, `to` and their like change parameters and buffers."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Instance, Layer, Value
from analyzer.tracing.operators.element_types import dtype_name
from analyzer.tracing.operators.torch_modules import BUFFERS, named_modules


def open_types(owner: Layer | Instance, name: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> None:
    """What is held in the modules' attributes is of no known floating type once the method may have changed it."""
    given = (*args, *kwargs.values())
    if name == "to" and given and all(_names_device(value) for value in given):
        return
    if name not in ("float", "double", "half", "bfloat16", "to", "type"):
        return
    for _, part in named_modules(owner).items:
        if isinstance(part, Instance):
            buffers = {key for key, _ in part.attrs.get(BUFFERS, ())}
            for key, value in part.attrs.items():
                held = isinstance(value, Tensor) and (key in buffers or "variable" in value.tags)
                if held and (value.dtype or "").startswith(("float", "bfloat")):
                    value.dtype = None


def _names_device(value: Value) -> bool:
    return isinstance(value, bool) or (isinstance(value, str) and dtype_name(value) is None)
