"""torch: new tensors, from numbers, shapes and other tensors."""

from __future__ import annotations

import ast
import math
from typing import Any

from analyzer.tracing.language.alternatives import plain_type
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Iterator_, ListV, SetV, Unknown, Value
from analyzer.tracing.operators.element_types import default_float, dtype_name
from analyzer.tracing.operators.element_values import converted
from analyzer.tracing.operators.numpy_matrices import array_of
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.ragged import refuse_ragged
from analyzer.tracing.operators.scalars import demand_one_element
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import is_size, made, shape_argument


@operator("torch.zeros torch.ones torch.rand torch.randn torch.empty", "*size")
def create(op: Op, size: tuple[Value, ...]) -> Value:
    if not size and "size" in op.extra:
        size = (op.extra["size"],)
    return made(op, shape_argument(op, size))


@operator("torch.Tensor", "*given")
def create_plain(op: Op, given: tuple[Value, ...]) -> Value:
    return _sized_or_filled(op, given, default_float(op.tr))


_TYPED = {"LongTensor": "int64", "IntTensor": "int32", "ByteTensor": "uint8", "BoolTensor": "bool",
          "FloatTensor": "float32", "DoubleTensor": "float64"}  # fmt: skip


@operator(" ".join(f"torch.{name} torch.cuda.{name}" for name in _TYPED), "*given")
def create_typed(op: Op, given: tuple[Value, ...]) -> Value:
    return _sized_or_filled(op, given, _TYPED[op.short])


def _sized_or_filled(op: Op, given: tuple[Value, ...], dtype: str | None) -> Value:
    """`FloatTensor(2, 3)` has that shape, `FloatTensor([2, 3])` these elements; what is unknown may be either.

    A name says which: `size=(2, 3)` or `data=[2, 3]`. A number of NumPy is a size, or is refused where it is no
    integer; one of PyTorch is an element.
    """
    if not given and "size" in op.extra:
        return made(op, shape_argument(op, (op.extra["size"],)), dtype)
    if not given and ("data" in op.extra or "other" in op.extra):
        return tensor_like(op, op.extra.get("data", op.extra.get("other")), dtype)
    if not given and not set(op.extra) - {"device"}:
        return made(op, (0,), dtype)  # without elements, unlike `torch.zeros(())`
    sized = is_size(given[0]) if len(given) == 1 else True
    if sized is None:
        return unknown_tensor(op, "torch")
    return made(op, shape_argument(op, given), dtype) if sized else tensor_like(op, given[0], dtype)


def tensor_like(op: Op, data: Value, dtype: str | None) -> Tensor:
    data = _with_numbers(op, array_of(data))
    refuse_ragged(op, data, "torch")
    found = tensor_of(op.tr, data, "torch")
    if found is None:
        return unknown_tensor(op, "torch")
    elements = converted(found.value, dtype)
    return Tensor(found.shape, dtype, "torch", site=op.where, value=elements, sources=(found,))


@operator(
    ("torch.tensor torch.as_tensor torch.from_numpy torch.autograd.Variable torch.asarray"),
    "data dtype=None device=None requires_grad=False",
)
def convert(op: Op, data: Value, dtype: Value, device: Value, requires_grad: Value) -> Value:
    data = _with_numbers(op, array_of(data))
    refuse_ragged(op, data, "torch")
    found = tensor_of(op.tr, data, "torch")
    if found is None:
        return unknown_tensor(op, "torch")
    kept = (
        dtype_name(dtype)
        if dtype is not None
        else found.dtype
        if isinstance(data, Tensor) and (data.framework == "torch" or found.dtype in ("int64", "bool", "uint8"))
        else None
    )
    if dtype is None and isinstance(data, (ListV, tuple)) and (isinstance(found.value, tuple) or _integers(data)):
        kept = "int64"
    if dtype is None and (found.dtype == "bool" or isinstance(data, bool)):
        kept = "bool"
    if (
        dtype is None
        and kept is None
        and op.short in ("tensor", "as_tensor", "asarray")
        and _of_literal_floats(op.node)
    ):
        kept = default_float(op.tr)
    elements = found.value if dtype is None else converted(found.value, kept)
    return Tensor(found.shape, kept, "torch", site=op.where, value=elements, sources=(found,), tags=found.tags)


MOST_NUMBERS = 4096  # of a range whose numbers are kept one by one
_LITERAL = (ast.Constant, ast.List, ast.Tuple, ast.UnaryOp, ast.USub, ast.Load)


def _of_literal_floats(node: ast.AST | None) -> bool:
    """Whether the data are written out as Python's own numbers, one with a point: those of NumPy may be doubles."""
    if not isinstance(node, ast.Call) or not node.args:
        return False
    parts = list(ast.walk(node.args[0]))
    numbers = {type(part.value) for part in parts if isinstance(part, ast.Constant)}
    return all(isinstance(part, _LITERAL) for part in parts) and float in numbers and numbers <= {int, float}


