"""The names and signatures of a package that is not installed, read from its wheel (or folder) without running it.

Names are over-approximated: whatever a module or its stub may bind, on any branch, counts. Signatures are given only
where the source leaves no doubt: a plain function, or the nearest `__init__` of a class, under decorators that keep it.
"""

from __future__ import annotations

import ast
import functools
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

Definition = ast.FunctionDef | ast.ClassDef
KEEPING = (
    "tf_export", "keras_export", "dispatch", "deprecation", "deprecated", "doc_controls", "traceback_utils",
    "set_module", "add_dispatch_support", "_dispatch", "array_function_dispatch", "finalize_array_function",
    "no_grad", "_disable", "_forward_unimplemented", "exporter", "compatibility",
)  # fmt: skip # decorators whose results take the same arguments


@dataclass
class Binding:
    """What a name stands for: a definition and the module it is in, another module, or something that is not told."""

    definition: Definition | None = None
    home: str = ""
    module: str = ""


@dataclass
class Package:
    """The Python files of one package. `alias` maps the name users import to the folder that holds it."""

    files: dict[str, bytes]
    alias: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def of_wheel(path: Path, alias: dict[str, str] | None = None) -> Package:
        with zipfile.ZipFile(path) as wheel:
            names = [n for n in wheel.namelist() if n.endswith((".py", ".pyi")) and "/tests/" not in n]
            return Package({name: wheel.read(name) for name in names}, alias or {})

    @staticmethod
    def of_folder(folder: Path, alias: dict[str, str] | None = None) -> Package:
        """`folder` holds the package itself, e.g. ``site-packages/torch``."""
        files = [p for p in folder.rglob("*.py*") if p.suffix in (".py", ".pyi") and "tests" not in p.parts]
        return Package({p.relative_to(folder.parent).as_posix(): p.read_bytes() for p in files}, alias or {})

    def __post_init__(self) -> None:
        self._known: dict[str, dict[str, Binding]] = {}
        self._exports: dict[str, list[str]] = {}
        self._trees: dict[str, ast.Module] = {}
        self._open: set[str] = set()  # modules whose `__all__` is not told by their own text

    def sources(self, module: str) -> list[tuple[str, str]]:
        """(file, module that relative imports are resolved against) of a module: its source and its stub."""
        path = module.replace(".", "/")
        for user, real in self.alias.items():
            if path == user or path.startswith(f"{user}/"):
                path = real + path[len(user) :]
        found = []
        for suffix in (".pyi", ".py"):
            for name in (f"{path}/__init__{suffix}", f"{path}{suffix}"):
                if name in self.files:
                    found.append((name, module if "/__init__" in name else module.rpartition(".")[0]))
                    break
        return found

    def names(self, module: str) -> dict[str, Binding]:
        """Everything that may be an attribute of the module."""
        if module in self._known:
            return self._known[module]
        found: dict[str, Binding] = {}
        self._known[module] = found  # circular imports see what is there so far
        for file, package in self.sources(module):
            try:
                tree = self._trees.get(file) or ast.parse(self.files[file])
            except (SyntaxError, ValueError):
                continue
            self._trees[file] = tree
            self._bind(tree.body, module, package, found, file.endswith(".pyi"))
            if any(isinstance(n, ast.FunctionDef) and n.name == "__getattr__" for n in ast.walk(tree)):
                for text in _strings(tree):
                    found.setdefault(text, Binding())
        for name in self._submodules(module):
            found.setdefault(name, Binding(module=f"{module}.{name}"))
        return found

    def _submodules(self, module: str) -> Iterator[str]:
        sources = [file for file, _ in self.sources(module) if "/__init__" in file]
        folder = sources[0].rpartition("/")[0] + "/" if sources else None
        yield from self._below.get(folder or "", ())

    @functools.cached_property
    def _below(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for file in self.files:
            folder, _, name = file.rpartition("/")
            if name.startswith("__init__"):
                parent, _, own = folder.rpartition("/")
                found.setdefault(parent + "/", set()).add(own)
            else:
                found.setdefault(folder + "/", set()).add(name.partition(".")[0])
        return found

    def _bind(self, body: list[ast.stmt], module: str, package: str, found: dict[str, Binding], stub: bool) -> None:
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                known = found.get(node.name)
                twice = known is not None and known.definition is not None and known.home == module
                found[node.name] = Binding() if twice or stub else Binding(node, module)
            elif isinstance(node, ast.AsyncFunctionDef):
                found[node.name] = Binding()
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    first = alias.asname or alias.name.partition(".")[0]
                    found[first] = Binding(module=alias.name if alias.asname else first)
            elif isinstance(node, ast.ImportFrom):
                self._bind_from(node, package, found)
            elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                self._bind_value(node, module, found)
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                called = ast.unparse(node.value.func)
                if called.startswith("__all__."):
                    if any("__all__" in ast.unparse(argument) for argument in node.value.args):
                        self._open.add(module)
                    for text in _strings(node.value):
                        found.setdefault(text, Binding())
                elif called == "setattr" and len(node.value.args) == 3:
                    for text in _strings(node.value.args[1]):
                        found.setdefault(text, Binding())
            else:
                for part in ("body", "orelse", "finalbody"):
                    self._bind(getattr(node, part, []), module, package, found, stub)
                for handler in getattr(node, "handlers", []):
                    self._bind(handler.body, module, package, found, stub)

    def _bind_value(
        self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, module: str, found: dict[str, Binding]
    ) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            for part in ast.walk(target):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    same = found.get(node.value.id) if isinstance(node.value, ast.Name) else None  # another name
                    if part.id == "__all__":
                        if node.value is not None and "__all__" in ast.unparse(node.value):
                            self._open.add(module)  # it takes over what another module exports
                        exported = _strings(node.value) if node.value is not None else []
                        self._exports.setdefault(module, []).extend(exported)
                        for text in exported:
                            found.setdefault(text, Binding())
                    else:
                        found[part.id] = same or Binding()

    def _bind_from(self, node: ast.ImportFrom, package: str, found: dict[str, Binding]) -> None:
        base = package
        for _ in range(node.level - 1):
            base = base.rpartition(".")[0]
        source = f"{base}.{node.module}".strip(".") if node.level and node.module else node.module or base
        there = self.names(source)
        for alias in node.names:
            if alias.name == "*":
                exported = None if source in self._open else self._exports.get(source)
                for name, bound in there.items():
                    if name in exported if exported else not name.startswith("_"):
                        known = found.get(name)
                        if known is None or (known.definition is None and not known.module):
                            found[name] = bound
                continue
            binding: Binding | None = there.get(alias.name)
            if binding is None and self.sources(f"{source}.{alias.name}"):
                binding = Binding(module=f"{source}.{alias.name}")
            found[alias.asname or alias.name] = binding or Binding()

    def describe(self, module: str) -> dict[str, list[str] | None]:
        """Name → parameters, None for what is no callable or cannot be told.

        Each module is read anew: where imports run in a circle, the one that is begun first is whole.
        """
        located = self.located(module)
        for known in (self._known, self._exports, self._open):
            known.clear()
        names = self.names(located)
        return {name: self.signature(names[name]) for name in sorted(names) if not name.startswith("__")}

    def located(self, module: str) -> str:
        """The module that a dotted name of users leads to: ``tensorflow.nn`` is another module's attribute."""
        current, *parts = module.split(".")
        for part in parts:
            binding = self.names(current).get(part)
            current = binding.module if binding is not None and binding.module else f"{current}.{part}"
        return current

    def signature(self, binding: Binding, depth: int = 8) -> list[str] | None:
        node = binding.definition
        if node is None or not all(_keeps(d) for d in node.decorator_list) or not depth:
            return None
        if isinstance(node, ast.FunctionDef):
            return parameters(node, method=False)
        if node.decorator_list and "export" not in ast.unparse(node.decorator_list[0]):
            return None  # a class in a wrapper
        if any(k.arg == "metaclass" and "ABC" not in ast.unparse(k.value) for k in node.keywords):
            return None
        own = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
        if "__new__" in own:
            return None
        initializers = [m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"]
        if initializers:
            plain = len(initializers) == 1 and all(_keeps(d) for d in initializers[0].decorator_list)
            return parameters(initializers[0], method=True) if plain else None
        bases = [self._resolve(base, binding.home) for base in node.bases]
        return self.signature(bases[0], depth - 1) if len(bases) == 1 and bases[0] is not None else None

    def _resolve(self, expression: ast.expr, module: str) -> Binding | None:
        parts = ast.unparse(expression).partition("[")[0].split(".")
        binding = self.names(module).get(parts[0])
        for part in parts[1:]:
            binding = self.names(binding.module).get(part) if binding is not None and binding.module else None
        return binding


def parameters(function: ast.FunctionDef, *, method: bool) -> list[str]:
    """The notation of `extract_api.parameters`; `method` drops ``self``."""
    spec = function.args
    plain = [*spec.posonlyargs, *spec.args]
    defaults = len(spec.defaults)
    marked = [f"{p.arg}{'=' if i >= len(plain) - defaults else ''}" for i, p in enumerate(plain)]
    marked[: len(spec.posonlyargs)] = [f"/{name}" for name in marked[: len(spec.posonlyargs)]]
    result = marked[1:] if method else marked
    if spec.vararg is not None:
        result.append(f"*{spec.vararg.arg}")
    elif spec.kwonlyargs:
        result.append("*")
    result += [f"{p.arg}{'=' if d is not None else ''}" for p, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True)]
    if spec.kwarg is not None:
        result.append(f"**{spec.kwarg.arg}")
    return result


def _keeps(decorator: ast.expr) -> bool:
    called = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
    return any(part.startswith(KEEPING) for part in called.split("."))


def _strings(node: ast.AST) -> list[str]:
    """Identifiers that stand in it as text."""
    found = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return [text for text in found if text.isidentifier()]
