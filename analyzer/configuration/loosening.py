"""What one configuration asks less of than another: lower levels, fewer analyses, narrower ranges. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from analyzer.configuration.config import Config, Suppression, TargetConfig
from analyzer.configuration.policy import suppresses
from analyzer.findings import FailOn, Finding, Level
from analyzer.graph.ranges import ValueRange

_STRICTNESS = {FailOn.NEVER: 0, FailOn.CONFIRMED: 1, FailOn.POSSIBLE: 2}
_LEVELS = {None: 0, Level.NOTE: 1, Level.WARNING: 2, Level.ERROR: 3}
_WEIGHTS = {"exact": 0, "range": 1, "widened": 2}  # from the fewest to the most values that are looked at


@dataclass(frozen=True, slots=True)
class Loosening:
    """One thing that is asked no longer. `hides` tells whether it can be why a finding counts no more."""

    sentence: str
    line: int  # of the looser configuration, 1 where nothing stands there any more
    hides: Callable[[Finding], bool]


def loosenings(strict: Config, loose: Config) -> tuple[Loosening, ...]:
    """Every loosening on the way from `strict` to `loose`, in the order of the file's keys."""
    return (
        *_targets(strict, loose),
        *_policy(strict, loose),
        *_suppressions(strict, loose),
        *_scope(strict, loose),
    )


def at_least(strict: Config, loose: Config) -> Config:
    """`loose` with the rules of `strict`: its policy, its scope, and its own description of the targets that it names.

    A target that the strict configuration names keeps what is assumed of it there; where it is, the looser one may say,
    for files are moved. Targets that only the looser one names are added.
    """
    follows = _followers(strict, loose)
    known = {after.id: before for before in strict.targets if (after := follows.get(before.id)) is not None}
    kept = [
        replace(known[t.id], id=t.id, path=t.path, entry=t.entry, line=t.line) if t.id in known else t
        for t in loose.targets
    ]
    kept += [replace(t, line=None) for t in strict.targets if t.id not in follows]
    return replace(strict, targets=tuple(kept), path=loose.path)


def _followers(strict: Config, loose: Config) -> dict[str, TargetConfig]:
    """For the id of each target of `strict`, the one of `loose` that goes on with it: of its name, else of its file or
    entry point under a name that is new."""
    named = {target.id: target for target in loose.targets}
    former = {target.id for target in strict.targets}
    new = {(t.path, t.entry): t for t in loose.targets if t.id not in former}
    found = {}
    for target in strict.targets:
        after = named.get(target.id) or new.pop((target.path, target.entry), None)
        if after is not None:
            found[target.id] = after
    return found


def _targets(strict: Config, loose: Config) -> Iterator[Loosening]:
    follows = _followers(strict, loose)
    for before in strict.targets:
        hides = _of_target(before)
        after = follows.get(before.id)
        if after is None:
            yield Loosening(f"The target `{before.id}` is no longer named.", 1, hides)
            continue
        for what in _narrowed(before, after):
            yield Loosening(f"`{before.id}`: {what}", after.line or 1, hides)


def _of_target(target: TargetConfig) -> Callable[[Finding], bool]:
    names = {target.id, target.path, target.entry}
    return lambda finding: finding.target in names


def _narrowed(before: TargetConfig, after: TargetConfig) -> Iterator[str]:
    for name, spec in before.inputs.items():
        now = after.inputs.get(name)
        if now is not None:
            yield from _range(f"the range of `{name}`", spec.range, now.range)
    for name, now in after.inputs.items():
        if name not in before.inputs:
            yield from _range(f"the range of `{name}`", None, now.range)
    for pattern, bounds in after.parameters.items():
        yield from _range(f"the range of the parameters `{pattern}`", before.parameters.get(pattern), bounds)
    for name, (low, high) in after.symbols.items():
        least, most = before.symbols.get(name, (1, None))
        if low > least or (high is not None and (most is None or high < most)):
            yield f"the sizes of `{name}` are narrower: {_sizes(low, high)} instead of {_sizes(least, most)}."
    for kind in before.unbounded:
        if kind not in after.unbounded:
            yield f"{kind} are no longer unbounded."
    gone = [] if after.backends is None else [b for b in before.backends or () if b not in after.backends]
    if gone:
        yield f"no comparison with {', '.join(gone)} any more."
    elif after.backends == () and before.backends is None:
        yield "engines are no longer compared."
    if _WEIGHTS[after.weights] < _WEIGHTS[before.weights] and after.checkpoint:
        yield f"`weights: {after.weights}` instead of `{before.weights}`."
    for key in ("validation", "space"):
        if getattr(before, key) is not None and getattr(after, key) is None:
            yield f"`{key}` is gone."


