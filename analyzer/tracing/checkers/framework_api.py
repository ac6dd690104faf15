"""Names and arguments of torch, TensorFlow, Keras and NumPy, checked against data files by the repository's version."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from analyzer.frameworks.api_tables import ApiTable, Asked, Choice, all_tables, asked_of, tables
from analyzer.frameworks.removed_names import REMOVED
from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.paths.symbols import Site

_BASE_ARGUMENTS = frozenset(
    [
        "name",
        "dtype",
        "trainable",
        "autocast",
        "input_shape",
        "input_dim",
        "batch_input_shape",
        "batch_size",
        "weights",
        "dynamic",
        "lr",
        "decay",
        "activity_regularizer",
        "implementation",
        "time_major",
    ]
)  # that Keras takes through `**kwargs`
# modules that packages for other devices put into torch
_PLUGGED_IN = frozenset(
    f"torch.{name}" for name in ("npu", "tpu", "mlu", "musa", "hpu", "neuron", "gcu", "ipu", "sdaa", "maia", "xla",
                                 "dml", "supa", "cuda", "xpu", "mps", "spyre", "privateuseone", "ops", "classes")
)  # fmt: skip
_SHORT = {"tensorflow": "TensorFlow", "torch": "PyTorch", "keras": "Keras", "numpy": "NumPy"}
_PACKAGES = frozenset(_SHORT)


def check_framework_names(tree: ast.Module, path: str, versions: Versions) -> Iterator[Diagnostic]:
    """Attributes that do not exist and arguments that do not fit, outside guarded code."""
    aliases = _aliases(tree)
    if not aliases:
        return
    rebound = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, (ast.Store, ast.Del))}
    guarded = _guarded(tree)
    for node in ast.walk(tree):
        if id(node) in guarded:
            continue
        if isinstance(node, ast.Attribute):
            name = _full_name(node, aliases, rebound)
            if name is not None:
                yield from _check_attribute(node, name, path, versions)
        elif isinstance(node, ast.Call) and isinstance(node.func, (ast.Attribute, ast.Name)):
            name = _full_name(node.func, aliases, rebound)
            if name is not None:
                yield from _check_call(node, name, path, versions)
    for node in ast.walk(tree):
        if id(node) in guarded:
            continue
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from _check_prefixes(node, node.module, path, versions)
            for alias in node.names:
                if node.module.partition(".")[0] in _PACKAGES and alias.name != "*":
                    yield from _check_attribute(node, f"{node.module}.{alias.name}", path, versions)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield from _check_prefixes(node, alias.name, path, versions)


def _check_prefixes(node: ast.AST, module: str, path: str, versions: Versions) -> Iterator[Diagnostic]:
    """The parts of an imported module's name that a version has no more."""
    parts = module.split(".")
    for end in range(2, len(parts) + 1):
        name = ".".join(parts[:end])
        if name in REMOVED:
            yield from _check_attribute(node, name, path, versions)


def _aliases(tree: ast.Module) -> dict[str, str]:
    """Local name → what of a framework it stands for; names that two imports bind differently are left out."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                found.setdefault(alias.asname or first, set()).add(alias.name if alias.asname else first)
        elif isinstance(node, ast.ImportFrom):
            origin = f"{'.' * node.level}{node.module or ''}"
            for alias in node.names:
                found.setdefault(alias.asname or alias.name, set()).add(f"{origin}.{alias.name}")
    single = {name: next(iter(origins)) for name, origins in found.items() if len(origins) == 1}
    return {name: origin for name, origin in single.items() if origin.partition(".")[0] in _PACKAGES}


def _guarded(tree: ast.Module) -> set[int]:
    """Nodes inside `try`, or behind a test of a version or of an attribute."""
    found: set[int] = set()
    for node in ast.walk(tree):
        inside = isinstance(node, (ast.Try, ast.TryStar))
        if isinstance(node, (ast.If, ast.IfExp)):
            text = ast.unparse(node.test).lower()
            inside = any(
                word in text
                for word in ("version", "hasattr", "tf2", "tf1", "v1", "v2", "is_available", "type_checking")
            )
        if isinstance(node, ast.With):
            text = " ".join(ast.unparse(i.context_expr) for i in node.items)
            inside = "raises" in text.lower() or "suppress" in text
        if inside:
            found.update(id(part) for part in ast.walk(node))
    return found


def _full_name(node: ast.expr, aliases: Mapping[str, str], rebound: set[str]) -> str | None:
    parts: list[str] = []
    current: ast.expr = node
    while isinstance(current, ast.Attribute):
        parts.append(current.attr)
        current = current.value
    if not isinstance(current, ast.Name) or current.id not in aliases or current.id in rebound:
        return None
    return ".".join([aliases[current.id], *reversed(parts)])


def _home(name: str) -> tuple[str, str, str] | None:
    """(framework, module, last name) if the module's names are known."""
    framework = name.partition(".")[0]
    if framework not in _PACKAGES:
        return None
    if name.startswith("tensorflow.keras."):
        name, framework = "keras." + name[len("tensorflow.keras.") :], "keras"
    module, _, last = name.rpartition(".")
    return (framework, module, last) if any(module in t.modules for t in all_tables(framework)) else None


def has_name(name: str, versions: Versions) -> bool:
    """Whether every version of the framework that may be in use has the name."""
    home = _home(name)
    if home is None or name in REMOVED:
        return False
    framework, module, last = home
    choice = tables(framework, asked_of(versions, framework))
    return bool(choice.tables) and all(_has(table, module, last) for table in choice.tables)


