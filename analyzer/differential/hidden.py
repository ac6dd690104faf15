"""What the outputs do not show: when layers are replayed although outputs agree, and what keeps an error from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from analyzer.differential import noise
from analyzer.differential.compare import GATE, Comparison, EngineResult
from analyzer.differential.localize import Blame, Localization
from analyzer.differential.rounding import error_of
from analyzer.differential.structure import Description, shared_cuts, units

SECONDS = 3.0  # of replays that a model may take although its outputs agree
RUNS = 3  # of an engine: its hidden states, and every layer alone
CUTS = {
    "openvino": 0.03,
    "onnxruntime": 0.002,
    "torch": 0.002,
    "reference": 0.0015,
}  # processor seconds to cut a layer out
CUT = 0.01  # of the others
FIRST = 1.5  # seconds that a first run may take for what is imported and compiled on the way


def worth_a_look(comparison: Comparison, structure: Description) -> frozenset[str]:
    """The engines whose every layer is replayed although the outputs agree: the cheapest that fit the budget.

    The oracle's share comes first; what an engine takes is known from its whole run and the number of layers.
    """
    return affordable(comparison.results, comparison.oracle, structure)


def affordable(results: Sequence[EngineResult], oracle: EngineResult | None, structure: Description) -> frozenset[str]:
    """The cheapest engines that fit the budget beside the oracle, as far as that is known."""
    count = len(units(structure, shared_cuts(structure, ())))
    left = SECONDS - (_cost(oracle, count) if oracle is not None else 0.0)
    costs = {r.runner.name: _cost(r, count) for r in results if r.failure is None}
    found = set()
    for name in sorted(costs, key=lambda n: costs[n]) if count else ():
        left -= costs[name]
        if left >= 0:
            found.add(name)
    return frozenset(found)


def _cost(result: EngineResult, count: int) -> float:
    return RUNS * _seconds(result) + CUTS.get(result.runner.backend.engine.name, CUT) * count


def _seconds(result: EngineResult) -> float:
    return max(0.0, min((o.seconds for o in result.outcomes if o.ok), default=0.0) - FIRST)


def hidden_by(blame: Blame, found: Localization, comparison: Comparison) -> str:
    """In a few words, where an engine's error is lost on its way to the outputs; empty where that is not known.

    The engine's own hidden states are held against the oracle's: below the blamed layer, the first layer whose result
    is right although what it is given is wrong.
    """
    result = next(r for r in comparison.results if r.runner.name == blame.backend)
    floor = max(result.floors, default=0.0)
    mine, right = found.hidden.get(blame.backend, {}), found.hidden.get(blame.oracle, {})
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
