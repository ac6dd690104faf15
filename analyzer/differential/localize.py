"""Which unit brings the deviation in, and which engine is wrong.

CRADLE's map (delta and R_l between two engines) is drawn for comparison; blame comes from replay: every unit gets the
same inputs on every engine and is held against the reference oracle. Where no single unit deviates although the whole
does, prefixes computed by the oracle are spliced with suffixes run on the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from analyzer.differential import noise
from analyzer.differential.distances import deviation, rates
from analyzer.differential.hidden_states import FORGIVEN, NOTHING, Early, Together, agree, hidden_states, shared_units
from analyzer.differential.rounding import error_of, is_rounding, jump_effect, own_eps, small_scale, ulp_effect
from analyzer.differential.runner import Runner
from analyzer.differential.structure import Description, Unit, draws, inbound, live_at, shared_cuts, units
from analyzer.differential.ties import settled, ties
from analyzer.differential.verdict import Kind, Outcome

BATCH_BYTES = 256 << 20  # of intermediate results that are fetched at once
UNTOLD = (Kind.TIMEOUT, Kind.UNREPLAYED)  # of a part: neither says anything about the engine


@dataclass(frozen=True)
class Blame:
    """One unit on which one engine is wrong, with the inputs that show it."""

    unit: Unit
    backend: str
    kind: Kind
    error: float
    floor: float
    oracle: str
    message: str = ""
    inputs: Mapping[str, np.ndarray] = field(default_factory=dict)
    expected: Mapping[str, np.ndarray] = field(default_factory=dict)
    peers: Mapping[str, float] = field(default_factory=dict)  # the other engines' errors at this unit
    how: str = "replay"  # or "splice"
    loses_nan: bool = False  # kind NaN the other way round: numbers where the oracle has NaN or infinity
    agreeing: tuple[str, ...] = ()  # independent engines that agree with each other here: the oracle is the suspect


@dataclass(frozen=True)
class Localization:
    """All that was measured on the way to blame. Keys are unit ids, under the names of backends."""

    units: tuple[Unit, ...]
    inbound: Mapping[str, tuple[str, ...]]
    hidden: Mapping[str, Mapping[str, np.ndarray]]
    errors: Mapping[str, Mapping[str, float]]
    floors: Mapping[str, float]
    blames: tuple[Blame, ...]
    notes: tuple[str, ...] = ()
    ties: tuple[tuple[str, Unit], ...] = ()  # engines that choose other places of equal values, and where

    def deltas(self, reference: str, backend: str) -> dict[str, float]:
        """delta_l for every unit of which both engines gave the hidden state."""
        a, b = self.hidden.get(reference, {}), self.hidden.get(backend, {})
        found = {}
        for unit in self.units:
            values = [deviation(a[t], b[t]) for t in unit.outputs if t in a and t in b]
            if values:
                found[unit.id] = max(values)
        return found

    def rates(self, reference: str, backend: str) -> dict[str, float]:
        """R_l for every unit."""
        return rates(self.deltas(reference, backend), self.inbound)


def _in_turn(calls: Sequence[Callable[[], list[Outcome]]]) -> list[list[Outcome]]:
    return [call() for call in calls]


def localize(
    structure: Description,
    runners: Sequence[Runner],
    oracle: Runner,
    feeds: Mapping[str, np.ndarray],
    *,
    seed: int = 0,
    together: Together = _in_turn,
    agreeing: frozenset[str] = frozenset(),
    early: Early = NOTHING,
    spacing: Callable[[Unit, Description], float] = own_eps,
) -> Localization:
    """Find the units at which engines deviate from `oracle` on `feeds` (model input name -> array).

    `together` makes calls of different workers, one after another or side by side. `agreeing` names engines whose
    outputs agree with the oracle's: where all are such, a unit whose hidden states agree as well is not replayed, for
    from the same inputs it has computed the same. `early`: hidden states that are known already.
    """
    runners = [r for r in runners if r.description is None or r.description.replayable]
    descriptions = [d for r in (oracle, *runners) if (d := r.cut_points()) is not None]
    all_units = shared_units(structure, oracle, runners)
    notes: list[str] = []
    hidden, truth = hidden_states(all_units, runners, oracle, feeds, structure, notes, together, early)
    errors: dict[str, dict[str, float]] = {r.name: {} for r in runners}
    floors: dict[str, float] = {}
    blames: list[Blame] = []
    tied: list[tuple[str, Unit]] = []
    # A layer that takes whole numbers is fed what they can hold: what is lost in them, the layer before it has lost.
    for name, steps in (item for d in descriptions for item in d.steps.items()):
        if name in truth and name not in feeds:
            truth[name] = steps.held(truth[name])
    fixed = [u for u in all_units if all(i in truth for i in u.inputs) and not draws(u.operations)]
    if agreeing.issuperset(r.name for r in runners):
        fixed = [u for u in fixed if not agree(u, runners, oracle, hidden, truth, errors)]
    for chunk in _chunks(fixed, truth):
        cases = [({i: truth[i] for i in u.inputs}, u.outputs) for u in chunk]
        expected, *replayed = together([partial(r.replay, cases) for r in (oracle, *runners)])
        answers = {r.name: outcomes for r, outcomes in zip(runners, replayed, strict=True)}
        for index, unit in enumerate(chunk):
            results = {name: outcomes[index] for name, outcomes in answers.items()}
            narrow = spacing(unit, structure)
            for name, outcome in results.items():
                if outcome.ok and expected[index].ok and ties(unit, cases[index][0], outcome, expected[index]):
                    tied.append((name, unit))
                    results[name] = expected[index]
                elif outcome.ok and expected[index].ok:
                    results[name] = settled(unit, cases[index][0], outcome, expected[index], oracle, seed)
                    after = error_of(results[name].arrays, expected[index].arrays, small_scale(cases[index][0]))
                    if results[name] is not outcome and after <= FORGIVEN:
                        tied.append((name, unit))
            blames.extend(
                _compare_unit(
                    unit, cases[index][0], expected[index], results, runners, oracle, floors, errors, seed, narrow
                )
            )
    return Localization(all_units, inbound(all_units), hidden, errors, floors, tuple(blames), tuple(notes), tuple(tied))


def _chunks(all_units: Sequence[Unit], truth: Mapping[str, np.ndarray]) -> list[list[Unit]]:
    """Units in messages of bounded size."""
    chunks: list[list[Unit]] = []
    size = BATCH_BYTES + 1
    for unit in all_units:
        size += sum(truth[i].nbytes for i in unit.inputs)
        if size > BATCH_BYTES:
            chunks.append([])
            size = 0
        chunks[-1].append(unit)
    return chunks


def _compare_unit(
    unit: Unit,
    inputs: Mapping[str, np.ndarray],
    expected: Outcome,
    results: Mapping[str, Outcome],
    runners: Sequence[Runner],
    oracle: Runner,
    floors: dict[str, float],
    errors: dict[str, dict[str, float]],
    seed: int,
    narrow: float = 0.0,
) -> list[Blame]:
    """Hold each engine's replay of one unit against the oracle; `narrow`: the spacing that the unit itself asks for."""
    blames = []
    right = [name for name, outcome in results.items() if outcome.ok]
    for name, outcome in results.items():
        if outcome.failure is not None and (expected.ok or len(right) > 0) and outcome.failure.kind not in UNTOLD:
            blames.append(
                Blame(unit, name, outcome.failure.kind, np.inf, 0.0, oracle.name, outcome.failure.message, inputs)
            )
    if not expected.ok:
        return blames + _without_oracle(unit, inputs, results, runners, floors, errors)
    for name in right:
        errors[name][unit.id] = error_of(results[name].arrays, expected.arrays, small_scale(inputs))
    suspects = [n for n in right if errors[n][unit.id] > FORGIVEN]
    if not suspects:
        return blames
    knobs = {r.name: r.backend.knobs for r in runners}
    eps = {n: max(narrow, noise.precision_eps(knobs[n], list(results[n].arrays.values()))) for n in suspects}
    perturbed = ulp_effect(oracle, inputs, unit.outputs, expected.arrays, max(eps.values()), seed)
    deviating = []
    for name in suspects:
        peers = [
            errors[n][unit.id] for n in right if n != name and knobs[n].get("precision") == knobs[name].get("precision")
        ]
        own = noise.floor(perturbed, [], eps[name])
        with_peers = noise.floor(perturbed, peers, eps[name])
        floors[unit.id] = max(floors.get(unit.id, 0.0), own)
        error = errors[name][unit.id]
        if error <= noise.MARGIN * own:
            continue
        if np.isfinite(error) and is_rounding(error, unit, inputs, results[name], expected, oracle, eps[name], seed):
            continue
        kind = _kind_of(results[name].arrays, expected.arrays)
        if peers and np.isinf(error) and np.all(np.isinf(peers)):
            kind = Kind.COMMON  # NaN or a shape that every engine gives
        elif peers and error <= noise.MARGIN * with_peers:
            kind = Kind.COMMON if min(peers) > noise.MARGIN * own else kind
            if kind is not Kind.COMMON:
                continue
        others = {n: errors[n][unit.id] for n in right if n != name}
        agreeing = _agreeing(results, right, runners, own, inputs) if kind is Kind.COMMON and np.isfinite(error) else ()
        loses = kind is Kind.NAN and _loses_nan(results[name].arrays, expected.arrays)
        deviating.append(
            Blame(
                unit, name, kind, error, own, oracle.name, "", inputs, expected.arrays, others, loses_nan=loses,
                agreeing=agreeing,
            )
        )  # fmt: skip
    return blames + deviating


