"""The output folder: `report.md`, `report.json`, `report.sarif`, `report.html` and the graphs."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from analyzer.findings import Report, slug
from analyzer.rendering import distance_histogram, report_json, sarif
from analyzer.rendering.deviation_graph import draw
from analyzer.rendering.markdown import summary
from analyzer.rendering.page import page


def write(report: Report, output: Path) -> Report:
    """Write every form of `report` below `output`; returns it with the pictures that were drawn."""
    report = _with_pictures(report, output)
    (output / "report.json").write_text(report_json.dumps(report), encoding="utf-8")
    (output / "report.sarif").write_text(sarif.dumps(report), encoding="utf-8")
    (output / "report.md").write_text(summary(report), encoding="utf-8")
    (output / "report.html").write_text(page(report), encoding="utf-8")
    return report


def _with_pictures(report: Report, output: Path) -> Report:
    """Draw each deviation graph as SVG, PNG and Mermaid, and each histogram of distances as SVG and PNG.

    What cannot be drawn is told in a note: a review is worth more than its pictures.
    """
    if not any(target.maps or target.distances for target in report.targets):
        return report
    targets, failed = [], []
    for target in report.targets:
        drawn: list[Path] = []
        folder = output / "targets" / slug(target.id)
        if target.maps or target.distances:
            folder.mkdir(parents=True, exist_ok=True)
        jobs: list[Callable[[], Sequence[Path]]] = [
            *(partial(draw, chart, folder / f"deviation-{n}") for n, chart in enumerate(target.maps, 1)),
            *(
                partial(distance_histogram.draw, histogram, folder / f"distances-{n}")
                for n, histogram in enumerate(target.distances, 1)
            ),
        ]
        for job in jobs:
            try:
                drawn += job()
            except Exception as error:  # a mistake of ours, or a Graphviz that gives up
                traceback.print_exc()
                failed.append(f"A picture of {target.id} could not be drawn ({type(error).__name__}).")
        names = (path.relative_to(output).as_posix() for path in drawn)
        targets.append(replace(target, pictures=(*target.pictures, *names)))
    return replace(report, targets=tuple(targets), notes=(*report.notes, *dict.fromkeys(failed)))
