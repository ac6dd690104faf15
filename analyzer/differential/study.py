"""One family of engines on one model: compare, localize, reduce, find the culprit. The effects come in as `Pool`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from analyzer.configuration.config import TargetConfig, Thresholds
from analyzer.differential import noise
from analyzer.differential.backend import Backend, parse
from analyzer.differential.compare import Comparison, EngineResult, compared, run_twice
from analyzer.differential.compiled import accepting
from analyzer.differential.explain import VALUES, Diagnosis, StudyBudget, artefact_kind, explain
from analyzer.differential.first_runs import first_runs, inputs_for, keeps_few
from analyzer.differential.hidden import hidden_by, worth_a_look
from analyzer.differential.hidden_states import NOTHING as NO_STATES
from analyzer.differential.hidden_states import Early
from analyzer.differential.input_search import amplified
from analyzer.differential.inputs import NOTHING, Inputs, Ranges
from analyzer.differential.known import Benign
from analyzer.differential.localize import UNTOLD, Blame, Localization, localize, splice
from analyzer.differential.plan import Family, kind_for
from analyzer.differential.pool import Pool
from analyzer.differential.rounding import error_of
from analyzer.differential.runner import Artefact, Runner
from analyzer.differential.structure import Description, drawn, draws
from analyzer.differential.verdict import Failure, Kind
from analyzer.differential.wording import plain


@dataclass(frozen=True)
class Study:
    """What one family came to."""

    family: Family
    structure: Description | None = None
    comparison: Comparison | None = None
    inputs: Inputs | None = None
    localizations: Mapping[str, Localization] = field(default_factory=dict)  # by backend
    problems: tuple[Diagnosis, ...] = ()
    benign: tuple[tuple[Blame, Benign], ...] = ()
    missing: tuple[tuple[str, Failure], ...] = ()
    notes: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    runners: tuple[Runner, ...] = ()
    oracle: Runner | None = None
    scripts: Mapping[tuple[str, Kind], str] = field(default_factory=dict)  # of engines as wholes: by backend and kind

    @property
    def random(self) -> str:
        """The layer that samples by design, as its name or operator; empty where nothing does."""
        return _sampling(self.structure)

    def random_of(self, runner: Runner) -> str:
        """The same as one engine runs the model: augmentation of Keras samples unless it is told not to train."""
        return self.random or _sampling(runner.description)


def _sampling(structure: Description | None) -> str:
    operations = structure.operations if structure is not None else ()
    return next((o.layer or o.name for o in operations if draws([o])), "")


def study(
    family: Family,
    kinds: Mapping[str, Artefact],
    target: TargetConfig,
    pool: Pool,
    thresholds: Thresholds,
    given: Callable[[Description], Inputs] | None = None,
    *,
    thorough: bool = False,
    budget: StudyBudget | None = None,
    search: int = 0,
    ranges: Ranges = NOTHING,
) -> Study:
    """Run the family's engines. `given` makes the inputs from the model's description; None generates them.

    `thorough`: replay every layer even when the outputs agree. `budget` bounds the search for explanations; None: none.
    `search`: rounds of looking for inputs on which an engine deviates more. `ranges`: what is known of the inputs.
    """
    pool.pinned = frozenset({family.oracle.name, *(b.name for b in family.backends)})
    with tempfile.TemporaryDirectory(prefix="assay-state-") as temporary:
        settled = {}
        for name, artefact in kinds.items():
            takers = [b for b in family.backends if kind_for(b, kinds) == name]
            settled[name] = pool.settle(takers, artefact, Path(temporary)) if takers else artefact
        return _study(family, settled, target, pool, thresholds, given, thorough, budget, search, ranges)


def _study(
    family: Family,
    kinds: Mapping[str, Artefact],
    target: TargetConfig,
    pool: Pool,
    thresholds: Thresholds,
    given: Callable[[Description], Inputs] | None,
    thorough: bool,
    budget: StudyBudget | None,
    search: int,
    ranges: Ranges,
) -> Study:
    missing: list[tuple[str, Failure]] = []
    runners: list[Runner] = []
    oracle_kind = kind_for(family.oracle, kinds)
    takers = [(b, kinds[artefact_kind(b, kinds)]) for b in family.backends]
    absent = {b.name: failure for b, a in takers if (failure := pool.absent(b, a)) is not None}
    here = wanted(family, kinds, pool)
    pool.warm(here)
    for backend, artefact in takers:
        runner = absent.get(backend.name) or pool.get(backend, artefact)
        if isinstance(runner, Failure):
            if backend.name not in family.further:
                missing.append((backend.name, runner))
        else:
            runners.append(runner)
    oracle = pool.get(family.oracle, kinds[oracle_kind]) if here and oracle_kind else None
    if isinstance(oracle, Failure):
        missing.append((family.oracle.name, oracle))
        oracle = None
    done = Study(family, missing=tuple(missing), runners=tuple(runners), oracle=oracle)
    leading = oracle or (runners[0] if runners else None)
    if leading is None or not runners:
        return done
    assert leading.description is not None
    structure = leading.description
    notes = [n for r in (leading, *runners) if r.description is not None for n in r.description.notes]
    versions = {k: v for r in (leading, *runners) for k, v in r.versions.items() if not r.backend.version}
    inputs = inputs_for(structure, target, given, runners, oracle, family.further, ranges, pool)
    if search and oracle is not None:
        inputs = amplified(inputs, runners, oracle, search)
    results, expected, inputs, early = first_runs(structure, runners, oracle, family.further, inputs, pool, budget)
    more, said = _voter(family, kinds, target, pool, expected, inputs)
    runners += more
    notes += said
    done = replace(done, runners=tuple(runners))
    results += [run_twice(runner, inputs) for runner in more]
    comparison = compared(results, expected, inputs, thresholds, drawn(structure))
    late = budget is not None and budget.over
    twins = [] if late else accepting(comparison, kinds, target, pool)
    if twins:
        family = replace(family, further=family.further | {r.name for r in twins})
        runners += twins
        done = replace(done, family=family, runners=tuple(runners))
        results += [run_twice(runner, inputs) for runner in twins]
        comparison = compared(results, expected, inputs, thresholds, drawn(structure))
    silent = [r for r in comparison.results if r.runner.name in family.further and _gives_nothing(r)]
    notes += [
        f"{r.runner.backend.title} was tried beside the default engines and gives no result: {plain(r.failure.message)}"
        for r in silent
        if r.failure is not None
    ]
    comparison = replace(comparison, results=tuple(r for r in comparison.results if r not in silent))
    notes += [
        f"Made-up inputs of {values} values were left out: {engine} refuses them ({plain(failure.message)})."
        for values, engine, failure in comparison.refused
    ]
    inputs = replace(inputs, sets=comparison.sets)
    done = replace(
        done,
        structure=structure,
        comparison=comparison,
        inputs=inputs,
        notes=tuple(dict.fromkeys(notes)),
        versions=versions,
    )
    return _closer(done, pool, kinds, thorough, budget, early)


def wanted(family: Family, kinds: Mapping[str, Artefact], pool: Pool) -> list[tuple[Backend, Artefact]]:
    """The family's engines that are part of this installation, and its oracle, each with what it loads."""
    takers = [(b, kinds[artefact_kind(b, kinds)]) for b in family.backends]
    here = [(b, a) for b, a in takers if pool.absent(b, a) is None]
    kind = kind_for(family.oracle, kinds)
    return [*here, (family.oracle, kinds[kind])] if here and kind else here


