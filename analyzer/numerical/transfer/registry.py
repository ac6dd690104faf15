"""One declarative function per operator: `@transfer("Log")` registers it for all the names the operator has."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from analyzer.operators.declaration import Operator, Trait
from analyzer.operators.registry import FAMILIES, OPERATORS, filled, operator_named

Transfer = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class TransferRule:
    """An operator with its transfer function; what the interpreter asks often is taken from the traits once."""

    operator: Operator
    function: Transfer
    family: str
    name: str
    elementwise: bool
    pure: bool  # equal inputs give equal outputs
    selects: bool
    unsafe: tuple[str, ...]

    @classmethod
    def of(cls, operator: Operator, function: Transfer) -> TransferRule:
        family = function.__module__.rpartition(".")[2]
        flags = (bool(operator.traits & t) for t in (Trait.ELEMENTWISE, Trait.IMPURE | Trait.RANDOM, Trait.SELECTS))
        elementwise, impure, selects = flags
        return cls(operator, function, family, operator.name, elementwise, not impure, selects, operator.unsafe)


def transfer(*operators: str, framework: str | None = None) -> Callable[[Transfer], Transfer]:
    """Register `function(ctx, *inputs)` for the declared `operators`, or for their ``onnx`` or ``tf`` names alone.

    Absent optional inputs arrive as None. The function returns one abstract value, or a tuple with one for each output.
    """

    def register(function: Transfer) -> Transfer:
        for operator in map(operator_named, operators):
            rule = TransferRule.of(operator, function)
            for key in operator.keys:
                if framework is not None and (key[0] == "tf") != (framework == "tf"):
                    continue
                filled(operator.bounds, key, rule)
        return function

    return register


@functools.cache
def rules() -> Mapping[tuple[str, str], TransferRule]:
    """All rules by (domain, operator): of each family of operators, the module of its name in this package."""
    for family in FAMILIES:
        importlib.import_module(f"{__package__}.{family}")
    return {key: rule for operator in OPERATORS for key, rule in operator.bounds.items()}
