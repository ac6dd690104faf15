"""Forms on complex numbers from those on real ones: what is linear works on the two parts alike.

Complex numbers are pairs along a last axis of size 2 here. An operator that moves, selects or adds numbers gives, of
the real parts and of the imaginary ones, those of its result; one that goes by sizes alone is that of the moduli.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_MOVING = "as_strided clone copy diagonal diagonal_copy flip narrow repeat repeat_interleave roll rot90 t unfold where"
_PICKING = "gather index index_select masked_select take take_along_dim tril triu"
_PUTTING = "constant_pad_nd diagonal_scatter index_copy index_put masked_scatter pad scatter"
_ADDING = "cumsum index_add mean neg scatter_add select_scatter slice_scatter sum trace"
LINEAR = frozenset(" ".join((_MOVING, _PICKING, _PUTTING, _ADDING)).split())
OF_MODULI = frozenset({"linalg_vector_norm", "isnan"})
_CREATED = {
    f"{way}{what}": number for way in ("", "new_") for what, number in (("zeros", 0), ("ones", 1), ("empty", 0))
}
_CAST = frozenset({"_to_copy", "convert_element_type"})
_ADDED = frozenset({"value", "other", "fill_value"})  # numbers in the place of an operand


def taken_by(node: Any, torch: Any) -> bool:
    """Whether a node of a traced program takes complex numbers."""
    return any(_is_complex(operand, torch) for operand in node.all_input_nodes)


def form(node: Any, registry: Any, torch: Any) -> Callable[..., Any] | None:
    """A form on pairs from the exporter's own for real numbers; None where there is none."""
    name = node.target._schema.name.partition("::")[2]
    own = next((known.onnx_function for known in registry.get_decomps(node.target) if not known.is_complex), None)
    if own is None or name not in LINEAR | OF_MODULI or not _is_plain(node, torch):
        return None

    def written(*arguments: Any, **named: Any) -> Any:
        from onnxscript import opset18 as op

        def applied(change: Callable[..., Any]) -> Any:
            given = [_changed(*each, change, torch) for each in zip(arguments, node.args)]  # noqa: B905 - Python 3.9
            return own(*given, **{k: _changed(v, node.kwargs[k], change, torch) for k, v in named.items()})

        if name in OF_MODULI:
            return applied(lambda pair: op.ReduceL2(pair, op.Constant(value_ints=[-1]), keepdims=False))
        parts = (applied(lambda pair, i=i: op.Gather(pair, op.Constant(value_int=i), axis=-1)) for i in (0, 1))
        return op.Concat(*(op.Unsqueeze(part, op.Constant(value_ints=[-1])) for part in parts), axis=-1)

    return written


def creation(node: Any, torch: Any) -> Callable[..., Any] | None:
    """A form of what makes complex numbers of real ones or of none; the exporter's own give no pairs."""
    made = node.meta.get("val")
    name = node.target._schema.name.partition("::")[2]
    of_none = {*_CREATED, "full", "linspace"} if not taken_by(node, torch) else set()
    if not _is_complex(node, torch) or name not in of_none | _CAST:
        return None
    if name == "linspace" and any(not isinstance(a, (int, float, complex)) for a in node.args):
        return None

    def filled(*arguments: Any, **named: Any) -> Any:
        import onnx_ir as ir
        from onnxscript import opset18 as op

        number = named.get("fill_value", arguments[1] if len(arguments) > 1 else 0) if name == "full" else None
        value = complex(_CREATED.get(name, 0) if number is None else number)
        shape = [int(size) for size in made.shape]
        kind = {torch.complex128: ir.DataType.DOUBLE}.get(made.dtype, ir.DataType.FLOAT)
        pair = op.Cast(op.Constant(value_floats=[value.real, value.imag]), to=kind)
        return op.Expand(pair, op.Constant(value_ints=[*shape, 2]))

    def spaced(*arguments: Any, **named: Any) -> Any:
        """Known numbers: the exporter divides each part by those of how many there are, one of which is 0."""
        import onnx_ir as ir
        from onnxscript import opset18 as op

        return op.Constant(value=ir.tensor(torch.view_as_real(torch.linspace(*node.args, dtype=made.dtype)).numpy()))

    def cast(self: Any, *arguments: Any, **named: Any) -> Any:
        import onnx_ir as ir
        from onnxscript import opset18 as op

        kind = {torch.complex128: ir.DataType.DOUBLE}.get(made.dtype, ir.DataType.FLOAT)
        numbers = op.Cast(self, to=kind)
        if taken_by(node, torch):
            return numbers
        last = op.Constant(value_ints=[-1])
        nothing = op.Expand(op.CastLike(0.0, numbers), op.Shape(numbers))
        return op.Concat(op.Unsqueeze(numbers, last), op.Unsqueeze(nothing, last), axis=-1)

    return cast if name in _CAST else spaced if name == "linspace" else filled


