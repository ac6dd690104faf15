"""``assay space SPACE.yml``: is every hyperparameter vector of a space a valid model, and if not, which and why."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzer.commands.output import add_format, emit, report_of
from analyzer.differential.plan import foreign_operators
from analyzer.exporting.export import check_entry
from analyzer.findings import AnalysisResult
from analyzer.loading.formats import Format, detect
from analyzer.loading.reading import load
from analyzer.loading.scan import of_other_libraries, refusal, scan
from analyzer.problem import Problem, TargetProblem, UsageProblem
from analyzer.validity.answer import answer
from analyzer.validity.chunks import decide_chunked
from analyzer.validity.classic import bulk, individual
from analyzer.validity.contracts import contract_of
from analyzer.validity.decide import UNDECIDED, VALID_FOR_ALL, decide
from analyzer.validity.describe import architecture_of_file
from analyzer.validity.domain_sources import from_hydra, from_ray
from analyzer.validity.explain import check_vector, core, repairs
from analyzer.validity.recording.answer import CodeAnswer, as_data, decided, predicate
from analyzer.validity.recording.record import RecordingRequest, record
from analyzer.validity.solver import Z3Process
from analyzer.validity.space_findings import of_code, of_decision
from analyzer.validity.space_reader import domains_from, read_space
from analyzer.walls.process import ProcessSandbox

if TYPE_CHECKING:
    from rich.console import Console

    from analyzer.validity.decide import SpaceDecision
    from analyzer.validity.space import Space

MAX_SHOWN = 12  # vectors on one screen
_Outcome = tuple[int, Mapping[str, Any], AnalysisResult]  # exit code, answer as data, answer as findings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``assay space``."""
    parser.description = (
        "Decide for which hyperparameters of a space a model is valid: for all, for none, or for exactly which."
    )
    parser.add_argument(
        "spaces", nargs="*", metavar="SPACE", help="a space (.yml), or a function of code (FILE.py:NAME)"
    )
    parser.add_argument(
        "--space", dest="domains", metavar="FILE", help="domains and inputs, for models that code builds (FILE.py:NAME)"
    )
    parser.add_argument("--optuna", action="append", default=[], metavar="FILE.py:NAME", help="a function of a trial")
    parser.add_argument(
        "--keras-tuner", action="append", default=[], metavar="FILE.py:NAME", help="a function of hyperparameters"
    )
    parser.add_argument(
        "--hydra", metavar="DIR", help="domains of FILE.py:NAME from the sweep of a Hydra configuration"
    )
    parser.add_argument("--ray", metavar="FILE.py:NAME", help="domains of FILE.py:NAME from a Ray Tune search space")
    parser.add_argument("--root", type=Path, default=Path(), metavar="DIR", help="the repository of that code (here)")
    parser.add_argument("--export", metavar="FILE.py", help="write the valid region as a module without dependencies")
    parser.add_argument("--target", metavar="FILE", help="the model, when the space describes none")
    parser.add_argument(
        "--vector",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="explain this one vector (repeat for each hyperparameter; others take their first value)",
    )
    parser.add_argument(
        "--mode",
        choices=("auto", "individual", "bulk"),
        default="auto",
        help="auto: evaluate and solve (default); individual, bulk: the paper's solver modes, as a cross-check",
    )
    parser.add_argument("--block", type=int, default=0, metavar="N", help="bulk mode: vectors in a tiny subspace")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="workers")
    parser.add_argument("--backend", choices=("local", "spark"), default="local", help="where the workers run")
    parser.add_argument("--timeout", type=float, default=10.0, metavar="S", help="seconds for one solver query")
    parser.add_argument("--json", metavar="FILE", help="write the answer as JSON")
    add_format(parser)


