"""Hidden states of all engines on the same inputs: asked for, known from before, and compared unit by unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from analyzer.differential import noise
from analyzer.differential.rounding import error_of, small_scale
from analyzer.differential.runner import Runner
from analyzer.differential.structure import Description, Unit, shared_cuts, units
from analyzer.differential.verdict import Outcome
from analyzer.differential.wording import plain

Together = Callable[[Sequence[Callable[[], list[Outcome]]]], list[list[Outcome]]]  # makes calls, side by side or not
FORGIVEN = noise.MARGIN * 2.0 * noise.EPS["float32"]  # relative error of a unit that is never looked at further


@dataclass(frozen=True)
class Early:
    """What engines gave on `feeds` (model input name -> array) for `fetches` while the oracle was still at work."""

    feeds: Mapping[str, np.ndarray] | None = None
    fetches: tuple[str, ...] = ()
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)  # by backend

    def of(self, runner: Runner, feeds: Mapping[str, np.ndarray], fetches: Sequence[str]) -> list[Outcome] | None:
        """The engine's outcome, where just this was asked of it."""
        asked = self.feeds is feeds and self.fetches == tuple(fetches)
        return [self.outcomes[runner.name]] if asked and runner.name in self.outcomes else None


NOTHING = Early()


def shared_units(structure: Description, oracle: Runner, runners: Sequence[Runner]) -> tuple[Unit, ...]:
    """The model cut wherever `oracle` and all `runners` can be cut."""
    descriptions = [d for r in (oracle, *runners) if (d := r.cut_points()) is not None]
    return units(structure, shared_cuts(structure, descriptions))


def fetched(all_units: Sequence[Unit]) -> list[str]:
    """The tensors that make up the hidden states."""
    return [t for unit in all_units for t in unit.outputs]


def ask_early(
    structure: Description,
    oracle: Runner,
    runners: Sequence[Runner],
    feeds: Mapping[str, np.ndarray],
    together: Together,
) -> Early:
    """The hidden states of `runners`, in the units that a localization with `oracle` will have. It asks them alone."""
    fetches = fetched(shared_units(structure, oracle, runners))
    outcomes = together([partial(r.replay, [(feeds, fetches)]) for r in runners])
    return Early(feeds, tuple(fetches), {r.name: o for r, (o,) in zip(runners, outcomes, strict=True)})


def hidden_states(
    all_units: Sequence[Unit],
    runners: Sequence[Runner],
    oracle: Runner,
    feeds: Mapping[str, np.ndarray],
    structure: Description,
    notes: list[str],
    together: Together,
    early: Early,
) -> tuple[dict[str, dict[str, np.ndarray]], dict[str, np.ndarray]]:
    """Hidden states of all engines, and the ones that replays start from, in the dtypes of the model."""
    wanted = fetched(all_units)
    hidden: dict[str, dict[str, np.ndarray]] = {}
    everyone = (oracle, *runners)
    known = {r.name: found for r in everyone if (found := early.of(r, feeds, wanted)) is not None}
    missing = [r for r in everyone if r.name not in known]
    asked = together([partial(r.replay, [(feeds, wanted)]) for r in missing])
    known |= {r.name: found for r, found in zip(missing, asked, strict=True)}
    for runner in everyone:
        (outcome,) = known[runner.name]
        if outcome.ok:
            hidden[runner.name] = outcome.arrays
        else:
            assert outcome.failure is not None
            notes.append(f"{runner.backend.title} gives no hidden states: {plain(outcome.failure.message)}")
    source = next((hidden[r.name] for r in everyone if r.name in hidden), {})
    like = next((hidden[r.name] for r in runners if r.name in hidden), {})
    truth = dict(feeds)
    for name, array in source.items():
        declared = like[name].dtype if name in like else _declared(structure.dtypes.get(name), array.dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            truth[name] = array.astype(declared) if array.dtype.kind in "fc" and array.dtype != declared else array
    return hidden, truth


def _declared(dtype: str | None, actual: np.dtype) -> np.dtype:
    if dtype in ("float16", "float32", "float64"):
        return np.dtype(dtype)
    return np.dtype(np.float32) if actual == np.float64 else actual


def agree(
    unit: Unit,
    runners: Sequence[Runner],
    oracle: Runner,
    hidden: Mapping[str, Mapping[str, np.ndarray]],
    truth: Mapping[str, np.ndarray],
    errors: dict[str, dict[str, float]],
) -> bool:
    """Whether all engines' results of `unit` in the whole model are the oracle's, within what replays forgive."""
    right = hidden.get(oracle.name, {})
    if any(o not in right for o in unit.outputs):
        return False
    expected = {o: right[o] for o in unit.outputs}
    small = small_scale({i: truth[i] for i in unit.inputs})
    found = {r.name: error_of(hidden.get(r.name, {}), expected, small) for r in runners}
    if max(found.values(), default=np.inf) > FORGIVEN:
        return False
    for name, error in found.items():
        errors[name][unit.id] = error
    return True
