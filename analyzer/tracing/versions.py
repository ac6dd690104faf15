"""Which framework versions a repository asks for, read from its requirements without running anything."""

from __future__ import annotations

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
_REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9._-]+)\s*(?:\[[^\]]*\])?\s*([=<>!~]{1,3}[^;#]*)?")
_CLAUSE = re.compile(r"(==|>=|<=|~=|!=|<|>|=)\s*([0-9]+(?:\.[0-9]+)*)")
MOST_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Versions:
    """`exact` holds pinned versions; `below` exclusive upper bounds. Absent names: the newest may be meant."""

    exact: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    below: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)

    def get(self, name: str) -> tuple[int, ...] | None:
        """The version to judge by: the pinned one, else just under the upper bound; None if nothing is said."""
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
            version = self.exact.get(name) or self.below.get(name)
            sign = "" if name in self.exact else "<"
            result[name] = f"{sign}{'.'.join(map(str, version or ()))} ({source})"
        return result


def read_versions(root: Path) -> Versions:
    """From requirements*.txt, environment.yml, pyproject.toml, setup.py, setup.cfg, Pipfile of the root."""
    exact: dict[str, tuple[int, ...]] = {}
    below: dict[str, tuple[int, ...]] = {}
    sources: dict[str, str] = {}
    candidates = [*sorted(root.glob("requirements*.txt")), *sorted(root.glob("requirements/*.txt"))]
    candidates += [
        root / n for n in ("environment.yml", "environment.yaml", "pyproject.toml", "setup.py", "setup.cfg", "Pipfile")
    ]
    for file in candidates:
        for name, clauses in _requirements(file):
            framework = _NAMES.get(name.lower().replace("_", "-"))
            if framework is None or framework in sources:
                continue
            for sign, text in _CLAUSE.findall(clauses):
                version = tuple(int(part) for part in text.split("."))
                if sign in ("==", "=", "~="):
                    exact[framework] = version
                elif sign == "<":
                    below[framework] = version
                elif sign == "<=":
                    exact[framework] = version
                else:
                    continue
                sources[framework] = file.relative_to(root).as_posix()
    return Versions(exact, below, sources)


def _requirements(file: Path) -> Iterable[tuple[str, str]]:
    try:
        if not file.is_file() or file.stat().st_size > MOST_BYTES:
            return
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    if file.name == "pyproject.toml":
        try:
            project = tomllib.loads(text).get("project", {})
        except tomllib.TOMLDecodeError:
            return
        lines = [str(d) for d in project.get("dependencies", [])] if isinstance(project, dict) else []
    elif file.suffix == ".py" or file.name == "setup.cfg":
        lines = (
            re.findall(r"['\"]([A-Za-z0-9._-]+\s*[=<>!~]{1,2}[^'\"]*)['\"]", text)
            if file.suffix == ".py"
            else text.splitlines()
        )
    else:
        lines = [line.strip().lstrip("-").strip().strip("\"'") for line in text.splitlines()]
        if file.name == "Pipfile":
            lines = [line.replace(" = ", "", 1).replace('"', "") for line in lines]
    for line in lines:
        found = _REQUIREMENT.match(line)
        if found and found.group(2):
            yield found.group(1), found.group(2)
