"""Rotations of SciPy (`scipy.spatial.transform.Rotation`): one or a stack of them, by the shapes of what makes them."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Object, Value
from analyzer.tracing.operators.numpy_operands import array, made, unknown
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Term, equal

ROTATION = "scipy rotation"
_HOME = "scipy.spatial.transform.Rotation"
_PARTS: dict[str, tuple[int, ...]] = {
    "from_quat": (4,), "from_matrix": (3, 3), "from_dcm": (3, 3), "from_rotvec": (3,), "from_mrp": (3,),
    "as_quat": (4,), "as_matrix": (3, 3), "as_dcm": (3, 3), "as_rotvec": (3,), "as_mrp": (3,), "as_euler": (3,),
    "magnitude": (), "apply": (3,),
}  # fmt: skip


def _rotations(op: Op, count: tuple[Term, ...]) -> Object:
    """`count` is empty for one rotation, and has the number of a stack."""
    return Object(ROTATION, data={"count": count}, site=op.where)


@operator(" ".join(f"{_HOME}.{n}" for n in _PARTS if n.startswith("from_")), "values *rest")
def from_values(op: Op, values: Value, rest: tuple[Value, ...]) -> Value:
    """One rotation of an array of its parts, a stack of an array with one axis more; other sizes are refused."""
    found, parts = array(op, values), _PARTS[op.short]
    if found is None or found.dims is None:
        return op.tr.unknown("a rotation", "imprecise")
    rank = len(found.dims) - len(parts)
    sentence = f"parts of shape {show_shape(parts)}, or a stack of them, are needed; given is {show_shape(found.dims)}"
    if rank < 0:
        fail(op, "rank", sentence, (found,))
    if rank > 1:
        return op.tr.unknown("a rotation", "imprecise")  # stacks of any rank, for newer versions
    for size, wanted in zip(found.dims[rank:], parts, strict=True):
        require(op, equal(size, wanted), "size", sentence, (found,))
    return _rotations(op, found.dims[:rank])


@operator(f"{_HOME}.from_euler", "seq angles *rest")
def from_euler(op: Op, seq: Value, angles: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, angles)
    if not isinstance(seq, str) or found is None or found.dims is None or len(found.dims) > 2:
        return op.tr.unknown("a rotation", "imprecise")
    if len(seq) > 1 and found.dims:
        sentence = f"{len(seq)} angles are needed for {seq!r}; given is {show_shape(found.dims)}"
        require(op, equal(found.dims[-1], len(seq)), "size", sentence, (found,))
    if len(seq) == 1 and len(found.dims) == 1:
        return op.tr.unknown("a rotation", "imprecise")  # a stack for some versions
    return _rotations(op, found.dims[:-1] if len(found.dims) == 2 else ())


@operator(f"{_HOME}.identity {_HOME}.random", "num=None *rest")
def of_number(op: Op, num: Value, rest: tuple[Value, ...]) -> Value:
    if num is None:
        return _rotations(op, ())
    size = op.tr.term_of(num)
    return op.tr.unknown("a rotation", "imprecise") if size is None else _rotations(op, (size,))


def rotation_method(
    tr: Tracer, owner: Object, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: Any
) -> Value:
    op = Op(tr, f"{_HOME}.{name}", node, tr.site(node))
    count: tuple[Term, ...] = owner.data["count"]
    if name.startswith("as_") or name == "magnitude":
        return made(op, (*count, *_PARTS[name]), "float64") if name in _PARTS else unknown(op)
    if name == "apply":
        return _applied(op, count, array(op, args[0] if args else kwargs.get("vectors")))
    if name in ("inv", "as_canonical"):
        return _rotations(op, count)
    if name == "mean":
        return _rotations(op, ())
    return tr.unknown(f"rotation.{name}()", "imprecise")


def _applied(op: Op, count: tuple[Term, ...], vectors: Tensor | None) -> Value:
    """Vectors (3,) or (N, 3), as many as there are rotations where there are several of both."""
    if vectors is None or vectors.dims is None or len(vectors.dims) not in (1, 2):
        return unknown(op)
    sentence = f"vectors of 3 elements are needed; given is {show_shape(vectors.dims)}"
    require(op, equal(vectors.dims[-1], 3), "size", sentence, (vectors,))
    stack = vectors.dims[:-1]
    if count and stack and 1 in (*count, *stack):
        return made(op, (stack[0] if count[0] == 1 else count[0], 3), "float64")
    if count and stack:
        require(op, equal(count[0], stack[0]), "size", f"{count[0]} rotations and {stack[0]} vectors", (vectors,))
    return made(op, (*(count or stack), 3), "float64")