def _with_numbers(op: Op, data: Value) -> Value:
    """The data with a number for each tensor in a list: PyTorch takes the one element of it, whatever its rank.

    A range is the list of its numbers.
    """
    if isinstance(data, Iterator_):
        numbers = range(*data.bounds)
        return ListV(numbers) if data.length == len(numbers) <= MOST_NUMBERS else data
    if isinstance(data, ListV) and not isinstance(data, SetV):
        found = data.twin()
        found.items = [_number(op, item, data.given) for item in data.items]
        return found
    return tuple(_number(op, item, False) for item in data) if type(data) is tuple else data


def _number(op: Op, item: Value, given: bool) -> Value:
    if not isinstance(item, Tensor) or item.framework != "torch":
        return _with_numbers(op, item)
    if item.dims == ():
        return item
    if not given:
        demand_one_element(op.tr, item, op.name, op.node)
    return Tensor((), item.dtype, "torch", site=item.site, sources=(item,), graph=item.graph, tags=item.tags)


def _integers(data: ListV | tuple[Value, ...]) -> bool:
    """Whether it holds integers and nothing else."""
    items = data.items if isinstance(data, ListV) else data
    kinds = (v.pytype if isinstance(v, Unknown) else "int" if type(v) is int else "" for v in items)
    return bool(items) and not (isinstance(data, ListV) and data.open) and all(kind == "int" for kind in kinds)


@operator("torch.full", "size fill_value")
def full(op: Op, size: Value, fill_value: Value) -> Value:
    kind = "bool" if isinstance(fill_value, bool) else "int64" if isinstance(fill_value, int) else None
    return made(op, shape_argument(op, (size,)), kind)


@operator("torch.randint", "*args")
def randint(op: Op, args: tuple[Value, ...]) -> Value:
    size = op.extra.get("size", args[-1] if len(args) >= 2 else None)
    return made(op, shape_argument(op, (size,)), "int64")


@operator("torch.arange torch.range", "*args")
def arange(op: Op, args: tuple[Value, ...]) -> Value:
    start = op.extra.get("start", args[0] if len(args) > 1 else 0)
    end = op.extra.get("end", args[1] if len(args) > 1 else args[0] if args else None)
    step = op.extra.get("step", args[2] if len(args) > 2 else 1)
    length = _steps(op, start, end, step)
    kinds = {_number_kind(v) for v in (start, end, step)}
    floating = "float" in kinds or op.short == "range"
    return made(
        op,
        (length if length is not None else op.tr.fresh("arange", "unknown", 0),),
        None if op.extra.get("dtype") or (not floating and "" in kinds) else "float32" if floating else "int64",
    )


def _number_kind(value: Value) -> str:
    """Whether it is a whole number or one with a fraction, or a tensor of such; empty where that is not known."""
    if isinstance(value, Tensor):
        kind = value.dtype or ""
        return "float" if kind.startswith(("float", "bfloat")) else "int" if kind.startswith(("int", "uint")) else ""
    return plain_type(value) or "int"


def _steps(op: Op, start: Value, end: Value, step: Value) -> Any:
    """How many numbers from `start` on, `step` apart, lie before `end`; those of `torch.range` may be `end` itself."""
    numbers = (start, end, step)
    if all(isinstance(v, (int, float)) and math.isfinite(v) for v in numbers) and step:
        count = (end - start) / step
        return max(0, math.floor(count) + 1 if op.short == "range" else math.ceil(count))
    a, b, c = (op.tr.term_of(v) for v in numbers)
    if any(_number_kind(v) == "float" for v in numbers):
        return None  # how many there are hangs on fractions
    if a is None or b is None or not isinstance(c, int) or c == 0:
        return None
    if c < 0:
        a, b, c = b, a, -c
    return (b - a) // c + 1 if op.short == "range" else b - a if c == 1 else (b - a + c - 1) // c


@operator("torch.linspace torch.logspace", "start end steps=100 base=10.0")
def linspace(op: Op, start: Value, end: Value, steps: Value, base: Value) -> Value:
    term = op.tr.term_of(steps)
    return made(op, (term if term is not None else op.tr.fresh("steps", "unknown", 0),))


@operator("torch.scalar_tensor", "s *rest")
def scalar(op: Op, s: Value, rest: tuple[Value, ...]) -> Value:
    return made(op, ())


@operator("torch.eye", "n m=None")
def eye(op: Op, n: Value, m: Value) -> Value:
    rows, columns = op.tr.term_of(n), op.tr.term_of(m if m is not None else n)
    return made(op, None if rows is None or columns is None else (rows, columns))


@operator("torch.randperm", "n")
def randperm(op: Op, n: Value) -> Value:
    term = op.tr.term_of(n)
    return made(op, (term,) if term is not None else None, "int64")
