"""Forms of operators on complex numbers that the exporter lacks; it keeps them as pairs along a last axis of size 2."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any


def table(torch: Any) -> dict[Any, Callable[..., Any]]:
    """Torch overload -> function over ONNX operators and pairs."""
    from onnxscript import opset18 as op

    def behind(dim: int) -> int:
        return dim if dim >= 0 else dim - 1  # counted from the end, the pairs come after it

    def unsqueeze(self: Any, dim: int) -> Any:
        return op.Unsqueeze(self, op.Constant(value_ints=[behind(dim)]))

    def select(self: Any, dim: int, index: int) -> Any:
        return op.Gather(self, op.Constant(value_int=index), axis=behind(dim))

    def expand(self: Any, size: Any, implicit: bool = False) -> Any:
        kept = [1 if isinstance(s, int) and s == -1 else s for s in size]
        if not all(isinstance(s, int) for s in kept):
            raise NotImplementedError("complex numbers expanded to an open size")
        return op.Expand(self, op.Constant(value_ints=[*kept, 1]))

    aten = torch.ops.aten
    return {aten.unsqueeze.default: unsqueeze, aten.select.int: select, aten.expand.default: expand}


@contextlib.contextmanager
def known(torch: Any) -> Iterator[None]:
    """While this lasts the exporter knows the forms of `table`; an exporter built otherwise is left as it is."""
    try:
        from torch.onnx._internal.exporter._registration import ONNXRegistry

        forms = table(torch)
        original = ONNXRegistry.from_torchlib
    except (ImportError, AttributeError):
        yield
        return

    def extended(*arguments: Any, **named: Any) -> Any:
        registry = original(*arguments, **named)
        for target, form in forms.items():
            registry.register_op(target, form, is_complex=True)
        return registry

    ONNXRegistry.from_torchlib = staticmethod(extended)
    try:
        yield
    finally:
        ONNXRegistry.from_torchlib = original
