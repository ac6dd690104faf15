"""Known issues and deviations that are benign on purpose, shipped as data; duplicates recognised by a key."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import resources
from typing import Any

import numpy as np

from analyzer.differential.backend import Backend
from analyzer.differential.bisect import Culprit
from analyzer.differential.localize import Blame
from analyzer.differential.structure import Description, Operation, Unit
from analyzer.differential.verdict import Kind


@dataclass(frozen=True, slots=True)
class KnownIssue:
    """One entry of the data file that fits a finding."""

    id: str
    summary: str
    references: tuple[str, ...]
    versions: tuple[str | None, str | None] = (None, None)
    package: str = ""

    @property
    def sentence(self) -> str:
        first, fixed = self.versions
        span = f"{self.package} {first or 'every version tried'} until {fixed}" if fixed else f"{self.package}, open"
        return f"Known upstream: {self.summary} ({', '.join(self.references)}; {span})."


@dataclass(frozen=True, slots=True)
class Benign:
    id: str
    why: str


def known_issue(
    blame: Blame, backend: Backend, versions: Mapping[str, str], culprit: Culprit | None = None
) -> KnownIssue | None:
    """The first known issue that fits the engine, operator, attributes, knobs, version and culprit."""
    for entry in _data()["issues"]:
        if not _fits(entry, backend, blame.unit):
            continue
        if "kind" in entry and entry["kind"] != blame.kind.value:
            continue
        if "matches" in entry and entry["matches"] not in blame.message.lower():
            continue
        if entry.get("through") != (culprit.name if culprit is not None and culprit.kind == "export" else None):
            continue
        if not _in_range(entry, backend, versions):
            continue
        first, fixed = entry["versions"]
        return KnownIssue(entry["id"], entry["summary"], tuple(entry["references"]), (first, fixed), entry["package"])
    return None


def known_of_whole(
    backend: Backend, kind: Kind, structure: Description, versions: Mapping[str, str]
) -> KnownIssue | None:
    """The first known issue of an engine as a whole that fits one of the model's operators: state that a run changes,
    or (kind crash) what a compiled mode accepts though the engine itself refuses it."""
    for entry in _data()["issues"]:
        fits = entry.get("accepts") if kind is Kind.CRASH else entry.get("kind") == kind.value
        if not fits or not _in_range(entry, backend, versions):
            continue
        if any(_fits(entry, backend, Unit("", (o,), (), ())) for o in structure.operations):
            first, fixed = entry["versions"]
            return KnownIssue(
                entry["id"], entry["summary"], tuple(entry["references"]), (first, fixed), entry["package"]
            )
    return None


def _in_range(entry: Mapping[str, Any], backend: Backend, versions: Mapping[str, str]) -> bool:
    first, fixed = entry["versions"]
    installed = versions.get(entry["package"]) or (
        backend.version if entry["package"] in backend.engine.packages else None
    )
    return not installed or not (
        (first and _order(installed) < _order(first)) or (fixed and _order(installed) >= _order(fixed))
    )


def benign(blame: Blame, backend: Backend) -> Benign | None:
    """Why this deviation is right although it is above the noise floor, if it is."""
    for entry in _data()["benign"]:
        if not _fits(entry, backend, blame.unit) or not blame.error <= entry["at_most"]:
            continue
        if entry.get("condition") == "mean-over-spread" and not _large_mean(blame.inputs):
            continue
        return Benign(entry["id"], entry["why"])
    return None


def duplicate_key(blame: Blame, backend: Backend, responsible_pass: str | None) -> str:
    """Twelve hex digits over engine, operators, attribute class, shape class and pass: the same bug in another layer
    has the same key. A shape class keeps ranks and the parity of sizes, which is what padding bugs depend on."""
    attributes = sorted(
        (o.op, k, str(v)) for o in blame.unit.operations for k, v in o.attributes.items() if not isinstance(v, float)
    )
    shapes = [(a.ndim, tuple(n % 2 for n in a.shape[1:])) for a in blame.inputs.values()]
    text = repr((backend.engine.name, blame.kind.value, blame.unit.op, attributes, shapes, responsible_pass or ""))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@functools.cache
def _data() -> Any:
    return json.loads(resources.files("analyzer.differential.data").joinpath("known_issues.json").read_text("utf-8"))


def _fits(entry: Mapping[str, Any], backend: Backend, unit: Unit) -> bool:
    if not _any_fits(backend.engine.name, entry["engine"]):
        return False
    operations = unit.operations if "within" in entry else _moving(unit)
    if "within" in entry and not any(fnmatchcase(o.name.lower(), entry["within"]) for o in operations):
        return False
    names = {unit.op.lower(), *(o.op.lower() for o in operations), *(o.layer_class.lower() for o in operations)}
    if not any(_any_fits(name, entry["op"]) for name in names if name):
        return False
    if any(backend.knobs.get(k) != v for k, v in entry.get("knobs", {}).items()):
        return False
    return all(any(o.attributes.get(k) == v for o in unit.operations) for k, v in entry["when"].items())


def _moving(unit: Unit) -> tuple[Operation, ...]:
    """The operations that work on what the unit is given; what it makes of constants alone is no engine's input."""
    known, found = set(unit.inputs), []
    for operation in unit.operations:
        if not unit.inputs or known.intersection(operation.inputs):
            known.update(operation.outputs)
            found.append(operation)
    return tuple(found)


def _any_fits(name: str, patterns: str) -> bool:
    return any(fnmatchcase(name, p) for p in patterns.split("|"))


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", version.split("+")[0])[:4])


def _large_mean(inputs: Mapping[str, np.ndarray]) -> bool:
    """Some row of some input has a mean far above its spread."""
    for array in inputs.values():
        if array.dtype.kind == "f" and array.ndim and array.size:
            rows = array.astype(np.float64).reshape(-1, array.shape[-1])
            if np.any(np.abs(rows.mean(axis=1)) > 100 * rows.std(axis=1)):
                return True
    return False
