"""One declarative function per operator: `@transfer("Log", tf=("Log",))` registers it for ONNX and TensorFlow alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """A transfer function.

    `name` is shared by all operators that mean the same. `elementwise`: output element i depends on element i of
    each operand (after broadcasting) alone. `selects`: each output element is one of operand 0's, and which one depends
    on shapes, attributes and the other operands alone. `pure`: equal inputs give equal outputs. `unsafe`: rule ids it
    can raise.
    """

    name: str
    function: Function
    family: str
    elementwise: bool = False
    pure: bool = True
    unsafe: tuple[str, ...] = ()
    selects: bool = False


_rules: dict[tuple[str, str], Rule] = {}


def transfer(
    *operators: str,
    tf: tuple[str, ...] = (),
    ml: tuple[str, ...] = (),
    domain: str = "",
    elementwise: bool = False,
    pure: bool = True,
    unsafe: tuple[str, ...] = (),
    selects: bool = False,
) -> Callable[[Function], Function]:
    """Register `function(ctx, *inputs)` for ONNX `operators`, TensorFlow's `tf` and ``ai.onnx.ml``'s `ml`.

    Absent optional inputs arrive as None. The function returns one abstract value, or a tuple with one for each output.
    """

    def register(function: Function) -> Function:
        family = function.__module__.rsplit(".", 1)[-1]
        name = (operators or tf or ml)[0]
        rule = Rule(name, function, family, elementwise, pure, unsafe, selects)
        keys = [(domain, o) for o in operators] + [("tf", o) for o in tf] + [("ai.onnx.ml", o) for o in ml]
        for key in keys:
            if key in _rules:
                raise ValueError(f"two rules for {key}")
            _rules[key] = rule
        return function

    return register


def rules() -> Mapping[tuple[str, str], Rule]:
    """All rules by (domain, operator)."""
    from analyzer.numerical.transfer import families

    families.load()
    return MappingProxyType(_rules)
