"""Whether a framework's version has the layers and hyperparameters that a model names, by `analyzer.frameworks`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from analyzer.frameworks.api_tables import ApiTable, Asked, all_tables, tables, takes
from analyzer.validity.spec import Category, Requirement, Rule

SINCE = Rule(
    "since-version",
    Category.IMPROPER_VALUE,
    "{what} came {how} {framework} {since}; the version is {version}",
)
UNTIL = Rule(
    "until-version",
    Category.IMPROPER_VALUE,
    "{what} is gone from {framework} {version}; {until} is the last known to have it",
)

# Where a description's operators live, the first module that has the name in any version.
HOMES: Mapping[str, tuple[str, ...]] = {
    "torch": ("torch.nn", "torch.nn.functional", "torch", "torch.linalg"),
    "keras": ("keras.layers", "keras.losses", "keras.ops"),
}
# Values that an older version of the hyperparameter did not know (release notes of PyTorch 1.9): no signature tells.
VALUES: Mapping[tuple[str, str, str], tuple[tuple[str, ...], tuple[int, ...]]] = {
    ("torch", f"Conv{n}d", "padding"): (("same", "valid"), (1, 9)) for n in (1, 2, 3)
}


def missing(framework: str, operator: str, given: Mapping[str, Any], asked: Asked) -> Requirement | None:
    """What a layer uses that no version asked for has; None where that is not certain.

    A lower bound alone (``torch>=2.0``) lacks only what is gone: newer versions are allowed, and may bring a name.
    """
    home = _home(framework, operator)
    if home is None or asked == Asked():
        return None
    lacking = _lacking(framework, f"`{operator}`", asked, lambda table: operator in table.modules.get(home, {}))
    for name, value in given.items():
        if lacking is not None:
            break
        what = f"`{name}` of {operator}"
        lacking = _lacking(framework, what, asked, partial(_takes, home, operator, name))
        known, since = VALUES.get((framework, operator, name), ((), ()))
        if lacking is None and value in known and asked.version is not None and asked.version < since:
            facts = {"what": f"`{name}: {value}` of {operator}", "framework": framework, "how": "with",
                     "since": _dotted(since), "version": str(asked)}  # fmt: skip
            lacking = Requirement(SINCE, False, facts)
    return lacking


def _home(framework: str, operator: str) -> str | None:
    known = all_tables(framework) if framework in HOMES else ()
    return next((m for m in HOMES.get(framework, ()) if any(operator in t.modules.get(m, {}) for t in known)), None)


def _takes(home: str, operator: str, name: str, table: ApiTable) -> bool | None:
    """None where this version's parameters are not told."""
    declared = table.modules.get(home, {}).get(operator)
    return None if declared is None else takes(declared, name)


def _lacking(framework: str, what: str, asked: Asked, has: Callable[[ApiTable], bool | None]) -> Requirement | None:
    """The rule that `what` breaks: every version asked for lacks it, and another one has it."""
    choice = tables(framework, asked)
    having = [t for t in all_tables(framework) if has(t)]
    judging = [t for t in choice.tables if asked.version is not None or t.version >= (asked.low or ())]
    if not having or not choice.certain or any(has(t) is not False for t in judging):
        return None
    facts = {"what": what, "framework": framework, "version": str(asked)}
    older = [t for t in having if t.version < judging[0].version]
    if older:
        return Requirement(UNTIL, False, facts | {"until": _dotted(older[-1].version[:2])})
    if choice.gone_only:
        return None
    first = having[0].version
    before = [t.version for t in all_tables(framework) if t.version < first]
    adjacent = bool(before) and (first[1] == before[-1][1] + 1 if first[0] == before[-1][0] else first[1] == 0)
    how = "with" if adjacent else "by"  # between two known versions lies one that is not
    return Requirement(SINCE, False, facts | {"how": how, "since": _dotted(first[:2])})


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
