"""`assay demo`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, default=Path("assay-demo"), help="the folder for the review (assay-demo)")
    parser.add_argument(
        "--only",
        default="",
        help="the analyses to run, separated by commas (numerical, validity, differential, tracing)",
    )


def run(args: argparse.Namespace, console: Console) -> int:
    """Exit code 0 once the review is there: that the example pull request is blocked is what it should be."""
    from action.demo.run import run_demo

    inputs = {"only": args.only} if args.only else {}
    demo = run_demo(args.out.resolve(), lambda text: console.print(text, highlight=False), inputs=inputs)
    console.print(f"Review: {demo.review}", soft_wrap=True)
    console.print(f"Page: {demo.page}", soft_wrap=True)
    if demo.picture:
        console.print(f"Picture: {demo.picture}", soft_wrap=True)
    else:
        console.print("Picture: none, because no Chromium was found")
    console.print(f"Report, graphs and reproducers: {demo.report}", soft_wrap=True)
    console.print("The check of this pull request " + ("fails, as it should." if demo.code == 1 else "passes."))
    return 0