def _range(what: str, before: ValueRange | None, after: ValueRange | None) -> Iterator[str]:
    if after is None:
        return
    low, high = (before.lo, before.hi) if before else (-math.inf, math.inf)
    if after.lo > low or after.hi < high:
        former = f"[{low:g}, {high:g}]" if before else "what is assumed without one"
        yield f"{what} is narrower: [{after.lo:g}, {after.hi:g}] instead of {former}."


def _sizes(low: int, high: int | None) -> str:
    return f"{low} to {high}" if high is not None else f"{low} or more"


def _policy(strict: Config, loose: Config) -> Iterator[Loosening]:
    if _STRICTNESS[loose.fail_on] < _STRICTNESS[strict.fail_on]:
        sentence = f"`fail-on: {loose.fail_on}` instead of `{strict.fail_on}`."
        yield Loosening(sentence, _line(loose, ("fail-on",)), _everything)
    if strict.locked and not loose.locked:
        yield Loosening("`policy: locked` is gone.", _line(loose, ("policy",)), _nothing)
    for pattern in dict.fromkeys((*strict.rules, *loose.rules)):
        before = strict.rules.get(pattern, Level.ERROR if pattern in loose.rules else None)
        after = loose.rules.get(pattern, Level.WARNING if before is Level.ERROR else Level.ERROR)
        if _LEVELS[after] < _LEVELS[before]:
            now = "no longer raised" if pattern not in loose.rules else "off" if after is None else f"only a {after}"
            yield Loosening(
                f"The rule `{pattern}` is {now}.", _line(loose, ("rules", pattern)), _matching("rule", pattern)
            )


def _suppressions(strict: Config, loose: Config) -> Iterator[Loosening]:
    for index, item in enumerate(loose.suppressions):
        if not any(_covers(other, item) for other in strict.suppressions):
            which = ", ".join(
                f"{key} `{value}`"
                for key in ("rule", "target", "layer", "fingerprint")
                if (value := getattr(item, key)) != "*"
            )
            yield Loosening(
                f"A suppression is new or longer: {which} ({item.reason}).",
                _line(loose, ("suppressions", index)),
                lambda finding, item=item: suppresses(item, finding),  # type: ignore[misc]
            )


def _covers(one: Suppression, other: Suppression) -> bool:
    same = (one.rule, one.target, one.layer, one.fingerprint) == (
        other.rule,
        other.target,
        other.layer,
        other.fingerprint,
    )
    return same and (one.until is None or (other.until is not None and other.until <= one.until))


def _scope(strict: Config, loose: Config) -> Iterator[Loosening]:
    for analysis in strict.only:
        if analysis not in loose.only:
            yield Loosening(
                f"The analysis `{analysis}` does not run any more.",
                _line(loose, ("only",)),
                _matching("rule", "python/*" if analysis == "tracing" else f"{analysis}/*", f"{analysis}/*"),
            )
    for pattern in loose.exclude:
        if pattern not in strict.exclude:
            yield Loosening(
                f"Paths like `{pattern}` are excluded.", _line(loose, ("exclude",)), _matching("target", pattern)
            )
    if strict.discover and not loose.discover:
        yield Loosening(
            "`discover: off`: models that no target names are not looked for.", _line(loose, ("discover",)), _everything
        )
    if loose.timeout < strict.timeout:
        yield Loosening(
            f"A target may take {loose.timeout:g} s instead of {strict.timeout:g} s.",
            _line(loose, ("timeout",)),
            _everything,
        )
    for name in ("t_class", "t_mad", "p"):
        before, after = getattr(strict.thresholds, name), getattr(loose.thresholds, name)
        if after > before:
            sentence = f"The threshold {name} of the comparison is {after:g} instead of {before:g}."
            yield Loosening(sentence, _line(loose, ("thresholds",)), _matching("rule", "differential/*"))
    for name in ("top1", "mad", "relative", "d_class", "d_mad"):
        before, after = getattr(strict.drift, name), getattr(loose.drift, name)
        if before is not None and (after is None or after > before):
            sentence = (
                f"The budget {name} for the drift of a changed model is {'gone' if after is None else f'{after:g}'}."
            )
            yield Loosening(sentence, _line(loose, ("drift",)), _matching("rule", "differential/drift"))


def _matching(key: str, *patterns: str) -> Callable[[Finding], bool]:
    return lambda finding: any(fnmatchcase(getattr(finding, key), pattern) for pattern in patterns)


def _everything(_: Finding) -> bool:
    return True


def _nothing(_: Finding) -> bool:
    return False


def _line(config: Config, path: Iterable[Any]) -> int:
    lines: Mapping[tuple[Any, ...], int] = config.lines
    return lines.get(tuple(path), 1)
