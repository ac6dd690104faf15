"""Names and signatures of versions that are not installed, read from their wheels without running them.

    python -m scripts.frameworks.extract_wheels keras-2.15.0-py3-none-any.whl torch-2.2.2-cp311-none-macosx….whl

Run by maintainers; `pip download --no-deps torch==VERSION --only-binary=:all: --platform macosx_11_0_arm64` gives small
wheels. The result is `analyzer/frameworks/api/NAME_versions.json.gz`, written by `api_tables.packed`, parameters in the
notation of `extract_api`. Of Keras what `keras_export` names is public, of the others what a module binds.
"""

from __future__ import annotations

import ast
import gzip
import json
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from analyzer.frameworks.api_tables import packed, unpacked
from scripts.frameworks.extract_api import DATA, MODULES
from scripts.frameworks.read_package import Definition, Package, parameters

_WHEEL = re.compile(r"([a-z_]+)-([0-9.]+)-")
_PACKAGES = {"keras": "keras", "torch": "torch", "tensorflow": "tensorflow", "tensorflow-cpu": "tensorflow",
             "numpy": "numpy"}  # fmt: skip


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


def read_names(path: Path, name: str) -> dict[str, dict[str, list[str] | None]]:
    """The same of torch, TensorFlow and NumPy, whose names are those that their modules bind."""
    package = Package.of_wheel(path)
    if (
        name == "tensorflow"
        and not package.sources("tensorflow._api.v2.v2")
        and "tensorflow_core/__init__.py" in (package.files)
    ):
        package = Package.of_wheel(path, {"tensorflow": "tensorflow_core"})
    found = {}
    for module in MODULES[name]:
        described = package.describe(module)
        if described:
            found[module] = described
    if name == "torch":  # compiled names that no stub lists, but the package's own texts use
        narrow = [f"{sign}int{bits}" for sign in ("", "u") for bits in range(1, 8)]  # made in a loop
        found["torch"].update(dict.fromkeys(narrow))
        texts = b" ".join(package.files.values()).decode(errors="replace")
        for mentioned in set(re.findall(r"\btorch\.([A-Za-z]\w*)", texts)):
            found["torch"].setdefault(mentioned, None)
    return {module: dict(sorted(names.items())) for module, names in found.items()}


def main(wheels: list[str]) -> int:
    """Add the versions of these wheels to the data files."""
    for wheel in wheels:
        match = _WHEEL.match(Path(wheel).name)
        name = _PACKAGES.get(match[1].replace("_", "-")) if match else None
        if match is None or name is None:
            print(
                f"{wheel} is no wheel of Keras, torch, TensorFlow or NumPy; keep the name that it was published with."
            )
            return 2
        file = DATA / f"{name}_versions.json.gz"
        versions = dict(unpacked(json.loads(gzip.decompress(file.read_bytes())))) if file.is_file() else {}
        versions[match[2]] = read_wheel(Path(wheel)) if name == "keras" else read_names(Path(wheel), name)
        text = json.dumps(packed(versions), separators=(",", ":"), sort_keys=True)
        file.write_bytes(gzip.compress(text.encode(), mtime=0))
        print(f"{name} {match[2]}: {sum(map(len, versions[match[2]].values()))} names")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
