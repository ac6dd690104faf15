"""Forms of operators on complex numbers that the exporter lacks; it keeps them as pairs along a last axis of size 2."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any


def table(torch: Any) -> dict[Any, Callable[..., Any]]:
    """Torch overload -> function over ONNX operators and pairs."""
    import onnx_ir as ir
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

    def filled(value: float) -> Callable[..., Any]:
        """Everywhere the same number."""

        def like(self: Any, dtype: int | None = None, **_: Any) -> Any:
            if dtype not in (None, -1, ir.DataType.COMPLEX64, ir.DataType.COMPLEX128):  # of a real type: no pairs
                number = op.Cast(op.Constant(value_float=value), to=dtype)
                return op.Expand(number, op.Shape(self, end=-1))
            return op.Expand(op.CastLike(op.Constant(value_floats=[value, 0.0]), self), op.Shape(self))

        return like

    def fill(self: Any, value: Any) -> Any:
        """By a real or complex number, or by a tensor of one."""
        if isinstance(value, (int, float, complex)):
            pair = op.Constant(value_floats=[complex(value).real, complex(value).imag])
        elif value.shape is not None and len(value.shape) == 1:  # a pair already
            pair = value
        else:
            pair = op.Concat(
                *(op.Reshape(op.CastLike(x, self), op.Constant(value_ints=[1])) for x in (value, 0.0)), axis=0
            )
        return op.Expand(op.CastLike(pair, self), op.Shape(self))

    def slice_scatter(self: Any, src: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
        from onnxscript.function_libs.torch_lib.ops import core

        return core.aten_slice_scatter(self, src, dim % (len(self.shape) - 1), start, end, step)

    aten = torch.ops.aten
    return {
        aten.unsqueeze.default: unsqueeze,
        aten.select.int: select,
        aten.fill.Scalar: fill,
        aten.fill.Tensor: fill,
        aten.slice_scatter.default: slice_scatter,
        aten.expand.default: expand,
        aten.ones_like.default: filled(1.0),
        aten.zeros_like.default: filled(0.0),
    }


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
