"""Which operator a graph node, a layer or a function is: `declared("tf", "AddV2").name` is ``Add``."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from analyzer.operators import (
    activations,
    angles,
    arithmetic,
    attention,
    casts,
    comparison,
    complex_numbers,
    containers,
    control_flow,
    convolution,
    cumulative,
    decompositions,
    diagonals,
    division,
    elementwise,
    extrema,
    generators,
    indexing,
    joining,
    losses,
    matmul,
    normalization,
    norms,
    pooling,
    power,
    quantization,
    recurrent,
    reductions,
    shape,
    signal,
    sizes,
    slicing,
    softmax,
    training,
    trees,
    vision,
)
from analyzer.operators.declaration import NOTHING, Column, Operator, Trait

if TYPE_CHECKING:
    import onnx_ir as ir

FAMILIES: Mapping[str, tuple[Operator, ...]] = MappingProxyType(
    {
        module.__name__.rpartition(".")[2]: module.OPERATORS
        for module in (
            elementwise, activations, arithmetic, division, power, extrema, comparison, matmul, convolution, reductions,
            norms, cumulative, softmax, normalization, pooling, shape, joining, casts, sizes, slicing, diagonals,
            indexing, generators, recurrent, control_flow, quantization, containers, losses, training, signal, vision,
            attention, trees, complex_numbers, decompositions, angles,
        )
    }
)  # fmt: skip
OPERATORS: tuple[Operator, ...] = tuple(operator for family in FAMILIES.values() for operator in family)


def _unique(pairs: list[tuple[tuple[str, str], Operator]]) -> Mapping[tuple[str, str], Operator]:
    found: dict[tuple[str, str], Operator] = {}
    for key, operator in pairs:
        if found.setdefault(key, operator) is not operator:
            raise ValueError(f"{key} is declared twice: {found[key].name} and {operator.name}")
    return MappingProxyType(found)


_BY_NAME = _unique([(("", o.name), o) for o in OPERATORS])
_BY_KEY = _unique([(key, o) for o in OPERATORS for key in o.keys])
_BY_PYTHON = _unique(
    [(("torch", name), o) for o in OPERATORS for name in o.torch]
    + [(("keras", name), o) for o in OPERATORS for name in o.keras]
)


def operator_named(name: str) -> Operator:
    """The operator declared under `name`; KeyError if there is none."""
    return _BY_NAME["", name]


def declared(domain: str, op_type: str) -> Operator | None:
    """The operator of a graph node's domain and type (``ai.onnx`` is the empty domain), or None."""
    return _BY_KEY.get(("" if domain == "ai.onnx" else domain, op_type))


def layer_or_function(framework: str, name: str) -> Operator | None:
    """The operator behind a layer or function `name` of ``torch`` or ``keras``, or None."""
    return _BY_PYTHON.get((framework, name))


def declaration_of(framework: str, name: str) -> Operator:
    """The operator that `framework` (``onnx``, another domain of it, or a column) calls `name`; KeyError if none is."""
    return _BY_PYTHON.get((framework, name)) or _BY_KEY["" if framework == "onnx" else framework, name]


def filled(column: Column, key: tuple[str, str], value: Any) -> None:
    """Put what a room knows into a column of a declaration."""
    if column.setdefault(key, value) is not value:
        raise ValueError(f"{key} is told twice")


def operator_of(node: ir.Node) -> Operator | None:
    """The operator that a node applies, or None for one that is not declared."""
    return declared(node.domain or "", node.op_type)


def operator_name(node: ir.Node | None) -> str:
    """The name of the operator that a node applies, the same in all frameworks; empty for no node or an unknown one."""
    operator = operator_of(node) if node is not None else None
    return "" if operator is None else operator.name


def traits_of(node: ir.Node) -> Trait:
    operator = operator_of(node)
    return NOTHING if operator is None else operator.traits


@functools.cache
def names(framework: str, trait: Trait) -> tuple[str, ...]:
    """The names in `framework` (``onnx``, ``tf``, ``torch`` …: a column) of the operators that have any of `trait`."""
    wanted = trait.value
    having = [o for o in OPERATORS if o.traits.value & wanted]
    if framework == "onnx":
        return tuple(o.name for o in having if o.versions and not o.domain)
    return tuple(name for o in having for name in getattr(o, framework))
