"""Enumerations: which classes are some, what their members are, and what stands for a value in a body."""

from __future__ import annotations

from analyzer.tracing.language.values import Class, DictV

AUTO = "the next value of an enumeration"  # reasons of unknown values, which `auto()` and `nonmember()` give
NO_MEMBER = "no member of an enumeration"
OF_MEMBERS = ("enum.Enum", "enum.Flag")
OF_PLAIN = ("enum.IntEnum", "enum.StrEnum", "enum.IntFlag")  # whose members are numbers or texts
MIXED_IN = {"builtins.str": str, "builtins.int": int, "builtins.float": float}  # members compare as these


def is_enumeration(cls: Class) -> bool:
    return not {*OF_MEMBERS, *OF_PLAIN}.isdisjoint(cls.library_bases)


def members_of(cls: Class) -> DictV | None:
    """The members by their names, other names too; None where they are not known."""
    members = cls.scope.names.get("__members__")
    return members if isinstance(members, DictV) and not members.open else None