def _check_attribute(node: ast.AST, name: str, path: str, versions: Versions) -> Iterator[Diagnostic]:
    framework = name.partition(".")[0]
    site = Site(path, getattr(node, "lineno", 1))
    if name in REMOVED:
        yield from _removed(name, framework, asked_of(versions, framework), site)
        return
    home = _home(name)
    if home is None or name in _PLUGGED_IN:
        return
    framework, module, last = home
    if f"{module}.{last}" in REMOVED:
        yield from _removed(f"{module}.{last}", framework, asked_of(versions, framework), site)
        return
    choice = tables(framework, asked_of(versions, framework))
    having = [t for t in choice.tables if module in t.modules]
    if last.startswith("_") or not having or any(_has(table, module, last) for table in choice.tables):
        return
    names = having[-1].modules[module]
    near = get_close_matches(last, [n for n in names if not n.startswith("_")], 1, 0.75)
    lived = _lived(framework, module, last, choice)
    certain = choice.certain and (not choice.gone_only or lived.startswith("; the last"))
    if not certain and (lived or not near):
        return  # it may exist in the version that the repository uses
    hint = f"; did you mean `{near[0]}`?" if near and not lived else lived
    against = f"{_SHORT[framework]} {choice}"
    yield Diagnostic(
        "python/missing-attribute", "error",
        f"`{module}` has no attribute `{last}`{hint} (checked against {against})",
        site, name, (f"Names of {against}.",), certain, None, name,
    )  # fmt: skip


def _removed(name: str, framework: str, asked: Asked, site: Site) -> Iterator[Diagnostic]:
    removed = REMOVED[name]
    wanted = asked.version or asked.low
    if wanted is None or not removed.missing(wanted) or (asked.version is None and removed.back is not None):
        return
    use = f"; use {removed.instead}" if removed.instead else ""
    version = f"{_SHORT[framework]} {asked}"
    yield Diagnostic(
        "python/removed-api", "error", f"`{name}` does not exist in {version}{use}", site, name,
        (f"The repository asks for {version}.",), True, None, name,
    )  # fmt: skip


def _has(table: ApiTable, module: str, last: str) -> bool:
    """Whether the name exists; a module that the table does not describe may hold anything."""
    names = table.modules.get(module)
    if names is None or last in names:
        return True
    return any(other == f"{module}.{last}" or other.startswith(f"{module}.{last}.") for other in table.modules)


def _lived(framework: str, module: str, last: str, choice: Choice) -> str:
    """In which versions the name exists, if in any."""
    having = [t for t in all_tables(framework) if module in t.modules and _has(t, module, last)]
    if not having or not choice.tables:
        return ""
    if having[0].version > choice.tables[-1].version:
        return f"; it exists from about {_SHORT[framework]} {having[0]} on"
    return f"; the last version known to have it is {having[-1]}"


def _check_call(node: ast.Call, name: str, path: str, versions: Versions) -> Iterator[Diagnostic]:
    home = _home(name)
    if home is None:
        return
    framework, module, last = home
    if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
        return
    choice = tables(framework, asked_of(versions, framework))
    keywords = [k.arg for k in node.keywords if k.arg]
    problem, declared = None, None
    for table in choice.tables:
        declared = table.modules.get(module, {}).get(last)
        if declared is None:
            return
        problem = call_problem(declared, len(node.args), keywords, guess=module.startswith("keras."))
        if problem is None:
            return
    if problem is None or declared is None:
        return
    against = f"{_SHORT[framework]} {choice}"
    yield Diagnostic(
        "python/argument-mismatch", "error",
        f"`{name}` {problem} (checked against {against})", Site(path, node.lineno), name,
        (f"Signature: {last}({', '.join(declared)})",), choice.certain and not choice.gone_only, None, name,
    )  # fmt: skip


def call_problem(declared: list[str], positional: int, keywords: list[str], guess: bool = False) -> str | None:
    """Why a call with so many positional arguments and these keywords does not fit; None if it does.

    `guess`: what `**kwargs` takes is checked further inside, so a keyword that is nearly a named one is misspelt.
    """
    ordered: list[str] = []
    named: list[str] = []
    required: set[str] = set()
    star = double = keyword_only = False
    for entry in declared:
        if entry.startswith("**"):
            double = True
        elif entry == "*":
            keyword_only = True
        elif entry.startswith("*"):
            star = keyword_only = True
        else:
            name = entry.lstrip("/").rstrip("=")
            (named if keyword_only else ordered).append(name)
            if not entry.endswith("="):
                required.add(name)
    if positional > len(ordered) and not star:
        return f"takes at most {len(ordered)} positional arguments but {positional} are given"
    given = set(ordered[:positional])
    for keyword in keywords:
        if keyword in given:
            return f"gets two values for the argument `{keyword}`"
        if keyword not in ordered and keyword not in named and (guess or not double):
            near = get_close_matches(keyword, [*ordered, *named], 1, 0.85 if double else 0.7)
            if double and (not near or keyword in _BASE_ARGUMENTS):
                continue
            return f"has no argument `{keyword}`" + (f"; did you mean `{near[0]}`?" if near else "")
    missing = [n for n in (*ordered, *named) if n in required and n not in given and n not in keywords]
    if missing and not star:
        return f"misses the argument{'s' if len(missing) > 1 else ''} " + ", ".join(f"`{m}`" for m in missing)
    return None
