"""Where infinities are meant: a mask of -inf is no failure, what an operator makes of it may be one."""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType

from analyzer.operators.conditions import EXTREMUM_OF_INFINITY, SOFTMAX_OF_MINUS_INFINITY


class Infinities(StrEnum):
    """Whether infinities of an operator's operands and results are failures; false if all of them are."""

    NONE = ""
    GIVEN = "given"  # operands may hold them, results may not
    MEANT = "meant"  # operands and results may: only NaN is a failure

    @property
    def passed_on(self) -> bool:
        """Whether results may hold them."""
        return self is Infinities.MEANT


BY_RULE = MappingProxyType(
    {SOFTMAX_OF_MINUS_INFINITY: Infinities.MEANT, EXTREMUM_OF_INFINITY: Infinities.GIVEN},
)


def meant_by(rule: str) -> Infinities:
    """What a rule holds of infinities."""
    return BY_RULE.get(rule, Infinities.NONE)
