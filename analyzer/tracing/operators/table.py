"""How library names are declared: `@operator("torch.cat torch.concat", "tensors dim=0")`, one short rule each.

A rule is a function of an `Op` (where and how it is called) and the bound arguments. The families beside this module
hold the rules; `rules()` collects them. Adding a name touches one family only.
"""

from __future__ import annotations

import ast
import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from analyzer.tracing.operators.strides import SHARING, of_result
from analyzer.tracing.symbols import Site
from analyzer.tracing.tracer import Tracer
from analyzer.tracing.values import ListV, Tensor, Value


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    kind: str = ""  # "*" or "**"
    default: Value = None
    required: bool = True


@dataclass
class Op:
    """One application: of which name, where, with which source expressions."""

    tr: Tracer
    name: str
    node: ast.Call | None = None
    site: Site | None = None
    variant: str = ""
    nodes: Mapping[str, ast.expr] = field(default_factory=dict)
    extra: dict[str, Value] = field(default_factory=dict)  # keyword arguments that the table does not name
    layer: str = ""
    made: tuple[Site, ...] = ()  # the lines that made the layer
    _number: int = 0

    @property
    def number(self) -> int:
        """Identifies this application among all of the path."""
        if not self._number:
            self._number = next(self.tr.operations)
        return self._number

    def finish(self, value: Value) -> Value:
        """Mark the tensors of a result as made here."""
        if not self.tr.speculating:
            self.tr.pass_operator(self.where, self.name)
        if isinstance(value, Tensor):
            if not value.operation:
                value.operation = self.number
                value.places = self.made
                value.site = value.site or self.where
                if value.framework == "torch" and value.strides is None and self.short not in SHARING:
                    value.strides = of_result(self.short, value.sources, value)
        elif isinstance(value, tuple):
            for part in value:
                self.finish(part)
        elif isinstance(value, ListV):
            for part in value.items:
                self.finish(part)
        return value

    @property
    def where(self) -> Site:
        return self.site or self.tr.site(self.node)

    @property
    def short(self) -> str:
        return self.name.rpartition(".")[2]


Rule = Callable[..., Value]


@dataclass(frozen=True, slots=True)
class Entry:
    parameters: tuple[Parameter, ...]
    rule: Rule
    layer: bool = False


def operator(names: str, signature: str = "*args") -> Callable[[Rule], Rule]:
    """Declare the rule of some names. `signature` lists parameters: ``input weight bias=None *rest``."""

    def mark(rule: Rule) -> Rule:
        entry = Entry(parse_signature(signature), rule)
        found = (*getattr(rule, "entries", ()), *((name, entry) for name in names.split()))
        rule.entries = found  # type: ignore[attr-defined]
        return rule

    return mark


@functools.cache
def parse_signature(text: str) -> tuple[Parameter, ...]:
    parameters = []
    for part in text.split():
        if part.startswith("*"):
            kind = "**" if part.startswith("**") else "*"
            parameters.append(Parameter(part.lstrip("*"), kind, None, False))
            continue
        name, separator, default = part.partition("=")
        parameters.append(Parameter(name, "", ast.literal_eval(default) if separator else None, not separator))
    return tuple(parameters)


@functools.cache
def rules() -> Mapping[str, Entry]:
    """Every declared name. Modules of this package named ``*_rules`` hold them."""
    from analyzer.tracing import operators

    found: dict[str, Entry] = {}
    for module in pkgutil.iter_modules(operators.__path__):
        if not module.name.endswith("_rules"):
            continue
        family = importlib.import_module(f"{operators.__name__}.{module.name}")
        for value in list(vars(family).values()):
            if getattr(value, "__module__", None) == family.__name__:
                found.update(getattr(value, "entries", ()))
        found.update(getattr(family, "TABLE", {}))
    return found


_GAPS = (TypeError, ValueError, AttributeError, IndexError, KeyError, ZeroDivisionError, OverflowError)


def run_rule(op: Op, entry: Entry, arguments: Mapping[str, Value]) -> Value:
    """The rule's value. A rule that does not foresee a call gives an unknown and a note, never an exception."""
    try:
        return entry.rule(op, **arguments)
    except _GAPS as error:
        op.tr.note(f"the rule of {op.name} does not cover the call on line {op.where.line} ({type(error).__name__})")
        return op.tr.unknown(f"result of {op.name}", "imprecise")


def bind(
    entry: Entry, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> tuple[dict[str, Value], dict[str, ast.expr], dict[str, Value]] | None:
    """(bound arguments, their source expressions, keyword arguments not named); None if the call does not fit."""
    bound: dict[str, Value] = {}
    nodes: dict[str, ast.expr] = {}
    sources = list(node.args) if node is not None and not any(isinstance(a, ast.Starred) for a in node.args) else []
    named = {k.arg: k.value for k in node.keywords if k.arg} if node is not None else {}
    rest = list(args)
    kwargs = dict(kwargs)
    position = 0
    for parameter in entry.parameters:
        if parameter.kind == "*":
            bound[parameter.name] = tuple(rest[position:])
            position = len(rest)
        elif parameter.kind == "**":
            bound[parameter.name] = kwargs
            kwargs = {}
        elif position < len(rest):
            bound[parameter.name] = rest[position]
            if position < len(sources):
                nodes[parameter.name] = sources[position]
            position += 1
        elif parameter.name in kwargs:
            bound[parameter.name] = kwargs.pop(parameter.name)
            if parameter.name in named:
                nodes[parameter.name] = named[parameter.name]
        elif parameter.required:
            return None
        else:
            bound[parameter.name] = parameter.default
    return (bound, nodes, kwargs) if position >= len(rest) else None