def enclosure(args: argparse.Namespace) -> dict[str, Any] | None:
    """What a run of this command reads and writes; None for a cluster, which no wall could let it reach.

    Code that builds a model runs behind a narrower wall.
    """
    if args.backend == "spark":
        return None
    written = [path for path in (args.json, args.export) if path]
    for path in written:
        with contextlib.suppress(OSError):
            Path(path).touch()  # behind the wall no file can be made beside it
    named = [*args.spaces, *args.optuna, *args.keras_tuner, args.target, args.domains]
    files = [name.rpartition(":")[0] if ".py:" in name else name for name in named if name]
    code = [args.root] if any(".py:" in name for name in named if name) else []
    return {"read": [*files, *code], "write": written}


def run(args: argparse.Namespace, console: Console) -> int:
    """0: valid for all; 1: some vectors are invalid; 2: the space is wrong; 3: not decided."""
    worst = 0
    answers: list[Mapping[str, Any]] = []
    results: dict[str, AnalysisResult | str] = {}
    asked = [(n, "build") for n in args.spaces] + [(n, "trial") for n in args.optuna]
    asked += [(n, "hp") for n in args.keras_tuner]
    if args.backend == "spark" and (args.target or any(".py:" in name for name, _ in asked)):
        raise UsageProblem(
            "--backend spark takes spaces that describe their layers: models are read behind a wall, from which no "
            "cluster is reached"
        )
    if not asked:
        raise UsageProblem("name a space: `assay space SPACE.yml` or `assay space FILE.py:build --space space.yml`")
    for name, style in asked:
        try:
            if style != "build" or ".py:" in name:
                code, found, results[name] = _from_code(name, style, args, console)
                worst = max(worst, code)
                answers.append(found)
                continue
            space = _read(name, args.target)
            if args.vector:
                worst = max(worst, _explain_one(space, args.vector, console))
                continue
            code, found, results[name] = _decide_one(space, args, console)
            worst = max(worst, code)
            answers.append(found)
        except UsageProblem as problem:
            results[name] = str(problem)
            console.print(str(problem), style="red", markup=False, highlight=False)
            worst = max(worst, 2)
        except Problem as problem:
            results[name] = str(problem)
            console.print(str(problem), style="red", markup=False, highlight=False)
            worst = 3
        except Exception as error:  # a defect of ours: told, and no reason to lose the other answers
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(place.filename).name}:{place.lineno}"
            what = f"{type(error).__name__} in {where}: {error}"
            results[name] = what
            console.print(f"{name}: not decided, by a defect of Assay that should be reported: {what}", markup=False)
            worst = 3
    text = json.dumps(answers, indent=2, default=str) + "\n"
    if args.json and answers:
        Path(args.json).write_text(text, encoding="utf-8")
    if args.format == "json":
        sys.stdout.write(text)
    elif args.format != "text":
        files = {name: name.rpartition(":")[0] if ".py:" in name else name for name in results}
        emit(report_of(results, "space", files), args.format)
    return worst


def _from_code(entry: str, style: str, args: argparse.Namespace, console: Console) -> _Outcome:
    """The space of a function that builds a model, run in the sandbox with recording values."""
    started = time.perf_counter()
    root = args.root.resolve()
    check_entry(entry, root)
    domains: dict[str, Any] = {}
    inputs: dict[str, Any] = {}
    if style == "build" and args.hydra:
        domains |= from_hydra(Path(args.hydra))
    if style == "build" and args.ray:
        domains |= from_ray(args.ray, root)
    if args.domains is not None:
        path = Path(args.domains)
        if not path.is_file():
            raise UsageProblem(f"{args.domains} is not a file; give the domains and inputs of the model's arguments")
        stated, inputs = domains_from(path.read_text(encoding="utf-8"), path.name)
        domains |= stated
    elif style == "build" and not domains:
        raise UsageProblem(f"{entry}: add `--space FILE.yml` with `hyperparameters:` and `inputs:`")
    recording = record(RecordingRequest(entry, domains, inputs, style), root, ProcessSandbox())
    with Z3Process(args.timeout) as solver:
        found = decided(recording, solver)
        data = as_data(found, solver) if _wants_data(args) else {}
    _show_code(found, console, time.perf_counter() - started)
    if args.export:
        Path(args.export).write_text(predicate(found), encoding="utf-8")
        console.print(f"Written: {args.export} (valid, constraints, keep)", markup=False, highlight=False)
    code = 3 if found.undecided else 0 if found.valid == found.total else 1
    return code, data, of_code(found, entry)


