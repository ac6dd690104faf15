"""Domains from what a project already sweeps with: Hydra's configuration folders and Ray Tune's search spaces.

Both are read as data: YAML is parsed, a Ray search space is a literal in Python whose syntax tree is read. Nothing of
them is imported or run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from analyzer.problem import UsageProblem
from analyzer.validity.space import Hyperparameter

MAX_BYTES = 1 << 20  # a larger file is no configuration
MAIN = ("config.yaml", "config.yml", "main.yaml")
_CALL = re.compile(r"\s*(choice|range|interval|shuffle|sort|int|tag)\((.*)\)\s*$", re.DOTALL)
_PLAIN = (int, float, str, bool, type(None))


def from_hydra(folder: Path) -> dict[str, Hyperparameter]:
    """The domains of a Hydra configuration: what `hydra.sweeper.params` sweeps, and every other scalar as it stands.

    A hyperparameter is called by the last part of its key (`model.width` is `width`). Raises UsageProblem.
    """
    files = [folder] if folder.is_file() else [folder / name for name in MAIN if (folder / name).is_file()]
    if not files:
        raise UsageProblem(f"{folder} has no {MAIN[0]}; name the configuration's file")
    data = _composed(files[0])
    swept = data.get("hydra", {})
    for key in ("sweeper", "params"):
        swept = swept.get(key) or {} if isinstance(swept, Mapping) else {}
    if not isinstance(swept, Mapping) or not swept:
        raise UsageProblem(
            f"{files[0]}: nothing is swept; write `hydra: {{sweeper: {{params: {{width: choice(16, 32)}}}}}}`"
        )
    found: dict[str, tuple[str, tuple[Any, ...]]] = {}
    leaves = {k: (v,) for k, v in _leaves({k: v for k, v in data.items() if k not in ("hydra", "defaults")})}
    for key, text in swept.items():
        if isinstance(data.get(str(key)), Mapping):
            raise UsageProblem(
                f"{files[0]}: `{key}` sweeps a group of configurations, which is not followed; sweep its values"
            )
        leaves[str(key).lstrip("+~")] = _swept(text, f"{files[0]}: `{key}`")
    for path, values in leaves.items():
        name = path.rpartition(".")[2]
        if name in found and found[name][0] != path and path not in swept and found[name][0] in swept:
            continue
        if name in found and path in swept and found[name][0] in swept:
            raise UsageProblem(
                f"{files[0]}: `{found[name][0]}` and `{path}` are both called `{name}`; sweep one of them"
            )
        found[name] = (path, values)
    return {n: Hyperparameter(n, values) for n, (_, values) in found.items() if n.isidentifier()}


def _composed(path: Path) -> dict[str, Any]:
    """A configuration with the groups of its `defaults` put in."""
    data = _loaded(path)
    whole: dict[str, Any] = {}
    own = {k: v for k, v in data.items() if k != "defaults"}
    merged = False
    for item in data.get("defaults") or ():
        if item == "_self_":
            whole, merged = _merged(whole, own), True
        elif isinstance(item, str) and _inside(path, f"{item}.yaml").is_file():
            whole = _merged(whole, _loaded(_inside(path, f"{item}.yaml")))
        elif isinstance(item, Mapping):
            for group, option in item.items():
                package = str(group).removeprefix("override ").removeprefix("optional ").lstrip("/")
                file = _inside(path, f"{package}/{option}.yaml")
                if not package.startswith("hydra") and option is not None and file.is_file():
                    part: Any = _loaded(file)
                    for level in reversed(package.split("/")):
                        part = {level: part}
                    whole = _merged(whole, part)
    return whole if merged else _merged(whole, own)


def _inside(path: Path, name: str) -> Path:
    file = (path.parent / name).resolve()
    if not file.is_relative_to(path.parent.resolve()):
        raise UsageProblem(f"{path}: `{name}` lies outside of the configuration's folder")
    return file


def _loaded(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UsageProblem(f"{path} is larger than 1 MiB")
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError):
        raise UsageProblem(f"{path} cannot be read as YAML") from None
    if not isinstance(data, dict):
        raise UsageProblem(f"{path} is no mapping")
    return data


def _merged(left: Mapping[str, Any], right: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(left)
    for key, value in right.items():
        old = result.get(key)
        result[key] = _merged(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return result


def _leaves(data: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{key}.")
        elif isinstance(value, _PLAIN) and not (isinstance(value, str) and "${" in value):
            yield f"{prefix}{key}", value


def _swept(text: Any, where: str) -> tuple[Any, ...]:
    """The values of one entry of a sweep in Hydra's grammar: `choice(…)`, `range(…)`, `interval(…)`, `a,b`."""
    if not isinstance(text, str):
        return tuple(text) if isinstance(text, list) else (text,)
    call = _CALL.match(text)
    if call is None:
        return tuple(_scalar(part) for part in _parts(text))
    name, inside = call.groups()
    if name in ("shuffle", "sort", "tag", "int"):
        parts = _parts(inside)
        values = _swept(parts[-1] if name == "tag" else inside, where)
        return tuple(int(v) for v in values) if name == "int" else values
    values = tuple(_scalar(part.rpartition("=")[2]) for part in _parts(inside))
    if name == "choice":
        return values
    if not values or not all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
        raise UsageProblem(f"{where}: `{text}` is no range of numbers")
    if name == "interval":
        return _ends(float(values[0]), float(values[-1]))
    start, stop, step = (0, values[0], 1) if len(values) == 1 else (*values, 1)[:3]
    count = int(-((stop - start) // -step)) if step else 0
    if not 0 < count <= 100_000:
        raise UsageProblem(f"{where}: `{text}` holds {max(count, 0):,} values")
    return tuple(start + i * step for i in range(count))


def _parts(text: str) -> list[str]:
    """`text` at its commas outside of brackets and quotes."""
    parts, depth, quote, current = [], 0, "", ""
    for sign in text:
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        depth += (sign in "([{") - (sign in ")]}") if not quote else 0
        if sign == "," and not depth and not quote:
            parts.append(current)
            current = ""
        else:
            current += sign
    return [*parts, current]


def _scalar(text: str) -> Any:
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        return text.strip()
    return tuple(value) if isinstance(value, list) else value


def _ends(low: float, high: float) -> tuple[float, ...]:
    """A continuous domain is tried at its ends and its middle: shapes rarely depend on what lies between."""
    return (low, (low + high) / 2, high) if low != high else (low,)


def from_ray(entry: str, root: Path) -> dict[str, Hyperparameter]:
    """The domains of a Ray Tune search space, ``FILE.py:NAME``: a mapping of `tune.…` calls, read as syntax.

    Raises UsageProblem for what is no such mapping, with file and line.
    """
    file, _, name = entry.rpartition(":")
    path = (root / file).resolve()
    if not path.is_relative_to(root.resolve()) or not path.is_file():
        raise UsageProblem(f"{file} is not a file of {root}")
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, SyntaxError, RecursionError, ValueError):
        raise UsageProblem(f"{file} cannot be read as Python") from None
    constants: dict[str, Any] = {}
    space: ast.expr | None = None
    for node in ast.walk(tree):
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
        for target in targets:
            if isinstance(target, ast.Name) and value is not None:
                if target.id == name:
                    space = value
                elif (literal := _literal(value, {})) is not _NONE:
                    constants[target.id] = literal
    if space is None:
        raise UsageProblem(f"{file} assigns no `{name}`; name the mapping that is Tune's `param_space`")
    return {n: Hyperparameter(n, v, line=line) for n, v, line in _entries(space, constants, file)}


_NONE = object()


def _literal(node: ast.expr, constants: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Name):
        return constants.get(node.id, _NONE)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return _NONE


def _entries(space: ast.expr, constants: Mapping[str, Any], file: str) -> Iterator[tuple[str, Sequence[Any], int]]:
    if isinstance(space, ast.Dict):
        pairs = [
            (None if k is None else _literal(k, constants), v) for k, v in zip(space.keys, space.values, strict=True)
        ]
    elif isinstance(space, ast.Call) and isinstance(space.func, ast.Name) and space.func.id == "dict":
        pairs = [(k.arg, k.value) for k in space.keywords]
    else:
        raise UsageProblem(
            f"{file}:{space.lineno}: the search space is no mapping that can be read; write it as a literal"
        )
    for key, value in pairs:
        if not isinstance(key, str):
            raise UsageProblem(f"{file}:{value.lineno}: a key of the search space is no text")
        if isinstance(value, ast.Dict):
            yield from _entries(value, constants, file)
        else:
            yield key, _tuned(key, value, constants, file), value.lineno


def _tuned(key: str, node: ast.expr, constants: Mapping[str, Any], file: str) -> Sequence[Any]:
    """The values of one entry: a literal, or a call of Tune's."""
    plain = _literal(node, constants)
    if plain is not _NONE:
        return (tuple(plain) if isinstance(plain, list) else plain,)
    where = f"{file}:{node.lineno}: `{key}`"
    if not isinstance(node, ast.Call):
        raise UsageProblem(f"{where} is neither a literal nor a call of Tune's")
    kind = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    names = {"choice": ("categories",), "grid_search": ("values",)}.get(kind, ("lower", "upper", "q"))
    given = dict(zip(names, (_literal(a, constants) for a in node.args), strict=False))
    given |= {k.arg: _literal(k.value, constants) for k in node.keywords if k.arg is not None and k.arg in names}
    if not given or any(v is _NONE for v in given.values()):
        raise UsageProblem(f"{where}: the arguments of `{kind}` are no literals")
    match kind:
        case "choice" | "grid_search":
            return tuple(tuple(v) if isinstance(v, list) else v for v in next(iter(given.values())))
        case "randint" | "lograndint":
            return range(int(given["lower"]), int(given["upper"]))
        case "qrandint" | "qlograndint":
            step = int(given.get("q", 1))
            low = -(-int(given["lower"]) // step) * step
            return range(low, int(given["upper"]) + 1, step)
        case "uniform" | "loguniform" | "quniform" | "qloguniform":
            return _ends(float(given["lower"]), float(given["upper"]))
    raise UsageProblem(
        f"{where}: `{kind}` has no finite values; write `choice`, `randint`, `qrandint` or `grid_search`"
    )
