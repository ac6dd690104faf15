"""A model as a list of layers with hyperparameters: what validity is decided on.

A `ModelLayer` names an operator that has a refinement type, its operands and its hyperparameters, whose values may be
terms. `elaboration.elaborate` runs the types in order and collects what the whole model demands as `Requirements`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from analyzer.findings import Location
from analyzer.frameworks.api_tables import Asked
from analyzer.validity.spec import Requirement, TensorType
from analyzer.validity.terms import Substitution, Symbol, Truth, symbols_of


@dataclass(frozen=True)
class ModelLayer:
    """One application of an operator. `inputs` are names of values (None: an absent optional operand)."""

    name: str
    operator: str
    framework: str
    inputs: tuple[str | None, ...]
    outputs: tuple[str, ...]
    hyperparameters: Mapping[str, Any] = field(default_factory=dict)
    location: Location | None = None
    node: str = ""  # the user's name of the node, if it differs from the layer's
    bodies: tuple[Subgraph, ...] = ()  # of a branch or loop
    when: Any = None  # an expression: where it is false, the layer is left out and hands on its first input

    @property
    def place(self) -> dict[str, Any]:
        """Where a finding about it stands, as arguments of `Finding`."""
        return {"layer": self.node, "node": self.name, "op": self.operator, "location": self.location}


@dataclass(frozen=True)
class Subgraph:
    """The inner graph of a branch or loop. Its layers may also read the values around it."""

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    layers: tuple[ModelLayer, ...]
    constants: Mapping[str, TensorType] = field(default_factory=dict)


@dataclass(frozen=True)
class Architecture:
    """Inputs and layers in order of execution. `version` is the framework's that the model states (ONNX: the opset).

    `requested` is the framework's version that the repository asks for; it counts where the model states none.
    `stated` are the types that a file states for its values; they fill what the operators' types leave unknown.
    """

    framework: str
    inputs: Mapping[str, TensorType]
    layers: tuple[ModelLayer, ...]
    version: tuple[int, ...] | None = None
    stated: Mapping[str, TensorType] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)  # on what the whole model costs, see `costs`
    requested: Asked = field(default_factory=Asked)

    @property
    def asked(self) -> Asked:
        """The framework's version that is checked against."""
        return self.requested if self.version is None else Asked(self.version)


@dataclass(frozen=True)
class Demand:
    """One requirement of one layer. `condition` must hold; it is over symbols, or a plain bool.

    `when` says what must come true for the layer to run at all, such as "`then_branch` of `If 3` runs".
    """

    layer: ModelLayer
    requirement: Requirement
    when: str = ""

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
class Requirements:
    """The requirements of a whole model, in order; the first that fails is the error."""

    steps: tuple[Demand, ...]
    advisories: tuple[Demand, ...] = ()
    values: Mapping[str, TensorType] = field(default_factory=dict)
    unknown: Mapping[str, int] = field(default_factory=dict)  # operators without a type, or out of its reach
    undecided: tuple[str, ...] = ()  # layers whose structure hangs on an unknown value
    possible: tuple[Demand, ...] = ()  # requirements in branches and loops that may not run

    @property
    def symbols(self) -> frozenset[Symbol]:
        return frozenset().union(*(s.symbols for s in self.steps))


class Structural(Exception):
    """The structure of the model hangs on these symbols: they must be tried value by value."""

    def __init__(self, symbols: frozenset[str]) -> None:
        super().__init__(", ".join(sorted(symbols)))
        self.symbols = symbols
