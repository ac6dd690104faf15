"""What can become of one run on one engine, kept apart: only some of it is a question of values."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np


class Kind(StrEnum):
    """Kinds of verdict; each is the last part of a rule id, except `MISSING` and `UNREPLAYED`, which are notes.

    `MEMORY` shares its rule with `TIMEOUT`: no answer within the limits.
    """

    MISSING = "missing"
    CRASH = "crash"
    UNSUPPORTED = "unsupported"
    TIMEOUT = "timeout"
    MEMORY = "out-of-memory"
    UNREPLAYED = "unreplayed"  # the part could not be cut out or fed: a limit of the comparison, no fault of an engine
    SHAPE = "shape"
    DTYPE = "dtype"
    NAN = "nan"
    VALUE = "inconsistent-layer"
    MUTATED = "state-mutated"
    NONDETERMINISTIC = "nondeterministic"
    COMMON = "common-mode"

    @property
    def rule(self) -> str:
        return "differential/timeout" if self is Kind.MEMORY else f"differential/{self.value}"


def kind_of_error(said: str) -> Kind:
    """What a worker calls its failures; anything unknown is a crash."""
    known = {
        "missing": Kind.MISSING,
        "unsupported": Kind.UNSUPPORTED,
        "unreplayed": Kind.UNREPLAYED,
        "memory": Kind.MEMORY,
    }
    return known.get(said, Kind.CRASH)


@dataclass(frozen=True, slots=True)
class Failure:
    """An engine gave no result. `message` is the engine's own text, shortened: hostile."""

    kind: Kind
    message: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one evaluation gave: arrays by tensor name, or why there are none."""

    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    failure: Failure | None = None
    seconds: float = 0.0
    mutated: bool = False

    @property
    def ok(self) -> bool:
        return self.failure is None