def _wants_data(args: argparse.Namespace) -> bool:
    return bool(args.json) or args.format == "json"


def _show_code(found: CodeAnswer, console: Console, seconds: float) -> None:
    whole = "" if found.recording.complete else ", not all forks were reached"
    console.print(
        f"{found.recording.entry}: {found.valid:,} of {found.total:,} vectors are valid "
        f"({len(found.forks)} forks{whole}; {found.checked[0]} vectors really built; {seconds:.1f} s)",
        markup=False,
        highlight=False,
    )
    failures: dict[tuple[str, str], list[Any]] = {}
    for one in found.forks:
        for failure in one.decision.failures if one.decision is not None and one.sound else ():
            key = (failure.step.layer.name, failure.step.requirement.rule.id)
            failures.setdefault(key, []).append(failure)
    ranked = sorted(failures.values(), key=lambda group: -sum(f.count or 0 for f in group))
    for group in ranked[:MAX_SHOWN]:
        first = group[0]
        example = ", ".join(f"{n} = {v}" for n, v in first.example.items())
        count = sum(f.count or 0 for f in group)
        console.print(
            f"  {count:,}: `{first.step.layer.name}`: {first.sentence} ({example})", markup=False, highlight=False
        )
    for caveat in found.caveats[:MAX_SHOWN]:
        console.print(f"Undecided: {caveat}", markup=False, highlight=False)


def _read(name: str, target: str | None) -> Space:
    path = Path(name)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = "is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else "cannot be read"
        raise UsageProblem(f"{name} {reason}; give a YAML file that describes a space") from None
    architecture = None
    if target is not None:
        file = Path(target.rpartition(":")[0] if ".py:" in target else target)
        why = _why_not(file) if file.suffix != ".py" and file.exists() else None
        if why is not None:
            raise TargetProblem(f"{target}: not decided, because {why}.")
        architecture = architecture_of_file(Path(target))
    return read_space(text, path.name, architecture, path.parent)


def _why_not(file: Path) -> str | None:
    """Why a space of this model cannot be decided, as the end of a sentence."""
    why = refusal(file, scan(file))
    if why is None and detect(file) is Format.ONNX:
        why = of_other_libraries(foreign_operators(load(file)))
    return why


def _decide_one(space: Space, args: argparse.Namespace, console: Console) -> _Outcome:
    started = time.perf_counter()
    if args.mode != "auto":
        return _cross_check(space, args, console)
    if args.jobs != 1 or args.backend == "spark":
        counts = decide_chunked(space, jobs=args.jobs, backend=args.backend)
        console.print(f"[bold]{space.name}[/]: {counts.sentence} ({time.perf_counter() - started:.2f} s)")
        code = 0 if counts.valid == counts.total else 1
        return code, counts.as_json(), AnalysisResult(notes=(counts.sentence,))
    with Z3Process(args.timeout) as solver:
        decision = decide(space, solver=solver)
        _show(decision, console, time.perf_counter() - started, solver)
        data = answer(decision, solver) if _wants_data(args) else {}
    code = 3 if decision.verdict == UNDECIDED else 0 if decision.verdict == VALID_FOR_ALL else 1
    return code, data, of_decision(decision, space.name)


