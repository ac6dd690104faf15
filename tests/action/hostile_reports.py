"""Reports whose every text is a stranger's, for property tests of the renderers."""

from __future__ import annotations

from hypothesis import strategies as st

from analyzer.findings import (
    Confidence,
    DeviationMap,
    DistanceHistogram,
    Evidence,
    Finding,
    LayerGraph,
    LayerNode,
    Level,
    Location,
    MapNode,
    Report,
    Status,
    Suggestion,
    Table,
    TargetReport,
)
from tests.action.hostile_markdown import hostile

locations = st.one_of(st.none(), st.builds(Location, hostile, st.integers(1, 50)))
suggestions = st.one_of(
    st.none(), st.builds(lambda d, p, r: Suggestion(d, p, 3, 4, r, True), hostile, st.sampled_from(["m.py"]), hostile)
)
evidence = st.builds(
    lambda s, c, a: Evidence("interval", s, (Table((c, "b"), ((c, 1), (None, c))),), a),
    st.lists(hostile, max_size=3).map(tuple), hostile, st.lists(hostile, max_size=2).map(tuple),
)  # fmt: skip
findings = st.builds(
    Finding, rule=st.one_of(st.just("numerical/log"), hostile), level=st.sampled_from(Level),
    confidence=st.sampled_from(Confidence), message=hostile, target=hostile, layer=hostile, node=hostile, op=hostile,
    location=st.one_of(st.just(Location("m.py", 3)), locations), evidence=evidence,
    reproducer=st.one_of(st.none(), hostile), suggestion=suggestions, new=st.booleans(),
    suppressed=st.one_of(st.none(), st.none(), hostile),
)  # fmt: skip
maps = st.builds(
    lambda t, a, b, g: DeviationMap(
        t, a, b, (MapNode("x", a, b, 0.5, 0.1, 2.0, g, True), MapNode(t, b, a)), (("x", t),)
    ),
    hostile, hostile, hostile, st.booleans(),
)  # fmt: skip
distances = st.builds(
    DistanceHistogram, metric=st.sampled_from(["class", "mad"]), first=hostile, second=hostile,
    edges=st.just((16.0, 8.0, 0.0)), counts=st.lists(st.integers(0, 9), max_size=5).map(tuple), threshold=st.just(8.0),
    triggering=st.integers(0, 3), inconsistent=st.booleans(),
)  # fmt: skip
graphs = st.builds(
    lambda a, b, c, p: LayerGraph(
        (LayerNode(a, b, c, 2, b, c, p), LayerNode("x", c, a, 1, a, b)), ((a, "x"), (b, c))
    ),
    hostile, hostile, hostile, locations,
)  # fmt: skip
targets = st.builds(
    TargetReport, id=hostile, kind=hostile, path=st.one_of(st.just("m.py"), hostile), status=st.sampled_from(Status),
    error=st.one_of(st.none(), hostile), unknown_operators=st.dictionaries(hostile, st.integers(1, 9), max_size=2),
    assumptions=st.lists(hostile, max_size=2).map(tuple), notes=st.lists(hostile, max_size=2).map(tuple),
    versions=st.dictionaries(hostile, hostile, max_size=2), backends=st.lists(hostile, max_size=2).map(tuple),
    maps=st.lists(maps, max_size=1).map(tuple), distances=st.lists(distances, max_size=1).map(tuple),
    layers=graphs, pictures=st.lists(hostile, max_size=1).map(tuple),
)  # fmt: skip
reports = st.builds(
    Report, targets=st.lists(targets, min_size=1, max_size=2).map(tuple),
    findings=st.lists(findings, max_size=3).map(tuple),
    fixed=st.lists(findings, max_size=1).map(tuple), base=st.one_of(st.none(), hostile), head=hostile,
    notes=st.lists(hostile, max_size=2).map(tuple), tool=st.builds(lambda v: {"name": "assay", "version": v}, hostile),
)  # fmt: skip
