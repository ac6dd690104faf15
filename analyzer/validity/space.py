"""Hyperparameter spaces: what may vary, within which domain, under which conditions, and where it enters a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from analyzer.problem import UsageProblem
from analyzer.validity.architecture import Architecture, ModelLayer, Structural
from analyzer.validity.expressions import evaluate, names_in, parse
from analyzer.validity.registry import spec
from analyzer.validity.space_text import Pending, Text, size_path
from analyzer.validity.terms import Poly, Term, Truth, symbol, symbols_of


@dataclass(frozen=True)
class Hyperparameter:
    """A named domain: a finite sequence of values (lazily for ranges), or all integers from `lo` (to `hi`)."""

    name: str
    values: Sequence[Any] | None = None
    lo: int | None = None
    hi: int | None = None
    line: int | None = None

    @property
    def numeric(self) -> bool:
        """Whether every value is a whole number, so that rules can compute with the hyperparameter as a symbol."""
        return isinstance(self.values, range) or all(type(v) is int for v in self.values or ())

    @property
    def size(self) -> float:
        """The number of values, or infinity."""
        return math.inf if self.values is None else len(self.values)

    @property
    def bounds(self) -> tuple[int | None, int | None]:
        if self.values is None:
            return self.lo, self.hi
        return min(self.values), max(self.values)

    @property
    def first(self) -> Any:
        """Some value of the domain."""
        return self.values[0] if self.values is not None else 1 if self.lo is None else self.lo

    def term(self) -> Term:
        """The hyperparameter as a symbol; the value itself when there is only one."""
        if self.values is not None and len(self.values) == 1:
            return self.values[0]
        return symbol(self.name, *self.bounds)

    def contains(self, value: Any) -> bool:
        if self.values is not None:
            return value in self.values
        return (self.lo is None or value >= self.lo) and (self.hi is None or value <= self.hi)


@dataclass(frozen=True)
class Space:
    """A space over an architecture whose attributes and input sizes may be `Text` expressions.

    `free` are symbols that stand for unknown sizes rather than for tunable hyperparameters.
    """

    name: str
    architecture: Architecture
    hyperparameters: tuple[Hyperparameter, ...]
    conditions: tuple[Text, ...] = ()
    derived: Mapping[str, Text] = field(default_factory=dict)
    free: Mapping[str, Hyperparameter] = field(default_factory=dict)

    @property
    def by_name(self) -> Mapping[str, Hyperparameter]:
        return {**{h.name: h for h in self.hyperparameters}, **self.free}

    @property
    def total(self) -> float:
        """The number of vectors before conditions; infinite with an unbounded hyperparameter."""
        return math.prod(h.size for h in self.by_name.values()) if not self.unbounded else math.inf

    @property
    def exact_total(self) -> int:
        """The number of vectors of a finite space as an exact integer."""
        return math.prod(len(h.values) for h in self.by_name.values() if h.values is not None)

    @property
    def unbounded(self) -> tuple[str, ...]:
        return tuple(h.name for h in self.by_name.values() if h.values is None)

    def categorical(self) -> frozenset[str]:
        """Hyperparameters that are read somewhere and hold something else than whole numbers."""
        read = self.read_names()
        return frozenset(n for n, h in self.by_name.items() if not h.numeric and n in read)

    def read_names(self) -> frozenset[str]:
        """Every hyperparameter that the model or a condition reads, through derived values too."""
        pending = [names_in(parse(t.text)) for t in self._texts()]
        seen: set[str] = set()
        while pending:
            for name in pending.pop():
                if name not in seen:
                    seen.add(name)
                    if name in self.derived:
                        pending.append(names_in(parse(self.derived[name].text)))
        return frozenset(seen)

    def _texts(self) -> Iterator[Text]:
        yield from self.conditions
        for tensor in self.architecture.inputs.values():
            yield from _texts_in(tensor.shape or ())
            yield from _texts_in((tensor.dtype, tensor.format))
        for layer in self.architecture.layers:
            yield from _texts_in((*layer.hyperparameters.values(), layer.when))

    def resolver(self, fixed: Mapping[str, Any]) -> Callable[[str], Any]:
        """What a name stands for, when some hyperparameters are `fixed`: a value or a term."""
        known = self.by_name
        path: list[str] = []
        done: dict[str, Any] = {}

        def resolve(name: str) -> Any:
            if name in fixed:
                return fixed[name]
            if name in known:
                return known[name].term()
            if name in done:
                return done[name]
            if name not in self.derived:
                raise UsageProblem(f"{self.name}: `{name}` is neither a hyperparameter nor a derived value")
            if name in path:
                circle = " → ".join([*path[path.index(name) :], name])
                where = _place(self.name, self.derived[name].line)
                raise UsageProblem(f"{where}: the derived value `{name}` is defined through itself ({circle})")
            path.append(name)
            try:
                done[name] = evaluate(self.derived[name].text, resolve)
            finally:
                path.pop()
            return done[name]

        return resolve

    def instantiate(self, fixed: Mapping[str, Any]) -> tuple[Architecture, tuple[Truth, ...]]:
        """The architecture over terms, and the space's conditions, with some hyperparameters `fixed`."""
        resolve, known = self.resolver(fixed), self.by_name

        def value(item: Any) -> Any:
            if isinstance(item, Text):
                if any(name not in known and size_path(name) for name in names_in(parse(item.text))):
                    return Pending(item.text, resolve)
                try:
                    return evaluate(item.text, resolve)
                except UsageProblem as problem:
                    where = _place(self.name, item.line)
                    raise UsageProblem(_located(str(problem), where, self.name)) from None
            if isinstance(item, (tuple, list)):
                return tuple(value(i) for i in item)
            return item

        inputs = {
            name: replace(
                tensor,
                shape=None if tensor.shape is None else tuple(value(d) for d in tensor.shape),
                dtype=value(tensor.dtype),
                format=value(tensor.format),
            )
            for name, tensor in self.architecture.inputs.items()
        }

        def present(layer: ModelLayer) -> ModelLayer:
            if layer.when is not None:
                runs = self._condition(layer.when, resolve)
                if not isinstance(runs, (bool, np.bool_)):
                    raise Structural(frozenset(s.name for s in symbols_of(runs)))
                if not runs:
                    return replace(layer, operator="Identity", inputs=layer.inputs[:1], hyperparameters={}, when=None)
            return replace(layer, hyperparameters={k: value(v) for k, v in layer.hyperparameters.items()}, when=None)

        layers = tuple(present(layer) for layer in self.architecture.layers)
        conditions = tuple(self._condition(text, resolve) for text in self.conditions)
        return replace(self.architecture, inputs=inputs, layers=layers), conditions

    def _condition(self, text: Text, resolve: Callable[[str], Any]) -> Truth:
        try:
            result = evaluate(text.text, resolve)
        except UsageProblem as problem:
            raise UsageProblem(_located(str(problem), _place(self.name, text.line), self.name)) from None
        if isinstance(result, (str, int, Poly)) and not isinstance(result, bool):
            raise UsageProblem(
                f"{_place(self.name, text.line)}: `{text.text}` is not a condition; compare it with something"
            )
        return result


