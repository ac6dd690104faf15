"""Which framework versions a repository asks for, read from its requirements without running anything."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_NAMES = {
    "tensorflow": "tensorflow", "tensorflow-gpu": "tensorflow", "tensorflow-cpu": "tensorflow",
    "tf-nightly": "tensorflow",
    "torch": "torch", "pytorch": "torch", "keras": "keras", "numpy": "numpy", "torchvision": "torchvision",
}  # fmt: skip
_REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9._-]+)\s*(?:\[[^\]]*\])?\s*\(?([=<>!~^]{1,3}[^;#]*)?")
_CLAUSE = re.compile(r"(==|>=|<=|~=|!=|<|>|=|\^)\s*([0-9]+(?:\.[0-9]+)*)")
_FILES = ("environment.yml", "environment.yaml", "pyproject.toml", "setup.py", "setup.cfg", "Pipfile")
_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock")
MOST_BYTES = 1_000_000  # no requirements file is longer
MOST_LOCKED = 10_000_000  # lock files with hashes take megabytes


@dataclass(frozen=True, slots=True)
class Versions:
    """`exact` holds pinned versions, `below` exclusive upper bounds, `low` lower ones. Absent: any may be meant."""

    exact: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    below: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    low: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)

    def get(self, name: str) -> tuple[int, ...] | None:
        """The version to check against: the pinned one, else just under the upper bound; None if nothing is said."""
        if name in self.exact:
            return self.exact[name]
        bound = self.below.get(name)
        if bound is None:
            return None
        return (
            (*bound[:-1], bound[-1] - 1, 99)
            if bound[-1]
            else (*bound[:-2], bound[-2] - 1, 99)
            if len(bound) > 1
            else None
        )

    def described(self) -> dict[str, str]:
        """Name → version and where it was read, for the report."""
        result = {}
        for name, source in self.sources.items():
            bounds = (("", self.exact), (">=", self.low), ("<", self.below))
            said = [f"{sign}{'.'.join(map(str, found[name]))}" for sign, found in bounds if name in found]
            result[name] = f"{', '.join(said[:1] if name in self.exact else said)} ({source})"
        return result


def version_files(root: Path) -> list[Path]:
    """The files that may say which versions the repository asks for, the first that does counting: locks first."""
    return [
        *(root / name for name in _LOCKS),
        *sorted(root.glob("requirements*.txt")),
        *sorted(root.glob("requirements/*.txt")),
        *(root / name for name in _FILES),
    ]


def read_versions(root: Path, own: str | None = None) -> Versions:
    """From lock files, requirements*.txt, environment.yml, pyproject.toml, setup.py, setup.cfg, Pipfile of the root.

    `own` is a file of requirements that goes before all of them.
    """
    exact: dict[str, tuple[int, ...]] = {}
    below: dict[str, tuple[int, ...]] = {}
    low: dict[str, tuple[int, ...]] = {}
    sources: dict[str, str] = {}
    for file in [*([root / own] if own else []), *version_files(root)]:
        for name, clauses in [*_requirements(file), *_locked(file)]:
            framework = _NAMES.get(name.lower().replace("_", "-"))
            if framework is None or framework in sources:
                continue
            for sign, text in _CLAUSE.findall(clauses):
                version = tuple(int(part) for part in text.split("."))
                if sign in ("==", "=", "<=") or (sign == "~=" and len(version) > 2):
                    exact[framework] = version
                elif sign == "<":
                    below[framework] = version
                elif sign in (">=", ">"):
                    low[framework] = version
                elif sign in ("^", "~="):  # up to the next major number
                    low[framework] = version
                    below[framework] = (version[0] + 1,)
                else:
                    continue
                sources[framework] = file.relative_to(root).as_posix()
    return Versions(exact, below, low, sources)


def _locked(file: Path) -> Iterable[tuple[str, str]]:
    """Name and ``==version`` of what a lock file pins; a package that it pins to several versions is left out."""
    if file.name not in _LOCKS:
        return
    try:
        if not file.is_file() or file.stat().st_size > MOST_LOCKED:
            return
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    found: dict[str, set[str]] = {}
    try:
        if file.suffix == ".lock" and file.name != "Pipfile.lock":
            for package in tomllib.loads(text).get("package", []):
                found.setdefault(str(package.get("name")), set()).add(str(package.get("version")))
        else:
            for section in ("default", "develop"):
                for name, package in json.loads(text).get(section, {}).items():
                    found.setdefault(name, set()).add(str(package.get("version", "")).lstrip("="))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return
    for name, versions in found.items():
        if len({v.partition("+")[0] for v in versions}) == 1:
            yield name, f"=={next(iter(versions))}"


def _project(text: str) -> Iterable[str]:
    """The requirements in a pyproject.toml, those of Poetry in the notation of the others."""
    try:
        data = tomllib.loads(text)
        project, poetry = data.get("project", {}), data.get("tool", {}).get("poetry", {})
        groups = [project.get("dependencies", []), *project.get("optional-dependencies", {}).values()]
        groups += data.get("dependency-groups", {}).values()
        for group in groups:
            yield from (line for line in group if isinstance(line, str))
        tables = [poetry.get("dependencies", {})]
        tables += [group.get("dependencies", {}) for group in poetry.get("group", {}).values()]
        for table in tables:
            for name, wanted in table.items():
                version = wanted.get("version", "") if isinstance(wanted, dict) else wanted
                if isinstance(version, str):
                    yield f"{name}{version if version[:1] in '=<>~^!' else f'=={version}'}"
    except (tomllib.TOMLDecodeError, AttributeError, TypeError, RecursionError):
        return


def _requirements(file: Path) -> Iterable[tuple[str, str]]:
    try:
        if not file.is_file() or file.stat().st_size > MOST_BYTES:
            return
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    if file.name == "pyproject.toml":
        lines = list(_project(text))
    elif file.suffix == ".py" or file.name == "setup.cfg":
        lines = (
            re.findall(r"['\"]([A-Za-z0-9._-]+\s*[=<>!~]{1,2}[^'\"]*)['\"]", text)
            if file.suffix == ".py"
            else text.splitlines()
        )
    else:
        lines = [line.strip().lstrip("-").strip().strip("\"'") for line in text.splitlines()]
        if file.name == "Pipfile":
            lines = [re.sub("[\"']", "", line.replace(" = ", "", 1)) for line in lines]
    for line in lines:
        found = _REQUIREMENT.match(line)
        if found and found.group(2):
            yield found.group(1), found.group(2)
