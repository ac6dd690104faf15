"""Forms of operators on complex numbers that the exporter lacks; it keeps them as pairs along a last axis of size 2."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from . import translations


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

    last = [-1]

    def parts(x: Any) -> list[Any]:
        return [op.Gather(x, op.Constant(value_int=which), axis=-1) for which in (0, 1)]

    def pair(real: Any, imaginary: Any) -> Any:
        return op.Concat(*(op.Unsqueeze(x, op.Constant(value_ints=last)) for x in (real, imaginary)), axis=-1)

    def angle(self: Any) -> Any:
        real, imaginary = parts(self)
        return translations.table(torch)[aten.atan2.default](imaginary, real)

    def exp(self: Any) -> Any:
        real, turn = parts(self)
        size = op.Exp(real)
        return pair(op.Mul(size, op.Cos(turn)), op.Mul(size, op.Sin(turn)))

    def log(self: Any) -> Any:
        return pair(op.Log(op.ReduceL2(self, op.Constant(value_ints=last), keepdims=False)), angle(self))

    def scaled(self: Any, other: Any) -> Any:
        """By a real or complex number."""
        if not isinstance(other, complex):
            return op.Mul(self, op.CastLike(float(other), self))
        real, imaginary = parts(self)
        across, along = (op.CastLike(number, self) for number in (other.real, other.imag))
        return pair(
            op.Sub(op.Mul(real, across), op.Mul(imaginary, along)),
            op.Add(op.Mul(real, along), op.Mul(imaginary, across)),
        )

    def power(self: Any, exponent: Any) -> Any:
        if exponent != 2:
            raise NotImplementedError("a power of complex numbers")
        real, imaginary = parts(self)
        twice = op.Add(imaginary, imaginary)
        return pair(op.Sub(op.Mul(real, real), op.Mul(imaginary, imaginary)), op.Mul(real, twice))

    def unbind(self: Any, dim: int = 0) -> Any:
        return [select(self, dim, i) for i in range(self.shape[behind(dim)])]

    def split(self: Any, split_size: Any, dim: int = 0) -> Any:
        axis = dim % (len(self.shape) - 1)
        whole = self.shape[axis]
        sizes = [split_size] * -(-whole // split_size) if isinstance(split_size, int) else list(split_size)
        pieces, start = [], 0
        for size in sizes:
            bounds = (op.Constant(value_ints=[number]) for number in (start, min(start + size, whole), axis))
            pieces.append(op.Slice(self, *bounds))
            start += size
        return pieces

    def einsum(equation: str, tensors: Any, path: Any = None) -> Any:
        terms = equation.replace(" ", "").partition("->")[0].split(",")
        if "." in equation or [len(t.shape) - 1 for t in tensors] != [len(term) for term in terms] or len(terms) != 2:
            raise NotImplementedError("a product of other than two complex numbers")
        (a, b), (c, d) = map(parts, tensors)

        def product(x: Any, y: Any) -> Any:
            return op.Einsum(x, y, equation=equation)

        return pair(op.Sub(product(a, c), product(b, d)), op.Add(product(a, d), product(b, c)))

    def masked_fill(self: Any, mask: Any, value: Any) -> Any:
        return op.Where(op.Unsqueeze(mask, op.Constant(value_ints=last)), fill(self, value), self)

    aten = torch.ops.aten
    return {
        aten.angle.default: angle,
        aten.einsum.default: einsum,
        aten.exp.default: exp,
        aten.log.default: log,
        aten.mul.Scalar: scaled,
        aten.pow.Tensor_Scalar: power,
        aten.unbind.int: unbind,
        aten.split.Tensor: split,
        aten.split_with_sizes.default: split,
        aten.masked_fill.Scalar: masked_fill,
        aten.masked_fill.Tensor: masked_fill,
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
