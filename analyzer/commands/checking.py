"""`assay check`: the analyses of the chosen targets, and the report."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.commands.check import base_tree, chosen_targets, configuration, temporary
from analyzer.commands.folders import folder_of
from analyzer.commands.output import emit
from analyzer.findings import Report, Verdict
from analyzer.rendering.files import write
from analyzer.rendering.terminal import LiveProgress, show
from analyzer.running.local import review
from analyzer.running.pipeline import RunOptions
from analyzer.walls.choice import chosen

if TYPE_CHECKING:
    from rich.console import Console


def run(args: argparse.Namespace, console: Console) -> int:
    root = Path.cwd()
    config = configuration(args, root)
    with ExitStack() as stack:
        base = base_tree(args.base, root, stack)
        selection, keys = chosen_targets(args.targets, config, root, base[0] if base else None)
        sandbox = None
        if args.sandbox == "process" or any(t.entry for t in selection.targets):  # a choice holds for files too
            sandbox = chosen(args.sandbox, args.image, config.environment)
        output = folder_of("--out", args.out) if not args.no_report else Path(stack.enter_context(temporary()))
        progress = stack.enter_context(LiveProgress(console))
        report = review(
            root,
            base[0] if base else None,
            config,
            selection.targets,
            output=output.resolve(),
            base_name=base[1] if base else None,
            sandbox=sandbox,
            progress=progress,
            notes=selection.notes,
            options=RunOptions(
                parallel=args.jobs,
                cache=folder_of("--cache", args.cache) if args.cache else None,
                exports=folder_of("--exports", args.exports) if args.exports else None,
            ),
            keys=keys,
        )
        progress.__exit__(None, None, None)
        if not args.no_report:
            report = write(report, output)
        if args.format != "text":
            emit(report, args.format)
            return exit_code(report)
        show(report, console, output=None if args.no_report else args.out)
    return exit_code(report)


def exit_code(report: Report) -> int:
    """0 nothing blocking, 1 blocking findings, 3 something could not be analysed."""
    return {Verdict.PASS: 0, Verdict.FAIL: 1, Verdict.INCOMPLETE: 3}[report.verdict]
