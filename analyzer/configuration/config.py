"""`.assay.yml`: what to analyse and under which assumptions, as one frozen object. Runs no code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from analyzer.findings import FailOn, Level
from analyzer.graph.ranges import ValueRange

Dimension = int | str  # a size, or the name of a symbol


@dataclass(frozen=True, slots=True)
class InputSpec:
    """What is known about one input; None means "as the model says"."""

    shape: tuple[Dimension, ...] | None = None
    dtype: str | None = None
    range: ValueRange | None = None


@dataclass(frozen=True, slots=True)
class Environment:
    """Where the project's own code runs on export: a container image, or requirements on top of Assay's own."""

    image: str | None = None
    requirements: str | None = None


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Differential thresholds, named as CRADLE names them."""

    t_class: float = 8.0
    t_mad: float = 0.2
    p: float = 0.0  # per cent of instances


@dataclass(frozen=True, slots=True)
class DriftBudget:
    """How far the outputs of a changed model may move from those of the base; None: as far as they like."""

    top1: float | None = None  # per cent of the instances whose top-1 class changes
    mad: float | None = None  # mean absolute change, of the outputs' mean size
    relative: float | None = None  # largest change, of the largest value
    d_class: float | None = None  # CRADLE's distances, where there is ground truth
    d_mad: float | None = None


@dataclass(frozen=True, slots=True)
class TargetConfig:
    """One model. Exactly one of `path` (a file) and `entry` (``path/to/file.py:name``) is set."""

    id: str
    path: str | None = None
    entry: str | None = None
    inputs: Mapping[str, InputSpec] = field(default_factory=dict)
    parameters: Mapping[str, ValueRange] = field(default_factory=dict)  # glob on the parameter's name -> range
    symbols: Mapping[str, tuple[int, int | None]] = field(default_factory=dict)  # inclusive sizes
    unbounded: tuple[str, ...] = ()  # of "inputs", "parameters"
    backends: tuple[str, ...] | None = None  # None: the defaults for the kind of model; (): no differential test
    checkpoint: str | None = None  # weights whose values replace the parameter ranges
    weights: Literal["exact", "range", "widened"] = "range"  # what a checkpoint's weights may be
    validation: str | None = None  # data for the differential test
    space: str | Mapping[str, Any] | None = None  # hyperparameter space: a file, or inline
    environment: Environment | None = None
    line: int | None = None  # where the target stands in the configuration

    @property
    def file(self) -> str:
        """The model's file, or the one that its entry point is in."""
        return self.path or (self.entry or "").partition(":")[0]


@dataclass(frozen=True, slots=True)
class Suppression:
    """Findings that match every given glob are kept but do not count, until `until`."""

    reason: str
    rule: str = "*"
    target: str = "*"
    layer: str = "*"
    fingerprint: str = "*"
    until: date | None = None


@dataclass(frozen=True, slots=True)
class Config:
    version: int = 1
    targets: tuple[TargetConfig, ...] = ()
    exclude: tuple[str, ...] = ()  # globs of paths that are never targets
    rules: Mapping[str, Level | None] = field(default_factory=dict)  # None: off
    suppressions: tuple[Suppression, ...] = ()
    fail_on: FailOn = FailOn.CONFIRMED
    only: tuple[str, ...] = ("numerical", "validity", "differential", "tracing")
    environment: Environment = Environment()
    thresholds: Thresholds = Thresholds()
    drift: DriftBudget = DriftBudget()
    timeout: float = 600.0  # seconds for one target
    discover: bool = True  # look for models that no target names
    locked: bool = False  # `policy: locked`: a pull request that loosens this configuration is blocked
    lines: Mapping[tuple[Any, ...], int] = field(default_factory=dict, compare=False, repr=False)  # of the file's keys
    path: str | None = None  # the file this came from
