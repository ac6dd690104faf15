"""Names and arguments of PyTorch, TensorFlow, Keras and NumPy by version, read from the packages themselves."""

from __future__ import annotations

import functools
import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from analyzer.frameworks.requested_versions import Versions

Modules = Mapping[str, Mapping[str, list[str] | None]]  # module → name → parameters; None: not told


@functools.cache
def framework_data(framework: str) -> Mapping[str, Any]:
    """The extracted names of one framework: version, modules, attributes."""
    text = (resources.files("analyzer.frameworks") / "api" / f"{framework}.json").read_text(encoding="utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found


@dataclass(frozen=True, slots=True)
class ApiTable:
    """The public names of one version."""

    version: tuple[int, ...]
    modules: Modules

    def __str__(self) -> str:
        return ".".join(map(str, self.version))


@functools.cache
def all_tables(framework: str) -> tuple[ApiTable, ...]:
    """Every version that a data file describes, oldest first."""
    data = framework_data(framework)
    found = [ApiTable(_numbers(data["version"]), data["modules"])]
    file = (resources.files("analyzer.frameworks") / "api" / f"{framework}_versions.json.gz").read_bytes()
    found += [ApiTable(_numbers(version), modules) for version, modules in unpacked(json.loads(gzip.decompress(file)))]
    return tuple(sorted(found, key=lambda t: t.version))


def packed(versions: Mapping[str, Modules]) -> dict[str, Any]:
    """Versions and their names as a data file holds them: of each name only the versions where its parameters changed,
    as (index of the version, parameters), with `false` where the name is gone."""
    order = sorted(versions, key=_numbers)
    changes: dict[str, dict[str, list[Any]]] = {}
    for index, version in enumerate(order):
        modules = versions[version]
        for module in sorted({*changes, *modules}):
            names = changes.setdefault(module, {})
            there = modules.get(module, {})
            for name in sorted({*names, *there}):
                now = there.get(name, False)
                runs = names.setdefault(name, [])
                if (runs[-1][1] if runs else False) != now:
                    runs.append([index, now])
    return {"versions": order, "modules": changes}


def unpacked(data: Mapping[str, Any]) -> Iterator[tuple[str, Modules]]:
    """The opposite of `packed`: each version with its modules."""
    for index, version in enumerate(data["versions"]):
        modules: dict[str, dict[str, list[str] | None]] = {}
        for module, names in data["modules"].items():
            last = ((name, [value for start, value in runs if start <= index][-1:]) for name, runs in names.items())
            there = {name: found[0] for name, found in last if found and found[0] is not False}
            if there:
                modules[module] = there
        yield version, modules


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(p) for p in version.split("+")[0].split(".")[:3] if p.isdigit())


@dataclass(frozen=True, slots=True)
class Asked:
    """The version that the repository asks for: a pinned one, or at least `low`; neither where it says nothing."""

    version: tuple[int, ...] | None = None
    low: tuple[int, ...] | None = None

    def __str__(self) -> str:
        return ".".join(map(str, self.version or self.low or ())) + ("" if self.version else " or newer")


@dataclass(frozen=True, slots=True)
class Choice:
    """The tables to check against. `certain`: what they agree on holds for the version asked for."""

    tables: tuple[ApiTable, ...]
    certain: bool
    gone_only: bool = False  # newer versions may bring names: only one that was there once is known to be missing

    def __str__(self) -> str:
        names = [str(t) for t in self.tables]
        return " and ".join(names) if len(names) < 3 else f"{names[0]} to {names[-1]}"


def tables(framework: str, asked: Asked) -> Choice:
    """That version itself where it is known, else its neighbours on both sides; of a bare major version all of it."""
    known = all_tables(framework)
    version, low = asked.version, asked.low
    if version is None and low is not None:
        older = tuple(t for t in known if t.version < low)[-1:]
        newer = tuple(t for t in known if t.version >= low)
        return Choice(older + newer, bool(newer), True) if newer else Choice((), False)
    if version is None:
        return Choice(known[-1:], False)
    exact = tuple(t for t in known if t.version[:2] == version[:2])
    if exact and len(version) > 1:
        return Choice(exact, True)
    if len(version) == 1:
        major = tuple(t for t in known if t.version[0] == version[0])
        return Choice(major, len(major) > 1)
    below = tuple(t for t in known if t.version < version)[-1:]
    above = tuple(t for t in known if t.version > version)[:1]
    if not below and above[0].version[0] > version[0]:
        return Choice((), False)
    return Choice(below + above, bool(below and above))


def asked_of(versions: Versions, framework: str) -> Asked:
    """The version of `framework` that a repository asks for; Keras 2 came with TensorFlow, and follows its version."""
    own = Asked(versions.get(framework), versions.low.get(framework))
    if framework != "keras" or own != Asked():
        return own
    tensorflow = asked_of(versions, "tensorflow")
    version = tensorflow.version
    if version is None:
        return Asked(low=(3,)) if tensorflow.low is not None and tensorflow.low >= (2, 16) else Asked()
    if version >= (2, 16):
        return Asked((3,))
    return Asked(version[:2] if version[0] == 2 and len(version) > 1 else None)  # Keras 2 came with TensorFlow


def takes(declared: list[str], name: str) -> bool:
    """Whether parameters, as the tables write them, name this one; what `**kwargs` may take does not count."""
    return any(part.lstrip("/*").rstrip("=") == name for part in declared if part != "*")
