"""From an architecture to a program: run the refinement types of all layers in order and collect what they demand."""

from __future__ import annotations

import functools
import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from analyzer.validity import onnx_schema
from analyzer.validity.architecture import Architecture, Demand, ModelLayer, Requirements, Structural, Subgraph
from analyzer.validity.carrying import carried
from analyzer.validity.constants import completed, given
from analyzer.validity.control_flow import flowed
from analyzer.validity.costs import Costs
from analyzer.validity.expressions import evaluate
from analyzer.validity.growth import accidental
from analyzer.validity.registry import spec as find_spec
from analyzer.validity.space_text import Pending, size_path
from analyzer.validity.spec import CheckResult, NeedsConcrete, Spec, TensorType, TypeStatus, check
from analyzer.validity.specs.element_types import onnx_dtype
from analyzer.validity.terms import symbol, symbols_of
from analyzer.validity.versions import missing

Rename = Callable[[ModelLayer, tuple[TensorType, ...]], tuple[TensorType, ...]]
FROM_FILES = ("onnx", "tf")  # frameworks whose layers were read from a graph: with attributes no type asks for


def elaborate(
    architecture: Architecture, *, structural: bool = True, rename: Rename = lambda _, outputs: outputs
) -> Requirements:
    """Run the refinement types of all layers in order; the first layer that certainly fails is the last.

    Raises Structural when a structure hangs on symbols, unless `structural` is off: then the layer counts as undecided.
    `rename` may put other terms for a layer's outputs.
    """
    run = _Elaboration(architecture, structural, rename)
    if run.layers(architecture.layers):
        run.limits()
    return Requirements(
        _without_repeats(run.steps),
        accidental(run.advisories, architecture.layers, run.values),
        run.values,
        dict(run.unknown),
        tuple(run.undecided),
        tuple(run.possible),
    )


