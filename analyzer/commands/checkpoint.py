"""``assay checkpoint FILE --against TARGET``: does a checkpoint fit an architecture, and are its weights sound?"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzer.commands.output import add_format, emit, report_of
from analyzer.configuration.config import Environment, TargetConfig
from analyzer.differential.plan import foreign_operators
from analyzer.exporting.export import export
from analyzer.findings import FailOn
from analyzer.loading.formats import Format, detect
from analyzer.loading.reading import load
from analyzer.loading.scan import custom_operators, of_other_libraries, scan
from analyzer.problem import Problem, TargetProblem, UsageProblem
from analyzer.validity.checkpoint import against, inspect
from analyzer.walls.attended import Served
from analyzer.walls.choice import add_sandbox, chosen
from analyzer.walls.docker import DockerSandbox
from analyzer.walls.relayed import asked

if TYPE_CHECKING:
    from rich.console import Console

    from analyzer.graph import Graph


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``assay checkpoint``."""
    parser.description = (
        "Hold a checkpoint against an architecture; look for NaN, infinities, zeros and untrained weights."
    )
    parser.add_argument("file", metavar="FILE", help="safetensors, torch, Keras weights, or a TensorFlow checkpoint")
    parser.add_argument("--against", metavar="TARGET", help="a model file, or path/to/file.py:name")
    add_sandbox(parser)
    add_format(parser)


def enclosure(args: argparse.Namespace) -> dict[str, Any]:
    """What a run of this command reads and writes."""
    against = [args.against.rpartition(":")[0] or args.against] if args.against else []
    box = chosen(args.sandbox, args.image, Environment()) if ".py:" in (args.against or "") else None
    served = Served(box, {"head": Path.cwd()}, Path.cwd()) if isinstance(box, DockerSandbox) else None
    return {"read": [args.file, *against], "write": [], "served": served}


def run(args: argparse.Namespace, console: Console) -> int:
    """0: nothing blocking; 1: blocking findings; 2: wrong usage; 3: something could not be read."""
    path = Path(args.file)
    try:
        if args.against:
            result = against(path, _graph(args), path.name)
        else:
            result = inspect(path, path.name)
        found = tuple(replace(finding, target=path.name) for finding in scan(path))
        known = {(finding.rule, finding.operand) for finding in result.findings}
        more = tuple(finding for finding in found if (finding.rule, finding.operand) not in known)
        result = replace(result, findings=(*more, *result.findings))
        custom = foreign_operators(load(path)) if detect(path) is Format.ONNX else custom_operators(path)
        if custom and not result.findings:
            raise TargetProblem(f"{args.file}: only its weights were read, for {of_other_libraries(custom)}.")
    except UsageProblem as problem:
        console.print(str(problem), style="red", markup=False, highlight=False)
        return 2
    except Problem as problem:
        console.print(str(problem), style="red", markup=False, highlight=False)
        return 3
    if args.format != "text":
        report = report_of({path.name: result}, "checkpoint", {path.name: args.file})
        emit(report, args.format)
        return 1 if report.blocking else 0
    for note in result.notes:
        console.print(note, markup=False, highlight=False)
    styles = {"error": "red", "warning": "yellow", "note": "dim"}
    for finding in result.findings:
        console.print(f"{finding.level}: {finding.message} [{finding.rule}]", style=styles[finding.level], markup=False)
    if not result.findings:
        console.print("Nothing to report.", style="green")
    return 1 if any(f.blocks(FailOn.CONFIRMED) for f in result.findings) else 0


def _graph(args: argparse.Namespace) -> Graph:
    file, colon, _ = args.against.rpartition(":")
    if colon and file.endswith(".py"):
        return _exported(args)

    graph: Graph = load(Path(args.against))
    return graph


def _exported(args: argparse.Namespace) -> Graph:
    if args.sandbox == "none":
        raise UsageProblem(
            f"{args.against} is Python code, which has to run to be known; leave `--sandbox none` away to allow it"
        )

    box = asked(chosen(args.sandbox, args.image, Environment()))
    graph: Graph = export(args.against, Path.cwd(), target=TargetConfig(args.against, entry=args.against), sandbox=box)
    return graph
