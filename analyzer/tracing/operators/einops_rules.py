"""einops: rearrange, repeat, reduce, einsum, pack, unpack, parse_shape and the layers, by what its patterns mean."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from typing import Any

from analyzer.tracing.language.tensors import Size, Tensor, show_shape
from analyzer.tracing.language.values import DictV, ListV, Native, Value
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.axis_names import tell_renamed
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.specs.common import broadcast_size
from analyzer.validity.terms import Term, any_of, equal, floor_div, mod, product

Group = tuple[str, ...]  # the axes of one dimension: names, "1" and "…"
_RULE = "pattern"


def groups_of(side: str) -> list[Group] | None:
    """The dimensions of one side of a pattern; None if it is none."""
    found: list[Group] = []
    inside: list[str] | None = None
    for token in side.replace("...", " … ").replace("(", " ( ").replace(")", " ) ").split():
        if token == "(" and inside is None:
            inside = []
        elif token == ")" and inside is not None:
            found.append(tuple(inside) if inside != ["…"] else ("…", "1"))  # "(...)" is one dimension, "..." are many
            inside = None
        elif token in ("(", ")") or not (token == "…" or token.isdecimal() or token.isidentifier()):
            return None
        elif inside is not None:
            inside.append(token)
        else:
            found.append((token,))
    return found if inside is None else None


def _sides(pattern: Value) -> tuple[list[Group], list[Group]] | None:
    if not isinstance(pattern, str) or pattern.count("->") != 1:
        return None
    left, right = (groups_of(side) for side in pattern.split("->"))
    return (left, right) if left is not None and right is not None else None


def _framework(tensor: Tensor) -> str:
    return tensor.framework if tensor.framework != "unknown" else "torch"


def operand_of(op: Op, value: Value) -> Tensor | None:
    framework = value.framework if isinstance(value, Tensor) else "torch"
    if isinstance(value, ListV) and not value.open:
        _as_large(op, value, framework)
    return tensor_of(op.tr, value, framework)


def _as_large(op: Op, value: ListV, framework: str) -> None:
    """The tensors of a list are stacked: they have one shape."""
    parts = [tensor_of(op.tr, v, framework) for v in value.items if isinstance(v, Tensor)]
    first = parts[0] if parts else None
    for other in parts[1:] if first is not None and first.dims is not None else ():
        if other is None or other.dims is None or first is None or first.dims is None:
            continue
        shown = f"tensors of shapes {show_shape(first.dims)} and {show_shape(other.dims)} are stacked"
        if len(other.dims) != len(first.dims):
            fail(op, "rank", shown, (first, other))
        for one, two in zip(first.dims, other.dims, strict=True):
            require(op, equal(one, two), "size", shown, (first, other))


def lengths_of(op: Op, axes: Mapping[str, Value]) -> dict[str, Term]:
    found = {}
    for name, value in axes.items():
        term = op.tr.term_of(value, name)
        found[name] = term if term is not None else op.tr.fresh(name, "lost")
    return found


def split(op: Op, tensor: Tensor, left: Sequence[Group], lengths: dict[str, Term]) -> dict[str, Any] | None:
    """The size of each axis of the left side, and under "…" the sizes that the ellipsis stands for."""
    sizes: dict[str, Any] = dict(lengths)
    open_ = any("…" in group for group in left)
    if tensor.dims is None:
        if open_:
            return None
        op.tr.set_rank(tensor, len(left))
    dims = tensor.dims
    assert dims is not None
    if len(dims) != len(left) and not open_:
        fail(op, _RULE, f"the pattern has {len(left)} dimensions but the input has {len(dims)} (shape "
             f"{show_shape(dims)})", (tensor,))  # fmt: skip
    if open_ and len(dims) < len(left) - 1:
        fail(op, _RULE, f"the pattern needs at least {len(left) - 1} dimensions but the input has {len(dims)} (shape "
             f"{show_shape(dims)})", (tensor,))  # fmt: skip
    place = next((i for i, group in enumerate(left) if "…" in group), len(left))
    behind = len(left) - place - 1
    for index, group in enumerate(left):
        if "…" in group:
            if group != ("…",):
                return None
            sizes["…"] = tuple(dims[place : len(dims) - behind])
            continue
        size = dims[index] if index < place else dims[index - len(left)]
        _name(op, tensor, group, size, sizes)
    return sizes


def _name(op: Op, tensor: Tensor, group: Group, size: Term, sizes: dict[str, Any]) -> None:
    """Give the axes of one dimension their sizes."""
    names = [name for name in group if name != "1"]
    unknown = [name for name in names if name not in sizes]
    known = product([sizes[name] for name in names if name in sizes])
    text = " ".join(group)
    if len(unknown) > 1:
        fail(op, _RULE, f"the sizes of {', '.join(unknown)} in ({text}) cannot be inferred", (tensor,))
    if not unknown:
        require(op, equal(size, known), _RULE, f"({text}) is {known} but the dimension has {size}", (tensor,))
        return
    if known != 1:
        sentence = f"a dimension of {size} cannot be split into ({text}): it is not a multiple of {known}"
        require(op, equal(mod(size, known), 0), _RULE, sentence, (tensor,))
    sizes[unknown[0]] = size if known == 1 else floor_div(size, known)


def joined(right: Sequence[Group], sizes: Mapping[str, Any]) -> list[Term] | None:
    dims: list[Term] = []
    for group in right:
        if group == ("…",):
            dims.extend(sizes["…"])
            continue
        parts: list[Term] = []
        for name in group:
            parts.extend(sizes["…"] if name == "…" else [1] if name == "1" else [sizes[name]])
        dims.append(product(parts))
    return dims


def rearranged(
    op: Op, value: Value, pattern: Value, axes: Mapping[str, Value], dtype: str | None = "", kind: Value = ""
) -> Value:
    """The result of a pattern, for `rearrange`, `repeat` and `reduce` alike: axes of the right side from the left."""
    source = operand_of(op, value)
    sides = _sides(pattern)
    if source is None:
        return op.tr.unknown(f"{op.short}()", "foreign")
    framework = _framework(source)
    if sides is None:
        if isinstance(pattern, str) and any(groups_of(side) is None for side in pattern.split("->")):
            fail(op, _RULE, f"{pattern!r} is no pattern: its brackets do not match, or an axis is no name", (source,))
        return unknown_tensor(op, framework, (source,))
    left, right = sides
    lengths = lengths_of(op, axes)
    names = [name for group in (*left, *right) for name in group]
    for name in lengths:
        if name not in names:
            fail(op, _RULE, f"the pattern has no axis {name}", (source,))
    lengths.update({name: int(name) for name in names if name.isdecimal() and name != "1"})  # "(o 4)": an axis of four
    sizes = split(op, source, left, lengths)
    lefts, rights = {n for g in left for n in g}, [n for g in right for n in g]
    _check_names(op, source, lefts, rights, lengths, kind or op.short.lower())
    if sizes is None:
        return unknown_tensor(op, framework, (source,))
    dims = joined(right, sizes)
    return Tensor(dims, source.dtype if dtype == "" else dtype, framework, sources=(source,), graph=source.graph)


def _check_names(
    op: Op, source: Tensor, left: set[str], right: list[str], lengths: Mapping[str, Term], kind: Value
) -> None:
    for name in right:
        if name != "1" and name not in left and (kind != "repeat" or name not in lengths):
            fail(op, _RULE, f"axis {name} of the result is not an axis of the input", (source,))
        if not name.isdecimal() and right.count(name) > 1:
            fail(op, _RULE, f"axis {name} appears twice in the result", (source,))
    if kind in ("rearrange", "repeat"):
        for name in left:
            if name != "1" and name not in right:
                fail(op, _RULE, f"axis {name} of the input is missing in the result", (source,))


@operator("einops.rearrange einops.repeat einops.einops.rearrange einops.einops.repeat", "tensor pattern **axes")
def rearrange(op: Op, tensor: Value, pattern: Value, axes: dict[str, Value]) -> Value:
    return rearranged(op, tensor, pattern, axes)


def _doing(reduction: Value) -> str:
    """What a reduction does to axes: `"rearrange"` and `"repeat"` are reductions, too."""
    return reduction if isinstance(reduction, str) and reduction in ("rearrange", "repeat") else "reduce"


@operator("einops.reduce einops.einops.reduce", "tensor pattern reduction **axes")
def reduce(op: Op, tensor: Value, pattern: Value, reduction: Value, axes: dict[str, Value]) -> Value:
    return rearranged(op, tensor, pattern, axes, kind=_doing(reduction))


_HOMES = ("torch", "tensorflow", "keras")


@operator(" ".join(f"einops.layers.{home}.Rearrange" for home in _HOMES), "pattern **axes")
def rearrange_layer(op: Op, pattern: Value, axes: dict[str, Value]) -> Value:
    return _layer(op, pattern, axes)


@operator(" ".join(f"einops.layers.{home}.Reduce" for home in _HOMES), "pattern reduction **axes")
def reduce_layer(op: Op, pattern: Value, reduction: Value, axes: dict[str, Value]) -> Value:
    return _layer(op, pattern, axes, _doing(reduction))


def _layer(op: Op, pattern: Value, axes: dict[str, Value], kind: str = "") -> Value:
    made = op.where

    def run(call: Any) -> Value:
        site = call.tr.site(call.node) if call.node is not None else made
        inner = Op(call.tr, op.name, call.node, site)
        return inner.finish(rearranged(inner, call.get(0), pattern, axes, kind=kind))

    return Native(op.short, run)


_STRICT = frozenset(("tf", "keras"))  # whose einsum stretches no axis of size 1


@operator("einops.einsum einops.einops.einsum", "*operands")
def einsum(op: Op, operands: tuple[Value, ...]) -> Value:
    tensors = [operand_of(op, value) for value in operands[:-1]]
    pattern = operands[-1] if operands else None
    if not tensors or any(t is None for t in tensors) or not isinstance(pattern, str) or pattern.count("->") != 1:
        return unknown_tensor(op, "torch")
    given = [t for t in tensors if t is not None]
    left, _, right = pattern.partition("->")
    inputs = [part.split() for part in left.split(",")]
    if "..." in pattern and "(" not in pattern:
        return apply(op, _framework(given[0]), "einsum", given, {"equation": _in_letters(pattern)})
    if "(" in pattern or any(t.dims is None for t in given):
        return unknown_tensor(op, _framework(given[0]), tuple(given))
    if len(inputs) != len(given):
        fail(op, _RULE, f"the pattern names {len(inputs)} inputs but {len(given)} are given", tuple(given))
    sizes: dict[str, Term] = {}
    for tensor, names in zip(given, inputs, strict=True):
        dims = tensor.dims or ()
        if len(dims) != len(names):
            fail(op, _RULE, f"the pattern `{' '.join(names)}` has {len(names)} dimensions but the input has "
                 f"{len(dims)} (shape {show_shape(dims)})", tuple(given))  # fmt: skip
        own: dict[str, Term] = {}
        for name, size in zip(names, dims, strict=True):
            diagonal = own.setdefault(name, size)
            require(op, equal(diagonal, size), _RULE, f"axis {name} is {diagonal} and {size} in one input",
                    tuple(given))  # fmt: skip
        for name, size in own.items():
            known = sizes.get(name, size)
            same = equal(known, size)
            fits = same if tensor.framework in _STRICT else any_of(same, equal(known, 1), equal(size, 1))
            require(op, fits, _RULE, f"axis {name} is {known} in one input and {size} in another", tuple(given))
            sizes[name] = broadcast_size(known, size, same)
    outputs = right.split()
    for name in outputs:
        if name not in sizes:
            fail(op, _RULE, f"axis {name} of the result is in no input", tuple(given))
    tell_renamed(op, given, pattern)
    return Tensor([sizes[n] for n in outputs], given[0].dtype, _framework(given[0]), sources=tuple(given),
                  graph=any(t.graph for t in given))  # fmt: skip


def _in_letters(pattern: str) -> str:
    """The same in the notation of `torch.einsum`, where an axis is one letter."""
    letters: dict[str, str] = {}
    for name in re.findall(r"\w+", pattern):
        letters.setdefault(name, string.ascii_letters[len(letters) % 52])
    return re.sub(r"\w+", lambda found: letters[found[0]], pattern).replace(" ", "")


# ------------------------------------------------------------------------------------------------ packing


def _around(pattern: Value) -> tuple[int, int] | None:
    """How many axes stand before and behind the star."""
    if not isinstance(pattern, str):
        return None
    names = pattern.split()
    return (names.index("*"), len(names) - names.index("*") - 1) if names.count("*") == 1 else None


@operator("einops.pack einops.packing.pack", "tensors pattern")
def pack(op: Op, tensors: Value, pattern: Value) -> Value:
    around = _around(pattern)
    items = tensors.items if isinstance(tensors, ListV) and not tensors.open else tensors
    if around is None or not isinstance(items, (list, tuple)) or not items:
        return unknown_tensor(op, "torch"), op.tr.unknown("packed shapes", "foreign")
    given = [operand_of(op, value) for value in items]
    if any(t is None or t.dims is None for t in given):
        return unknown_tensor(op, "torch"), op.tr.unknown("packed shapes", "foreign")
    known = [t for t in given if t is not None]
    before, behind = around
    shapes: list[Value] = []
    total: Term = 0
    for tensor in known:
        dims = tensor.dims or ()
        if len(dims) < before + behind:
            fail(op, _RULE, f"the pattern needs at least {before + behind} dimensions but an input has {len(dims)} "
                 f"(shape {show_shape(dims)})", tuple(known))  # fmt: skip
        shapes.append(Size(dims[before : len(dims) - behind]))
        total = total + product(list(shapes[-1]))
        first = known[0].dims or ()
        for axis in (*range(before), *range(-behind, 0)):
            sentence = f"the inputs differ outside the packed axes: {first[axis]} and {dims[axis]}"
            require(op, equal(first[axis], dims[axis]), _RULE, sentence, tuple(known))
    first = known[0].dims or ()
    dims = (*first[:before], total, *first[len(first) - behind :])
    return Tensor(dims, known[0].dtype, _framework(known[0]), sources=tuple(known)), ListV(shapes)


@operator("einops.unpack einops.packing.unpack", "tensor packed_shapes pattern")
def unpack(op: Op, tensor: Value, packed_shapes: Value, pattern: Value) -> Value:
    around = _around(pattern)
    source = operand_of(op, tensor)
    shapes = packed_shapes.items if isinstance(packed_shapes, ListV) and not packed_shapes.open else packed_shapes
    if around is None or source is None or not isinstance(shapes, (list, tuple)):
        return op.tr.unknown("unpack()", "foreign")
    before, behind = around
    if source.dims is None:
        op.tr.set_rank(source, before + behind + 1)
    dims = source.dims or ()
    if len(dims) != before + behind + 1:
        fail(op, _RULE, f"the pattern has {before + behind + 1} dimensions but the input has {len(dims)} (shape "
             f"{show_shape(dims)})", (source,))  # fmt: skip
    found: list[Value] = []
    total: Term = 0
    for shape in shapes:
        parts = shape.items if isinstance(shape, ListV) else shape
        terms = [op.tr.term_of(p) for p in parts] if isinstance(parts, (list, tuple)) else [None]
        sizes = [t for t in terms if t is not None]
        if len(sizes) != len(terms) or any(t == -1 for t in sizes):
            return op.tr.unknown("unpack()", "foreign")
        total = total + product(sizes)
        found.append(Tensor((*dims[:before], *sizes, *dims[before + 1 :]), source.dtype, _framework(source),
                            sources=(source,)))  # fmt: skip
    require(op, equal(total, dims[before]), _RULE, f"the parts have {total} together but the axis has {dims[before]}",
            (source,))  # fmt: skip
    return ListV(found)


@operator("einops.parse_shape einops.einops.parse_shape", "x pattern")
def parse_shape(op: Op, x: Value, pattern: Value) -> Value:
    source = operand_of(op, x)
    names = pattern.split() if isinstance(pattern, str) else []
    if source is None or not names or "(" in str(pattern) or "..." in names:
        return DictV({}, True)
    plain = "_" not in names
    sizes = split(op, source, [(n,) for n in names], {}) if plain else None
    if sizes is None:
        dims = source.dims
        if dims is None or len(dims) != len(names):
            return DictV({}, True)
        sizes = dict(zip(names, dims, strict=True))
    return DictV({n: sizes[n] for n in names if n != "_"})
