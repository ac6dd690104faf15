"""The dry run: a script's first training step, executed in a sandbox, and what it confirms or refutes of the tracing.

What runs inside is the package `inside`; what comes back is one JSON file, which is untrusted.
"""

from __future__ import annotations

import ast
import itertools
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from analyzer.findings import AnalysisResult, Confidence, Evidence, Finding, Level, Location
from analyzer.problem import TargetProblem
from analyzer.tracing.contracts.annotations import ObservedCall
from analyzer.tracing.paths.problems import DEFAULT_RUN, EVERY_RUN
from analyzer.walls import PYTHON, Completed, ResourceLimits, Sandbox
from analyzer.walls.imports import DRY_RUN, TOLD, frameworks_of
from analyzer.walls.process import further_packages, importing

INSIDE = "assay_dry"  # the name of the `inside` package where it runs
PROJECT = "project"
RESULT = "dry.json"
MOST_BYTES = 4 << 20
MOST_CALLS = 8  # of one function
MOST_MS = 10**7  # of one attempt
MOST_LOOKED_AT = 200  # files of a repository that may import PyTorch for its script
RULE = "tracing/run-fails"
_PLACE = re.compile(rf"(?:/[\w.+-]+)*/{PROJECT}\b/?")
LIMITS = ResourceLimits(
    seconds=90.0, memory=6 << 30, output=16 << 20
)  # a first step on a laptop; larger ones are traced
WALL = 3.0  # times the seconds pass on the clock at most: those in which others have the processor do not count
STARTING = 60.0  # seconds more for a process that imports frameworks, on a loaded machine


@dataclass(frozen=True)
class TracebackFrame:
    """One line of the repository's own code in a traceback."""

    path: str
    line: int
    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line} in {self.name}: {self.text}"

    @property
    def sentence(self) -> str:
        """With its place and its code as such, for Markdown."""
        code = self.text.replace("`", "'")
        return f"`{self.path}:{self.line}` in `{self.name}`" + (f": `{code}`" if code else "")


@dataclass(frozen=True)
class Raised:
    kind: str
    message: str
    frames: tuple[TracebackFrame, ...]  # outermost first; never empty


@dataclass(frozen=True)
class DryRun:
    """What came of the run. Neither `failure` nor `unreached`: the first training step went well, if `whole` all."""

    failure: Raised | None = None
    unreached: str | None = None  # what the script needs and does not have here
    steps: int = 0
    batches: int = 0
    made_up: int = 0  # numbers that tensors without values were asked for, and that only such tensors gave
    whole: bool = False  # it came to its end as it stands, with nothing left out but what follows
    behind: str | None = None  # what it needs, behind the steps that went well, and does not have here
    left_out: tuple[str, ...] = ()  # loggers and the like, of which no result is known
    data: tuple[str, ...] = ()  # data sets replaced by zeros of their sizes
    shapes: Mapping[tuple[str, int], Mapping[str, tuple[int, ...]]] = field(default_factory=dict)
    calls: Mapping[tuple[str, int], tuple[ObservedCall, ...]] = field(default_factory=dict)  # by a function's line
    as_it_stands: bool = False  # the failure is that of the script as it stands, with nothing left out
    invented: tuple[str, ...] = ()  # what nobody gave and was made up
    attempts: tuple[tuple[str, float], ...] = ()  # how each was made, and its own seconds


def dry_run(
    path: Path, root: Path, sandbox: Sandbox, *, arguments: Sequence[str] = (), limits: ResourceLimits = LIMITS
) -> DryRun:
    """Execute the script at `path` of the repository at `root` until its first training step is over."""
    relative = path.resolve().relative_to(root.resolve()).as_posix()
    request = {
        "root": PROJECT,
        "script": relative,
        "seconds": limits.seconds * 0.9,
        "wall": limits.seconds * 0.9 * WALL,
        "memory": limits.memory,
        "arguments": list(arguments),
        "packages": further_packages(sandbox),
    }
    with tempfile.TemporaryDirectory(prefix="assay-dry-") as temporary:
        try:
            completed = importing(sandbox, _imported(path, root)).run(
                [PYTHON, "-m", INSIDE, "request.json"],
                files={**_inside_files(), "request.json": json.dumps(request).encode(), PROJECT: root},
                output=Path(temporary),
                limits=replace(limits, seconds=limits.seconds * WALL + STARTING),
                environment=TOLD,
            )
        except TargetProblem as problem:
            return DryRun(unreached=str(problem))
        return _read(Path(temporary) / RESULT, completed)


def _imported(path: Path, root: Path) -> tuple[str, ...]:
    """What may be imported before the script: what it names, or else code beside it, where none sets for a framework
    what that one reads while it is imported."""
    named = frameworks_of([path])
    if not named:
        beside = itertools.islice(root.rglob("*.py"), MOST_LOOKED_AT)
        named = frameworks_of([path, *beside])
    return tuple(chain.from_iterable(modules for name, modules in DRY_RUN.items() if name in named))