def _gives_nothing(result: EngineResult) -> bool:
    return result.failure is not None and result.failure.kind is not Kind.CRASH


def _voter(
    family: Family,
    kinds: Mapping[str, Artefact],
    target: TargetConfig,
    pool: Pool,
    expected: EngineResult | None,
    inputs: Inputs,
) -> tuple[list[Runner], list[str]]:
    """A second engine, independent of the first, where the oracle has no result; and the sentence that says so."""
    failure = expected.outcomes[0].failure if expected is not None else None
    if failure is None or family.name != "onnx" or target.backends is not None:
        return [], []
    lost = f"The float64 reference cannot run this model ({plain(failure.message)})"
    voter = pool.get(parse("openvino"), kinds["onnx"])
    if isinstance(voter, Failure) or not voter.run(inputs.sets[0].feeds, state=False).ok:
        return [], [f"{lost}, nor can a second independent engine: what both modes of one engine share is not seen."]
    if any(b.engine.name == "openvino" for b in family.backends):
        return [], [f"{lost}: two independent engines vote, ONNX Runtime and OpenVINO."]
    return [voter], [f"{lost}: OpenVINO was added, and two independent engines vote."]


def _closer(
    done: Study,
    pool: Pool,
    kinds: Mapping[str, Artefact],
    thorough: bool,
    budget: StudyBudget | None,
    early: Early = NO_STATES,
) -> Study:
    """Localize where the outputs call for it, one input set per suspicious engine: its most inconsistent one."""
    comparison, oracle = done.comparison, done.oracle
    assert comparison is not None
    assert done.structure is not None
    thorough = thorough or bool(done.random)  # outputs that are drawn hide what is wrong before the draw
    told = {r.runner.name for r in comparison.results if r.suspicious}
    late = budget is not None and budget.over
    looked = frozenset() if late else worth_a_look(comparison, done.structure)
    # Further engines that hide tensors make units coarser: looked at alone, and only where outputs call for it.
    coarse = {r.runner.name for r in comparison.results if r.runner.name in done.family.further and keeps_few(r)}
    suspicious = [
        r
        for r in comparison.results
        if r.failure is None and (r.suspicious or thorough or (r.runner.name in looked and r.runner.name not in coarse))
    ]
    failing = [r for r in comparison.results if r.failure is not None and r.failure.kind not in UNTOLD]
    working = [r for r in comparison.results if r.failure is None]
    if not suspicious and not (failing and (working or _ran(comparison.oracle))):
        return done
    healthy = sorted(working, key=lambda r: max(r.errors, default=0.0))
    others = [r.runner for r in healthy]
    base = oracle or others[0]
    notes = list(done.notes)
    localizations: dict[str, Localization] = {}
    blames: list[Blame] = []
    places = {r.runner.name: r.worst if thorough or r.runner.name in told else 0 for r in suspicious}
    whole = {r.runner.name for r in working}
    refused = {r.runner.name for r in failing if r.failure is not None and r.failure.kind is Kind.UNSUPPORTED}
    present = [*working, *failing]
    looking = [r for r in present if r in suspicious or r in failing] if not (told or thorough or failing) else present
    groups = [[r for r in looking if r.runner.name not in coarse]]
    groups += [[r] for r in present if r.runner.name in coarse and (r.suspicious or r in failing)]
    for group in groups:
        here = [r for r in (*suspicious, *failing) if r in group]
        for index in sorted({0 if r in failing else places[r.runner.name] for r in here}):
            concerned = [r for r in here if r in failing or places[r.runner.name] == index]
            engines = [r.runner for r in group if r.runner is not base]
            found = localize(
                done.structure, engines, base, comparison.sets[index].feeds, seed=index, together=pool.together,
                agreeing=frozenset(() if thorough else whole - told), early=early,
            )  # fmt: skip
            notes += found.notes
            for result in concerned:
                localizations[result.runner.name] = found
            names = {r.runner.name for r in concerned}
            mine = []
            for each in [b for b in found.blames if b.backend in names]:
                # A part crashes because the engine does not support it, if that is what it says of the whole model.
                unsupported = each.kind is Kind.CRASH and each.backend in refused
                blame = replace(each, kind=Kind.UNSUPPORTED) if unsupported else each
                place = blame.unit.main.layer or blame.unit.main.name
                if blame.kind not in (Kind.CRASH, Kind.UNSUPPORTED) or blame.backend not in whole:
                    mine.append(blame)
                elif blame.backend in told or thorough:
                    said = f"{blame.backend} runs the model, but not {place} cut out of it: {plain(blame.message)}"
                    notes.append(said)
            tied = {name: unit.main for name, unit in found.ties if name in names}
            notes += [
                f"{name} chooses other places of equal values in {node.layer or node.name}: ties, no deviation."
                for name, node in tied.items()
            ]
            for result in concerned:
                name = result.runner.name
                if result.suspicious and name not in tied and not any(b.backend == name for b in mine):
                    spliced = _spliced(done.structure, result, base, comparison, found, notes)
                    mine += [spliced] if spliced else []
            blames += mine
    affected = {r.runner.name: max(r.errors, default=0.0) for r in comparison.results}
    problems, harmless = explain(blames, done, pool, kinds, affected, budget)
    problems = [
        p
        if p.blame.backend in told or p.blame.kind not in VALUES
        else replace(p, hidden=hidden_by(p.blame, localizations[p.blame.backend], comparison))
        for p in problems
    ]
    if budget is not None and budget.over and blames:
        notes.append(
            f"The budget of {budget.seconds:g} s of processor time for comparing engines was spent: blamed layers were "
            "not reduced further, nor traced to a setting of the engine."
        )
    return replace(
        done,
        localizations=localizations,
        problems=tuple(problems),
        benign=tuple(harmless),
        notes=tuple(dict.fromkeys(notes)),
    )


