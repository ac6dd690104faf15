"""The first runs of a study: inputs that the engines take, and what engines and oracle give on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np

from analyzer.configuration.config import TargetConfig
from analyzer.differential.compare import EngineResult, run_alone, run_twice
from analyzer.differential.explain import StudyBudget
from analyzer.differential.hidden import affordable
from analyzer.differential.hidden_states import NOTHING as NO_STATES
from analyzer.differential.hidden_states import Early, ask_early
from analyzer.differential.input_search import finite, not_finite
from analyzer.differential.inputs import Inputs, Ranges, generate, is_guess, variants
from analyzer.differential.pool import Pool
from analyzer.differential.runner import Runner
from analyzer.differential.structure import Description
from analyzer.differential.verdict import Kind, Outcome
from analyzer.differential.wording import plain
from analyzer.problem import TargetProblem


def inputs_for(
    structure: Description,
    target: TargetConfig,
    given: Callable[[Description], Inputs] | None,
    runners: Sequence[Runner],
    oracle: Runner | None,
    further: frozenset[str],
    ranges: Ranges,
    pool: Pool,
) -> Inputs:
    """Raises `TargetProblem` where nothing that is made up is taken.

    What engines refuse of a guess is no input of the model, whatever the reference makes of it: it checks less than
    they do. `further`: names of engines beside the usual ones, which may refuse the model itself.
    """
    if given is not None:
        return given(structure)
    usual = [r for r in runners if r.name not in further] or list(runners)
    judge = [oracle] if oracle is not None else []
    everyone = [*usual, *judge]
    for runner in [*runners, *judge]:
        if runner.examples and set(runner.examples) == {i.name for i in structure.inputs}:
            return variants(runner.examples, ranges)

    def asked(feeds: Mapping[str, np.ndarray], who: Sequence[Runner]) -> list[Outcome]:
        return pool.together([partial(runner.run, feeds, state=False) for runner in who])

    def one_refuses(feeds: Mapping[str, np.ndarray]) -> str | None:
        """An image too small for its network has empty or NaN results on some engines and is refused by others."""
        return next((_said(o) for o in asked(feeds, everyone) if not o.ok or not_finite(o) != 0), None)

    def one_cannot(feeds: Mapping[str, np.ndarray]) -> str | None:
        return next((_said(o) for o in asked(feeds, usual) if not _runs(o)), None)

    def most_cannot(feeds: Mapping[str, np.ndarray]) -> str | None:
        outcomes = asked(feeds, usual)
        running = {r.backend.engine.name for r, o in zip(usual, outcomes, strict=True) if _runs(o)}
        enough = 2 * len(running) >= len({r.backend.engine.name for r in usual})
        return None if enough else next((_said(o) for o in outcomes if not _runs(o)), None)

    def all_cannot(feeds: Mapping[str, np.ndarray]) -> str | None:
        outcomes = asked(feeds, everyone)
        return None if any(map(_runs, outcomes)) else next(map(_said, outcomes), "no engine runs it")

    wanted = structure.inputs
    with suppress(TargetProblem):
        return generate(wanted, target, one_refuses, ranges=ranges, long=False)
    # An engine that refuses every input, or NaN in every result, is for the comparison to tell.
    if not is_guess(wanted, target, ranges):
        return generate(wanted, target, all_cannot, ranges=ranges)
    with suppress(TargetProblem):
        return generate(wanted, target, one_cannot, ranges=ranges)
    return generate(wanted, target, most_cannot, ranges=ranges)


def _runs(outcome: Outcome) -> bool:
    """What the reference computes of a signal too short for its window is empty, and no run."""
    if outcome.failure is not None:
        return outcome.failure.kind is Kind.MEMORY
    return any(a.size for a in outcome.arrays.values())


def _said(outcome: Outcome) -> str:
    return plain(outcome.failure.message) if outcome.failure is not None else "the results are not finite"


def first_runs(
    structure: Description,
    runners: Sequence[Runner],
    oracle: Runner | None,
    further: frozenset[str],
    inputs: Inputs,
    pool: Pool,
    budget: StudyBudget | None,
) -> tuple[list[EngineResult], EngineResult | None, Inputs, Early]:
    """What the engines and the oracle give, the inputs, and hidden states on the first of them.

    Made-up inputs are moved to where results are finite. The oracle is slow: engines whose layers will be looked at
    although outputs agree are asked for them while it works. `further`: names of engines beside the usual ones.
    """
    late = budget is not None and budget.over

    def ask(given: Inputs) -> tuple[list[EngineResult], Inputs, EngineResult | None, Early]:
        right = pool.beside(partial(run_alone, oracle, given)) if oracle is not None else None
        results = pool.together([partial(run_twice, runner, given) for runner in runners])
        moved = given if late or not given.generated else _finite(given, results)
        early = NO_STATES
        if oracle is not None and moved is given and not late:
            near = affordable(results, None, structure)
            likely = [r for r in results if r.runner.name in near and not (r.runner.name in further and keeps_few(r))]
            early = ask_early(structure, oracle, [r.runner for r in likely], given.sets[0].feeds, pool.together)
        return results, moved, right.result() if right is not None else None, early

    results, moved, expected, early = ask(inputs)
    if moved is not inputs:
        results, _, expected, early = ask(replace(moved, generated=False))
    return results, expected, moved, early


def _finite(inputs: Inputs, results: Sequence[EngineResult]) -> Inputs:
    """All sets but the first moved to where the first engine's results are finite.

    An engine is fast, and it is the engines' own precision that must stay finite. Not the set of ordinary values: an
    engine that overflows there where float64 does not is to be found.
    """
    quick = next((r for r in results if r.outcomes[0].ok), None)
    if quick is None or not any(not_finite(outcome) for outcome in quick.outcomes[1:]):
        return inputs
    rest = finite(replace(inputs, sets=inputs.sets[1:]), quick.runner).sets
    same = all(new.feeds is old.feeds for new, old in zip(rest, inputs.sets[1:], strict=True))
    return inputs if same else replace(inputs, sets=(inputs.sets[0], *rest))


def keeps_few(result: EngineResult) -> bool:
    """Whether the engine cannot be cut at every tensor."""
    description = result.runner.cut_points()
    return description is not None and description.alive is not None