def recorded_calls(run: DryRun, path: str) -> dict[int, tuple[ObservedCall, ...]]:
    """What functions of the file `path` were given and gave back, by the line where each begins, decorators too."""
    return {line: calls for (where, line), calls in run.calls.items() if where == path}


def is_script(text: str) -> bool:
    """Whether the file does something when it is executed: a `__main__` guard, a loop, a training, a call of a model.

    A model is what the file has made by a call under a name in small letters and calls then (`out = net(x)`).
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    made: set[str] = set()
    for node in tree.body:
        if isinstance(node, (ast.Expr, ast.Assign, ast.AnnAssign)) and any(
            isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in made for n in ast.walk(node)
        ):
            return True
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Call):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            made |= {t.id for t in targets if isinstance(t, ast.Name) and t.id[0].islower()}
        if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test):
            return True
        if isinstance(node, (ast.For, ast.While, ast.With)):
            return True
        if isinstance(node, (ast.Expr, ast.Assign)) and any(
            isinstance(n, ast.Attribute) and n.attr in ("fit", "backward", "train_on_batch") for n in ast.walk(node)
        ):
            return True
    return False


def with_dry_run(traced: AnalysisResult, run: DryRun, target: str, script: str) -> AnalysisResult:
    """The findings of the tracing, confirmed or refuted by the run, and what only the run has shown."""
    if run.unreached is not None:
        note = f"Dry run of {script}: not reached: {_needs(run.unreached)}; tracing alone answers."
        return replace(traced, notes=(*traced.notes, note))
    if run.failure is None:
        findings = tuple(_refuted(f, run) for f in traced.findings)
        note = f"Dry run of {script}: {_passed(run)}."
        return replace(traced, findings=findings, notes=(*traced.notes, note))
    failure = run.failure
    frames = {(f.path, f.line) for f in failure.frames}
    told = next((f for f in traced.findings if _tells(f, failure.frames[-1], frames)), None)
    sentences = _sentences(run, failure)
    if told is None:
        return replace(traced, findings=(*traced.findings, _finding(failure, sentences, target)))
    confirmed = replace(
        told,
        level=Level.ERROR,
        confidence=Confidence.CONFIRMED,
        evidence=replace(told.evidence, sentences=(*told.evidence.sentences, *sentences)),
    )
    return replace(traced, findings=tuple(confirmed if f is told else f for f in traced.findings))


def _passed(run: DryRun) -> str:
    """What was run without a failure, and what was not."""
    if run.whole:
        without = f", without {', '.join(run.left_out)}" if run.left_out else ""
        return f"it comes to its end as it stands{without} ({run.steps} optimizer steps looked at)"
    invented = f", {run.made_up} numbers on the way invented" if run.made_up else ""
    ended = f"then {_needs(run.behind)}" if run.behind else "what comes behind them was not seen"
    given = f"; made up: {', '.join(run.invented)}" if run.invented else ""
    return f"{run.batches} batches and {run.steps} optimizer steps without a failure{invented}; {ended}{given}"


def _needs(reason: str) -> str:
    return reason if reason.startswith(("it ", "its ", "the process ")) else f"it needs {reason}"


def _tells(finding: Finding, last: TracebackFrame, frames: set[tuple[str, int]]) -> bool:
    """Whether a finding of the tracing speaks of this failure: its line is the failing one, or a call on the way."""
    place = finding.location
    if place is None or finding.level is Level.NOTE or not finding.rule.startswith(("tracing/", "python/")):
        return False
    return (place.path, place.line) == (last.path, last.line) or (
        finding.level is Level.ERROR and (place.path, place.line) in frames
    )


def _refuted(finding: Finding, run: DryRun) -> Finding:
    """An alleged failure of every run that this run has passed is a guess."""
    place, sentences = finding.location, finding.evidence.sentences
    if (
        finding.level is not Level.ERROR
        or place is None
        or not sentences
        or sentences[0] not in (DEFAULT_RUN, EVERY_RUN)
    ):
        return finding
    if (place.path, place.line) not in run.shapes:
        return finding
    passed = replace(finding.evidence, sentences=(*sentences, "The dry run passed this line."))
    return replace(finding, level=Level.WARNING, confidence=Confidence.POSSIBLE, evidence=passed)


def _sentences(run: DryRun, failure: Raised) -> tuple[str, ...]:
    if run.as_it_stands:
        told = f"Run as it stands, the script fails: {failure.kind}: {failure.message}"
        return (told, *(f.sentence for f in failure.frames))
    which = f"batch {run.batches}" if run.batches else "before the first batch"
    zeros: tuple[str, ...] = (
        (f"Data sets replaced by zeros of their sizes: {', '.join(run.data)}.",) if run.data else ()
    )
    if run.invented:
        zeros += (f"Made up, and the same with other numbers: {', '.join(run.invented)}.",)
    return (
        f"The dry run fails ({which}, after {run.steps} optimizer steps): {failure.kind}: {failure.message}",
        *(f.sentence for f in failure.frames),
        *zeros,
    )


def _finding(failure: Raised, sentences: tuple[str, ...], target: str) -> Finding:
    place = failure.frames[-1]
    return Finding(
        rule=RULE,
        level=Level.ERROR,
        confidence=Confidence.CONFIRMED,
        message=f"the first training step fails: {failure.kind}: {failure.message}"[:300],
        target=target,
        node=place.text[:120],
        op=failure.kind,
        location=Location(place.path, place.line),
        evidence=Evidence("trace", sentences),
    )


def _inside_files() -> dict[str, bytes | Path]:
    source = Path(__file__).parent / "inside"
    return {f"{INSIDE}/{path.name}": path.read_bytes() for path in sorted(source.glob("*.py"))}


# ------------------------------------------------------------------------------------- what comes back is untrusted


def _read(path: Path, completed: Completed) -> DryRun:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ValueError("too large")
        return _checked(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        if completed.timed_out:
            return DryRun(unreached="more time than is allowed for a first training step")
        if completed.out_of_memory:
            return DryRun(unreached="more memory than is allowed")
        return DryRun(unreached=f"a Python with its packages in the sandbox (exit code {completed.exit_code})")


def _checked(data: Any) -> DryRun:
    """Raises ValueError, TypeError or KeyError for anything that the runner does not write."""
    status = data["status"]
    steps, batches, made_up = (_count(data.get(name, 0)) for name in ("steps", "batches", "made_up"))
    shapes = {
        (_text(path), _count(int(line))): {
            _text(name, 80): tuple(int(size) for size in sizes) for name, sizes in names.items()
        }
        for path, lines in data.get("shapes", {}).items()
        for line, names in lines.items()
    }
    calls = {
        (_text(path), _count(int(line))): tuple(_call(call) for call in found[:MOST_CALLS])
        for path, lines in data.get("calls", {}).items()
        for line, found in lines.items()
    }
    run = DryRun(
        calls=calls,
        steps=steps,
        batches=batches,
        made_up=made_up,
        data=_texts(data, "data"),
        shapes=shapes,
        invented=_texts(data, "invented"),
        attempts=tuple(
            (_text(a["mode"], 12), min(_count(a["ms"]), MOST_MS) / 1000) for a in data.get("attempts", [])[:8]
        ),
    )
    if status == "failed":
        error = data["error"]
        frames = tuple(
            TracebackFrame(_text(f["path"]), _count(f["line"]), _text(f["name"], 80), _text(f["text"], 160))
            for f in error["frames"][-12:]
        )
        if not frames or any(f.path.startswith(("/", "..")) for f in frames):
            raise ValueError("frames")
        failure = Raised(_text(error["type"], 80), _text(error["message"], 400), frames)
        if failure.kind in ("IndexError", "ValueError") and "argv" in frames[-1].text:
            return DryRun(unreached="arguments that nobody gave", shapes=shapes)
        return replace(run, failure=failure, as_it_stands=data.get("as_it_stands") is True)
    if status == "finished" and data.get("whole") is True:
        return replace(run, whole=True, left_out=_texts(data, "stubs"), invented=())
    if status == "finished":
        return replace(run, behind=_text(data["reason"]) if data.get("reason") else None)
    reason = _text(data.get("reason") or "values that only a real run has", 300)
    return DryRun(unreached=reason, shapes=shapes, attempts=run.attempts)


def _call(found: Any) -> ObservedCall:
    call = ObservedCall()
    for name, (kind, sizes) in itertools.islice(found.items(), 80):
        if kind == "int" and len(name) > 1 and sizes[0] > 1:
            call.sizes[int(sizes[0])] = _text(name, 80)
        elif kind != "int":
            seen = tuple(_count(size) for size in sizes)
            call.tensors[_text(name, 80)] = (_text(kind, 20), seen)
    return call


def _texts(data: Any, name: str) -> tuple[str, ...]:
    return tuple(_text(text, 80) for text in data.get(name, [])[:20])


def _count(value: Any) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError("a count expected")
    return value


def _text(value: Any, limit: int = 300) -> str:
    """Printable text, with the repository's files named from its root: where they lie is the sandbox's affair."""
    if not isinstance(value, str):
        raise TypeError("text expected")
    value = _PLACE.sub("", value)
    return "".join(c if c.isprintable() else " " for c in value)[:limit]
