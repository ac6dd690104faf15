"""When two values, or two states, are the same for every question about shapes."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.truths import Test
from analyzer.tracing.language.values import Bound, DictV, ListV, Unknown
from analyzer.validity.terms import Cond, Poly


def alike(a: Any, b: Any, depth: int = 6) -> bool:
    if a is b:
        return True
    if depth == 0:
        return False
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return (
            a.dims is not None and a.dims == b.dims and a.framework == b.framework
            and a.dtype == b.dtype and a.graph == b.graph and a.strides == b.strides and a.tags == b.tags
            and alike(a.value, b.value, depth - 1) and _same_elements(a.array, b.array)
        )  # fmt: skip
    if isinstance(a, Unknown) and isinstance(b, Unknown):
        return _as_unknown(a, b, depth)
    if isinstance(a, (Poly, Cond)) or isinstance(b, (Poly, Cond)):
        return type(a) is type(b) and bool(a == b)
    if type(a) is not type(b):
        return False
    if isinstance(a, (int, float, str, bytes, bool, set, frozenset)):
        return bool(a == b)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(x is y or alike(x, y, depth - 1) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(v is b[k] or alike(v, b[k], depth - 1) for k, v in a.items())
    if isinstance(a, (ListV, DictV)):
        return a.open == b.open and alike(a.items, b.items, depth - 1)
    if isinstance(a, Bound):
        return a.owner is b.owner and a.function == b.function
    return False


def _same_elements(a: Any, b: Any) -> bool:
    """Of a run on made-up numbers; elsewhere there are none."""
    return a is b or (a is not None and b is not None and a.shape == b.shape and bool((a == b).all()))


def _as_unknown(a: Unknown, b: Unknown, depth: int) -> bool:
    """Whether no more is known of one than of the other, nor who decides it."""
    if type(a) is not type(b) or any(u.term is not None or u.tensor is not None for u in (a, b)):
        return False
    if isinstance(a, Test) and isinstance(b, Test):
        asked = (a.subject is b.subject, a.operation == b.operation, a.negated is b.negated)
        return all(asked) and a.truth is b.truth and alike(a.constant, b.constant, depth - 1)
    same = a.origin == b.origin and a.pytype == b.pytype and a.kind == b.kind and a.truth is b.truth
    return same and alike((a.value, a.excluded, a.default), (b.value, b.excluded, b.default), depth - 1)


def same_but_for_new_sizes(a: Any, b: Any, depth: int = 6) -> bool:
    """Whether two rounds of a loop have made the same, but for sizes that nobody knows and that each makes anew."""
    if a is b or alike(a, b, depth):
        return True
    if depth == 0:
        return False
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        if a.framework != b.framework or a.dtype != b.dtype or a.graph != b.graph:
            return False
        if a.dims is None or b.dims is None:
            return a.dims is b.dims and a.value is None and b.value is None
        if len(a.dims) != len(b.dims) or not same_but_for_new_sizes(a.value, b.value, depth - 1):
            return False
        return all(same_but_for_new_sizes(x, y, depth - 1) for x, y in zip(a.dims, b.dims, strict=True))
    if isinstance(a, Poly) and isinstance(b, Poly):
        return _lone(a) and _lone(b)
    if isinstance(a, Unknown) and isinstance(b, Unknown):
        return a.origin == b.origin and a.label == b.label and a.value is b.value
    if type(a) is not type(b):
        return False
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(same_but_for_new_sizes(x, y, depth - 1) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same_but_for_new_sizes(v, b[k], depth - 1) for k, v in a.items())
    if isinstance(a, (ListV, DictV)):
        return a.open == b.open and same_but_for_new_sizes(a.items, b.items, depth - 1)
    return False


def _lone(size: Poly) -> bool:
    """Whether it is one symbol, not what a round has computed from the sizes of the round before."""
    return len(size.terms) == 1 and len(size.terms[0][0]) == 1 and size.terms[0][1] == 1
