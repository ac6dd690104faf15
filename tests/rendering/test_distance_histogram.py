"""The histogram of distances: as a picture, as text, and with names that want to be more than names."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from analyzer.findings import DistanceHistogram
from analyzer.rendering.distance_histogram import bars, dot, draw, label, summary
from analyzer.rendering.markdown import Links, View
from tests.action.hostile_reports import distances
from tests.rendering.sample_report import sample_report

CLASSES = DistanceHistogram(
    "class", "onnxruntime", "keras-torch@3.14.1", (16, 8, 4, 2, 1, 0), (3, 5, 0, 1, 2, 39), 8.0, 8, True
)
MEANS = DistanceHistogram("mad", "a", "b", (0.0, 0.2, 0.4, 0.6, 0.8), (10, 0, 0, 0, 1), 0.2, 1, True)


def test_every_distance_has_its_bin() -> None:
    assert [label(CLASSES, i) for i in range(6)] == ["16", "8–15", "4–7", "2–3", "1", "0"]
    assert [label(MEANS, i) for i in range(5)] == ["0.0–0.2", "0.2–0.4", "0.4–0.6", "0.6–0.8", "0.8–1.0"]


def test_the_text_form_counts_and_marks() -> None:
    lines = bars(CLASSES).splitlines()
    assert [int(re.findall(r"\d+", line)[-1]) for line in lines] == [3, 5, 0, 1, 2, 39]
    assert [line.endswith("inconsistent") for line in lines] == [True, True, False, False, False, False]
    assert lines[-1].count("█") == 32
    assert "8 of 50 instances at a distance of 8 or more" in summary(CLASSES)


@pytest.mark.parametrize("histogram", [CLASSES, MEANS], ids=["class", "mad"])
def test_bars_are_as_long_as_counts(histogram: DistanceHistogram, tmp_path: Path) -> None:
    svg, png = draw(histogram, tmp_path / "distances")
    assert png.read_bytes().startswith(b"\x89PNG")
    root = ET.parse(svg).getroot()
    wide: list[float] = []
    for polygon in root.iter("{http://www.w3.org/2000/svg}polygon"):
        if polygon.get("fill") in ("#b30000", "#6e9cc9"):
            across = [float(p.partition(",")[0]) for p in (polygon.get("points") or "").split()]
            wide.append(max(across) - min(across))
    counts = [n for n in histogram.counts if n]
    assert len(wide) == len(counts)
    for width, count in zip(wide, counts, strict=True):
        assert width == pytest.approx(max(wide) * count / max(counts), abs=2.5)
    assert svg.read_text().count("inconsistent") >= sum(
        n > 0 for n, e in zip(histogram.counts, histogram.edges, strict=True) if e >= histogram.threshold
    )


def test_nothing_to_count_is_drawn_too(tmp_path: Path) -> None:
    assert len(draw(replace(CLASSES, counts=(0,) * 6, triggering=0, inconsistent=False), tmp_path / "d")) == 2


@settings(max_examples=15)
@given(distances)
def test_names_stay_text(histogram: DistanceHistogram) -> None:
    svg = dot(histogram).pipe(format="svg", encoding="utf-8", quiet=True)
    root = ET.fromstring(svg.encode())
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags <= {"svg", "g", "title", "polygon", "text", "a", "path"}
    assert "javascript:" not in "".join(v for e in root.iter() for k, v in e.attrib.items() if "href" in k).lower()
    assert len(bars(histogram).splitlines()) == min(len(histogram.counts), len(histogram.edges))


def test_a_review_shows_the_pictures_of_inconsistent_engines_alone() -> None:
    report = sample_report()
    stems = ("deviation-1", "distances-1", "distances-2")
    target = replace(
        report.targets[0],
        distances=(CLASSES, replace(MEANS, triggering=0, inconsistent=False)),
        pictures=tuple(f"targets/t/{stem}.png" for stem in stems),
    )
    links = Links(pictures={name: f"https://pictures.example/{name}" for name in target.pictures})
    shown = View(replace(report, targets=(target,)), links).pictures
    assert [(what, address.rpartition("/")[2]) for what, address in shown] == [
        ("Deviation graph", "deviation-1.png"),
        ("Histogram of distances", "distances-1.png"),
    ]
