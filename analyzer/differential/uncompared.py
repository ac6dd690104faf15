"""Whether anything was compared at all: a comparison in which no engine gave a result is no pass."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from analyzer.configuration.config import TargetConfig
from analyzer.differential.study import Study
from analyzer.differential.verdict import Failure, Kind
from analyzer.differential.wording import plain
from analyzer.findings import Cause

NOT_AT_HAND = (Kind.MISSING, Kind.UNSUPPORTED)  # nothing is known of the model, only of the engine
NAMED = 3  # engines whose words are quoted; the notes have them all


def uncompared(studies: Sequence[Study], target: TargetConfig, *, allowed: bool) -> tuple[str, Cause | None] | None:
    """Why no engine gave a result, as one sentence, and whose doing it is; None where one did.

    The cause is None where nobody asked for a comparison and no engine is at hand: that is told and fails nothing.
    `allowed`: whether the project's code may run here.
    """
    if target.backends == () or any(_ran(each) for each in studies):
        return None
    asked = target.backends is not None
    failures = dict(failure for each in studies for failure in _failures(each))
    if not failures:
        if asked:
            names = ", ".join(target.backends or ())
            return f"{target.id}: not compared, because none of the configured engines ({names}) takes it.", Cause.MODEL
        return "Not compared: no engine here takes this kind of model.", None
    said = "; ".join(f"{names}: {why}" for names, why in alike(failures.items())[:NAMED])
    kinds = {failure.kind for failure in failures.values()}
    if not asked and kinds <= set(NOT_AT_HAND):
        return f"Not compared, because no engine for this model is at hand here ({said}).", None
    which = "none of the engines that `backends` names" if asked else "none of the engines"
    mend = " Install one of them here, or name others." if asked and kinds <= set(NOT_AT_HAND) else ""
    return f"{target.id}: not compared, because {which} gave a result ({said}).{mend}", _cause(kinds, target, allowed)


def alike(failures: Iterable[tuple[str, Failure]]) -> list[tuple[str, str]]:
    """``("A, B", why)`` for the engines that fail for the same reason, in order."""
    named: dict[str, list[str]] = {}
    for name, failure in failures:
        named.setdefault(plain(failure.message).rstrip("."), []).append(name)
    return [(", ".join(names), why) for why, names in named.items()]


def _cause(kinds: set[Kind], target: TargetConfig, allowed: bool) -> Cause:
    """A crash is the model's doing; a slow or small machine and an engine that is not here are not."""
    if kinds - {*NOT_AT_HAND, Kind.TIMEOUT, Kind.MEMORY, Kind.UNREPLAYED}:
        return Cause.MODEL
    return Cause.POLICY if target.entry and not allowed else Cause.ENGINES


def _ran(each: Study) -> bool:
    return each.comparison is not None and any(o.ok for r in each.comparison.results for o in r.outcomes)


def _failures(each: Study) -> list[tuple[str, Failure]]:
    mine = {backend.name for backend in each.family.backends if backend.name not in each.family.further}
    results = each.comparison.results if each.comparison is not None else ()
    ran = [(r.runner.name, r.failure) for r in results if r.failure is not None]
    return [(name, failure) for name, failure in (*each.missing, *ran) if name in mine]
