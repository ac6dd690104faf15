"""Names and arguments of torch, TensorFlow and Keras, checked against data files by the repository's version."""

from __future__ import annotations

import ast
import functools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import resources
from typing import Any

from analyzer.tracing.symbols import Site
from analyzer.tracing.tracer import Problem
from analyzer.tracing.versions import Versions

# names that left a framework: the version in which they were gone, and what stands in for them
REMOVED: dict[str, tuple[tuple[int, ...], str]] = {
    "tensorflow.placeholder": ((2,), "tf.keras.Input, or tf.compat.v1.placeholder"),
    "tensorflow.Session": ((2,), "eager execution, or tf.compat.v1.Session"),
    "tensorflow.InteractiveSession": ((2,), "tf.compat.v1.InteractiveSession"),
    "tensorflow.global_variables_initializer": ((2,), "tf.compat.v1.global_variables_initializer"),
    "tensorflow.get_variable": ((2,), "tf.Variable"),
    "tensorflow.variable_scope": ((2,), "tf.compat.v1.variable_scope"),
    "tensorflow.contrib": ((2,), "TensorFlow Addons or the core API"),
    "tensorflow.layers": ((2,), "tf.keras.layers"),
    "tensorflow.app": ((2,), "absl.app, or tf.compat.v1.app"),
    "tensorflow.flags": ((2,), "absl.flags"),
    "tensorflow.logging": ((2,), "tf.get_logger()"),
    "tensorflow.set_random_seed": ((2,), "tf.random.set_seed"),
    "tensorflow.random_normal": ((2,), "tf.random.normal"),
    "tensorflow.random_uniform": ((2,), "tf.random.uniform"),
    "tensorflow.truncated_normal": ((2,), "tf.random.truncated_normal"),
    "tensorflow.log": ((2,), "tf.math.log"),
    "tensorflow.to_float": ((2,), "tf.cast(x, tf.float32)"),
    "tensorflow.to_int32": ((2,), "tf.cast(x, tf.int32)"),
    "tensorflow.assign": ((2,), "variable.assign"),
    "tensorflow.ConfigProto": ((2,), "tf.compat.v1.ConfigProto"),
    "tensorflow.reset_default_graph": ((2,), "tf.compat.v1.reset_default_graph"),
    "tensorflow.mul": ((1,), "tf.multiply"),
    "tensorflow.sub": ((1,), "tf.subtract"),
    "tensorflow.pack": ((1,), "tf.stack"),
    "tensorflow.unpack": ((1,), "tf.unstack"),
    "tensorflow.initialize_all_variables": ((2,), "tf.compat.v1.global_variables_initializer"),
    "tensorflow.train.AdamOptimizer": ((2,), "tf.keras.optimizers.Adam"),
    "tensorflow.train.GradientDescentOptimizer": ((2,), "tf.keras.optimizers.SGD"),
    "tensorflow.nn.rnn_cell": ((2,), "tf.keras.layers"),
    "tensorflow.nn.dynamic_rnn": ((2,), "tf.keras.layers.RNN"),
    "tensorflow.nn.softmax_cross_entropy_with_logits_v2": ((2,), "tf.nn.softmax_cross_entropy_with_logits"),
    "torch.symeig": ((2,), "torch.linalg.eigh"),
    "torch.qr_": ((3,), "torch.linalg.qr"),
    "torch.gels": ((1, 2), "torch.linalg.lstsq"),
    "torch.lstsq": ((1, 13), "torch.linalg.lstsq"),
    "torch.eig": ((1, 13), "torch.linalg.eig"),
    "torch.solve": ((1, 13), "torch.linalg.solve"),
    "torch.matrix_rank": ((1, 13), "torch.linalg.matrix_rank"),
    "torch.rfft": ((1, 8), "torch.fft.rfft"),
    "torch.irfft": ((1, 8), "torch.fft.irfft"),
    "torch.ifft": ((1, 8), "torch.fft.ifft"),
    "keras.utils.np_utils": ((3,), "keras.utils.to_categorical"),
    "keras.layers.merge_": ((2,), "keras.layers.concatenate"),
    "keras.layers.CuDNNLSTM": ((3,), "keras.layers.LSTM"),
    "keras.layers.CuDNNGRU": ((3,), "keras.layers.GRU"),
    "keras.preprocessing.text": ((3,), "keras.layers.TextVectorization"),
    "keras.wrappers": ((3,), "the package scikeras"),
}
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
_PACKAGES = {"torch": "torch", "tensorflow": "tensorflow", "keras": "keras"}
_SHORT = {"tensorflow": "TensorFlow", "torch": "PyTorch", "keras": "Keras"}


@functools.cache
def framework_data(framework: str) -> Mapping[str, Any]:
    """The extracted names of one framework: version, modules, attributes."""
    text = (resources.files("analyzer.tracing") / "api" / f"{framework}.json").read_text(encoding="utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found


@dataclass(frozen=True, slots=True)
class Table:
    """The public names of one version."""

    version: tuple[int, ...]
    modules: Mapping[str, Mapping[str, list[str] | None]]

    def __str__(self) -> str:
        return ".".join(map(str, self.version))


@functools.cache
def all_tables(framework: str) -> tuple[Table, ...]:
    """Every version that a data file describes, oldest first."""
    data = framework_data(framework)
    found = [Table(_numbers(data["version"]), data["modules"])]
    if framework == "keras":
        text = (resources.files("analyzer.tracing") / "api" / "keras_versions.json").read_text(encoding="utf-8")
        found += [Table(_numbers(version), modules) for version, modules in json.loads(text).items()]
    return tuple(sorted(found, key=lambda t: t.version))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(p) for p in version.split("+")[0].split(".")[:3] if p.isdigit())


