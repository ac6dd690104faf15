"""``assay diff MODEL``: one model on several engines, in the terminal and as files."""

from __future__ import annotations

import argparse
import math
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzer.commands.folders import folder_of
from analyzer.commands.output import add_format, emit, report_of
from analyzer.configuration.config import DriftBudget, Environment, InputSpec, TargetConfig, Thresholds
from analyzer.differential.analysis import inputs_of, result_of, run_studies
from analyzer.differential.backend import any_accelerated, parse
from analyzer.differential.container import ContainerTransport
from analyzer.differential.drift import Model, sentence
from analyzer.differential.drift_review import review_drift
from analyzer.differential.environments import Overlays, default_folder, installer, overlays
from analyzer.differential.plan import traced_by_engine, unexported
from analyzer.differential.pool import Pool, variables_for
from analyzer.differential.sentences import verdict
from analyzer.differential.source_lines import with_lines
from analyzer.exporting.export import export
from analyzer.findings import FailOn
from analyzer.loading.formats import is_lite
from analyzer.loading.reading import load
from analyzer.loading.scan import refusal, scan
from analyzer.problem import TargetProblem, UsageProblem
from analyzer.rendering import distance_histogram
from analyzer.rendering.deviation_graph import draw
from analyzer.rendering.distance_histogram import bars, title
from analyzer.running.worsening import mark_worse
from analyzer.walls import launch
from analyzer.walls.attended import Served
from analyzer.walls.choice import add_sandbox, chosen
from analyzer.walls.docker import DockerSandbox
from analyzer.walls.protocol import can_stay
from analyzer.walls.relayed import asked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from analyzer.configuration.config import TargetConfig
    from analyzer.differential.backend import Backend
    from analyzer.differential.pool import Connect
    from analyzer.differential.runner import Artefact
    from analyzer.differential.study import Study
    from analyzer.differential.transport import WorkerTransport
    from analyzer.findings import AnalysisResult, Finding
    from analyzer.graph import Graph
    from analyzer.walls import Sandbox


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a model file, a SavedModel folder, or path/to/file.py:callable")
    parser.add_argument(
        "--backends",
        metavar="A,B",
        help="engines with knobs, such as onnxruntime:opt=disable,reference,torch:mode=compile",
    )
    parser.add_argument("--inputs", metavar="DATA", help="an .npz file, a folder of them, or path/to/file.py:callable")
    parser.add_argument(
        "--versions", metavar="V,W", help="run each engine in these versions too (installed as overlays)"
    )
    parser.add_argument(
        "--image", metavar="ENGINE=IMAGE", action="append", default=[], help="run an engine in a container"
    )
    parser.add_argument("--gpus", action="store_true", help="ask the container engine for its GPUs")
    add_sandbox(parser, image="--sandbox-image")
    parser.add_argument("--shape", metavar="NAME=2,3,8,8", action="append", default=[], help="size of an input")
    parser.add_argument(
        "--threshold-class", type=float, default=8.0, metavar="T", help="T_C of the class-based distance"
    )
    parser.add_argument("--threshold-mad", type=float, default=0.2, metavar="T", help="T_M of the MAD-based distance")
    parser.add_argument(
        "--percent", type=float, default=0.0, metavar="P", help="per cent of instances that must reach it"
    )
    parser.add_argument("--thorough", action="store_true", help="replay every layer even when the outputs agree")
    parser.add_argument(
        "--search", type=int, default=0, metavar="ROUNDS", help="look for inputs on which the engines differ more"
    )
    parser.add_argument("--base", metavar="MODEL", help="the model before the change: only what got worse counts")
    parser.add_argument(
        "--against",
        metavar="MODEL",
        help="hold MODEL against this one: how far outputs move, by which layer",
    )
    parser.add_argument(
        "--budget", metavar="top1=0.5,mad=0.01", help="with --against: how far outputs may move (exit code 1 beyond)"
    )
    parser.add_argument("--out", metavar="DIR", default="assay-diff", help="folder for reproducers and pictures")
    add_format(parser)


def enclosure(args: argparse.Namespace) -> dict[str, Any] | None:
    """What a run of this command reads and writes, and what is done for it outside: containers, installed versions."""
    read = [
        text.rpartition(":")[0] if ".py:" in text else text
        for text in (args.model, args.base, args.against, args.inputs)
        if text
    ]
    folder_of("--out", args.out)
    served = None
    box = _chosen(args)
    if args.versions or isinstance(box, DockerSandbox) or args.image:
        named = {name: DockerSandbox(image, gpus=args.gpus) for name, image in _images(args).items()}
        install = installer(Overlays(default_folder())) if args.versions else None
        served = Served(
            box if isinstance(box, DockerSandbox) else None, {"head": Path.cwd()}, Path.cwd(), named=named,
            install=install,
        )  # fmt: skip
    if args.versions:
        default_folder().mkdir(parents=True, exist_ok=True)
        read.append(str(default_folder()))
    devices = any_accelerated(_list(args.backends))
    return {"read": read, "write": [args.out], "served": served, "devices": devices}


