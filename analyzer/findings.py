"""Findings and reports: the one vocabulary that the analyzer, the renderers and the action share.

Everything here is plain frozen data that survives a round trip through JSON (``report.json``, ``assay-report/1``).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

JSON = Any  # a value that json.dumps accepts

SCHEMA = "assay-report/1"


class Level(StrEnum):
    """How bad the problem is if it is real."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Confidence(StrEnum):
    """How sure Assay is that the problem is real."""

    PROVED = "proved"  # holds for all inputs, or a formula is unsatisfiable
    CONFIRMED = "confirmed"  # a concrete run shows it, and the run is attached
    POSSIBLE = "possible"  # the analysis cannot exclude it


class FailOn(StrEnum):
    """Which new findings block a merge."""

    NEVER = "never"
    CONFIRMED = "confirmed"  # proved and confirmed errors
    POSSIBLE = "possible"  # every error, also the possible ones


class Verdict(StrEnum):
    PASS = "pass"
    FAIL = "fail"
    INCOMPLETE = "incomplete"  # nothing blocks, but something could not be analysed


class Status(StrEnum):
    """What became of one target."""

    ANALYSED = "analysed"
    TRACED = "traced"  # an entry point whose source was traced and that was not exported: nothing else is known of it
    FAILED = "failed"  # could not be loaded, exported or analysed; `error` says why in one sentence
    SKIPPED = "skipped"  # its content is not here (an unfetched LFS pointer, a submodule)


class Cause(StrEnum):
    """Whose doing it is that a target was not analysed whole."""

    MODEL = "model"  # the file, its code, its configuration; also what is too large or too slow for the limits
    SURROUNDINGS = "surroundings"  # the machine, its container engine, a network
    POLICY = "policy"  # what this run may do: the project's code may not run here
    ASSAY = "assay"  # an internal error
    ENGINES = "engines"  # no engine here can make the comparison; all else was analysed


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the repository. `path` is relative to its root with forward slashes; `line` and `column` count from 1.

    `column` counts characters of the line; None where the analysis knows lines alone.
    """

    path: str
    line: int
    end_line: int | None = None
    column: int | None = None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A change of source text that mends the finding; `proved` when the analysis found no error in what it makes.

    `replacement` stands for the lines `line`..`end_line` of `path` inclusive. Where the source is not at hand
    (a finding in an ONNX file), `path` is None and `description` alone says what to change.
    """

    description: str
    path: str | None = None
    line: int | None = None
    end_line: int | None = None
    replacement: str | None = None
    proved: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A small table of evidence; cells are strings or numbers."""

    columns: tuple[str, ...]
    rows: tuple[tuple[JSON, ...], ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a person needs to check the finding by hand.

    `kind` names the analysis that speaks: ``interval``, ``core``, ``deviation``, ``trace``, ``weights``, ``static``.
    `sentences` are plain English, one fact each, in the order in which a person would check them.
    `assumptions` are the ranges and symbol sizes that the finding rests on.
    `data` is whatever else a machine may want; every value must survive JSON.
    """

    kind: str
    sentences: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    assumptions: tuple[str, ...] = ()
    data: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem in one model.

    `node` is the name a user of that framework knows (TensorFlow node name, ONNX node name, torch scope + operator).
    `operand` tells apart several findings of one rule at one node (``denominator``, ``input 1``).
    `reproducer` is a path below the output folder of the run.
    `new` is decided against the base revision; without a base every finding is new.
    """

    rule: str
    level: Level
    confidence: Confidence
    message: str
    target: str
    layer: str = ""
    node: str = ""
    op: str = ""
    operand: str = ""
    location: Location | None = None
    evidence: Evidence = field(default_factory=lambda: Evidence("static"))
    reproducer: str | None = None
    suggestion: Suggestion | None = None
    new: bool = True
    suppressed: str | None = None  # the reason given in `.assay.yml`

    @property
    def proof(self) -> str:
        """What stands behind the suggestion, in words; empty without one."""
        if self.suggestion is None:
            return ""
        if not self.suggestion.proved:
            return "not proved"
        return "proved safe" if self.rule.startswith("numerical/") else "no error when analysed again"

    @property
    def fingerprint(self) -> str:
        """Sixteen hex digits over target, layer, rule, node and operand: no line numbers, so that it survives edits."""
        key = "\0".join((self.target, self.layer, self.rule, self.node, self.operand))
        return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def blocks(self, fail_on: FailOn) -> bool:
        """Whether this finding alone makes the check fail under the policy `fail_on`."""
        if fail_on is FailOn.NEVER or not self.new or self.suppressed is not None or self.level is not Level.ERROR:
            return False
        return fail_on is FailOn.POSSIBLE or self.confidence is not Confidence.POSSIBLE


@dataclass(frozen=True, slots=True)
class MapNode:
    """One layer of a deviation graph."""

    id: str
    label: str
    kind: str = ""  # framework class or operator type
    deviation: float | None = None  # delta_l, mean absolute difference of the hidden states
    rate: float | None = None  # R_l
    replayed: float | None = None  # relative error with the reference's inputs
    responsible: bool = False
    highlighted: bool = False  # above CRADLE's third quartile


@dataclass(frozen=True, slots=True)
class DeviationMap:
    """The execution deviation graph of one model and one pair of engines, as data; renderers draw it."""

    title: str
    reference: str
    backend: str
    nodes: tuple[MapNode, ...]
    edges: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class DistanceHistogram:
    """How far two engines lie apart on validation data with ground truth: CRADLE's inconsistency pattern.

    `edges` are the lower ends of the bins, in the order of `counts`: falling for ``class``, rising for ``mad``.
    """

    metric: str  # "class" (D_CLASS) or "mad" (D_MAD)
    first: str
    second: str
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    threshold: float
    triggering: int  # instances at the threshold or above
    inconsistent: bool


@dataclass(frozen=True, slots=True)
class LayerNode:
    """One layer of a model as a person sees it: what it is, what leaves it, what is known of the values."""

    id: str
    label: str
    kind: str = ""  # framework class or operator type
    operators: int = 1  # how many operators it stands for
    shape: str = ""  # of what leaves it: "batch × 64 × 28 × 28"
    interval: str = ""  # of what leaves it: "[0, 6]"
    location: Location | None = None


@dataclass(frozen=True, slots=True)
class LayerGraph:
    """A model's layers and how values flow between them."""

    nodes: tuple[LayerNode, ...] = ()
    edges: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class UnsafeOperators:
    """How many operators could fail numerically, and how many of them were proved safe."""

    checked: int = 0
    safe: int = 0


