"""What a confirmation is: a real run that failed, and where the weights of its witness stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from analyzer.numerical.confirm.infinities import Infinities

FAR = 0.9  # of the way from where training starts to the end of a weight's range: it stands there for the estimate
NEAR = 0.125  # of that way: as far as weights go in a search for failures near where training starts
DISTANT = 1 / 3  # of that way: a choice, well beyond NEAR; all that it decides is that plain runs are asked too
PLAIN = 24  # draws of the weights at random from all of their ranges
STILL = 0.02  # of that way: a weight that moved less did not have to


@dataclass(frozen=True)
class Training:
    """What several short training runs of the model's own losses showed.

    `failed` describes one of two that failed ("" for none), and `runs` how many tell something. `once` describes one
    that failed alone, not again with other seeds.
    """

    failed: str = ""
    runs: int = 0
    once: str = ""


@dataclass(frozen=True)
class Standing:
    """Where a witness stands and what it does.

    `exact` are weights that must stand at exact values (name, value); `moved` how far others are from where training
    starts: name, initial value, value, part of the way to the end of the range. `reached` says what of the whole model
    the failure reaches, "" for nothing; None where that could not be run. `crossed` are weights all of one sign where
    training starts, and not here. `training` is what short runs showed, None where none was needed or possible.
    `elsewhere`: PyTorch's kernels do not fail there, those of the engine that ran it do. `collapsed`: layers say the
    same of every sample of a batch. `running`: with running statistics alone, not where each batch has its own.
    `related`: inputs several numbers of which must meet one exact relation.
    `plain`: with how many draws of the weights at random from all of their ranges no inputs were found that fail.
    """

    exact: tuple[tuple[str, str], ...] = ()
    moved: tuple[tuple[str, float, float, float], ...] = ()
    reached: str | None = None
    crossed: tuple[str, ...] = ()
    training: Training | None = None
    elsewhere: bool = False
    collapsed: bool = False
    running: bool = False
    plain: int = 0
    related: tuple[str, ...] = ()

    @property
    def at_ends(self) -> bool:
        """Whether every weight that had to move stands at the far end of its range, where only the estimate puts it."""
        moved = [part for _, _, _, part in self.moved if part >= STILL]
        return bool(moved) and min(moved) >= FAR

    @property
    def unlikely(self) -> bool:
        """Whether weights stand where training may never bring them: at their ends, without the sign that all of their
        initial values have, or where a layer is off for a whole batch.
        """
        return bool(self.crossed) or self.at_ends or self.collapsed

    @property
    def distant(self) -> bool:
        """Whether every weight that had to move went a good part of the way: together, as a search chose them.

        That alone tells little: a search goes further than it has to. Plain runs tell whether others fail as well.
        """
        moved = [part for _, _, _, part in self.moved if part >= STILL]
        return bool(moved) and min(moved) >= DISTANT

    @property
    def far(self) -> bool:
        return self.unlikely or self.distant


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
    fractional: bool = False  # … by fractions alone, where these hold whole numbers
