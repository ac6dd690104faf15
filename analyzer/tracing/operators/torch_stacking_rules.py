"""torch: tensors side by side and on top of each other, blocks, Kronecker products, frequencies, padded sequences."""

from __future__ import annotations

from analyzer.operators.declaration import WIDEST
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import ListV, Value
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import axis_of, made
from analyzer.tracing.operators.torch_product_rules import MOST_PARTS
from analyzer.validity.terms import Term, any_of, equal, floor_div, mod, product

_LEAST = {"hstack": 1, "row_stack": 2, "vstack": 2, "column_stack": 2, "dstack": 3}


def _parts(op: Op, tensors: Value) -> list[Tensor] | None:
    items = tensors.items if isinstance(tensors, ListV) and not tensors.open else tensors
    if not isinstance(items, (list, tuple)):
        return None
    found = [tensor_of(op.tr, value, "torch") for value in items]
    known = [t for t in found if t is not None and t.dims is not None]
    return known if known and len(known) == len(found) else None


def _sized(op: Op, tensor: Tensor, dims: tuple[Term, ...]) -> Tensor:
    return Tensor(dims, tensor.dtype, "torch", site=op.where, sources=(tensor,))


@operator(" ".join(f"torch.{name}" for name in _LEAST), "tensors", WIDEST)
def stacked(op: Op, tensors: Value) -> Value:
    parts = _parts(op, tensors)
    if parts is None:
        return unknown_tensor(op, "torch")
    raised = [_raised(op, t) for t in parts]
    rank = len(raised[0].dims or ())
    axis = {"hstack": min(1, rank - 1), "column_stack": 1, "dstack": 2}.get(op.short, 0)
    return apply(op, "torch", "cat", raised, {"dim": axis})


def _raised(op: Op, tensor: Tensor) -> Tensor:
    """With as many axes as the function gives at least."""
    dims = tensor.dims or ()
    least = _LEAST[op.short]
    if op.short == "column_stack" and len(dims) < 2:
        return _sized(op, tensor, (*dims, *(1,) * (2 - len(dims))))
    if op.short == "dstack" and len(dims) < 3:
        dims = (1, *dims) if len(dims) == 1 else dims
        return _sized(op, tensor, (*(1,) * (2 - len(dims)), *dims, 1))
    return _sized(op, tensor, (*(1,) * (least - len(dims)), *dims)) if len(dims) < least else tensor


@operator("torch.block_diag", "*tensors")
def block_diag(op: Op, tensors: tuple[Value, ...]) -> Value:
    parts = _parts(op, tensors)
    if parts is None or any(len(t.dims or ()) != 2 for t in parts):
        return unknown_tensor(op, "torch")
    sizes = [t.dims or () for t in parts]
    rows, columns = (sum((d[axis] for d in sizes[1:]), start=sizes[0][axis]) for axis in (0, 1))
    return Tensor((rows, columns), parts[0].dtype, "torch", site=op.where, sources=tuple(parts))


@operator("torch.kron Tensor.kron", "input other", WIDEST)
def kron(op: Op, input: Value, other: Value) -> Value:
    a, b = tensor_of(op.tr, input, "torch"), tensor_of(op.tr, other, "torch")
    if a is None or b is None or a.dims is None or b.dims is None:
        return unknown_tensor(op, "torch")
    rank = max(len(a.dims), len(b.dims))
    left, right = ((1,) * (rank - len(d)) + tuple(d) for d in (a.dims, b.dims))
    dims = tuple(product([x, y]) for x, y in zip(left, right, strict=True))
    return Tensor(dims, a.dtype, "torch", site=op.where, sources=(a, b))


@operator("torch.cross torch.linalg.cross Tensor.cross", "input other dim=None")
def cross(op: Op, input: Value, other: Value, dim: Value) -> Value:
    return broadcast(op, "*", input, other, "torch")


