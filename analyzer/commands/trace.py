"""`assay trace FILE.py [--entry NAME]`: shape and Python errors of files, from their source alone."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from analyzer.commands.output import add_format, emit, report_of
from analyzer.configuration.config import Environment
from analyzer.findings import AnalysisResult, Finding, Level, Verdict, ordered
from analyzer.problem import TargetProblem, UsageProblem
from analyzer.tracing import trace
from analyzer.tracing.checkers.python_bugs import checked_by_types
from analyzer.tracing.checkers.type_checkers import Known, check_types
from analyzer.tracing.contracts.recorded_shapes import keep
from analyzer.tracing.dry_run import LIMITS, DryRun, dry_run, is_script, recorded_calls, with_dry_run
from analyzer.tracing.imports.summaries import default_folder, writable_folder
from analyzer.tracing.tracing import propose_annotations, read_source
from analyzer.walls.attended import Served
from analyzer.walls.choice import add_sandbox, chosen
from analyzer.walls.docker import DockerSandbox
from analyzer.walls.relayed import asked


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE.py",
        help="Python files, or folders of them, or - for standard input; they are read, and executed only with --run",
    )
    parser.add_argument("--stdin-filename", metavar="FILE.py", help="the file that - stands for, which need not exist")
    parser.add_argument(
        "--entry", metavar="NAME", help="start from this function or class instead of running the file as a script"
    )
    parser.add_argument(
        "--root",
        metavar="DIR",
        help="root of the repository (default: the nearest folder with .git, else the working directory)",
    )
    parser.add_argument(
        "--run", action="store_true", help="also execute each script's first training step, dry, in a sandbox"
    )
    add_sandbox(parser)
    parser.add_argument("--seconds", type=float, default=90.0, help="with --run: for one script (90)")
    parser.add_argument("--shapes", action="store_true", help="with --run: print the shapes seen on each line")
    parser.add_argument(
        "--annotate",
        action="store_true",
        help="propose jaxtyping annotations for functions without any",
    )
    add_format(parser)


def enclosure(args: argparse.Namespace) -> dict[str, Any]:
    """What a run of this command reads; it writes summaries of libraries."""
    files = [Path(args.stdin_filename or "stdin.py") if name == "-" else Path(name) for name in args.files]
    roots = {Path(args.root)} if args.root else {repository_root(file) for file in files}
    below = [file.parent if file.suffix == ".py" else file for file in files]
    box = chosen(args.sandbox, args.image, Environment()) if args.run else None
    trees = {f"tree{number}": root.resolve() for number, root in enumerate(sorted(roots))}
    served = Served(box, trees, Path.cwd()) if isinstance(box, DockerSandbox) else None
    read = [path for path in (*roots, *below) if path.exists()]
    return {"read": read, "write": writable_folder(os.environ), "served": served}


def run(args: argparse.Namespace, console: Console) -> int:
    """0: nothing blocking, 1: blocking findings, 2: wrong usage, 3: a file could not be traced."""
    if args.annotate and args.format != "text":
        raise UsageProblem("--annotate writes text: leave --format away.")
    results: dict[str, AnalysisResult | str] = {}
    traced: AnalysisResult
    paths: dict[str, str] = {}
    sources = _sources(args)
    types, kept = _types(sources), default_folder(os.environ)
    for path, text in sources:
        name = str(path)
        root = Path(args.root) if args.root else repository_root(path)
        paths[name] = name
        try:
            traced = trace(path, root, target=name, entry=args.entry, text=text, types=types, summaries=kept)
            found = _run_dry(path, root, args, console) if args.run and text is None else None
            results[name] = traced if found is None else with_dry_run(traced, found, name, name)
        except TargetProblem as problem:
            results[name] = str(problem)
        if args.format == "text":
            _show_file(name, results[name], console)
            if args.annotate and not isinstance(results[name], str):
                relative = path.resolve().relative_to(root.resolve()).as_posix() if found is not None else ""
                seen = recorded_calls(found, relative) if found is not None else None
                for proposal in propose_annotations(path, root, text, seen):
                    console.print(f"{name}:{proposal.line}: {proposal}", highlight=False, markup=False, soft_wrap=True)
    report = report_of(results, "python", paths)
    if args.format != "text":
        emit(report, args.format)
    return {Verdict.PASS: 0, Verdict.FAIL: 1, Verdict.INCOMPLETE: 3}[report.verdict]


def _types(sources: Sequence[tuple[Path, str | None]]) -> Known:
    """What the type checkers say of many files, asked at once."""
    texts = []
    for path, text in sources if len(sources) > 1 else ():
        with suppress(TargetProblem):
            read, tree = read_source(path, path.parent, text)
            if checked_by_types(read, tree):
                texts.append(read)
    return check_types(texts)


def _run_dry(path: Path, root: Path, args: argparse.Namespace, console: Console) -> DryRun | None:
    """What came of the script; None where the file is none."""
    named = any(Path(name) == path for name in args.files)  # and not only found in a folder
    if not named and not is_script(path.read_text(encoding="utf-8", errors="replace")):
        return None
    if args.seconds <= 0:
        raise UsageProblem("--seconds is a positive number")
    sandbox = asked(chosen(args.sandbox, args.image, Environment()))
    if sandbox is None:
        raise UsageProblem("--run executes the scripts: leave --sandbox none away")
    found = dry_run(path, root, sandbox, limits=replace(LIMITS, seconds=args.seconds))
    if args.shapes and args.format == "text":
        for (file, line), names in sorted(found.shapes.items()):
            for name, sizes in names.items():
                console.print(f"{file}:{line}: {name} {list(sizes)}", highlight=False, markup=False, soft_wrap=True)
    keep(default_folder(os.environ), root, found.shapes)
    return found


def _sources(args: argparse.Namespace) -> list[tuple[Path, str | None]]:
    """The files, each with the text that stands for what it holds (standard input)."""
    if "-" not in args.files:
        return [(file, None) for name in args.files for file in python_files(name)]
    if args.files != ["-"]:
        raise UsageProblem("- stands alone: trace standard input, or files, not both.")
    return [(Path(args.stdin_filename or "stdin.py"), sys.stdin.read())]


def _show_file(name: str, result: AnalysisResult | str, console: Console) -> None:
    if isinstance(result, str):
        console.print(f"[red]{escape(result)}[/red]")
        return
    for finding in ordered(result.findings):
        _show(finding, name, console)
    if not result.findings:
        console.print(f"{escape(name)}: no finding", soft_wrap=True, highlight=False)
    for note in result.notes:
        console.print(f"[dim]{escape(note)}[/dim]")


_COLOURS = {Level.ERROR: "red", Level.WARNING: "yellow", Level.NOTE: "blue"}


def _show(finding: Finding, name: str, console: Console) -> None:
    """As compilers do: place, verdict and rule on one line, below it what is wrong, in which runs, why, and a mend."""
    place = finding.location
    where = f"{place.path}:{place.line}{f':{place.column}' if place.column else ''}" if place else name
    level = f"[{_COLOURS[finding.level]}]{finding.level}[/] ({finding.confidence})"
    console.print(f"[bold]{escape(where)}[/bold] {level} {finding.rule}", soft_wrap=True, highlight=False)
    console.print(f"    {escape(finding.message)}", soft_wrap=True, highlight=False)
    for sentence in finding.evidence.sentences:
        console.print(f"      [dim]{escape(sentence)}[/dim]", soft_wrap=True, highlight=False)
    fix = finding.suggestion
    if fix is not None:
        at = f" ({fix.path}:{fix.line})" if fix.line is not None else ""
        console.print(f"    [green]{escape(fix.description)}[/green]{escape(at)}", soft_wrap=True, highlight=False)


_SKIPPED = frozenset(("node_modules", "__pycache__", "site-packages", "venv", "build", "dist"))


def python_files(name: str) -> list[Path]:
    """The file itself, or the Python files below a folder but for hidden folders and installed packages.

    Raises UsageProblem when there is none.
    """
    path = Path(name)
    if not path.exists():
        raise UsageProblem(f"{name} does not exist; check the spelling.")
    if path.is_dir():
        below = sorted(p for p in path.rglob("*.py") if p.is_file())
        found = [p for p in below if not any(_skipped(part) for part in p.relative_to(path).parts[:-1])]
        if not found:
            raise UsageProblem(f"{name} holds no Python file.")
        return found
    if path.suffix != ".py" or not path.is_file():
        raise UsageProblem(f"{name} is no Python file; give the path of a file that ends in .py, or a folder.")
    return [path]


def _skipped(folder: str) -> bool:
    return folder.startswith(".") or folder in _SKIPPED


def repository_root(path: Path) -> Path:
    """The nearest folder above with `.git`, else the working directory, else the file's folder."""
    resolved = path.resolve()
    for folder in resolved.parents:
        if (folder / ".git").exists():
            return folder
    working = Path.cwd()
    return working if working in resolved.parents else resolved.parent
