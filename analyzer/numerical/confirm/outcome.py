"""What a confirmation is: a real run that failed, and where the weights of its witness stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from analyzer.numerical.confirm.infinities import Infinities


@dataclass(frozen=True)
class Standing:
    """Where a witness stands and what it does.

    `exact` are weights that must stand at exact values (name, value); `moved` how far others are from where training
    starts: name, initial value, value, part of the way to the end of the range. `reached` says what of the whole model
    the failure reaches, "" for nothing; None where that could not be run. `towards` is the part of the way to the
    witness that a short training run went, None where none was needed or possible; `trained` where it failed itself.
    `elsewhere`: PyTorch's kernels do not fail there, those of the engine that ran it do.
    """

    exact: tuple[tuple[str, str], ...] = ()
    moved: tuple[tuple[str, float, float, float], ...] = ()
    reached: str | None = None
    towards: float | None = None
    trained: str = ""
    elsewhere: bool = False


@dataclass(frozen=True)
class Confirmation:
    """A real run in which the operator failed. `work` holds its files until the `Confirmer` is closed."""

    sentence: str
    engine: str
    kind: str  # "onnx", "tensorflow" or "torch"
    work: Path
    operands: tuple[str, ...]
    results: tuple[str, ...]
    losses: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    infinite: Infinities = Infinities.NONE
    event: str = ""  # the result that tells of an operator inside a body
    standing: Standing = Standing()
    threads: str = "one thread"  # with how many it was seen
    beyond: bool = False  # inputs that nobody described are unlike their examples
