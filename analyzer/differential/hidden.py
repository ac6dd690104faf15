"""What the outputs do not show: when layers are replayed although outputs agree, and what keeps an error from them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from analyzer.differential import noise
from analyzer.differential.compare import GATE, Comparison
from analyzer.differential.localize import Blame, Localization
from analyzer.differential.rounding import error_of
from analyzer.differential.structure import Description

SECONDS = 6.0  # of replays that a model may take although its outputs agree
RUNS = 4  # of the judge, in which hidden states are made and every layer is replayed and held against its floor
CUT = 0.004  # seconds to cut out, load and run one operation alone, measured for ONNX Runtime


def worth_a_look(comparison: Comparison, structure: Description) -> bool:
    """Whether replaying every layer fits the budget, by the time that the whole runs took."""
    runs = [comparison.judge, *comparison.results] if comparison.judge is not None else [*comparison.results]
    seconds = sum(max((o.seconds for o in r.outcomes[:1] if o.ok), default=0.0) for r in runs)
    engines = len(comparison.results)
    return bool(structure.operations) and RUNS * seconds + CUT * engines * len(structure.operations) <= SECONDS


def hidden_by(blame: Blame, found: Localization, comparison: Comparison) -> str:
    """In a few words, where an engine's error is lost on its way to the outputs; empty where that is not known.

    The engine's own hidden states are held against the judge's: below the blamed layer, the first layer whose result is
    right although what it is given is wrong.
    """
    result = next(r for r in comparison.results if r.runner.name == blame.backend)
    floor = max(result.floors, default=0.0)
    mine, right = found.hidden.get(blame.backend, {}), found.hidden.get(blame.judge, {})
    limit = GATE * 16.0 * noise.EPS["float32"]
    wrong: set[str] = {blame.unit.id}
    seen = False
    for unit in found.units:
        if unit.id == blame.unit.id:
            seen = True
            continue
        if not seen or not wrong.intersection(found.inbound[unit.id]):
            continue
        error = _error(unit.outputs, mine, right)
        if error is not None and error <= limit:
            return f"hidden by `{unit.main.layer or unit.main.name}` ({unit.op})"
        wrong.add(unit.id)
    if floor >= 1e-2:
        return f"hidden by the model's own noise: rounding moves its outputs by {floor:.2g}"
    return "hidden at the outputs"


def _error(names: tuple[str, ...], mine: Mapping[str, np.ndarray], right: Mapping[str, np.ndarray]) -> float | None:
    shared = {n: right[n] for n in names if n in mine and n in right}
    return error_of({n: mine[n] for n in shared}, shared) if shared else None
