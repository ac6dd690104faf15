"""The model as a graph of named tensors that two engines share, and its units of blame between cut points.

A cut point is a tensor that every engine under comparison can hand out and take in. Between cut points lies a unit: one
layer, or the fused region in which no engine keeps the tensors apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from analyzer.operators.declaration import (
    CONSTANT,
    CONTRACTION,
    CONVERTS,
    IDENTITY,
    NOTHING,
    RANDOM,
    RECURRENT,
    Trait,
)
from analyzer.operators.registry import declared, layer_or_function


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """A model's input or output; sizes are numbers, names of symbols, or None."""

    name: str
    dtype: str
    shape: tuple[int | str | None, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """One node of the shared graph."""

    name: str
    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    layer: str = ""
    layer_class: str = ""
    path: str | None = None
    line: int | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    random: bool = False  # the layer samples, although its kind alone does not say so


@dataclass(frozen=True, slots=True)
class Steps:
    """How whole numbers from `low` to `high` stand for real ones."""

    scale: float
    zero: float
    low: float
    high: float

    def held(self, array: np.ndarray) -> np.ndarray:
        """What is left of real numbers in such a tensor."""
        whole = np.clip(np.rint(array / self.scale) + self.zero, self.low, self.high)
        return np.asarray((whole - self.zero) * self.scale, array.dtype)


@dataclass(frozen=True)
class Description:
    """What an engine says of the model it has loaded. `alive` None: every tensor can be handed out and taken in."""

    operations: tuple[Operation, ...]
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[str, ...]
    alive: frozenset[str] | None = None
    dtypes: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    replayable: bool = True
    steps: Mapping[str, Steps] = field(default_factory=dict)  # tensors that an engine keeps in whole numbers
    deferred: bool = False  # the engine tells `alive` only when it is asked (`Runner.cut_points`)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Description:
        """From a worker's reply."""
        operations = tuple(
            Operation(
                str(n["name"]),
                str(n["op"]),
                tuple(n["inputs"]),
                tuple(n["outputs"]),
                str(n.get("layer") or ""),
                str(n.get("layer_class") or ""),
                n.get("path"),
                n.get("line"),
                n.get("attributes") or {},
                bool(n.get("random")),
            )
            for n in data["nodes"]
        )
        inputs = tuple(TensorInfo(i["name"], i["dtype"], tuple(i["shape"])) for i in data["inputs"])
        outputs = tuple(o["name"] if isinstance(o, dict) else o for o in data["outputs"])
        alive = data.get("alive")
        return cls(
            operations,
            inputs,
            outputs,
            frozenset(alive) if alive is not None else None,
            data.get("dtypes") or {},
            tuple(data.get("notes", ())),
            bool(data.get("replayable", True)),
            {str(name): Steps(*map(float, told)) for name, told in (data.get("steps") or {}).items()},
            bool(data.get("deferred")),
        )


@dataclass(frozen=True, slots=True)
class Unit:
    """A region with one entry in every map. `operations` are in order; the last one gives the unit its name."""

    id: str
    operations: tuple[Operation, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def main(self) -> Operation:
        """The operation that a person would name the unit after: the heaviest layer of the region."""
        return max(self.operations, key=lambda o: (bool(o.layer_class), _heavy(o.op), o.outputs[0] in self.outputs))

    @property
    def op(self) -> str:
        """Operator types in order, without repetition: ``Pad+AveragePool``."""
        kinds = [o.op for o in self.operations if not _silent(o.op)] or [self.operations[-1].op]
        return "+".join(dict.fromkeys(kinds))


def _traits(op: str) -> Trait:
    operator = declared("", op) or declared("tf", op)
    return NOTHING if operator is None else operator.traits


def _heavy(op: str) -> bool:
    """Whether an operator is what a person calls a layer, rather than what stands between layers."""
    return bool(_traits(op) & (CONTRACTION | RECURRENT)) or op in ("AveragePool", "MaxPool", "Resize")


def _silent(op: str) -> bool:
    return bool(_traits(op) & (CONSTANT | IDENTITY | CONVERTS)) or op == "NoOp"


def _samples(op: str) -> bool:
    """Of ONNX or TensorFlow, where with a seed as an operand nothing differs from run to run, or of PyTorch."""
    of_torch = layer_or_function("torch", op)
    drawn = of_torch is not None and of_torch.traits & RANDOM and of_torch.name != "Dropout"  # which models switch off
    return bool(drawn or _traits(op) & RANDOM) and not op.startswith("Stateless")


def draws(operations: Iterable[Operation]) -> bool:
    """Whether one of them samples, so that no two runs agree by design."""
    return any(o.random or _samples(o.op) for o in operations)


def drawn(structure: Description) -> frozenset[str]:
    """The tensors that depend on a random draw."""
    found: set[str] = set()
    for operation in structure.operations:
        if draws([operation]) or found.intersection(operation.inputs):
            found.update(operation.outputs)
    return frozenset(found)


def shared_cuts(structure: Description, others: Sequence[Description]) -> frozenset[str]:
    """Tensors at which every engine can be cut."""
    produced = {o for operation in structure.operations for o in operation.outputs}
    for description in (structure, *others):
        if description.alive is not None:
            produced &= description.alive
        elif description is not structure:
            produced &= {o for operation in description.operations for o in operation.outputs}
    return frozenset(produced | set(structure.outputs))


def units(structure: Description, cuts: frozenset[str]) -> tuple[Unit, ...]:
    """Split the graph at `cuts`, in topological order.

    Tensors that depend on no input are no cut points, nor are those that nothing uses, such as the mask of a dropout:
    engines give what they like there.
    """
    sources = {i.name for i in structure.inputs}
    varying = set(sources)
    producer: dict[str, int] = {}
    for index, operation in enumerate(structure.operations):
        if varying.intersection(operation.inputs):
            varying.update(operation.outputs)
        for name in operation.outputs:
            producer[name] = index
    used = {i for operation in structure.operations for i in operation.inputs} | set(structure.outputs)
    points = (cuts & varying & used) | sources
    found = []
    for index, operation in enumerate(structure.operations):
        outputs = tuple(o for o in operation.outputs if o in points)
        if not outputs:
            continue
        members = {index}
        frontier: dict[str, None] = {}
        queue = list(operation.inputs)
        while queue:
            name = queue.pop(0)
            if name in points:
                frontier[name] = None
            elif name in producer and producer[name] not in members:
                members.add(producer[name])
                queue.extend(structure.operations[producer[name]].inputs)
        region = tuple(structure.operations[i] for i in sorted(members))
        found.append(Unit(outputs[0], region, tuple(frontier), outputs))
    return tuple(found)


def inbound(all_units: Sequence[Unit]) -> dict[str, tuple[str, ...]]:
    """Unit id -> ids of the units that feed it."""
    maker = {name: unit.id for unit in all_units for name in unit.outputs}
    return {u.id: tuple(dict.fromkeys(maker[i] for i in u.inputs if i in maker)) for u in all_units}


def live_at(
    all_units: Sequence[Unit], position: int, outputs: Sequence[str], sources: Sequence[str]
) -> tuple[str, ...]:
    """Tensors that units from `position` on, and the model's outputs, still need from before `position`."""
    before = {name for unit in all_units[:position] for name in unit.outputs} | set(sources)
    needed = [i for unit in all_units[position:] for i in unit.inputs] + list(outputs)
    return tuple(dict.fromkeys(n for n in needed if n in before))
