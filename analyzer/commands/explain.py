"""`assay explain RULE`: the rule's page, in the terminal."""

from __future__ import annotations

import argparse
import difflib
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.problem import UsageProblem

if TYPE_CHECKING:
    from rich.console import Console


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "rule", nargs="?", metavar="RULE", help="a rule id such as numerical/log-of-nonpositive; default: list them"
    )


def run(args: argparse.Namespace, console: Console) -> int:
    pages = rule_pages()
    if args.rule is None:
        for rule in pages:
            console.print(rule)
        return 0
    page = pages.get(args.rule)
    if page is None:
        close = difflib.get_close_matches(args.rule, pages, 1, 0.3)
        hint = f"did you mean `{close[0]}`?" if close else "`assay explain` lists them all."
        raise UsageProblem(f"no rule is called `{args.rule}`; {hint}")
    from rich.markdown import Markdown

    console.print(Markdown(page.read_text(encoding="utf-8")))
    return 0


def rule_pages() -> dict[str, Path]:
    """Rule id -> its page, sorted; from the installed package or from the source tree."""
    for folder in (Path(str(files("analyzer"))) / "rules", Path(str(files("analyzer"))).parent / "docs" / "rules"):
        if folder.is_dir():
            return {f"{p.parent.name}/{p.stem}": p for p in sorted(folder.glob("*/*.md"))}
    return {}