def _agreeing(
    results: Mapping[str, Outcome],
    right: Sequence[str],
    runners: Sequence[Runner],
    floor: float,
    inputs: Mapping[str, np.ndarray],
) -> tuple[str, ...]:
    """Engines of different makers that give the same for one unit."""
    makers = {r.name: r.backend.engine.name for r in runners}
    for index, first in enumerate(right):
        for second in right[index + 1 :]:
            apart = error_of(results[first].arrays, results[second].arrays, small_scale(inputs))
            if makers[first] != makers[second] and apart <= noise.MARGIN * floor:
                return (first, second)
    return ()


def _without_oracle(
    unit: Unit,
    inputs: Mapping[str, np.ndarray],
    results: Mapping[str, Outcome],
    runners: Sequence[Runner],
    floors: dict[str, float],
    errors: dict[str, dict[str, float]],
) -> list[Blame]:
    """No oracle for this unit: where two independent engines agree, one that stands alone is blamed (they can be wrong,
    and the finding says that only a vote speaks); otherwise a disagreement is named by the later one. Two modes of one
    engine share its kernels and count once."""
    right = [name for name, outcome in results.items() if outcome.ok]
    if len(right) < 2:
        return []
    small = small_scale(inputs)
    pairwise = {n: {m: error_of(results[n].arrays, results[m].arrays, small) for m in right if m != n} for n in right}
    knobs = {r.name: r.backend.knobs for r in runners}
    engines = {r.name: r.backend.engine.name for r in runners}
    blames = []
    for name in right:
        closest = min(pairwise[name].values())
        errors[name][unit.id] = closest
        eps = noise.precision_eps(knobs[name], list(results[name].arrays.values()))
        floors[unit.id] = 2.0 * eps
        alone = closest > noise.MARGIN * 8.0 * eps
        agreed = any(
            v <= noise.MARGIN * 8.0 * eps
            for n in right
            if n != name
            for m, v in pairwise[n].items()
            if m != name and engines[n] != engines[m]
        )
        if alone and (agreed or name == right[-1]):
            other = next(n for n in right if n != name)
            who = "majority" if agreed else f"none ({other} disagrees)"
            kind = _kind_of(results[name].arrays, results[other].arrays)
            expected = results[other].arrays
            blames.append(Blame(unit, name, kind, closest, 2.0 * eps, who, "", inputs, expected, pairwise[name]))
    return blames


