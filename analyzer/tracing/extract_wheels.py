"""Names and signatures of Keras versions that are not installed, read from their wheels without running them.

    python -m analyzer.tracing.extract_wheels keras-2.15.0-py3-none-any.whl keras-3.5.0-py3-none-any.whl …

Run by maintainers (`pip download --no-deps keras==VERSION` gives the wheels). Public names are those of the decorator
`keras_export`; parameters are those of the function, or of the class's nearest `__init__` inside the wheel. The result
is `analyzer/tracing/api/keras_versions.json`: version → module → name → parameters, in the notation of `extract_api`.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from analyzer.tracing.extract_api import DATA

_WHEEL = re.compile(r"keras-([0-9.]+)-")
Definition = ast.FunctionDef | ast.ClassDef


def parameters(function: ast.FunctionDef, *, method: bool) -> list[str]:
    """The notation of `extract_api.parameters`; `method` drops ``self``."""
    spec = function.args
    plain = [*spec.posonlyargs, *spec.args]
    defaults = len(spec.defaults)
    marked = [f"{p.arg}{'=' if i >= len(plain) - defaults else ''}" for i, p in enumerate(plain)]
    result = marked[1:] if method else marked
    if spec.vararg is not None:
        result.append(f"*{spec.vararg.arg}")
    elif spec.kwonlyargs:
        result.append("*")
    result += [f"{p.arg}{'=' if d is not None else ''}" for p, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True)]
    if spec.kwarg is not None:
        result.append(f"**{spec.kwarg.arg}")
    return result


def exported(node: Definition) -> Iterator[str]:
    """The public names that `@keras_export(…)` gives a definition."""
    for decorator in node.decorator_list:
        if not isinstance(decorator, ast.Call) or "keras_export" not in ast.unparse(decorator.func):
            continue
        for argument in decorator.args:
            for part in argument.elts if isinstance(argument, (ast.List, ast.Tuple)) else [argument]:
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


def read_wheel(path: Path) -> dict[str, dict[str, list[str] | None]]:
    """Module → name → parameters (None where they cannot be told) of one wheel."""
    definitions: list[Definition] = []
    classes: dict[str, ast.ClassDef] = {}
    with zipfile.ZipFile(path) as wheel:
        for member in wheel.namelist():
            if not member.endswith(".py") or "_test.py" in member:
                continue
            for node in ast.parse(wheel.read(member)).body:
                if isinstance(node, ast.ClassDef):
                    classes.setdefault(node.name, node)
                if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                    definitions.append(node)
    found: dict[str, dict[str, list[str] | None]] = {}
    for node in definitions:
        known = parameters(node, method=False) if isinstance(node, ast.FunctionDef) else _constructor(node, classes)
        for name in exported(node):
            module, _, last = name.rpartition(".")
            if "._" in module:
                continue
            found.setdefault(module, {})[last] = known
    return {module: dict(sorted(names.items())) for module, names in sorted(found.items())}


def _constructor(node: ast.ClassDef, classes: dict[str, ast.ClassDef], depth: int = 6) -> list[str] | None:
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and member.name == "__init__":
            return parameters(member, method=True)
    for base in node.bases:
        parent = classes.get(ast.unparse(base).rpartition(".")[2])
        if parent is not None and parent is not node and depth:
            return _constructor(parent, classes, depth - 1)
    return None


def main(wheels: list[str]) -> int:
    versions = {}
    for name in wheels:
        match = _WHEEL.search(Path(name).name)
        if match is None:
            print(f"{name} is no Keras wheel; its name must begin with keras-VERSION-.")
            return 2
        versions[match[1]] = read_wheel(Path(name))
        print(f"keras {match[1]}: {sum(map(len, versions[match[1]].values()))} names")
    text = json.dumps(versions, separators=(",", ":"), sort_keys=True)
    (DATA / "keras_versions.json").write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