def _located(problem: str, where: str, name: str) -> str:
    return problem if problem.startswith(name) else f"{where}: {problem}"


def _place(name: str, line: int | None) -> str:
    return f"{name}:{line}" if line else name


def _texts_in(items: Any) -> Iterator[Text]:
    for item in items:
        if isinstance(item, Text):
            yield item
        elif isinstance(item, (tuple, list)):
            yield from _texts_in(item)


def bound_to(architecture: Architecture, path: str, value: Any, where: str) -> Architecture:
    """`architecture` with `value` at ``layer.attribute``, ``layer.attribute[i]`` or ``input.shape[i]``.

    Raises UsageProblem when there is no such layer, input or dimension.
    """
    owner, _, rest = path.rpartition(".shape[")
    if owner and owner in architecture.inputs and rest.endswith("]"):
        index, tensor = int(rest[:-1]), architecture.inputs[owner]
        if tensor.shape is None or not index < len(tensor.shape):
            rank = "an unknown rank" if tensor.shape is None else f"{len(tensor.shape)} dimensions"
            raise UsageProblem(f"{where}: `{path}` does not exist; `{owner}` has {rank}")
        shape = (*tensor.shape[:index], value, *tensor.shape[index + 1 :])
        return replace(architecture, inputs={**architecture.inputs, owner: replace(tensor, shape=shape)})
    base, _, indexed = path.partition("[")
    name, _, attribute = base.rpartition(".")
    layer = next((item for item in architecture.layers if name in (item.name, item.node)), None)
    if layer is None:
        raise UsageProblem(f"{where}: `{path}` names no layer or input{_closest(name or path, architecture)}")
    changed = _attribute(layer, attribute, indexed, value, path, where)
    layers = tuple(changed if item is layer else item for item in architecture.layers)
    return replace(architecture, layers=layers)


def _attribute(layer: ModelLayer, attribute: str, indexed: str, value: Any, path: str, where: str) -> ModelLayer:
    found = spec(layer.operator, layer.framework)
    known = found.defaults if found else {}
    if found and attribute not in known and attribute not in layer.hyperparameters:
        raise UsageProblem(
            f"{where}: `{path}` does not exist; {layer.operator} has {', '.join(known) or 'no hyperparameters'}"
        )
    if not indexed:
        return replace(layer, hyperparameters={**layer.hyperparameters, attribute: value})
    old = layer.hyperparameters.get(attribute, known.get(attribute))
    index = int(indexed.rstrip("]"))
    items = list(old) if isinstance(old, (tuple, list)) else [old] * (index + 2)
    if index >= len(items):
        raise UsageProblem(f"{where}: `{path}` does not exist; `{attribute}` has {len(items)} entries")
    items[index] = value
    return replace(layer, hyperparameters={**layer.hyperparameters, attribute: tuple(items)})


def _closest(name: str, architecture: Architecture) -> str:
    import difflib

    names = [*architecture.inputs, *(layer.name for layer in architecture.layers)]
    close = difflib.get_close_matches(name, names, 1)
    if close:
        return f"; did you mean `{close[0]}`?"
    shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
    return f"; there are {shown}" if names else ""
