"""The rank of an input that nobody gives and no line tells: each is assumed in turn.

What a definition does with an input of unknown rank, this analysis cannot follow far. A person takes a rank and sees
whether the lines can be run; where none of them leads past one line, the line is wrong. Nothing of this is proved: the
input may be no tensor at all.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from analyzer.tracing.contracts.declared_shapes import RULE
from analyzer.tracing.language.values import Class, Function, Unknown, Value
from analyzer.tracing.paths.frames import Shared
from analyzer.tracing.paths.problems import NO_RANK, Diagnostic, Place
from analyzer.tracing.paths.tracer import Tracer
from analyzer.tracing.programs.used_as_tensors import is_of_tensors

RANKS = (4, 3, 2, 5, 1, 6, 7)  # the commonest first: one that leads to the end is enough
_TENSORS = ("Tensor", "Float[", "Int[", "Bool[", "Shaped[")  # words of annotations


@dataclass(frozen=True)
class _RankRun:
    """What a definition did with an input of one rank."""

    failed: tuple[Diagnostic, ...]
    passed: Counter[Place]  # how often at most on one path
    whole: bool  # no budget ended it


def assumed(tr: Tracer, function: Function, args: tuple[Value, ...]) -> tuple[Value, ...]:
    """The arguments of a call, the first of them a tensor of the rank that the tracer assumes."""
    if tr.assumed_rank is None or not args or not isinstance(args[0], Unknown):
        return args
    tensor = tr.tensor_of(args[0], tr.assumed_framework)
    if tensor.shape.dims is None:
        tr.set_rank(tensor, tr.assumed_rank)
    return args


def takes_tensor(function: Function, skip: int) -> bool:
    """Whether the first argument may well be one tensor: nothing else is done with it."""
    spec = function.node.args
    parameters = [*spec.posonlyargs, *spec.args][skip:]
    if not parameters or len(function.defaults) >= len(parameters):
        return False
    first = parameters[0]
    if first.annotation is not None:
        text = ast.unparse(first.annotation)
        return any(word in text for word in _TENSORS) and not any(w in text for w in ("List", "Tuple", "list", "tuple"))
    return bool(skip) and all(_as_tensor(node, first.arg) for node in ast.walk(function.node))


def _as_tensor(node: ast.AST, name: str) -> bool:
    """Whether a node does nothing with the name that a tensor would not bear."""
    if isinstance(node, ast.Attribute) and _is(node.value, name):
        return is_of_tensors(node.attr) and not hasattr(dict, node.attr)
    if isinstance(node, ast.Subscript) and _is(node.value, name):
        return not (isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, (int, str)))
    if isinstance(node, (ast.For, ast.comprehension)):
        return not _is(node.iter, name)
    if isinstance(node, ast.Starred):
        return not _is(node.value, name)
    if isinstance(node, ast.Assign) and _is(node.value, name):
        return all(isinstance(t, (ast.Name, ast.Attribute, ast.Subscript)) for t in node.targets)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "len", "zip"):
        return not any(_is(a, name) for a in node.args)
    return not (isinstance(node, ast.Compare) and any(isinstance(o, (ast.In, ast.NotIn)) for o in node.ops)
                and any(_is(c, name) for c in node.comparators))  # fmt: skip


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def explore_ranks(
    base: Tracer, value: Class | Function, trace: Callable[[int], object], known: frozenset[Place]
) -> None:  # fmt: skip
    """Tell what fails for every rank. `trace(rank)` follows the definition's paths with the tracer's assumption.

    `known`: where operators went well before this definition was looked at.
    """
    shared = base.shared
    known |= {(*p.place[:3], p.nth) for p in shared.problems.values()}
    framework = "torch"
    if isinstance(value, Class) and any(b.startswith(("keras.", "tf.")) for b in value.library_bases):
        framework = "tf"
    runs: list[_RankRun] = []
    for rank in RANKS:
        base.assumed_rank, base.assumed_framework = rank, framework
        try:
            with _aside(shared) as found:
                trace(rank)
        finally:
            base.assumed_rank = None
        run = found()
        if not run.whole or not run.failed:
            return
        runs.append(run)
    blamed = _fails_everywhere(runs, known)
    if blamed is not None:
        shared.seen_nth.discard((*blamed.place[:3], blamed.nth))  # with a rank that was guessed
        shared.keep(replace(blamed, tier=NO_RANK, certain=False))


def _fails_everywhere(runs: Sequence[_RankRun], known: frozenset[Place]) -> Diagnostic | None:
    """The failure of the run that came furthest, of a line that no run passed so often as to come beyond it."""
    for run in sorted(runs, key=_distance, reverse=True):
        for problem in run.failed:
            if problem.rule == RULE:
                return None  # what an annotation says is not that of an input whose sizes are assumed
            place = problem.place[:3]
            if (*place, problem.nth) not in known and all(r.passed[place] <= problem.nth for r in runs if r is not run):
                return problem
        return None
    return None


def _distance(run: _RankRun) -> int:
    """How many operators a run has passed that it did not fail at by another way."""
    return len({place[:3] for place in run.passed} - {problem.place[:3] for problem in run.failed})


@contextmanager
def _aside(shared: Shared) -> Iterator[Callable[[], _RankRun]]:
    """Keep what a trace finds apart from what others have found."""
    kept = {name: getattr(shared, name) for name in _GATHERED}
    ran_out, shared.ran_out = shared.ran_out, False
    for name, empty in _GATHERED.items():
        setattr(shared, name, empty())
    runs: list[_RankRun] = []
    try:
        yield lambda: runs[0]
    finally:
        failed = tuple(p for p in shared.problems.values() if _tells(p))
        runs.append(_RankRun(failed, shared.passed_times, not shared.ran_out and not shared.cut_short))
        shared.ran_out = shared.ran_out or ran_out
        for name, before in kept.items():
            setattr(shared, name, before)


_GATHERED: dict[str, Callable[[], Any]] = {
    "problems": dict, "passed": set, "seen": set, "seen_nth": set, "passed_times": Counter, "passed_cut": Counter,
    "cut_short": Counter, "notes": dict, "unknown_calls": Counter, "known_calls": Counter, "assigned": dict,
}  # fmt: skip


def _tells(problem: Diagnostic) -> bool:
    """Whether it is a failure of sizes that rests on no guess but the rank; sizes that hardly ever fit are one too."""
    if not problem.rule.startswith("tracing/"):
        return False
    return problem.certain if problem.level == "error" else problem.level == "warning" and not problem.certain
