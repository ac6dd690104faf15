"""`report.json`: a `Report` as JSON and back. The contract is ``analyzer/configuration/schemas/report.schema.json``."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from analyzer.findings import (
    SCHEMA,
    Cause,
    Confidence,
    DeviationMap,
    DistanceHistogram,
    Evidence,
    FailOn,
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
    UnsafeOperators,
)
from analyzer.rendering.markdown_text import writable

_NON_FINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def dumps(report: Report) -> str:
    """`report` as text. NaN and infinities are written as the strings ``nan``, ``inf``, ``-inf``: JSON has none."""
    return writable(json.dumps(to_json(report), indent=1, allow_nan=False, ensure_ascii=False) + "\n")


def to_json(report: Report) -> dict[str, Any]:
    plain = _plain(report)
    order = ("tool", "base", "head", "verdict", "fail_on", "seconds", "notes", "targets", "findings", "fixed")
    result = {"schema": SCHEMA, **{key: plain.get(key) for key in order}}
    result["verdict"] = str(report.verdict)
    return result


def finding_to_json(finding: Finding) -> dict[str, Any]:
    plain: dict[str, Any] = _plain(finding)
    return plain


def target_to_json(target: TargetReport) -> dict[str, Any]:
    plain: dict[str, Any] = _plain(target)
    return plain


def from_json(data: Mapping[str, Any]) -> Report:
    """The inverse of `to_json`, for data that the schema has accepted."""
    return Report(
        targets=tuple(target_from_json(item) for item in data["targets"]),
        findings=tuple(finding_from_json(item) for item in data["findings"]),
        fixed=tuple(finding_from_json(item) for item in data.get("fixed", ())),
        base=data["base"],
        head=data["head"],
        fail_on=FailOn(data.get("fail_on", FailOn.CONFIRMED)),
        seconds=data.get("seconds", 0.0),
        tool=data["tool"],
        notes=tuple(data.get("notes", ())),
    )


def finding_from_json(data: Mapping[str, Any]) -> Finding:
    rest = {key: value for key, value in data.items() if key != "fingerprint"}
    evidence, suggestion, location = data["evidence"], data["suggestion"], data["location"]
    rest["level"] = Level(data["level"])
    rest["confidence"] = Confidence(data["confidence"])
    rest["location"] = Location(**location) if location else None
    rest["suggestion"] = Suggestion(**suggestion) if suggestion else None
    rest["evidence"] = Evidence(
        kind=evidence["kind"],
        sentences=tuple(evidence.get("sentences", ())),
        tables=tuple(
            Table(tuple(t["columns"]), tuple(tuple(row) for row in t["rows"])) for t in evidence.get("tables", ())
        ),
        assumptions=tuple(evidence.get("assumptions", ())),
        data=evidence.get("data", {}),
    )
    return Finding(**rest)


def target_from_json(data: Mapping[str, Any]) -> TargetReport:
    rest = dict(data)
    rest["status"] = Status(data["status"])
    rest["cause"] = Cause(data["cause"]) if data.get("cause") else None
    rest["unsafe_operators"] = UnsafeOperators(**data["unsafe_operators"])
    for key in ("assumptions", "notes", "backends", "pictures"):
        rest[key] = tuple(data.get(key, ()))
    layers = data.get("layers", {})
    rest["layers"] = LayerGraph(
        tuple(
            LayerNode(**{**node, "location": Location(**node["location"]) if node.get("location") else None})
            for node in layers.get("nodes", ())
        ),
        tuple((source, sink) for source, sink in layers.get("edges", ())),
    )
    rest["maps"] = tuple(
        DeviationMap(
            title=m["title"],
            reference=m["reference"],
            backend=m["backend"],
            nodes=tuple(MapNode(**{k: _number(v) if k in _MEASURES else v for k, v in n.items()}) for n in m["nodes"]),
            edges=tuple((source, sink) for source, sink in m["edges"]),
        )
        for m in data.get("maps", ())
    )
    rest["distances"] = tuple(
        DistanceHistogram(**{**d, "edges": tuple(d["edges"]), "counts": tuple(d["counts"])})
        for d in data.get("distances", ())
    )
    return TargetReport(**rest)


_MEASURES = frozenset({"deviation", "rate", "replayed"})


def _number(value: Any) -> Any:
    return _NON_FINITE.get(value, value) if isinstance(value, str) else value


def _plain(value: Any) -> Any:
    """Dataclasses, enums, tuples and NumPy scalars as what `json.dumps` takes without surprises."""
    if hasattr(value, "__dataclass_fields__"):
        plain = {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
        if isinstance(value, Finding):
            plain["fingerprint"] = value.fingerprint
        return plain
    if isinstance(value, str):
        return str(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence | set | frozenset):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):  # NumPy arrays and scalars
        return _plain(value.tolist())
    return str(value)
