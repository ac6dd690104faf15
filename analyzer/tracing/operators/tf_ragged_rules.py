"""tf.ragged: rows of different lengths, and the tensor that they fill where short ones are filled up."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import ListV, Native, Object, Value
from analyzer.tracing.operators.element_types import asked_type
from analyzer.tracing.operators.hyperparameters import dropped, plain
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.table import Op, operator

KIND = "ragged rows"
MOST_ITEMS = 4096  # that are looked at


@operator("tf.ragged.constant", "pylist dtype=None ragged_rank=None inner_shape=None *rest")
def rows(op: Op, pylist: Value, dtype: Value, ragged_rank: Value, inner_shape: Value, rest: tuple[Value, ...]) -> Value:
    """Rows of numbers or texts that the program writes."""
    leaves: list[Any] = []
    sizes = _sizes(pylist, leaves)
    if sizes is None or len(sizes) < 2 or inner_shape is not None:
        return op.tr.unknown("rows of different lengths")
    kind = asked_type(dtype, _type_of(leaves))
    made = Object(KIND, {}, {}, op.where)

    def filled(c: Any) -> Value:
        """`to_tensor`: each axis is as long as its longest row, or as `shape` says."""
        given = c.get(2, "shape")
        asked = () if given is None else plain(c.tr, given)
        if dropped(asked) or not isinstance(asked, tuple) or len(asked) not in (0, len(sizes)):
            return Tensor(None, kind, "tf", site=c.tr.site(c.node))
        wanted = asked or (None,) * len(sizes)
        dims = tuple(n if a is None or a == -1 else a for n, a in zip(sizes, wanted, strict=True))
        return Tensor(dims, kind, "tf", site=c.tr.site(c.node))

    made.attrs["to_tensor"] = Native("to_tensor", filled)
    if len(sizes) == 2:
        made.attrs["flat_values"] = made.attrs["values"] = Tensor((len(leaves),), kind, "tf", site=op.where)
    lengths = Tensor((sizes[0],), "int64", "tf", site=op.where)
    made.attrs["row_lengths"] = Native("row_lengths", lambda c: lengths if not c.args else unknown_tensor(op, "tf"))
    made.attrs["nrows"] = Native("nrows", lambda c: Tensor((), "int64", "tf", value=sizes[0], site=op.where))
    return made


def _sizes(value: Value, leaves: list[Any]) -> tuple[int, ...] | None:
    """The largest size of each axis, None where rows are not all known or lie at different depths."""
    if isinstance(value, (int, float, str, bytes)):
        leaves.append(value)
        return () if len(leaves) <= MOST_ITEMS else None
    whole = isinstance(value, ListV) and not (value.open or value.given or value.choices)
    if not whole and type(value) is not tuple:
        return None
    items = value.items if isinstance(value, ListV) else value
    parts = [_sizes(item, leaves) for item in items]
    known = [p for p in parts if p is not None]
    depth = max(map(len, known), default=0)
    filled = [p for p, item in zip(known, items, strict=False) if len(p) == depth or not _is_empty(item)]
    if len(known) != len(parts) or any(len(p) != depth for p in filled):
        return None
    return (len(items), *(max((p[axis] for p in filled), default=0) for axis in range(depth)))


def _is_empty(value: Value) -> bool:
    return not (value.items if isinstance(value, ListV) else value)


def _type_of(leaves: list[Any]) -> str | None:
    kinds = {type(leaf) for leaf in leaves}
    if kinds == {int}:
        return "int32"
    return "float32" if kinds and kinds <= {int, float} else None