@operator("torch.inner Tensor.inner", "input other")
def inner(op: Op, input: Value, other: Value) -> Value:
    a, b = tensor_of(op.tr, input, "torch"), tensor_of(op.tr, other, "torch")
    if a is None or b is None or not a.dims or not b.dims:
        return unknown_tensor(op, "torch")
    return Tensor((*a.dims[:-1], *b.dims[:-1]), a.dtype, "torch", site=op.where, sources=(a, b))


@operator("torch.fft.fftfreq torch.fft.rfftfreq", "n *rest")
def frequencies(op: Op, n: Value, rest: tuple[Value, ...]) -> Value:
    size = op.tr.term_of(n)
    if size is not None and op.short == "rfftfreq":
        size = floor_div(size, 2) + 1
    return made(op, None if size is None else (size,), "float32")


@operator("torch.tril_indices torch.triu_indices", "row col offset=0")
def triangle(op: Op, row: Value, col: Value, offset: Value) -> Value:
    """Counted where all is known; else the number of places is open."""
    if not all(isinstance(v, int) for v in (row, col, offset)):
        return made(op, (2, op.tr.fresh("places", "derived", 0)), "int64")
    below = op.short == "tril_indices"
    count = _below(row, col, offset) if below else row * col - _below(row, col, offset - 1)
    return made(op, (2, count), "int64")


def _below(rows: int, columns: int, offset: int) -> int:
    """How many places have a column no greater than their row plus `offset`."""
    first = min(max(0, -offset), rows)  # the first row that has one
    full = min(max(first, columns - offset - 1), rows)  # the first that has all
    return sum((first + offset + 1, full + offset)) * (full - first) // 2 + (rows - full) * columns


@operator("torch.nn.utils.rnn.pad_sequence", "sequences batch_first=False padding_value=0 padding_side='right'")
def pad_sequence(op: Op, sequences: Value, batch_first: Value, padding_value: Value, padding_side: Value) -> Value:
    parts = _parts(op, sequences)
    if parts is None or not all(t.dims for t in parts) or not isinstance(batch_first, bool):
        return unknown_tensor(op, "torch")
    lengths = [(t.dims or (0,))[0] for t in parts]
    for index, (part, given) in enumerate(zip(parts, (t.dims or () for t in parts), strict=True)):
        _fits(op, index, given[1:], (parts[0].dims or ())[1:], (parts[0], part))
    known = [n for n in lengths if isinstance(n, int)]
    longest: Term = max(known) if len(known) == len(lengths) else op.tr.fresh("length", "derived", 0)
    first = (len(parts), longest) if batch_first else (longest, len(parts))
    return Tensor((*first, *(parts[0].dims or ())[1:]), parts[0].dtype, "torch", site=op.where, sources=tuple(parts))


def _fits(op: Op, index: int, given: tuple[Term, ...], first: tuple[Term, ...], sources: tuple[Tensor, ...]) -> None:
    """Each sequence is written into the result, which has the sizes of the first behind the length."""
    sentence = f"sequence {index} has elements of {show_shape(given)}, the first one of {show_shape(first)}"
    if len(given) > len(first):
        fail(op, "sequences", sentence, sources)
    if len(given) == len(first):
        for have, wanted in zip(given, first, strict=True):
            require(op, any_of(equal(have, wanted), equal(have, 1)), "sequences", sentence, sources)


@operator("torch.nn.functional.bilinear", "input1 input2 weight bias=None")
def bilinear(op: Op, input1: Value, input2: Value, weight: Value, bias: Value) -> Value:
    x, w = tensor_of(op.tr, input1, "torch"), tensor_of(op.tr, weight, "torch")
    if x is None or w is None or not x.dims or not w.dims:
        return unknown_tensor(op, "torch")
    return Tensor((*x.dims[:-1], w.dims[0]), x.dtype, "torch", site=op.where, sources=(x, w))