def tables(framework: str, asked: tuple[int, ...] | None) -> tuple[tuple[Table, ...], bool]:
    """The versions to judge by, and whether what they agree on holds for the version asked for.

    That version itself where it is known, else its neighbours on both sides; of a bare major version all of it.
    """
    known = all_tables(framework)
    if asked is None:
        return known[-1:], False
    exact = tuple(t for t in known if t.version[:2] == asked[:2])
    if exact:
        return exact, True
    major = tuple(t for t in known if t.version[0] == asked[0])
    if len(asked) == 1:
        return major, len(major) > 1
    below = tuple(t for t in major if t.version < asked)[-1:]
    above = tuple(t for t in major if t.version > asked)[:1]
    if below or above:
        return below + above, bool(below and above)
    return (known[-1:], False) if asked[0] >= known[-1].version[0] else ((), False)


def check_framework_names(tree: ast.Module, path: str, versions: Versions) -> Iterator[Problem]:
    """Attributes that do not exist and arguments that do not fit, outside guarded code."""
    aliases = dict(_aliases(tree))
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
        if isinstance(node, ast.ImportFrom) and node.module and not node.level and id(node) not in guarded:
            for alias in node.names:
                if node.module.partition(".")[0] in _PACKAGES and alias.name != "*":
                    yield from _check_attribute(node, f"{node.module}.{alias.name}", path, versions)


def _aliases(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] in _PACKAGES:
                    yield (alias.asname, alias.name) if alias.asname else (alias.name.partition(".")[0],) * 2
        elif (
            isinstance(node, ast.ImportFrom)
            and node.module
            and not node.level
            and node.module.partition(".")[0] in _PACKAGES
        ):
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


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
    return (framework, module, last) if module in framework_data(framework)["modules"] else None


def _version(versions: Versions, framework: str) -> tuple[int, ...] | None:
    if framework == "keras":
        tensorflow = versions.get("tensorflow")
        if versions.get("keras") is not None or tensorflow is None:
            return versions.get("keras")
        if len(tensorflow) == 1 or tensorflow >= (2, 16):
            return (3,) if tensorflow >= (2, 16) else None
        return tensorflow[:2] if tensorflow[0] == 2 else None  # Keras 2 was released together with TensorFlow
    return versions.get(framework)


def _check_attribute(node: ast.AST, name: str, path: str, versions: Versions) -> Iterator[Problem]:
    removed = REMOVED.get(name)
    framework = name.partition(".")[0]
    asked = _version(versions, framework)
    site = Site(path, getattr(node, "lineno", 1))
    if removed is not None:
        gone, instead = removed
        if asked is None or asked < gone:
            return
        version = ".".join(map(str, asked))
        yield Problem(
            "python/removed-api",
            "error",
            f"`{name}` does not exist in {_SHORT[framework]} {version}; use {instead}",
            site,
            name,
            (f"The repository asks for {_SHORT[framework]} {version}.",),
            True,
            None,
            name,
        )
        return
    home = _home(name)
    if home is None:
        return
    framework, module, last = home
    asked = _version(versions, framework)
    chosen, certain = tables(framework, asked)
    if last.startswith("_") or not chosen or any(r == f"{module}.{last}" for r in REMOVED):
        return
    if any(_has(table, module, last) for table in chosen):
        return
    names = chosen[-1].modules.get(module, {})
    near = get_close_matches(last, [n for n in names if not n.startswith("_")], 1, 0.75)
    if not near and not certain:
        return  # it may have existed in the version that the repository uses
    hint = f"; did you mean `{near[0]}`?" if near else _lived(framework, module, last, chosen)
    against = " and ".join(map(str, chosen))
    yield Problem(
        "python/missing-attribute", "error",
        f"`{module}` has no attribute `{last}`{hint} (checked against {_SHORT[framework]} {against})",
        site, name, (f"Names of {_SHORT[framework]} {against}.",), certain, None, name,
    )  # fmt: skip


def _has(table: Table, module: str, last: str) -> bool:
    """Whether the name exists; a module that the table does not describe may hold anything."""
    names = table.modules.get(module)
    if names is None or last in names:
        return True
    return any(other == f"{module}.{last}" or other.startswith(f"{module}.{last}.") for other in table.modules)


def _lived(framework: str, module: str, last: str, chosen: tuple[Table, ...]) -> str:
    """In which versions the name exists, if in any."""
    having = [t for t in all_tables(framework) if module in t.modules and _has(t, module, last)]
    if not having or not chosen:
        return ""
    if having[0].version > chosen[-1].version:
        return f"; it exists from about {_SHORT[framework]} {having[0]} on"
    return f"; the last version known to have it is {having[-1]}"


def _check_call(node: ast.Call, name: str, path: str, versions: Versions) -> Iterator[Problem]:
    home = _home(name)
    if home is None:
        return
    framework, module, last = home
    if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
        return
    asked = _version(versions, framework)
    chosen, certain = tables(framework, asked)
    problem, declared = None, None
    for table in chosen:
        declared = table.modules.get(module, {}).get(last)
        if declared is None:
            return
        keywords = [k.arg for k in node.keywords if k.arg]
        problem = call_problem(declared, len(node.args), keywords, guess=module.startswith("keras."))
        if problem is None:
            return
    if problem is None or declared is None or (asked is not None and asked[0] < chosen[-1].version[0]):
        return
    against = " and ".join(map(str, chosen))
    yield Problem(
        "python/argument-mismatch", "error",
        f"`{name}` {problem} (checked against {_SHORT[framework]} {against})", Site(path, node.lineno), name,
        (f"Signature: {last}({', '.join(declared)})",), certain, None, name,
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