def _loses_nan(arrays: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray]) -> bool:
    """Whether numbers stand where the oracle has NaN or infinity, and nowhere the other way round."""
    floats = [(arrays[n], e) for n, e in expected.items() if e.dtype.kind == "f" and arrays[n].shape == e.shape]
    return not any(bool(np.any(np.isfinite(right) & ~np.isfinite(mine))) for mine, right in floats)


def _kind_of(arrays: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray]) -> Kind:
    for name, right in expected.items():
        mine = arrays.get(name)
        if mine is None or mine.shape != right.shape:
            return Kind.SHAPE
        if (mine.dtype.kind in "fc") != (right.dtype.kind in "fc") or (mine.dtype.kind == "b") != (
            right.dtype.kind == "b"
        ):
            return Kind.DTYPE
        if mine.dtype.kind == "f" and not np.array_equal(np.isfinite(mine), np.isfinite(right)):
            return Kind.NAN
    return Kind.VALUE


def splice(
    structure: Description,
    runner: Runner,
    oracle: Runner,
    feeds: Mapping[str, np.ndarray],
    truth: Mapping[str, np.ndarray],
    outputs: Sequence[str],
    limit: float,
    eps: float = noise.EPS["float32"],
) -> tuple[Unit, float] | None:
    """Bisect for the last place from which the engine's suffix still deviates; for deviations no single unit shows.

    Prefixes come from the oracle (`truth`). The suffix from unit k deviates up to the responsible one and agrees
    afterwards, so the boundary is found in log2(n) runs. From there the region grows until it deviates by itself.
    Returns the region as one unit with its error, or None when the deviation is not at one place.
    """
    cuts = shared_cuts(structure, [d for d in (oracle.cut_points(), runner.cut_points()) if d is not None])
    all_units = [u for u in units(structure, cuts) if all(t in truth for t in (*u.inputs, *u.outputs))]
    sources = [i.name for i in structure.inputs]

    def suffix_error(position: int) -> float:
        live = live_at(all_units, position, outputs, sources)
        fetched = [o for o in outputs if o not in live]
        outcome = runner.run({t: truth[t] for t in live}, fetched, state=False) if fetched else Outcome()
        right = {t: truth[t] for t in fetched}
        return error_of(outcome.arrays, right, small_scale(feeds)) if outcome.ok else 0.0

    low, high = 0, len(all_units)  # suffix from `low` deviates, from `high` it does not
    if not all_units or suffix_error(0) <= limit:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if suffix_error(middle) > limit:
            low = middle
        else:
            high = middle
    for end in range(low + 1, min(low + 8, len(all_units)) + 1):
        region = _join(all_units[low:end])
        outcome = runner.run({t: truth[t] for t in region.inputs}, region.outputs, state=False)
        expected = oracle.run({t: truth[t] for t in region.inputs}, region.outputs, state=False)
        small = small_scale({t: truth[t] for t in region.inputs})
        if outcome.ok and expected.ok and (error := error_of(outcome.arrays, expected.arrays, small)) > limit:
            inside = _rounding_inside(all_units[low:end], oracle, truth, expected.arrays, eps)
            return (region, error) if error > inside else None
    return None


def _rounding_inside(
    parts: Sequence[Unit],
    oracle: Runner,
    truth: Mapping[str, np.ndarray],
    expected: Mapping[str, np.ndarray],
    eps: float,
) -> float:
    """How far a region's result moves when the tensors inside it move by `MARGIN` units in the last place: what is
    added to a large number and taken from it again is lost to rounding, however well the region's inputs are known."""
    effects = [0.0]
    for start in range(len(parts)):
        rest = _join(parts[start:])
        inputs = {t: truth[t] for t in rest.inputs}
        effects.append(jump_effect(oracle, inputs, rest.outputs, expected, eps, start))
    return max(effects)


def _join(parts: Sequence[Unit]) -> Unit:
    """Consecutive units as one region whose only outputs are the last unit's."""
    made = {o for part in parts for o in part.outputs}
    inputs = tuple(dict.fromkeys(i for part in parts for i in part.inputs if i not in made))
    operations = tuple(dict.fromkeys(o.outputs for part in parts for o in part.operations))
    by_outputs = {o.outputs: o for part in parts for o in part.operations}
    return Unit(parts[-1].id, tuple(by_outputs[o] for o in operations), inputs, parts[-1].outputs)