def run(args: argparse.Namespace, console: Console) -> int:
    """0 nothing blocks, 1 something does, 3 when an engine could not give a result at all."""
    if args.against:
        return _against(args, console)
    thresholds = Thresholds(args.threshold_class, args.threshold_mad, args.percent)
    output = Path(args.out)
    sandbox = _sandbox(args)
    versions = _list(args.versions)
    overlay = overlays()

    def analyse(model: str, folder: Path) -> tuple[list[Study], AnalysisResult]:
        target, root = _target(args, model)
        if target.path is not None:
            _check(args, model, root / target.path)
        with Pool(sandbox=sandbox, overlay=overlay, connect=_connect(args)) as pool:
            graph = graph_of(target, root, sandbox)
            studies = run_studies(
                graph, target, root=root, output=folder, thresholds=thresholds, sandbox=sandbox,
                versions=versions, pool=pool, thorough=args.thorough, search=args.search, budget=math.inf,
            )  # fmt: skip
            return studies, with_lines(result_of(studies, target, thresholds, graph), graph)

    with console.status("running the engines …"):
        studies, result = analyse(args.model, output)
        findings = result.findings
        if args.base:
            findings = mark_worse(findings, analyse(args.base, output / ".base")[1].findings)
    _draw(result, output)
    if args.format != "text":
        _emit(args, replace(result, findings=tuple(findings)))
    else:
        _show(console, studies, result)
        _list_findings(console, findings, output)
    if any(f.blocks(FailOn.CONFIRMED) for f in findings):
        return 1
    return 0 if any(s.comparison is not None and s.comparison.reference for s in studies) else 3


def _against(args: argparse.Namespace, console: Console) -> int:
    """Two models: 0 within the budget, 1 beyond it, 3 when they cannot be compared."""
    output, sandbox = Path(args.out), _sandbox(args)
    head, root = _target(args, args.model)
    base, base_root = _target(args, args.against)
    for name, target, folder in ((args.model, head, root), (args.against, base, base_root)):
        if target.path is not None:
            _check(args, name, folder / target.path)
    with console.status("running both models …"):
        models = _model_of(head, root, sandbox), _model_of(base, base_root, sandbox)
        given = inputs_of(head, root, sandbox)
        done, result = review_drift(*models, head, _budget(args.budget), output, given)
    _draw(result, output)
    if args.format != "text":
        _emit(args, result)
    else:
        console.print(sentence(done), markup=False)
        _list_findings(console, result.findings, output)
    if any(f.blocks(FailOn.CONFIRMED) for f in result.findings):
        return 1
    return 3 if done.why else 0


def _emit(args: argparse.Namespace, result: AnalysisResult) -> None:
    file = args.model.rpartition(":")[0] if ".py:" in args.model else args.model
    emit(report_of({args.model: result}, "differential", {args.model: file}), args.format)


def _list_findings(console: Console, findings: Sequence[Finding], output: Path) -> None:
    for finding in findings:
        mark = "" if finding.new else " (known on the base)"
        console.print(f"{finding.level.value}: {finding.message}{mark}", markup=False)
        if finding.reproducer:
            console.print(f"    reproduce: python {output / finding.reproducer}", markup=False)


def _budget(text: str | None) -> DriftBudget:
    names = {"top1": "top1", "mad": "mad", "relative": "relative", "class": "d_class", "d-mad": "d_mad"}
    limits = {}
    for part in _list(text):
        name, _, value = part.partition("=")
        try:
            limits[names[name.strip()]] = float(value.rstrip("% "))
        except (KeyError, ValueError):
            raise UsageProblem(
                f"--budget {part!r} is not of the form top1=0.5; there are {', '.join(names)}."
            ) from None
    return DriftBudget(**limits)


def _check(args: argparse.Namespace, model: str, path: Path) -> None:
    """Raises `TargetProblem` for a file that engines may not run here."""
    found = scan(path)
    why = refusal(path, found)
    missing = launch.standing()
    if why is None and missing is not None and args.sandbox != "process" and not args.image:
        why = f"no wall can be closed around engines here: {missing}; `--sandbox process` runs them without"
    if why is not None:
        said = f" ({found[0].message.rstrip('.')})" if found else ""
        raise TargetProblem(f"{model}: not compared, because {why}{said}.")


