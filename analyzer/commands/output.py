"""What a command prints: for a person on the console, or for a machine on standard output (`--format`)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping

from analyzer import __version__
from analyzer.findings import AnalysisResult, Report, Status, TargetReport, ordered
from analyzer.rendering.formats import FORMATS, rendered


def add_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="text",
        help="for a person (text, default) or for machines: json, sarif, github (annotations), markdown",
    )


def emit(report: Report, form: str) -> None:
    """Print `report` on standard output in a format for machines."""
    sys.stdout.write(rendered(report, form))


def report_of(results: Mapping[str, AnalysisResult | str], kind: str, paths: Mapping[str, str]) -> Report:
    """The results of one analysis by target, or why there is none, as a report; `paths` tells the targets' files."""
    targets = []
    for name, result in results.items():
        if isinstance(result, str):
            targets.append(TargetReport(name, kind, paths[name], Status.FAILED, result))
        else:
            targets.append(
                TargetReport(name, kind, paths[name], notes=result.notes, versions=result.versions,
                             unknown_operators=result.unknown_operators, backends=result.backends,
                             assumptions=result.assumptions)
            )  # fmt: skip
    found = [f for result in results.values() if not isinstance(result, str) for f in result.findings]
    return Report(tuple(targets), ordered(found), tool={"name": "assay", "version": __version__})