def quotient(node: Any, torch: Any) -> Callable[..., Any] | None:
    """A form of what divides by complex numbers, or divides them by real ones.

    The exporter's own multiply by the conjugate and divide by the square of the modulus, which is 0 or infinity where
    PyTorch, which scales the divisor by the larger one of its parts, gives ordinary numbers.
    """
    name = node.target._schema.name
    operands = {"aten::div": node.args, "aten::reciprocal": (1.0, *node.args)}.get(name, ())
    if len(operands) != 2 or node.kwargs or not _is_complex(node, torch):
        return None
    dividend, divisor = operands
    scaled = _is_real(divisor, torch)
    paired, complex_dividend = _is_complex(divisor, torch), _is_complex(dividend, torch)
    if (scaled and not complex_dividend) or not (complex_dividend or isinstance(dividend, (int, float, complex))):
        return None

    def by_real(self: Any, other: Any) -> Any:
        from onnxscript import opset18 as op

        last = op.Constant(value_ints=[-1])
        if isinstance(other, (int, float, complex)):
            return op.Div(self, op.CastLike(float(complex(other).real), self))
        if paired:
            return op.Div(self, op.Gather(other, op.Constant(value_ints=[0]), axis=-1))
        return op.Div(self, op.Unsqueeze(op.CastLike(other, self), last))

    def by_complex(*given: Any) -> Any:
        """(a + bi) / (c + di), where |c| ≥ |d| and r = d / c, is ((a + br) + (b - ar)i) / c / (1 + r²).

        What is divided by is max(|c|, |d|), the sign apart: bounds of it tell whether both may be 0.
        """
        from onnxscript import opset18 as op

        numbers = given if name == "aten::div" else (1.0, *given)
        like = next(x for x in numbers if not isinstance(x, (int, float, complex)))
        (a, b), (c, d) = (_real_and_imaginary(x, like) for x in numbers)
        one, minus_one = op.CastLike(1.0, like), op.CastLike(-1.0, like)
        wide, size = op.GreaterOrEqual(op.Abs(c), op.Abs(d)), op.Max(op.Abs(c), op.Abs(d))
        sign = op.Where(op.Less(op.Where(wide, c, d), op.CastLike(0.0, like)), minus_one, one)
        # Within 1, which the clip tells those who know ranges alone.
        ratio = op.Clip(op.Mul(op.Div(op.Where(wide, d, c), size), sign), minus_one, one)
        real = op.Where(wide, op.Add(a, op.Mul(b, ratio)), op.Add(op.Mul(a, ratio), b))
        imaginary = op.Where(wide, op.Sub(b, op.Mul(a, ratio)), op.Sub(op.Mul(b, ratio), a))
        rest = op.Mul(op.Add(op.Mul(ratio, ratio), one), sign)
        last = op.Constant(value_ints=[-1])
        parts = (op.Unsqueeze(op.Div(op.Div(part, size), rest), last) for part in (real, imaginary))
        return op.Concat(*parts, axis=-1)

    return by_real if scaled else by_complex


def _real_and_imaginary(value: Any, like: Any) -> list[Any]:
    """Of a number or of pairs."""
    from onnxscript import opset18 as op

    if isinstance(value, (int, float, complex)):
        return [op.CastLike(part, like) for part in (complex(value).real, complex(value).imag)]
    return [op.Gather(value, op.Constant(value_int=which), axis=-1) for which in (0, 1)]


def _is_real(divisor: Any, torch: Any) -> bool:
    """Whether a number or a node has no imaginary part: real ones are made complex before they meet others."""
    if not hasattr(divisor, "meta"):
        return isinstance(divisor, (int, float, complex)) and complex(divisor).imag == 0
    if not _is_complex(divisor, torch):
        return isinstance(divisor.meta.get("val"), torch.Tensor)
    name = getattr(getattr(divisor.target, "_schema", None), "name", "").partition("::")[2]
    if name == "scalar_tensor":
        return _is_real(divisor.args[0], torch)
    return name in _CAST and not taken_by(divisor, torch)


def _is_plain(node: Any, torch: Any) -> bool:
    """Whether all that is added or chosen from is complex, and the result is of the same type.

    A real number in such a place has no imaginary part, and would be taken for one.
    """
    operands = [n.meta.get("val") for n in node.all_input_nodes]
    real = [x for x in operands if isinstance(x, torch.Tensor) and x.dtype.is_floating_point]
    arguments = [a.name for a in node.target._schema.arguments]
    numbers = dict([*zip(arguments, node.args), *node.kwargs.items()])  # noqa: B905 - Python 3.9
    added = [numbers[key] for key in _ADDED if isinstance(numbers.get(key), (int, float, complex))]
    return not real and not any(added) and numbers.get("dtype") is None


def _is_complex(node: Any, torch: Any) -> bool:
    value = node.meta.get("val") if hasattr(node, "meta") else None
    return isinstance(value, torch.Tensor) and bool(value.dtype.is_complex)


def _changed(argument: Any, node: Any, change: Callable[..., Any], torch: Any) -> Any:
    if isinstance(node, (list, tuple)):
        return [_changed(*each, change, torch) for each in zip(argument, node)]  # noqa: B905 - Python 3.9
    if not _is_complex(node, torch):
        return argument
    made = change(argument)
    made.shape, made.dtype = type(argument.shape)(argument.shape[:-1]), argument.dtype
    return made
