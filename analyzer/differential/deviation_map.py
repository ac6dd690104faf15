"""The execution deviation graph of one pair of engines as data, from a localization."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from analyzer.differential.distances import third_quartile
from analyzer.differential.localize import Localization
from analyzer.differential.wording import oracle_title
from analyzer.findings import DeviationMap, MapNode

if TYPE_CHECKING:
    from analyzer.differential.study import Study


def deviation_map(done: Study, backend: str, found: Localization) -> DeviationMap:
    """One box a unit, with delta_l, R_l against the reference engine, and the replayed error of `backend`."""
    reference = next((n for n in found.hidden if n != backend), done.family.oracle.name)
    deltas = found.deltas(reference, backend)
    rates = found.rates(reference, backend)
    quartile = third_quartile(list(rates.values()))
    responsible = {p.blame.unit.id for p in done.problems if p.blame.backend == backend}
    responsible |= {b.unit.id for b in found.blames if b.backend == backend and _same(b.unit.op, done, backend)}
    nodes = []
    for unit in found.units:
        main = unit.main
        nodes.append(
            MapNode(
                id=unit.id,
                label=main.layer or main.name,
                kind=main.layer_class or unit.op,
                deviation=_finite(deltas.get(unit.id)),
                rate=_finite(rates.get(unit.id)),
                replayed=_finite(found.errors.get(backend, {}).get(unit.id)),
                responsible=unit.id in responsible,
                highlighted=unit.id in rates and rates[unit.id] > quartile,
            )
        )
    edges = tuple((before, unit.id) for unit in found.units for before in found.inbound[unit.id])
    title = next((r.backend.title for r in done.runners if r.name == backend), backend)
    return DeviationMap(f"{title} against {oracle_title(reference)}", reference, backend, tuple(nodes), edges)


def _same(op: str, done: Study, backend: str) -> bool:
    return any(p.blame.backend == backend and p.blame.unit.op == op for p in done.problems)


def _finite(value: float | None) -> float | None:
    if value is None or math.isnan(value):
        return None
    return min(value, 1e300)
