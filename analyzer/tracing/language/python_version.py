"""Python's own version, as far as programs of today may ask: which of the newer ones runs them is not known."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from analyzer.tracing.language.values import Api, SliceV, Value

VERSION = "sys.version_info"
OLDEST = (3, 6)  # that a followed program is run with
_AFTER = {">=": True, ">": True, "<": False, "<=": False}
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge, ">": operator.gt, "<": operator.lt, "<=": operator.le,
}  # fmt: skip


def is_python_version(value: Value) -> bool:
    return isinstance(value, Api) and value.name == VERSION


def part(version: Api, index: Value) -> Value:
    """`sys.version_info[index]`; None where it is not known. `[:2]` is ordered as the whole is."""
    if index == 0 and type(index) is int:
        return OLDEST[0]
    if isinstance(index, SliceV) and index.start in (None, 0) and index.step is None:
        return OLDEST[:1] if index.stop == 1 else version if index.stop in (2, 3, None) else None
    return None


def compared(operation: str, other: Value) -> bool | None:
    """Whether `sys.version_info` is before or after a version; None where some Pythons are and others are not."""
    if operation not in _AFTER or not isinstance(other, tuple) or not other:
        return None
    if not all(type(n) is int for n in other):
        return None
    if other[0] != OLDEST[0]:
        return _COMPARE[operation](OLDEST[0], other[0])
    return _AFTER[operation] if other < OLDEST or (other == OLDEST and operation in (">=", "<")) else None
