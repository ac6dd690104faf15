"""Python's arithmetic and comparison operators on tensors."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

from analyzer.tracing.language.numpy_numbers import is_of_numpy
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Unknown, Value, is_term
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.element_types import numpy_type
from analyzer.tracing.operators.linear import matmul
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.strides import is_contiguous, order_kept
from analyzer.tracing.operators.table import Op
from analyzer.tracing.operators.written import of_operands
from analyzer.tracing.paths.attained import record
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Cond, Poly, Term, any_of, equal, floor_div, mod

_NAMES = {
    "+": ("add", "Add"), "-": ("sub", "Sub"), "*": ("mul", "Mul"), "/": ("div", "RealDiv"), "//": ("div", "FloorDiv"),
    "%": ("remainder", "FloorMod"), "**": ("pow", "Pow"), "==": ("eq", "Equal"), "!=": ("ne", "NotEqual"),
    "<": ("lt", "Less"),
    "<=": ("le", "LessEqual"), ">": ("gt", "Greater"), ">=": ("ge", "GreaterEqual"), "&": ("logical_and", "LogicalAnd"),
    "|": ("logical_or", "LogicalOr"), "^": ("logical_xor", "LogicalXor"),
}  # fmt: skip


def framework_of(*values: Value) -> str:
    names = [v.framework for v in values if isinstance(v, Tensor)]
    for name in ("torch", "tf", "numpy"):
        if name in names:
            return name
    return names[0] if names else "torch"


def unary(tr: Tracer, value: Tensor, sign: str) -> Tensor:
    made: Tensor = of_operands((value,), _unary(tr, value, sign))
    record("unary -" if sign == "-" else sign, (value,), {}, made)
    if tr.sampler is not None:
        tr.sampler.operated(sign, (value,), made)
    return made


def _unary(tr: Tracer, value: Tensor, sign: str) -> Tensor:
    known = value.value
    result = -known if sign == "-" and isinstance(known, (int, Poly)) else None
    if value.dims is None:
        return Tensor(value.shape, value.dtype, value.framework, site=tr.site(), sources=(value,), graph=value.graph)
    made = Tensor(
        value.dims,
        value.dtype,
        value.framework,
        site=tr.site(),
        value=result,
        sources=(value,),
        graph=value.graph,
        tags=value.tags,
    )
    made.strides = value.strides if is_contiguous(value) else order_kept(value)
    return made


def binary(tr: Tracer, sign: str, left: Value, right: Value, node: ast.AST | None, boolean: bool = False) -> Value:
    framework = framework_of(left, right)
    op = Op(tr, sign, site=tr.site(node))
    if sign == "@":
        result = matmul(op, left, right, framework)
    else:
        result = broadcast(op, sign, left, right, framework, "bool" if boolean else "")
        if isinstance(result, Tensor) and framework == "numpy" and result.dims == ():
            result.scalar = True  # NumPy's operators give numbers for arrays without axes
    record(sign, (left, right), {}, of_operands((left, right), result))
    return result if tr.sampler is None else tr.sampler.operated(sign, (left, right), result)


def keeps_shape(tr: Tracer, sign: str, target: Tensor, result: Tensor, node: ast.AST | None) -> None:
    """`x += y` writes into an array, which does not stretch; TensorFlow and NumPy's scalars make a new value."""
    if target.dims is None or result.dims is None or sign == "@" or target.framework not in ("torch", "numpy"):
        return
    if target.framework == "numpy" and not target.dims:
        return
    op = Op(tr, f"{sign}=", site=tr.site(node))
    sentence = f"the result {show_shape(result.dims)} does not fit into {show_shape(target.dims)}"
    if len(target.dims) != len(result.dims):
        fail(op, "stretch", sentence, (target,))
    for have, wanted in zip(result.dims, target.dims, strict=True):
        require(op, equal(have, wanted), "stretch", sentence, (target,))


def fit_last(op: Op, sign: str, a: Tensor, b: Tensor) -> Term | None:
    """The last size of what two tensors make whose ranks are not both known, after it was demanded that theirs fit."""
    return _fit(op, sign, a, b, -1)


def _fit(op: Op, sign: str, a: Tensor, b: Tensor, axis: int) -> Term | None:
    """The same of one axis, counted from the back."""
    left, right = _size(a, axis), _size(b, axis)
    if left is None or right is None:
        beside = left if left is not None else right
        return _stretched(op.tr, beside, a, b) if beside is not None else None
    if left == right or right == 1:
        return left
    if left == 1:
        return right
    sentence = f"the {'last sizes' if axis == -1 else f'sizes of axis {axis},'} {left} and {right} cannot be broadcast"
    operands = tuple(Tensor((d,), site=t.site, name=t.name, sources=(t,)) for d, t in ((left, a), (right, b)))
    truth = any_of(equal(left, right), equal(left, 1), equal(right, 1))
    require(op, truth, "broadcast", f"{sign}: {sentence}", operands)
    if isinstance(left, int) or isinstance(right, int):
        return left if isinstance(left, int) else right
    return next((size for size in (left, right) if _kinds(op.tr, size) == {"stretched"}), None)


