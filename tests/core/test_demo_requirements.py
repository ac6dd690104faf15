"""The README's first command works where the test tools are not installed: what the demo imports, its extra brings."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
OURS = {"action", "analyzer", "tests"}


def imported() -> set[str]:
    """The outermost names of all packages of others that the demo and its simulator import, inside functions too."""
    found = set()
    for folder in ("action/demo", "tests/github_simulator"):
        for path in (ROOT / folder).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    found |= {alias.name.partition(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    found.add(str(node.module).partition(".")[0])
    return found - set(sys.stdlib_module_names) - OURS


def brought() -> Iterator[str]:
    """The distributions that installing Assay with its extra `demo` brings."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    stated = map(Requirement, (*project["dependencies"], *project["optional-dependencies"]["demo"]))
    pending, seen = [(requirement.name, "") for requirement in stated], set()
    while pending:
        name, extra = pending.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        yield canonicalize_name(name)
        try:
            listed = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
        for requirement in map(Requirement, listed):
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                pending += [(requirement.name, inner) for inner in ("", *requirement.extras)]


def test_the_demo_needs_no_tool_of_the_tests() -> None:
    setup = (ROOT / "scripts" / "setup").read_text(encoding="utf-8")
    assert "--editable '.[all,demo]'" in setup
    given = set(brought())
    homes = metadata.packages_distributions()
    lacking = {name for name in imported() if not given & {canonicalize_name(home) for home in homes.get(name, [name])}}
    assert not lacking
    assert "graphql" in imported()
