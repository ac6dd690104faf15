"""What is chosen on a path: who decides a condition, what an outcome tells, which runs an error concerns."""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence

from analyzer.tracing.language.truths import Test
from analyzer.tracing.paths.paths import Decision
from analyzer.tracing.paths.problems import DEFAULT_RUN, EVERY_CALL, EVERY_RUN, SOME_CALL, SOME_RUN
from analyzer.tracing.paths.symbols import Symbols
from analyzer.validity.terms import Cond, substitute


@functools.lru_cache(maxsize=4096)
def wording_of(node: ast.expr) -> str:
    """The text of what is asked."""
    return ast.unparse(node)[:80]


def settled(test: Test, taken: bool) -> None:
    """Record the outcome of a comparison with its subject."""
    test.truth = taken
    outcome = taken is not test.negated
    subject = test.subject
    if test.operation in ("==", "is"):
        if outcome:
            subject.value = (test.constant,)
        else:
            subject.excluded.append(test.constant)
    elif test.operation == "isinstance":
        if outcome and test.constant is not None:
            subject.excluded.append(None)
        kinds: tuple[str, ...] = test.constant or ()
        if outcome and not subject.pytype and len(kinds) == 1:
            subject.pytype = kinds[0]
        elif not outcome and not subject.pytype and "int" in kinds:
            subject.pytype = "other"


def origin_of(symbols: Symbols, condition: Cond) -> str:
    """Who decides a condition on sizes."""
    kinds = {symbols.kind(s.name) for s in condition.symbols}
    if kinds <= {"flag", "param", "batch"}:
        return "flag"
    if kinds == {"machine"} and len(condition.symbols) == 1:
        return "data"
    return "size" if kinds <= {"flag", "param", "batch", "dim", "rank"} else "imprecise"


def default_of(symbols: Symbols, condition: Cond) -> bool:
    """What holds where every size that has a default has it."""
    defaults = {
        s.name: known.default
        for s in condition.symbols
        if (known := symbols.known.get(s.name)) is not None and isinstance(known.default, int)
    }
    decided = substitute(condition, defaults) if defaults else condition
    return decided if isinstance(decided, bool) else True


def is_joint(decisions: Sequence[Decision], in_definition: bool) -> bool:
    """Whether several choices of data or of callers lead here, which may exclude each other."""
    free = ("data", "param", "flag") if in_definition else ("data",)
    return sum(d.origin in free for d in decisions) > 1


def is_joint_in_data(decisions: Sequence[Decision]) -> bool:
    """Whether several answers of data lead here, each a value that this analysis does not have."""
    return sum(d.origin == "data" for d in decisions) > 1


def tier_of(decisions: Sequence[Decision], defaults: bool, in_definition: bool) -> str:
    """Which runs an error on a path concerns."""
    if defaults:
        return DEFAULT_RUN
    chosen = any(d.origin in ("flag", "param") for d in decisions)
    if in_definition:
        return SOME_CALL if chosen else EVERY_CALL
    return SOME_RUN if chosen else EVERY_RUN