def _back(op: Op, sign: str, a: Tensor, b: Tensor) -> dict[int, Term]:
    """The sizes that are known of what two tensors make whose ranks are not both known."""
    depth = max(len(t.dims) if t.dims is not None else -min(t.shape.back, default=0) for t in (a, b))
    found = {axis: _fit(op, sign, a, b, axis) for axis in range(-1, -depth - 1, -1)}
    return {axis: size for axis, size in found.items() if size is not None}


def _size(tensor: Tensor, axis: int) -> Term | None:
    """The size of an axis counted from the back, where it is known that there is one; 1 where there is none."""
    if tensor.dims is not None:
        return tensor.dims[axis] if -axis <= len(tensor.dims) else 1
    return tensor.shape.back.get(axis)


def _kinds(tr: Tracer, size: Poly) -> set[str]:
    return {tr.symbols.kind(s.name) for s in size.symbols}


def _stretched(tr: Tracer, size: Term, a: Tensor, b: Tensor) -> Term | None:
    """What becomes of an axis beside an operand of unknown rank: it keeps its size unless that is 1.

    Sizes that layers were made with are followed, not those of data: what data stand beside is seldom of them.
    """
    if isinstance(size, int):
        return size if size > 1 else None
    kinds = _kinds(tr, size)
    if kinds == {"stretched"} or not kinds <= {"param", "stretched"}:
        return size if kinds == {"stretched"} else None
    made = tr.fresh(f"{a.name or b.name or 'tensor'}.last", "stretched", 1)
    tr.assume(any_of(equal(made, size), equal(size, 1)), "definition")
    return made


def broadcast(op: Op, sign: str, left: Value, right: Value, framework: str, dtype: str = "") -> Value:
    """An elementwise operator with broadcasting; `sign` is Python's sign or its name in the tables."""
    tr = op.tr
    a, b = tensor_of(tr, left, framework), tensor_of(tr, right, framework)
    if a is None or b is None:
        return unknown_tensor(op, framework, tuple(t for t in (a, b) if t is not None))
    scalar = _scalars(sign, a, b)
    if scalar is not None:
        kind = "bool" if isinstance(scalar, bool) else a.dtype
        return Tensor((), kind, framework, site=op.where, value=scalar, sources=(a, b), graph=a.graph or b.graph)
    for x, y in ((a, b), (b, a)):
        if x.dims is None and (y.dims == () or x is y):
            kept = dtype or _beside(sign, x, y)
            return Tensor(x.shape, kept, framework, site=op.where, sources=(a, b), graph=a.graph or b.graph)
    if a.dims is None or b.dims is None:
        result = unknown_tensor(op, framework, (a, b))
        if a.shape is b.shape:
            result.shape = a.shape
        else:
            result.shape.back.update(_back(op, sign, a, b))
        return result
    _advise(op, a, b, sign)
    mixed = _number(left) or _number(right) or a.framework != b.framework
    keep = [a.dtype, b.dtype]
    if framework in ("torch", "numpy", "unknown"):
        result = apply(op, "torch", _NAMES.get(sign, ("add", "Add"))[0], (a, b))
    else:
        a2 = Tensor(
            a.shape, None if mixed else a.dtype, framework, name=a.name, site=a.site, graph=a.graph, sources=(a,)
        )
        b2 = Tensor(
            b.shape, None if mixed else b.dtype, framework, name=b.name, site=b.site, graph=b.graph, sources=(b,)
        )
        a2.operation, b2.operation = a.operation, b.operation
        result = apply(op, "tf", _NAMES.get(sign, ("add", "AddV2"))[1].replace("LogicalXor", "LogicalAnd"), (a2, b2))
    if isinstance(result, Tensor):
        result.framework = framework
        number = left if _number(left) else right if _number(right) else None
        kept = result.dtype if number is None else keep[0] if number is right else keep[1]
        if framework == "numpy" and number is None:
            kept = numpy_type(a, b)
        if framework == "numpy" and is_of_numpy(number) and kept not in ("float64", "complex128"):
            kept = None  # NumPy 1 keeps the array's type, NumPy 2 takes the wider
        if sign in ("&", "|", "^") and number is None:
            kept = a.dtype if a.dtype == b.dtype else None  # of numbers, their bits
        open_type = sign == "/" or (not is_term(number) if number is not None else None in keep)
        open_type = open_type or (kept == "bool" and is_term(number))  # truths and a number are numbers
        if open_type and (kept or "").startswith(("int", "uint", "bool")):
            kept = None  # what has a point makes integers the default floating type, which may be any
        if isinstance(left, complex) or isinstance(right, complex):
            kept = _COMPLEX.get(keep[isinstance(left, complex)] or "")
        result.dtype = dtype or kept
        result.value = _vector(sign, a, b)
        result.tags = a.tags & b.tags if not mixed else a.tags | b.tags
        if sign == "-" and {"target", "prediction"} & (a.tags | b.tags):
            result.tags |= {"difference"}
    return result


