"""A model as a list of layers with hyperparameters: what validity is decided on.

A `Layer` names an operator that has a refinement type, its operands and its hyperparameters, whose values may be terms.
`elaborate` runs the types in order and collects the requirements of the whole model as one `Program`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from analyzer.findings import Location
from analyzer.validity.growth import accidental
from analyzer.validity.registry import spec as find_spec
from analyzer.validity.spec import NeedsConcrete, Outcome, Requirement, Spec, Status, TensorType, check
from analyzer.validity.terms import Substitution, Symbol, Truth, symbols_of


@dataclass(frozen=True)
class Layer:
    """One application of an operator. `inputs` are names of values (None: an absent optional operand)."""

    name: str
    operator: str
    framework: str
    inputs: tuple[str | None, ...]
    outputs: tuple[str, ...]
    hyperparameters: Mapping[str, Any] = field(default_factory=dict)
    location: Location | None = None
    node: str = ""  # the user's name of the node, if it differs from the layer's


@dataclass(frozen=True)
class Architecture:
    """Inputs and layers in order of execution. `version` is the framework's (ONNX: the opset)."""

    framework: str
    inputs: Mapping[str, TensorType]
    layers: tuple[Layer, ...]
    version: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Step:
    """One requirement of one layer. `condition` must hold; it is over symbols, or a plain bool."""

    layer: Layer
    requirement: Requirement

    @property
    def condition(self) -> Truth:
        return self.requirement.condition

    @property
    def symbols(self) -> frozenset[Symbol]:
        return symbols_of(self.condition)

    def sentence(self, values: Mapping[str, Any] | None = None) -> str:
        """The rule's message, with the values of symbols put in."""
        return self.requirement.sentence(Substitution(values) if values else lambda term: term)


@dataclass(frozen=True)
class Program:
    """The requirements of a whole model, in order; the first that fails is the error."""

    steps: tuple[Step, ...]
    advisories: tuple[Step, ...] = ()
    values: Mapping[str, TensorType] = field(default_factory=dict)
    unknown: Mapping[str, int] = field(default_factory=dict)  # operators without a type, or out of its reach
    undecided: tuple[str, ...] = ()  # layers whose structure hangs on an unknown value

    @property
    def symbols(self) -> frozenset[Symbol]:
        return frozenset().union(*(s.symbols for s in self.steps))


class Structural(Exception):
    """The structure of the model hangs on these symbols: they must be tried value by value."""

    def __init__(self, symbols: frozenset[str]) -> None:
        super().__init__(", ".join(sorted(symbols)))
        self.symbols = symbols


def elaborate(
    architecture: Architecture,
    *,
    structural: bool = True,
    find: Callable[[str, str], Spec | None] = find_spec,
    propagate: Callable[[Layer, list[TensorType | None]], tuple[TensorType, ...] | None] | None = None,
    rename: Callable[[Layer, tuple[TensorType, ...]], tuple[TensorType, ...]] = lambda _, outputs: outputs,
) -> Program:
    """Run the refinement types of all layers in order.

    Raises Structural when a structure hangs on symbols, unless `structural` is off: then the layer counts as undecided.
    `propagate` may compute a layer's outputs itself (constants, control flow) and returns None where it does not;
    `rename` may put other terms for a layer's outputs.
    """
    values: dict[str, TensorType] = dict(architecture.inputs)
    steps: list[Step] = []
    advisories: list[Step] = []
    unknown: Counter[str] = Counter()
    undecided: list[str] = []
    for layer in architecture.layers:
        operands = [None if name is None else values.get(name, TensorType()) for name in layer.inputs]
        computed = propagate(layer, operands) if propagate else None
        if computed is not None:
            _store(values, layer, computed)
            continue
        type_of_layer = find(layer.operator, layer.framework)
        if type_of_layer is None:
            unknown[layer.operator] += 1
            _store(values, layer, ())
            continue
        outcome = _apply(type_of_layer, operands, layer, architecture)
        if outcome is None:
            unknown[layer.operator] += 1
            _store(values, layer, ())
            continue
        if outcome.status is Status.UNKNOWN:
            if outcome.needs and structural:
                raise Structural(outcome.needs)
            undecided.append(layer.name)
        steps.extend(_fresh(Step(layer, r) for r in outcome.requirements))
        advisories.extend(Step(layer, r) for r in outcome.advisories)
        if outcome.status is Status.INVALID:
            if outcome.failure is not None and not any(s.requirement is outcome.failure for s in steps):
                steps.append(Step(layer, outcome.failure))
            break
        _store(values, layer, rename(layer, outcome.outputs))
    told = accidental(advisories, architecture.layers, values)
    return Program(_without_repeats(steps), told, values, dict(unknown), tuple(undecided))


def _apply(spec: Spec, operands: list[TensorType | None], layer: Layer, architecture: Architecture) -> Outcome | None:
    """None for a layer so malformed (operands or attributes missing) that its type cannot be read."""
    try:
        return check(spec, operands, layer.hyperparameters, version=architecture.version)
    except NeedsConcrete as missing:  # from a helper outside of the type's own function
        raise Structural(missing.symbols) from None
    except (KeyError, IndexError, TypeError):
        if layer.framework != "onnx":
            raise
        return None


def _fresh(steps: Any) -> list[Step]:
    return [s for s in steps if s.condition is not True]


def _without_repeats(steps: list[Step]) -> tuple[Step, ...]:
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


def _store(values: dict[str, TensorType], layer: Layer, outputs: tuple[TensorType, ...]) -> None:
    for index, name in enumerate(layer.outputs):
        if name:
            values[name] = outputs[index] if index < len(outputs) else TensorType()