def _target(args: argparse.Namespace, model: str) -> tuple[TargetConfig, Path]:
    chosen = tuple(parse(name).name for name in _list(args.backends)) or None
    shapes = {}
    for text in args.shape:
        name, equals, sizes = text.partition("=")
        if not equals or not all(s.strip().isdigit() for s in sizes.split(",")):
            raise UsageProblem(f"--shape {text!r} is not of the form NAME=2,3,8,8.")
        shapes[name] = InputSpec(shape=tuple(int(s) for s in sizes.split(",")))
    root = Path.cwd()
    if ".py:" in model:
        return TargetConfig(model, entry=model, backends=chosen, validation=args.inputs, inputs=shapes), root
    path = Path(model)
    if not path.exists():
        raise TargetProblem(f"there is no model {model!r}.")
    root = path.resolve().parent
    inputs = args.inputs
    if inputs and ".py:" not in inputs:
        data = Path(inputs).resolve()
        root = Path(os.path.commonpath([root, data]))
        inputs = data.relative_to(root).as_posix()
    relative = path.resolve().relative_to(root).as_posix()
    return TargetConfig(model, path=relative, backends=chosen, validation=inputs, inputs=shapes), root


def _model_of(target: TargetConfig, root: Path, sandbox: Sandbox | None) -> Model:
    """Its graph; the file itself where one engine alone reads it."""
    if target.path is not None and is_lite(root / target.path):
        return root / target.path
    return graph_of(target, root, sandbox)


def graph_of(target: TargetConfig, root: Path, sandbox: Sandbox | None) -> Graph:
    if target.entry:
        alone = traced_by_engine(target)
        if alone is not None:
            return alone
        try:
            return export(target.entry, root, target=target, sandbox=sandbox, cache_dir=None)
        except TargetProblem as problem:
            if "torch" in {parse(b).engine.name for b in target.backends or ()}:
                return unexported("torch", str(problem))  # PyTorch itself may run, or refuse, what no exporter takes
            raise

    assert target.path is not None
    return load(root / target.path)


def _sandbox(args: argparse.Namespace) -> Sandbox | None:
    box = _chosen(args)
    return asked(box) if isinstance(box, DockerSandbox) else box


def _chosen(args: argparse.Namespace) -> Sandbox | None:
    """Model files need none: engines read them in processes of their own, behind the wall."""
    runs_code = any(".py:" in text for text in (args.model, args.base, args.against, args.inputs) if text)
    if not runs_code and args.sandbox == "auto":
        return None
    return chosen(args.sandbox, args.sandbox_image, Environment())


def _connect(args: argparse.Namespace) -> Connect | None:
    """Transports for engines that `--image` puts into containers; None when there are none."""
    images = _images(args)
    if not images:
        return None

    def connect(backend: Backend, _: Artefact) -> WorkerTransport | None:
        image = images.get(backend.engine.name)
        if image is None:
            return None
        variables = variables_for(backend)
        place = asked(DockerSandbox(image, gpus=args.gpus), backend.engine.name)
        assert place is not None
        assert can_stay(place)
        return ContainerTransport(backend.engine.name, place, variables=variables)

    return connect


def _images(args: argparse.Namespace) -> dict[str, str]:
    """Engine -> image, of `--image`."""
    images = dict(text.partition("=")[::2] for text in args.image)
    if not all(images.values()):
        raise UsageProblem("--image takes ENGINE=IMAGE, such as onnxruntime=my/image:tag.")
    return images


def _show(console: Console, studies: Sequence[Study], result: AnalysisResult) -> None:
    from rich.table import Table

    table = Table(title="Engines", title_justify="left")
    for column in ("engine", "versions", "verdict", "relative error", "noise floor", "seconds"):
        table.add_column(column, overflow="fold", no_wrap=column == "verdict")
    for study in studies:
        for name, failure in study.missing:
            table.add_row(name, "", failure.kind.value, "", "", "")
        for each in study.comparison.results if study.comparison else ():
            versions = " ".join(v.split("-")[0] for v in each.runner.versions.values())
            worst, seconds = each.worst, sum(o.seconds for o in each.outcomes)
            if each.failure is not None:
                table.add_row(each.runner.name, versions, each.failure.kind.value, "", "", "")
                continue
            own = each.runner.name == study.comparison.reference if study.comparison else False
            error, floor = ("–", "–") if own else (f"{each.errors[worst]:.3g}", f"{each.floors[worst]:.2g}")
            table.add_row(each.runner.name, versions, verdict(each, study), error, floor, f"{seconds:.3f}")
    if table.rows:
        console.print(table)
    for histogram in result.distances:
        console.print(title(histogram), markup=False)
        console.print(bars(histogram), markup=False)
    data = [f"Inputs: {told}." for told in result.assumptions]
    for line in (*data, *result.backends, *result.notes):
        console.print(line, markup=False)


def _draw(result: AnalysisResult, output: Path) -> None:
    if not result.maps and not result.distances:
        return
    output.mkdir(parents=True, exist_ok=True)
    for number, chart in enumerate(result.maps, 1):
        draw(chart, output / f"deviation-{number}")
    for number, histogram in enumerate(result.distances, 1):
        distance_histogram.draw(histogram, output / f"distances-{number}")


def _list(text: str | None) -> list[str]:
    return [part.strip() for part in (text or "").split(",") if part.strip()]
