"""Versions of packages as programs parse and compare them."""

from __future__ import annotations

import re

from analyzer.tracing.language.values import Object, Value
from analyzer.tracing.operators.table import Op, operator

_RELEASE = re.compile(r"v?(\d{1,6}(?:\.\d{1,6}){0,4})(?:\+[\w.]+)?", re.A)
_PARTS = ("major", "minor", "micro")


@operator(
    (
        "packaging.version.parse packaging.version.Version pkg_resources.parse_version "
        "pkg_resources.extern.packaging.version.parse pkg_resources.packaging.version.parse "
        "distutils.version.LooseVersion distutils.version.StrictVersion looseversion.LooseVersion"
    ),
    "version",
)
def parsed(op: Op, version: Value) -> Value:
    """A release, with what a builder adds (`2.6.0+cpu`); one that comes before its release is not told."""
    found = _RELEASE.fullmatch(version.strip()) if isinstance(version, str) else None
    if found is None:
        return op.tr.unknown("a version", label="version")
    numbers = tuple(int(part) for part in found[1].split("."))
    order = numbers
    while order and order[-1] == 0:
        order = order[:-1]  # 2 is 2.0
    named = dict(zip(_PARTS, (*numbers, 0, 0)[:3], strict=True))
    return Object("version", {**named, "release": numbers}, {"order": order})


def is_version(value: Value) -> bool:
    return isinstance(value, Object) and value.kind == "version"