@dataclass(frozen=True, slots=True)
class TargetReport:
    """What one target came to."""

    id: str
    kind: str
    path: str
    status: Status = Status.ANALYSED
    error: str | None = None
    cause: Cause | None = None  # of `error`; None where everything was analysed
    nodes: int = 0
    unsafe_operators: UnsafeOperators = UnsafeOperators()
    unknown_operators: Mapping[str, int] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)  # stage -> seconds
    assumptions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # what a reader should know: backends that were missing, budgets that were spent
    versions: Mapping[str, str] = field(default_factory=dict)
    backends: tuple[str, ...] = ()  # one sentence a comparison
    maps: tuple[DeviationMap, ...] = ()
    distances: tuple[DistanceHistogram, ...] = ()
    layers: LayerGraph = LayerGraph()
    pictures: tuple[str, ...] = ()  # files below the output folder
    changed: bool = True
    cached: bool = False

    @property
    def spared(self) -> bool:
        """Whether it was not analysed, and that is no doing of the model: another run may tell."""
        return self.status is not Status.ANALYSED and self.cause not in (None, Cause.MODEL)

    @property
    def file(self) -> str:
        """The file of the repository: of an entry point `file.py:name` the file alone."""
        file, _, name = self.path.rpartition(":")
        return file if file.endswith(".py") and name.replace(".", "").isidentifier() else self.path


@dataclass(frozen=True, slots=True)
class Report:
    """The result of one run; everything that is ever rendered comes from here."""

    targets: tuple[TargetReport, ...]
    findings: tuple[Finding, ...]
    fixed: tuple[Finding, ...] = ()  # in the base, not in the head
    base: str | None = None
    head: str | None = None
    fail_on: FailOn = FailOn.CONFIRMED
    seconds: float = 0.0
    tool: Mapping[str, JSON] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def blocking(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if f.blocks(self.fail_on))

    @property
    def verdict(self) -> Verdict:
        if self.blocking:
            return Verdict.FAIL
        if any(t.status is not Status.ANALYSED for t in self.targets):
            return Verdict.INCOMPLETE
        return Verdict.PASS


@dataclass(frozen=True, slots=True)
class AnalysisResult:
    """What one analysis says of one target. The pipeline merges these into a `TargetReport`."""

    findings: tuple[Finding, ...] = ()
    unsafe_operators: UnsafeOperators = UnsafeOperators()
    unknown_operators: Mapping[str, int] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    backends: tuple[str, ...] = ()
    maps: tuple[DeviationMap, ...] = ()
    distances: tuple[DistanceHistogram, ...] = ()
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # value name -> bounds
    shapes: Mapping[str, tuple[int | str | None, ...]] = field(default_factory=dict)  # value name -> dimensions
    failure: tuple[str, Cause] | None = None  # why the analysis came to nothing, as one sentence, and whose doing it is


def mark_new(head: Iterable[Finding], base: Iterable[Finding]) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Split by fingerprint: head's findings with `new` decided, and those of base that head no longer has.

    A finding that was only possible on base and is proved or confirmed on head counts as new.
    """
    known: dict[str, list[Finding]] = {}
    for finding in base:
        known.setdefault(finding.fingerprint, []).append(finding)
    marked = []
    for finding in head:
        twins = known.get(finding.fingerprint, [])
        stronger = all(
            t.confidence is Confidence.POSSIBLE and finding.confidence is not Confidence.POSSIBLE for t in twins
        )
        marked.append(replace(finding, new=not twins or stronger))
    remaining = {f.fingerprint for f in marked}
    gone = tuple(f for prints, group in known.items() if prints not in remaining for f in group)
    return tuple(marked), gone


def ordered(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Worst first: new before known, errors before warnings, proved and confirmed before possible, then by place."""
    levels = list(Level)
    confidences = (Confidence.CONFIRMED, Confidence.PROVED, Confidence.POSSIBLE)

    def key(finding: Finding) -> tuple[Any, ...]:
        place = (finding.location.path, finding.location.line) if finding.location else ("~", 0)
        return (
            finding.suppressed is not None,
            not finding.new,
            levels.index(finding.level),
            confidences.index(finding.confidence),
            finding.target,
            place,
            finding.rule,
            finding.node,
        )

    return tuple(sorted(findings, key=key))


def slug(identity: str) -> str:
    """A file name for a target: readable, unique, and safe on every file system."""
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", identity).strip("-.")[-60:] or "target"
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()  # a file's name need not be UTF-8
    return f"{readable}-{digest[:6]}"
