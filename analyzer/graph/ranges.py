"""Value ranges: what is assumed about inputs and parameters."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

Part = tuple[tuple[int, int], ...]  # of a tensor: where it begins and ends along each leading axis
Parts = tuple[Part, ...]


class Origin(StrEnum):
    """Where a range comes from; later members are weaker."""

    DECLARED = "declared"  # `.assay.yml`
    DATA = "data"  # a constant, an initialiser or a checkpoint
    INFERRED = "inferred"  # dtype, one-hot, preprocessing, batch-norm statistics …
    DEFAULT = "default"  # a documented default


@dataclass(frozen=True, slots=True)
class ValueRange:
    """Every element of a tensor lies in [lo, hi]; infinities mean unbounded but finite values."""

    lo: float
    hi: float
    origin: Origin = Origin.DECLARED
    reason: str = ""  # one phrase: "token ids below the vocabulary size 30522"
    estimated: bool = False  # how far training may move a weight is a guess: it may go a little further
    held: tuple[float, float] | None = None  # between these numbers lies one element at least
    parts: Parts = ()  # … and one of each of these parts of the tensor
    order: tuple[int, int] | None = None  # the axis along which numbers rise (1) or fall (-1), or stay equal
    even: tuple[int, float] | None = None  # the axis along which steps are equal, and the least of them, with its sign
    unlike: bool = False  # its rows along the first axis are not all alike: a batch
    whole: bool = False  # its numbers are whole, whatever type holds them
    definite: bool = False  # its matrices are symmetric and have no negative eigenvalue

    def __post_init__(self) -> None:
        if not self.lo <= self.hi:
            raise ValueError(f"empty range [{self.lo}, {self.hi}]")
