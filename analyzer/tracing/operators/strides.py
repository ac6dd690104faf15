"""How torch lays a tensor out in memory, as far as it decides whether `view` works without a copy.

A layout is the tuple of strides, in elements, or None when it is not known; then nothing is said about a `view`. The
rules follow the public documentation of `torch.Tensor.view` and `contiguous`: results of most operators on contiguous
operands are contiguous, transposes and slices of a tensor share its memory.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from analyzer.operators.declaration import (
    CONSTANT,
    DENSE,
    DENSE_OR_CHANNELS_LAST,
    ELEMENTWISE,
    NOTHING,
    OTHER_LAYOUT,
    SHAPE_ONLY,
)
from analyzer.operators.registry import layer_or_function
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import SliceV, Value
from analyzer.validity.terms import Term, equal

Layout = tuple[Term, ...] | None
Sizes = tuple[Term, ...]
Hyper = dict[str, Any]


def contiguous(dims: Sequence[Term]) -> tuple[Term, ...]:
    strides: list[Term] = []
    step: Term = 1
    for size in reversed(dims):
        strides.append(step)
        step = step * size
    return tuple(reversed(strides))


def is_contiguous(tensor: Tensor) -> bool:
    """Whether it certainly is."""
    if tensor.strides is None or tensor.dims is None:
        return False
    if any(d == 0 for d in tensor.dims):
        return True
    expected = contiguous(tensor.dims)
    return all(d == 1 or s == e for d, s, e in zip(tensor.dims, tensor.strides, expected, strict=True))


def lies_in_order(tensor: Tensor, otherwise: Value) -> Value:
    """What ``tensor.is_contiguous()`` gives; `otherwise` where the sizes or the layout are not known."""
    if is_contiguous(tensor):
        return True
    known = (*(tensor.dims or ()), *(tensor.strides or ()))
    return False if tensor.strides is not None and all(isinstance(n, int) for n in known) else otherwise


@dataclass(frozen=True, slots=True)
class _Kind:
    """What the traits of an operator say of the layout of its result."""

    other: bool  # or a view of complex numbers
    dense: bool
    constant: bool
    dense_or_channels_last: bool
    keeps_order: bool


@functools.lru_cache(maxsize=4096)
def _kind_of(name: str) -> _Kind:
    operator = layer_or_function("torch", name)
    traits = NOTHING if operator is None else operator.traits
    return _Kind(
        bool(traits & OTHER_LAYOUT) or name in ("real", "imag"),
        bool(traits & DENSE) or name == "contiguous",
        bool(traits & CONSTANT),
        bool(traits & DENSE_OR_CHANNELS_LAST),
        bool(traits & (ELEMENTWISE | SHAPE_ONLY)) or (operator is not None and operator.name == "Dropout"),
    )


def of_result(name: str, sources: Sequence[Tensor], result: Tensor) -> Layout:
    """The layout of an operator's result that no rule has set."""
    kind = _kind_of(name)
    if result.dims is None or kind.other:
        return None
    if kind.dense or (kind.constant and not sources) or not result.dims:
        return contiguous(result.dims)
    if kind.dense_or_channels_last and not any(_perhaps_channels_last(s) for s in sources):
        return contiguous(result.dims)
    if kind.keeps_order:
        operands = [s for s in sources if s.dims]
        same = [s for s in operands if s.dims == result.dims and s.strides == operands[0].strides]
        if operands and len(same) == len(operands) and not is_contiguous(operands[0]):
            return order_kept(operands[0])
    if not sources or not all(not s.dims or is_contiguous(s) or "variable" in s.tags for s in sources):
        return None
    return contiguous(result.dims)


def _perhaps_channels_last(tensor: Tensor) -> bool:
    if tensor.dims is None:
        return True
    if len(tensor.dims) not in (4, 5) or is_contiguous(tensor):
        return False
    return tensor.strides is None or tensor.strides[1] == 1 or not all(isinstance(s, int) for s in tensor.strides)


def order_kept(tensor: Tensor) -> Layout:
    """The layout of a new tensor of the same shape whose axes lie in memory in the same order, without gaps."""
    if tensor.strides is None or tensor.dims is None:
        return None
    moving = [i for i, d in enumerate(tensor.dims) if d != 1]
    keys = [tensor.strides[i] for i in moving]
    if not all(isinstance(k, int) and k > 0 for k in keys) or len(set(keys)) < len(keys):
        return None
    if not all(isinstance(d, int) for d in tensor.dims):
        return None
    result: list[Term] = [1] * len(tensor.dims)
    step: Term = 1
    for axis in sorted(moving, key=lambda i: int(tensor.strides[i])):  # type: ignore[index]
        result[axis] = step
        step = step * tensor.dims[axis]
    return tuple(result)


def of_applied(name: str, source: Tensor, hyper: dict[str, Any], results: Sequence[Tensor]) -> None:
    """Set the layouts of results that share their operand's memory."""
    strides, dims = source.strides, source.dims
    if strides is None or dims is None or not results or results[0].dims is None:
        return
    for result in results:
        result.strides = SHARING[name](strides, dims, hyper, result.dims or ())