_COMPLEX = {"float32": "complex64", "float64": "complex128", "complex64": "complex64", "complex128": "complex128"}


def _beside(sign: str, tensor: Tensor, scalar: Tensor) -> str | None:
    """The element type of `tensor` beside a scalar: one with a point makes integers and truths floating."""
    if not (tensor.dtype or "").startswith(("int", "uint", "bool")):
        return tensor.dtype
    return tensor.dtype if sign != "/" and scalar.dtype == tensor.dtype else None


def _number(value: Value) -> bool:
    return isinstance(value, (int, float, Poly, Cond)) or (
        isinstance(value, Unknown) and value.pytype in ("int", "float")
    )


_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


_OF_TRUTHS: dict[str, Callable[[bool, bool], bool]] = {
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


_EXACT = 2**24  # below it each whole number is one of float32


def _compute(sign: str, x: Value, y: Value) -> Value:
    if isinstance(x, bool) and isinstance(y, bool) and sign in _OF_TRUTHS:
        return _OF_TRUTHS[sign](x, y)
    if isinstance(x, bool) or isinstance(y, bool):
        return None  # sums of truths are truths or numbers, as the element types have it
    if sign == "+":
        return x + y
    if sign == "-":
        return x - y
    if sign == "*":
        return x * y
    if sign in _COMPARED and isinstance(x, int) and isinstance(y, int):
        return _COMPARED[sign](x, y)
    if sign == "**" and isinstance(x, int) and isinstance(y, int) and abs(x) < _EXACT and 0 <= y < _EXACT.bit_length():
        return power if abs(power := x**y) < _EXACT else None
    if sign in ("//", "%") and isinstance(y, int) and y > 0:
        return floor_div(x, y) if sign == "//" else mod(x, y)
    return None


def _scalars(sign: str, a: Tensor, b: Tensor) -> Value:
    if a.dims == () and b.dims == () and isinstance(a.value, (int, Poly)) and isinstance(b.value, (int, Poly)):
        return _compute(sign, a.value, b.value)
    return None


def _vector(sign: str, a: Tensor, b: Tensor) -> Value:
    """Arithmetic on small tensors of whole numbers that are known: shapes, counts, places."""
    if not (isinstance(a.value, tuple) or isinstance(b.value, tuple)) or not _NARROW.isdisjoint((a.dtype, b.dtype)):
        return None
    return _of_elements(sign, a.value, b.value)


_NARROW = frozenset(("uint8", "int8", "int16", "uint16"))  # whose sums may not fit


def _of_elements(sign: str, x: Value, y: Value) -> Value:
    """Elements as they are broadcast: rows beside rows, one of them beside all; None where one is not known."""
    deep, deeper = _depth(x), _depth(y)
    if not deep and not deeper:
        return _compute(sign, x, y) if isinstance(x, (int, Poly)) and isinstance(y, (int, Poly)) else None
    rows = x if deep >= deeper else (x,) * len(y)
    beside = y if deeper >= deep else (y,) * len(x)
    rows = rows * len(beside) if len(rows) == 1 else rows
    beside = beside * len(rows) if len(beside) == 1 else beside
    if len(rows) != len(beside):
        return None
    parts = []
    for row, other in zip(rows, beside, strict=True):
        if (part := _of_elements(sign, row, other)) is None:
            return None
        parts.append(part)
    return tuple(parts)


def _depth(elements: Value) -> int:
    return 1 + _depth(elements[0]) if isinstance(elements, tuple) and elements else int(isinstance(elements, tuple))


def _advise(op: Op, a: Tensor, b: Tensor, sign: str) -> None:
    """A broadcast that grows both operands is legal and seldom meant: `[n] - [n, 1]` is `[n, n]`."""
    if sign not in ("-", "==", "!="):
        return
    x, y = a.dims or (), b.dims or ()
    if not x or not y or len(x) == len(y) or max(len(x), len(y)) != 2:
        return
    long, short = (x, y) if len(x) > len(y) else (y, x)
    if long[1] == 1 and equal(long[0], short[0]) is True and long[0] != 1 and short[0] != 1:
        explicit = any(t.name.startswith(("unsqueeze", "[None]")) for t in (a, b))
        if not explicit:
            op.tr.advise(
                "tracing/suspicious-broadcast",
                f"{show_shape(x)} {sign} {show_shape(y)} broadcasts to [{long[0]}, {short[0]}]: every "
                "row meets every other; "
                "the operands probably lack or have one dimension too many",
                op.where,
                sign,
            )
