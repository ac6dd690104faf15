"""The picture of a deviation map: what is kept, what is folded, what cannot be smuggled in."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.findings import DeviationMap, MapNode
from analyzer.rendering.deviation_graph import dot, draw, text_alternative
from analyzer.rendering.folding import fold
from analyzer.rendering.mermaid import diagram


def chart(size: int, responsible: Iterable[int], skips: int = 5) -> DeviationMap:
    """A residual network: a chain with a shortcut over every `skips` layers."""
    rnd = random.Random(size)
    chosen = set(responsible)
    nodes = [
        MapNode(
            f"n{i}",
            f"stage{i // 20}.conv{i}",
            "Conv2d",
            1e-7,
            rnd.random(),
            1.5 if i in chosen else 5e-8,
            i in chosen,
            i % 4 == 0,
        )
        for i in range(size)
    ]
    edges = [(f"n{i}", f"n{i + 1}") for i in range(size - 1)]
    edges += [(f"n{i}", f"n{i + skips}") for i in range(0, size - skips, skips)]
    return DeviationMap("A against B", "B", "A", tuple(nodes), tuple(edges))


@pytest.mark.parametrize("size", [1, 5, 35, 400])
def test_any_model_fits_a_screen_and_loses_no_layer(size: int) -> None:
    regions, _ = fold(chart(size, {size // 3, size // 2}))
    assert len(regions) <= 24
    assert sorted(n.id for r in regions for n in r.members) == sorted(f"n{i}" for i in range(size))
    assert all(r.single for r in regions for n in r.members if n.responsible)


def test_the_picture_shows_the_whole_graph(tmp_path: Path) -> None:
    """The background covers the graph, so what is drawn of it has to be what the viewer shows."""
    svg = draw(chart(35, {4}), tmp_path / "graph")[0]
    root = ET.parse(svg).getroot()
    shown = [float(n) for n in (root.get("viewBox") or "").split()][2:]
    (group,) = (g for g in root.iter("{http://www.w3.org/2000/svg}g") if g.get("class") == "graph")
    scale = float(re.findall(r"scale\(([\d.]+)", group.get("transform") or "")[0])
    background = next(root.iter("{http://www.w3.org/2000/svg}polygon"))
    points = [[float(n) for n in p.split(",")] for p in (background.get("points") or "").split()]
    for axis in (0, 1):
        drawn = max(p[axis] for p in points) - min(p[axis] for p in points)
        assert drawn * scale == pytest.approx(shown[axis], abs=1)


@pytest.mark.parametrize("size", [20, 400])
def test_the_diagram_for_a_comment_is_small_whole_and_connected(size: int) -> None:
    """GitHub's renderer gives up on large diagrams; a quarter of all layers is highlighted, whatever the model."""
    text = diagram(chart(size, {size // 3, size // 2}))
    boxes = re.findall(r"^  (n\d+)\[", text, re.M)
    links = re.findall(r"^  (n\d+) --> (n\d+)$", text, re.M)
    assert len(boxes) <= 24
    assert len(text) < 20_000
    assert text.count(":::responsible") == 2
    reached = {"n0"}
    for _ in boxes:
        reached |= {b for a, b in links if a in reached}
    assert reached == set(boxes)


@given(st.integers(1, 60), st.data())
def test_folding_makes_no_cycle(size: int, data: st.DataObject) -> None:
    names = [f"n{i}" for i in range(size)]
    pair = st.tuples(st.integers(0, size - 1), st.integers(0, size - 1))
    edges = {(min(a, b), max(a, b)) for a, b in data.draw(st.lists(pair, max_size=120)) if a != b}
    responsible = data.draw(st.sets(st.integers(0, size - 1), max_size=12))
    nodes = tuple(MapNode(n, n, responsible=i in responsible) for i, n in enumerate(names))
    regions, folded = fold(DeviationMap("t", "a", "b", nodes, tuple((names[a], names[b]) for a, b in edges)))
    waiting = {i: {a for a, b in folded if b == i} for i in range(len(regions))}
    while ready := [i for i, before in waiting.items() if not before]:
        for i in ready:
            del waiting[i]
        for before in waiting.values():
            before -= set(ready)
    assert not waiting, "a cycle between folded boxes"


def test_guilt_is_outlined_and_counted_inside_folds() -> None:
    source = dot(chart(400, range(100, 130))).source
    assert source.count("penwidth=4") == 9
    assert "21 of them responsible" in source


def test_files_are_drawn_and_say_in_words_what_they_show(tmp_path: Path) -> None:
    drawn = draw(chart(35, {12}), tmp_path / "deviation-1")
    assert [p.suffix for p in drawn] == [".svg", ".png", ".mmd"]
    assert drawn[1].read_bytes().startswith(b"\x89PNG")
    ET.fromstring(drawn[0].read_bytes())
    assert len(drawn[2].read_text()) < 20_000
    assert "brought in by stage0.conv12 (Conv2d)" in text_alternative(chart(35, {12}))
    assert "none deviates by itself" in text_alternative(chart(35, set()))


HOSTILE = [
    '"]; evil [label="x',
    "<script>alert(1)</script>",
    "<b>bold</b>",
    "a\nb\x00c",
    "\\N \\l \\",
    "‮rtl",
    "x" * 5000,
]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_text(name: str, tmp_path: Path) -> None:
    nodes = (MapNode("a", name, name, responsible=True), MapNode(name, "b"))
    drawn = draw(DeviationMap(name, name, name, nodes, (("a", name),)), tmp_path / "m")
    tree = ET.fromstring(drawn[0].read_bytes())
    assert not [e for e in tree.iter() if e.tag.endswith("script")]
    boxes = [e for e in tree.iter() if e.get("class") == "node"]
    assert len(boxes) == 2
    assert len(drawn[0].read_bytes()) < 20_000


def test_a_residual_edge_over_a_responsible_layer_is_drawn() -> None:
    """Layer 10 takes what layers 6 to 9 make together with what layer 5 hands past them."""
    regions, edges = fold(chart(40, {7}))
    home = {n.id: i for i, r in enumerate(regions) for n in r.members}
    assert (home["n5"], home["n10"]) in edges
    assert home["n5"] != home["n7"] != home["n10"]


def test_the_legend_explains_every_outline() -> None:
    source = dot(chart(20, {4})).source
    assert "thick red outline" in source
    assert "amber outline" in source
    plain = DeviationMap("A against B", "B", "A", (MapNode("a", "a", "Conv", 0.0, 0.0, 0.0, False, False),), ())
    assert "amber" not in dot(plain).source