@operator("torch.nn.functional.affine_grid", "theta size *rest")
def affine_grid(op: Op, theta: Value, size: Value, rest: tuple[Value, ...]) -> Value:
    parts = size.items if isinstance(size, ListV) and not size.open else size
    sizes = [op.tr.term_of(p) for p in parts] if isinstance(parts, (list, tuple)) else []
    known = [s for s in sizes if s is not None]
    if len(known) < 4 or len(known) < len(sizes):
        return unknown_tensor(op, "torch")
    source, spatial = tensor_of(op.tr, theta, "torch"), len(known) - 2
    if source is not None and source.dims is not None:
        told = (
            f"theta {show_shape(source.dims)} is no matrix of {spatial} × {spatial + 1} for each of {known[0]} pictures"
        )
        if len(source.dims) != 3:
            fail(op, "rank", told, (source,))
        for given, wanted in zip(source.dims, (known[0], spatial, spatial + 1), strict=True):
            require(op, equal(given, wanted), "same-shape", told, (source,))
    return made(op, (known[0], *known[2:], spatial), "float32")


@operator(
    "torch.nn.functional.upsample_nearest torch.nn.functional.upsample_bilinear torch.nn.functional.upsample",
    "input size=None scale_factor=None *rest",
)
def upsample(op: Op, input: Value, size: Value, scale_factor: Value, rest: tuple[Value, ...]) -> Value:
    return apply(op, "torch", "interpolate", (input,), {"size": size, "scale_factor": scale_factor})


@operator("torch.tensor_split Tensor.tensor_split", "input sections|indices_or_sections|indices dim=0")
def tensor_split(op: Op, input: Value, sections: Value, dim: Value) -> Value:
    """Into so many parts, of which the first have one more where the size does not divide."""
    return _divided(op, input, sections, dim)


@operator("torch.hsplit torch.vsplit torch.dsplit", "input sections|indices_or_sections|indices")
def axis_split(op: Op, input: Value, sections: Value) -> Value:
    found = tensor_of(op.tr, input, "torch")
    if found is None or found.dims is None:
        return op.tr.unknown(f"{op.short}()", "foreign")
    rank = len(found.dims)
    axis = {"hsplit": min(1, rank - 1), "vsplit": 0, "dsplit": 2}[op.short]
    if rank < {"hsplit": 1, "vsplit": 2, "dsplit": 3}[op.short]:
        fail(op, "rank", f"the tensor of shape {show_shape(found.dims)} has too few axes", (found,))
    if isinstance(sections, int) and sections > 0:
        sentence = f"the size {found.dims[axis]} cannot be divided into {sections} equal parts"
        require(op, equal(mod(found.dims[axis], sections), 0), "divides", sentence, (found,))
    return _divided(op, input, sections, axis)


def _divided(op: Op, input: Value, sections: Value, dim: Value) -> Value:
    found = tensor_of(op.tr, input, "torch")
    axis = axis_of(op, found, dim) if found is not None else None
    if found is None or axis is None or found.dims is None:
        return op.tr.unknown(f"{op.short}()", "foreign")
    size = found.dims[axis]
    places = plain(op.tr, sections) if not isinstance(sections, Tensor) else None
    if isinstance(places, tuple) and isinstance(size, int) and all(isinstance(p, int) and p >= 0 for p in places):
        ends = [min(p, size) for p in (*places, size)]
        cut = [max(end - start, 0) for start, end in zip((0, *ends), ends, strict=False)]
        return tuple(_sized(op, found, (*found.dims[:axis], n, *found.dims[axis + 1 :])) for n in cut)
    if not isinstance(sections, int) or not 1 <= sections <= MOST_PARTS:
        return op.tr.unknown(f"{op.short}()", "foreign")
    lengths = [floor_div(size + (sections - 1 - i), sections) for i in range(sections)]
    return tuple(_sized(op, found, (*found.dims[:axis], n, *found.dims[axis + 1 :])) for n in lengths)


@operator("torch.cartesian_prod", "*tensors")
def cartesian_prod(op: Op, tensors: tuple[Value, ...]) -> Value:
    parts = _parts(op, tensors)
    if parts is None or any(len(t.dims or ()) != 1 for t in parts):
        return unknown_tensor(op, "torch")
    rows = product([(t.dims or (1,))[0] for t in parts])
    dims = (rows, len(parts)) if len(parts) > 1 else (rows,)
    return Tensor(dims, parts[0].dtype, "torch", site=op.where, sources=tuple(parts))