def _show(decision: SpaceDecision, console: Console, seconds: float, solver: Any) -> None:
    from rich.markup import escape
    from rich.table import Table

    console.print(f"[bold]{escape(decision.space.name)}[/]: {escape(headline(decision))} ({seconds:.2f} s)")
    if decision.failures:
        table = Table(box=None, pad_edge=False)
        for column in ("vectors", "layer", "rule", "for example"):
            table.add_column(column, justify="right" if column == "vectors" else "left")
        for failure in decision.failures[:MAX_SHOWN]:
            rule = failure.step.requirement.rule
            count = "some" if failure.count is None else f"{failure.count:,}"
            table.add_row(count, escape(failure.step.layer.name), f"{rule.category}", escape(failure.sentence))
        console.print(table)
    orders = {n: h.values for n, h in decision.space.by_name.items() if h.values is not None}
    if decision.boxes:
        console.print("Invalid where:")
        for box in decision.boxes[:MAX_SHOWN]:
            console.print(f"  {box.sentence(orders)}{'' if box.complete else ' …'}", markup=False, highlight=False)
        if len(decision.boxes) > MAX_SHOWN:
            console.print(f"  … and {len(decision.boxes) - MAX_SHOWN} more boxes")
    for sentence in contract_of(decision, solver):
        console.print(f"Contract: {sentence}", markup=False, highlight=False)
    if decision.failures:
        failure = decision.failures[0]
        structure = next(s for s in decision.structures if all(failure.example.get(k) == v for k, v in s.fixed.items()))
        found = core(decision.space, structure, failure.example, solver)
        if found is not None:
            console.print("Why, for one of them:")
            for sentence in found.sentences:
                console.print(f"  {sentence}", markup=False, highlight=False)
        changes = repairs(decision.space, structure, failure.example, solver)
        if changes:
            console.print("Nearest valid: " + "; or ".join(r.sentence for r in changes), markup=False, highlight=False)
    for step in decision.advisories[:MAX_SHOWN]:
        console.print(f"Note: `{step.layer.name}`: {step.sentence()}", markup=False, highlight=False)
    if decision.unknown:
        names = ", ".join(f"{k} ({v})" for k, v in decision.unknown.items())
        console.print(f"Not checked: {names}", markup=False, highlight=False)
    for reason in decision.reasons:
        console.print(f"Undecided: {reason}", markup=False, highlight=False)


def headline(decision: SpaceDecision) -> str:
    """``depends: 4,210 of 9,216 vectors are valid``."""
    if decision.total is None or decision.valid is None:
        return decision.verdict
    return f"{decision.verdict}: {decision.valid:,} of {decision.total:,} vectors are valid"


def _cross_check(space: Space, args: argparse.Namespace, console: Console) -> _Outcome:
    started = time.perf_counter()
    if args.mode == "individual":
        valid = individual(space, jobs=args.jobs)
    else:
        valid = bulk(space, block=args.block or None, jobs=args.jobs)
    total = space.exact_total
    seconds = time.perf_counter() - started
    found = f"{args.mode} mode finds {len(valid):,} of {total:,} vectors valid"
    console.print(f"{space.name}: {found} ({seconds:.2f} s)")
    data = {"space": space.name, "mode": args.mode, "valid": len(valid), "total": total}
    return (0 if len(valid) == total else 1), data, AnalysisResult(notes=(found,))


def _explain_one(space: Space, pairs: list[str], console: Console) -> int:
    vector = _vector(space, pairs)
    try:
        step = check_vector(space, vector)
    except ValueError:
        raise UsageProblem(
            f"{space.name}: the vector is outside the space; a condition of the space excludes it"
        ) from None
    if step is None:
        console.print(f"{space.name}: valid")
        return 0
    console.print(f"{space.name}: invalid", style="red")
    decision = decide(space, boxes=False)
    structure = next(s for s in decision.structures if all(vector[k] == v for k, v in s.fixed.items()))
    found = core(space, structure, vector)
    for sentence in found.sentences if found else (step.sentence(),):
        console.print(f"  {sentence}", markup=False, highlight=False)
    for repair in repairs(space, structure, vector):
        console.print(f"  Valid with {repair.sentence}.", markup=False, highlight=False)
    return 1


def _vector(space: Space, pairs: list[str]) -> dict[str, Any]:
    vector: dict[str, Any] = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        if not sign or name not in space.by_name:
            raise UsageProblem(f"`{pair}` is not a hyperparameter and its value; there are {', '.join(space.by_name)}")
        domain = space.by_name[name]
        value: Any = int(text) if text.lstrip("-").isdigit() else text
        if not domain.contains(value):
            raise UsageProblem(f"{value!r} is not in the domain of `{name}`")
        vector[name] = value
    for name, domain in space.by_name.items():
        if name not in vector:
            vector[name] = domain.first
    return vector