def _permuted(strides: Sizes, dims: Sizes, hyper: Hyper, target: Sizes) -> Layout:
    return tuple(strides[a % len(dims)] for a in hyper["dims"])


def _transposed(strides: Sizes, dims: Sizes, hyper: Hyper, target: Sizes) -> Layout:
    order = list(strides)
    if order:
        a, b = hyper["dim0"] % len(order), hyper["dim1"] % len(order)
        order[a], order[b] = order[b], order[a]
    return tuple(order)


def _reversed(strides: Sizes, dims: Sizes, hyper: Hyper, target: Sizes) -> Layout:
    return strides[::-1]


def _unsqueezed(strides: Sizes, dims: Sizes, hyper: Hyper, target: Sizes) -> Layout:
    axis = hyper["dim"] % (len(dims) + 1)
    return (*strides[:axis], dims[axis] * strides[axis] if axis < len(dims) else 1, *strides[axis:])


def _squeezed(strides: Sizes, dims: Sizes, hyper: Hyper, target: Sizes) -> Layout:
    axis = hyper.get("dim")
    if isinstance(axis, int):
        kept = [i for i, d in enumerate(dims) if i != axis % len(dims) or d != 1]
    else:
        kept = [i for i, d in enumerate(dims) if d != 1]
    return tuple(strides[i] for i in kept) if len(kept) == len(target) else None


def _expanded(strides: Sizes, dims: Sizes, hyper: Hyper, target: Sizes) -> Layout:
    lead = len(target) - len(dims)
    own = (0 if d == 1 and t != 1 else s for d, s, t in zip(dims, strides, target[lead:], strict=True))
    return (0,) * lead + tuple(own)


def _selected(strides: Sizes, dims: Sizes, hyper: Hyper, target: Sizes) -> Layout:
    axis = hyper.get("dim", 0) % len(dims)
    return (*strides[:axis], *strides[axis + 1 :])


def _narrowed(strides: Sizes, dims: Sizes, hyper: Hyper, target: Sizes) -> Layout:
    return strides


def _reshaped(strides: Sizes, dims: Sizes, hyper: Hyper, target: Sizes) -> Layout:
    seen = viewed(dims, strides, target)
    return contiguous(target) if seen is False else seen if isinstance(seen, tuple) else None


# Functions whose results may share their operand's memory: strides and sizes of the operand, arguments, result's sizes.
SHARING: Mapping[str, Callable[[Sizes, Sizes, Hyper, Sizes], Layout]] = MappingProxyType(
    {
        "permute": _permuted, "transpose": _transposed, "swapaxes": _transposed, "t": _reversed,
        "unsqueeze": _unsqueezed, "squeeze": _squeezed, "expand": _expanded, "broadcast_to": _expanded,
        "select": _selected, "unbind": _selected, "split": _narrowed, "chunk": _narrowed, "narrow": _narrowed,
        **dict.fromkeys(("reshape", "view", "flatten", "Flatten", "unflatten", "Unflatten"), _reshaped),
    }
)  # fmt: skip


def of_index(source: Tensor, parts: Sequence[Value], result: Tensor) -> Layout:
    """The layout of `x[1:, None, 0]`; None where an index tensor copies."""
    if source.strides is None or source.dims is None or result.dims is None:
        return None
    taken = sum(1 for p in parts if isinstance(p, (SliceV, int)) and not isinstance(p, bool))
    strides: list[Term] = []
    axis = 0
    for part in parts:
        if part is None:
            strides.append(1)
        elif part is Ellipsis:
            count = len(source.dims) - taken
            strides += source.strides[axis : axis + count]
            axis += count
        elif isinstance(part, SliceV):
            step = 1 if part.step is None else part.step
            if not isinstance(step, int):
                return None
            strides.append(source.strides[axis] * step)
            axis += 1
        elif isinstance(part, int) and not isinstance(part, bool):
            axis += 1
        else:
            return None
    strides += source.strides[axis:]
    return tuple(strides) if len(strides) == len(result.dims) else None


def viewed(dims: Sequence[Term], strides: Sequence[Term], target: Sequence[Term]) -> tuple[Term, ...] | bool | None:
    """The strides of a view with other dimensions; False where none exists, None where that is not known."""
    if any(d == 0 for d in (*dims, *target)):
        return contiguous(target)
    groups: list[tuple[Term, Term]] = []  # (elements, stride of the innermost)
    for size, stride in zip(dims, strides, strict=True):
        if size == 1:
            continue
        if groups:
            elements, outer = groups[-1]
            joined = equal(outer, size * stride)
            if joined is True:
                groups[-1] = (elements * size, stride)
                continue
            if joined is not False:
                return None
        groups.append((size, stride))
    result: list[Term] = []
    rest = list(target)
    for elements, stride in groups:
        part: list[Term] = []
        total: Term = 1
        while rest and total != elements:
            total = total * rest[0]
            part.append(rest.pop(0))
            if isinstance(total, int) and isinstance(elements, int) and total > elements:
                return False
        if total != elements:
            return False if isinstance(total, int) and isinstance(elements, int) else None
        result += [s * stride for s in contiguous(part)]
    if any(d != 1 for d in rest):
        return None
    return (*result, *[1] * len(rest))
