"""`assay export`: export entry points, in a job that holds no permission, into a folder for `assay check --exports`."""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.commands.enclosed import enclosed
from analyzer.commands.folders import folder_of
from analyzer.configuration.config import Config, TargetConfig
from analyzer.configuration.reader import DEFAULT_NAME, read_config
from analyzer.exporting.export import export, export_limits
from analyzer.problem import TargetProblem, UsageProblem
from analyzer.running.exports import kept_in, keys_of_exports, take
from analyzer.running.outcome import with_environment
from analyzer.walls import ResourceLimits
from analyzer.walls.attended import Served
from analyzer.walls.docker import DockerSandbox
from analyzer.walls.process import ProcessSandbox
from analyzer.walls.relayed import asked

if TYPE_CHECKING:
    from rich.console import Console

    from analyzer.configuration.config import TargetConfig
    from analyzer.walls import Sandbox


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "entries",
        nargs="*",
        metavar="ENTRY",
        help="path/to/file.py:name or the id of a configured target; without one, all entries of the configuration",
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="the configuration (default: .assay.yml)")
    parser.add_argument("--root", type=Path, default=Path(), metavar="DIR", help="the repository (default: here)")
    parser.add_argument(
        "--out", type=Path, default=Path("assay-exports"), metavar="DIR", help="where the exports go (assay-exports)"
    )
    parser.add_argument(
        "--sandbox",
        choices=("process", "docker"),
        default="process",
        help="process: in this job, which should hold no secret (default); docker: in a container",
    )
    parser.add_argument("--image", metavar="IMAGE", help="with --sandbox docker: the image to run in")
    parser.add_argument("--timeout", type=float, default=300.0, metavar="SECONDS", help="for one entry (300)")
    parser.add_argument("--memory", type=float, metavar="GIB", help="for one entry (half of the machine's, 4 at least)")


def run(args: argparse.Namespace, console: Console) -> int:
    """Exit code 0 all exported, 2 usage or configuration, 3 something could not be exported."""
    root = args.root.resolve()
    targets = _targets(args, root)
    if args.timeout <= 0 or (args.memory is not None and args.memory <= 0):
        raise UsageProblem("--timeout and --memory are positive numbers")
    limits = replace(export_limits(), seconds=args.timeout)
    if args.memory is not None:
        limits = replace(limits, memory=int(args.memory * 2**30))
    folder_of("--out", args.out)
    sandbox = _sandbox(args)
    keys = keys_of_exports({target.id: (target, root) for target in targets})
    failed = 0
    for target in targets:  # the code runs behind a wall of its own; its graph is read behind this one
        served = Served(sandbox, {"head": root}, root, target.environment) if args.sandbox == "docker" else None
        kept = kept_in(args.out, target.id)
        with tempfile.TemporaryDirectory(prefix="assay-exports-", ignore_cleanup_errors=True) as made:
            one = partial(_export, target, root, sandbox, kept, Path(made), limits, console)
            read = [root, *([kept] if kept.is_dir() else [])]
            if enclosed(one, read=read, write=[made], served=served) == 0:
                take(Path(made), kept, keys.get(target.id))
            else:
                failed += 1
    done = len(targets) - failed
    console.print(
        f"{done} of {len(targets)} exported to {args.out}; check with: assay check --exports {args.out}", markup=False
    )
    return 3 if failed else 0


def _export(
    target: TargetConfig, root: Path, sandbox: Sandbox, kept: Path, made: Path, limits: ResourceLimits, console: Console
) -> int:  # fmt: skip
    assert target.entry is not None
    try:
        graph = export(
            target.entry, root, target=target, sandbox=asked(sandbox), cache_dir=kept, made=made, limits=limits
        )
    except TargetProblem as problem:
        console.print(f"✗ {problem}", style="red", markup=False)
        return 3
    versions = ", ".join(f"{name} {version}" for name, version in graph.versions.items())
    console.print(f"✓ {target.id}: {len(graph)} nodes ({versions})", markup=False)
    return 0


def _targets(args: argparse.Namespace, root: Path) -> list[TargetConfig]:
    path = args.config or root / DEFAULT_NAME
    if args.config and not path.is_file():
        raise UsageProblem(f"there is no configuration {str(path)!r}")
    config = read_config(path) if path.is_file() else Config()
    configured = [with_environment(target, config) for target in config.targets if target.entry]
    if not args.entries:
        if not configured:
            raise UsageProblem("nothing to export: name an entry point (path/to/file.py:name) or configure one")
        return configured
    chosen = []
    for entry in args.entries:
        known = [target for target in configured if entry in (target.id, target.entry)]
        if not known and ".py:" not in entry:
            raise UsageProblem(f"{entry!r} is neither path/to/file.py:name nor the id of a configured entry")
        chosen += known or [TargetConfig(id=entry, entry=entry, environment=config.environment)]
    return chosen


def _sandbox(args: argparse.Namespace) -> Sandbox:
    if args.sandbox == "docker":
        return DockerSandbox(args.image)

    return ProcessSandbox()