def _ran(result: EngineResult | None) -> bool:
    return result is not None and any(o.ok for o in result.outcomes)


def _spliced(
    structure: Description,
    result: EngineResult,
    base: Runner,
    comparison: Comparison,
    found: Localization,
    notes: list[str],
) -> Blame | None:
    """Outputs deviate, yet no unit does: either optimisation across units, or rounding that adds up."""
    if any("quantize" in o.op.lower() or "QLinear" in o.op for o in structure.operations):
        return None  # one step more or less in one layer is many in the next, without a fault in either
    index = result.worst
    feeds = comparison.sets[index].feeds
    runner = result.runner
    marked = found.hidden.get(runner.name, {})
    mine = result.outcomes[index].arrays
    again = {n: marked[n] for n in mine if n in marked}
    if again and error_of(again, {n: mine[n] for n in again}) > result.floors[index]:
        notes.append(
            f"{runner.backend.title} computes other outputs once its hidden tensors are marked as outputs; the layers "
            "were looked for by single cut points instead."
        )
    like = found.hidden.get(base.name, {})
    truth = dict(feeds) | {
        n: a.astype(marked[n].dtype) if n in marked and a.dtype.kind == "f" else a for n, a in like.items()
    }
    limit = noise.MARGIN * result.floors[index]
    narrow = noise.declared_eps(structure.dtypes.values())
    eps = max(narrow, noise.precision_eps(runner.backend.knobs, list(mine.values())))
    place = splice(structure, runner, base, feeds, truth, structure.outputs, limit, eps)
    if place is None:
        return None
    unit, error = place
    inputs = {t: truth[t] for t in unit.inputs}
    expected = base.run(inputs, unit.outputs, state=False)
    return Blame(
        unit, runner.name, Kind.VALUE, error, result.floors[index], base.name, "", inputs, expected.arrays, {}, "splice"
    )