class _Elaboration:
    def __init__(self, architecture: Architecture, structural: bool, rename: Rename) -> None:
        self._architecture = architecture
        self._structural = structural
        self._rename = rename
        self._when: tuple[str, ...] = ()  # what must come true for the layers at hand to run
        self._costs = Costs()
        self.values: dict[str, TensorType] = dict(architecture.inputs)
        self.steps: list[Demand] = []
        self.possible: list[Demand] = []
        self.advisories: list[Demand] = []
        self.unknown: Counter[str] = Counter()
        self.undecided: list[str] = []

    def layers(self, layers: Sequence[ModelLayer]) -> bool:
        """Whether all layers ran; not where one certainly fails."""
        return all(self._layer(layer) for layer in layers)

    def limits(self) -> None:
        """What the whole model may cost, as the last rules."""
        for kind, limit in self._architecture.limits.items():
            requirement = self._costs.requirement(kind, limit)
            if requirement is None:
                self.undecided.append(f"the limit on {kind}")
            elif requirement.condition is not True:
                self._demand(Demand(ModelLayer("limits", "limit", self._architecture.framework, (), ()), requirement))

    def _layer(self, layer: ModelLayer) -> bool:
        if any(isinstance(part, Pending) for v in layer.hyperparameters.values() for part in _flat(v)):
            layer = replace(layer, hyperparameters={k: self._arrived(v) for k, v in layer.hyperparameters.items()})
        operands = [None if name is None else self.values.get(name, TensorType()) for name in layer.inputs]
        if layer.framework == "onnx":
            opset = (self._architecture.version or (21,))[0]
            for requirement in onnx_schema.violations(layer.operator, opset, operands, layer.hyperparameters):
                self._demand(Demand(layer, requirement))
        elif layer.framework not in FROM_FILES:
            lacking = missing(layer.framework, layer.operator, layer.hyperparameters, self._architecture.asked)
            if lacking is not None:
                self._demand(Demand(layer, lacking))
                return False
        outputs: tuple[TensorType, ...] | None
        if layer.bodies:
            outputs = flowed(layer, operands, self._body)
        else:
            outputs = given(layer, operands, self._architecture.stated) if layer.framework in FROM_FILES else None
        if outputs is not None:
            self._store(layer, outputs)
            return True
        found = find_spec(layer.operator, layer.framework)
        outcome = None if found is None else self._applied(found, operands, layer)
        if outcome is None:
            self.unknown[layer.operator] += 1
            self._costs.add(layer, operands, ())
            self._store(layer, ())
            return True
        if outcome.status is TypeStatus.UNKNOWN:
            if outcome.needs and self._structural:
                raise Structural(outcome.needs)
            self.undecided.append(layer.name)
        for requirement in outcome.requirements:
            if requirement.condition is not True:
                self._demand(Demand(layer, requirement))
        self.advisories.extend(Demand(layer, r) for r in outcome.advisories)
        if outcome.status is TypeStatus.INVALID:
            if outcome.failure is not None and outcome.failure not in outcome.requirements:
                self._demand(Demand(layer, outcome.failure))
            return False
        if self._architecture.limits:
            self._costs.add(layer, operands, outcome.outputs)
        made = carried(layer, operands, outcome.outputs) if layer.framework in FROM_FILES else outcome.outputs
        self._store(layer, made)
        return True

    def _arrived(self, value: Any) -> Any:
        """An attribute with the sizes that it speaks of put in; a size that is not known is one of its own."""
        if isinstance(value, tuple):
            return tuple(self._arrived(v) for v in value)
        if not isinstance(value, Pending):
            return value

        def resolve(name: str) -> Any:
            path = size_path(name)
            if path is None or (path[0] not in self.values and "'" not in name):
                return value.resolve(name)
            shape = self.values.get(path[0], TensorType()).shape
            if shape is None or not -len(shape) <= path[1] < len(shape) or shape[path[1]] is None:
                return symbol(f"{name}?", 0)
            return shape[path[1]]

        return evaluate(value.text, resolve)

    def _demand(self, step: Demand) -> None:
        if self._when:
            self.possible.append(Demand(step.layer, step.requirement, " and ".join(self._when)))
        else:
            self.steps.append(step)

    def _applied(self, found: Spec, operands: list[TensorType | None], layer: ModelLayer) -> CheckResult | None:
        """None for a layer so malformed (operands or attributes missing) that its type cannot be read."""
        try:
            return check(found, operands, _attributes(found, layer), version=self._architecture.asked.version)
        except NeedsConcrete as missing:  # from a helper outside of the type's own function
            raise Structural(missing.symbols) from None
        except (KeyError, IndexError, TypeError):
            if layer.framework != "onnx":
                raise
            return None

    def _store(self, layer: ModelLayer, outputs: tuple[TensorType, ...]) -> None:
        filled = [outputs[i] if i < len(outputs) else TensorType() for i in range(len(layer.outputs))]
        stated = self._architecture.stated
        if stated:
            filled = [completed(t, stated.get(name)) for t, name in zip(filled, layer.outputs, strict=True)]
        for name, tensor in zip(layer.outputs, self._rename(layer, tuple(filled)), strict=True):
            if name:
                self.values[name] = tensor

    def _body(
        self, body: Subgraph, inputs: Sequence[TensorType], when: str | None, quiet: bool
    ) -> tuple[TensorType, ...] | None:
        """The outputs of a body for its inputs, None if it certainly fails. `when` says what must come true for it to
        run; None if it certainly runs. A `quiet` run is a trial that leaves nothing behind."""
        self.values.update(body.constants)
        self.values.update(zip(body.inputs, inputs, strict=False))
        with self._trial() if quiet else self._provided(when):
            ran = self.layers(body.layers)
        return tuple(self.values.get(name, TensorType()) for name in body.outputs) if ran else None

    @contextmanager
    def _provided(self, when: str | None) -> Iterator[None]:
        before = self._when
        self._when = before if when is None else (*before, when)
        try:
            yield
        finally:
            self._when = before

    @contextmanager
    def _trial(self) -> Iterator[None]:
        lists: list[list[Any]] = [self.steps, self.possible, self.advisories, self.undecided]
        lengths, unknown = [len(items) for items in lists], self.unknown.copy()
        try:
            yield
        finally:
            for items, length in zip(lists, lengths, strict=True):
                del items[length:]
            self.unknown = unknown


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for part in value:
            yield from _flat(part)
    else:
        yield value


def _attributes(found: Spec, layer: ModelLayer) -> Mapping[str, Any]:
    """What the type is called with: of a file's attributes those it names (the schema has checked the others)."""
    attributes = layer.hyperparameters
    if layer.framework not in FROM_FILES:
        return attributes
    attributes = dict(attributes)
    if layer.framework == "onnx":
        if layer.operator == "Split":
            attributes["outputs"] = len(layer.outputs)
        elif layer.operator == "ConstantOfShape" and "value" in attributes:
            attributes["dtype"] = onnx_dtype(int(attributes.pop("value").dtype))
        elif layer.operator == "RandomNormalLike":
            attributes.pop("shape", None)
    if _takes_all(found):
        return attributes
    return {k: v for k, v in attributes.items() if k in found.defaults}


@functools.cache
def _takes_all(found: Spec) -> bool:
    parameters = found.parameters.values()
    return any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)


def _without_repeats(steps: list[Demand]) -> tuple[Demand, ...]:
    """Only the first of equal conditions: a later one can never be the first to fail."""
    seen: set[Any] = set()
    kept = []
    for step in steps:
        condition = step.condition
        if symbols_of(condition):
            if condition in seen:
                continue
            seen.add(condition)
        kept.append(step)
    return tuple(kept)
