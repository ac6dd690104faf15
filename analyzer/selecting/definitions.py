"""The classes and functions at the top of a repository's files, and what a name means in each. Read as text."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from analyzer.selecting.example_calls import module_of
from analyzer.selecting.model_code import ModelCode, Source

DEPTH = 6  # how far classes are followed into those that they are made of; the first layer stands near the top


@dataclass(frozen=True, eq=False)
class SourceDefinition:
    """A class or function at the top of a file."""

    name: str
    node: ast.ClassDef | ast.FunctionDef
    source: Source
    framework: str | None  # of a model class

    @cached_property
    def calls(self) -> tuple[str, ...]:
        """The names that its text calls, in order."""
        return tuple(last_name(n.func) for n in ast.walk(self.node) if isinstance(n, ast.Call))

    @property
    def maker(self) -> ast.FunctionDef | None:
        """The function that runs when it is called: of a class, its own constructor."""
        return method(self.node, "__init__") if isinstance(self.node, ast.ClassDef) else self.node

    @property
    def parameters(self) -> list[str]:
        """The names of its positional arguments."""
        given = [] if self.maker is None else [a.arg for a in (*self.maker.args.posonlyargs, *self.maker.args.args)]
        return given[1:] if isinstance(self.node, ast.ClassDef) else given

    @property
    def defaults(self) -> dict[str, int]:
        """The arguments that are a positive number by default."""
        if self.maker is None:
            return {}
        given = self.maker.args
        pairs = list(zip((*given.posonlyargs, *given.args)[::-1], given.defaults[::-1], strict=False))
        pairs += [(a, d) for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True) if d is not None]
        numbers = {a.arg: d.value for a, d in pairs if isinstance(d, ast.Constant)}
        return {name: value for name, value in numbers.items() if type(value) is int and value > 0}


@dataclass(frozen=True)
class SourceDefinitions:
    definitions: Mapping[str, tuple[SourceDefinition, ...]]  # by name

    @classmethod
    def of(cls, code: ModelCode) -> SourceDefinitions:
        classes = {(c.path, c.name): c.framework for c in code.classes}
        definitions: dict[str, tuple[SourceDefinition, ...]] = {}
        for source in code.sources:
            for node in source.tree.body if source.path.endswith(".py") else ():
                if isinstance(node, ast.ClassDef | ast.FunctionDef):
                    one = SourceDefinition(node.name, node, source, classes.get((source.path, node.name)))
                    definitions[node.name] = (*definitions.get(node.name, ()), one)
        return cls(definitions)

    def find(self, name: str, near: Source) -> SourceDefinition | None:
        """What `name` means in the file `near`: its own definition, what it imports, or the only one that there is."""
        module, name = _imported(near).get(name, ("", name))
        found = self.definitions.get(name, ())
        own = [d for d in found if d.source is near]
        nearer = own or [d for d in found if module and _lies_in(d.source.path, module)]
        return nearer[0] if nearer else found[0] if len(found) == 1 else None

    def parts(self, start: SourceDefinition) -> list[SourceDefinition]:
        """The model classes that `start` is made of, nearest first, itself included."""
        found: list[SourceDefinition] = []
        pending = [(start, DEPTH)]
        while pending:
            current, left = pending.pop(0)
            if current in found:
                continue
            found.append(current)
            inner = [self.find(name, current.source) for name in current.calls] if left else []
            pending += [(d, left - 1) for d in inner if d is not None and d.framework]
        return found


def _imported(source: Source) -> dict[str, tuple[str, str]]:
    """Of each name that a file imports from a module: the module, and the name there."""
    found: dict[str, tuple[str, str]] = {}
    for node in source.tree.body:
        if isinstance(node, ast.ImportFrom):
            package = source.path.split("/")[: -node.level or None] if node.level else []
            module = ".".join([*package, *([node.module] if node.module else [])])
            found |= {alias.asname or alias.name: (module, alias.name) for alias in node.names}
    return found


def _lies_in(path: str, module: str) -> bool:
    """Whether the file is the module, or one below it, from which packages hand names on."""
    own = module_of(path) or ""
    return own == module or own.startswith(f"{module}.")


def method(node: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    return next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == name), None)


def last_name(expression: ast.expr) -> str:
    """``Conv2d`` of ``nn.Conv2d``."""
    if isinstance(expression, ast.Attribute):
        return expression.attr
    return expression.id if isinstance(expression, ast.Name) else ""


def required_parameters(function: ast.FunctionDef) -> list[str]:
    """The parameters of a function that have no default."""
    given = function.args
    positional = [a.arg for a in (*given.posonlyargs, *given.args)]
    keywords = [a.arg for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True) if d is None]
    return [*positional[: len(positional) - len(given.defaults)], *keywords]
