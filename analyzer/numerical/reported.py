"""The warnings of one target that are told: each searched for a run that shows it, explained, and mended."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from analyzer.configuration.config import TargetConfig
from analyzer.findings import Finding, Suggestion
from analyzer.graph import Graph, display_name, is_frozen
from analyzer.numerical.assumptions import Assumption, as_ranges
from analyzer.numerical.complex_divisors import divides_by_complex
from analyzer.numerical.confirm.confirmation import SPENT, ConfirmationBudget, Confirmer
from analyzer.numerical.confirm.outcome import Confirmation
from analyzer.numerical.confirm.processor import processor
from analyzer.numerical.confirm.reproducer import stem_of, write_reproducer
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.explanation import behind, followers, message, rests_on
from analyzer.numerical.findings import Support, at_an_edge, blocks, finding_of, limited, normed_weights, unimportant
from analyzer.numerical.hidden_overflows import HALF_SEARCHES, fails_with, worth_searching
from analyzer.numerical.like_examples import LikeExamples, failing, key
from analyzer.numerical.repair.joint import joined
from analyzer.numerical.repair.repair import Repair, repair
from analyzer.numerical.repair.together import Revealed, with_revealed
from analyzer.numerical.result import Alarm, Interpretation, Options
from analyzer.numerical.same_cause import failing_with, mended_with
from analyzer.numerical.sensitivity import Precondition, precondition
from analyzer.numerical.shown_ranges import BEYOND, TWICE, as_examples_show, close_to_examples
from analyzer.numerical.transfer.survived_masks import Hiding, hidden_by
from analyzer.operators.conditions import GRADIENT_OVERFLOW, SOFTMAX_OF_MINUS_INFINITY

EXPLAIN_SECONDS = 2.0  # for one warning's sensitivity


@dataclass(frozen=True)
class TargetCase:
    """One target on its way through."""

    graph: Graph
    target: TargetConfig
    assumptions: Sequence[Assumption]
    interpretation: Interpretation
    options: Options
    budget: ConfirmationBudget
    output: Path | None
    root: Path
    like: LikeExamples | None


def _close_to_examples(case: TargetCase, unshown: Sequence[Alarm]) -> LikeExamples | None:
    """The target with inputs hardly larger than their examples, where that may tell of failures that no run shows."""
    like = case.like.assumptions if case.like is not None else case.assumptions
    close = close_to_examples(case.graph, like)
    if not unshown or close == list(like):
        return None
    return LikeExamples(close, failing(case.graph, close, case.options))


def reported(case: TargetCase, confirmer: Confirmer | None, confirm: bool, explain: bool) -> list[Finding]:
    """A finding for each warning that is told: with the run that shows it, what it needs, and what mends it."""
    warnings = case.interpretation.warnings
    follow = followers(warnings)
    roots = [w for w in warnings if w.root is None or (case.like is not None and case.like.first(w))]
    deadline = confirmer.clock() + case.budget.total if confirmer is not None else 0.0
    shown: dict[int, Confirmation] = {}
    if confirm and confirmer is not None:
        for number, warning in enumerate(roots):
            _confirm(case, warning, confirmer, deadline, len(roots) - number, shown)
        for root in tuple(roots):
            roots += _important_followers(case, root, follow.get(id(root), []), confirmer, deadline, shown)
        reached = [r for r in roots if id(r) in shown]
        for warning in _hidden(case, confirmer, deadline, follow, reached, shown):
            reached.append(warning)
            roots.append(warning)
    roots = [r for r in roots if r.rule != GRADIENT_OVERFLOW or id(r) in shown]  # as of any overflow of mere bounds
    tried = confirm and confirmer is not None
    unshown = [w for w in roots if id(w) not in shown]
    close, apart = _close_to_examples(case, unshown if tried else []), _behind_short_rows(case, unshown)
    needed: dict[int, Precondition] = {}
    repairs: list[tuple[Alarm, Repair]] = []
    for warning in roots if explain else ():
        deadline = time.process_time() + EXPLAIN_SECONDS
        narrowed = precondition(case.graph, warning, case.assumptions, case.options, deadline)
        change = repair(case.graph, warning, case.assumptions, case.options, case.root, confirmer, narrowed)
        if narrowed is not None:
            needed[id(warning)] = narrowed
        if change is not None:
            repairs.append((warning, change))
    like = case.like.assumptions if case.like is not None else None
    repairs, hidden_behind = with_revealed(
        case.graph, warnings, repairs, case.assumptions, case.options, case.root, confirmer, like
    )
    blocking = [i for i, confirmation in shown.items() if not unimportant(confirmation.standing)]
    left = [w for w in unshown if tried]
    causes = mended_with(case.graph, left, repairs, blocking, case.assumptions, case.options)
    if confirmer is not None:
        left = [w for w in left if id(w) not in causes]
        leading = [(r, c) for r in roots if (c := shown.get(id(r))) is not None and _leads(r, c)]
        causes |= failing_with(case.graph, left, leading, confirmer)
    for warning in [w for w in roots if id(w) in causes]:
        follow.setdefault(id(causes[id(warning)]), []).append(warning)
        roots.remove(warning)
    repairs = [(w, r) for w, r in repairs if id(w) not in causes]
    mends = joined(case.graph, repairs, as_ranges(case.assumptions), case.options, case.root)
    found = []
    found_by: dict[int, tuple[Finding, Support]] = {}
    for warning in roots:
        confirmation = shown.get(id(warning))
        beyond, times = _beyond_examples(case, warning, confirmation, case.like), BEYOND
        if not beyond and confirmation is None:
            beyond, times = _beyond_examples(case, warning, None, close), TWICE
        fractional = _fractional(case, warning, confirmation) if beyond else ()
        edge = at_an_edge(warning, roots, found_by) if confirmation is None else None
        told = Support(precondition=needed.get(id(warning)), suggestion=mends.get(id(warning)), edge=edge)
        both = tried and confirmation is None and divides_by_complex(warning.node)
        told = replace(told, apart=id(warning) in apart, both=both)
        support = replace(_supported(told, confirmation), beyond=beyond, times=times, fractional=fractional)
        after = [w for w in follow.get(id(warning), []) if w not in roots]
        finding = _finding(case, warning, confirmation, support, after)
        found.append(finding)
        found_by[id(warning)] = finding, support
    for each in hidden_behind:
        if each.warning.rule == GRADIENT_OVERFLOW:
            continue
        mend = mends.get(id(each.warning))
        behind_it = None
        if (
            tried
            and confirmer is not None
            and _shares_operand(case, each.warning, [r for r in roots if id(r) in shown])
        ):
            behind_it = _beside(case, each, mend, confirmer)
        found.append(behind_it or _behind(case, each, mend, found_by))
    return found


def _leads(warning: Alarm, confirmation: Confirmation) -> bool:
    """Whether a failure that a run shows is an error, so that others may be told with it."""
    return not (warning.backward or confirmation.beyond or is_frozen(warning.node)) and blocks(confirmation.standing)


def _behind_short_rows(case: TargetCase, unshown: Sequence[Alarm]) -> frozenset[int]:
    """Those (by id) that are safe where norms of trained weights keep away from 0."""
    if not unshown or not normed_weights(case.graph, case.assumptions):
        return frozenset()
    left = failing(case.graph, case.assumptions, replace(case.options, norms_apart=True))
    return frozenset(id(w) for w in unshown if key(w) not in left)


def _shares_operand(case: TargetCase, warning: Alarm, roots: Sequence[Alarm]) -> bool:
    """Whether one of `roots` fails for the same value: then this operator stands beside it, not behind it."""
    own = _operand_key(case, warning)
    return own is not None and any(_operand_key(case, r) == own for r in roots)


def _share_mask(case: TargetCase, one: Alarm, other: Alarm) -> bool:
    """Whether both are softmaxes, along one axis, of scores that the same mask hides and nothing else."""
    if not one.rule == other.rule == SOFTMAX_OF_MINUS_INFINITY:
        return False
    own, others = (_hidden_along(case, w) for w in (one, other))
    return own is not None and own == others


def _hidden_along(case: TargetCase, warning: Alarm) -> tuple[frozenset[Hiding], int] | None:
    """What hides the scores of a softmax, and its axis, counted from the last; None where nothing known does."""
    value = warning.node.inputs[warning.operand] if warning.operand >= 0 else None
    scores = case.interpretation.values.get(value) if value is not None else None
    if not isinstance(scores, AbstractTensor) or scores.rank is None:
        return None
    stated = warning.node.attributes.get("axis")
    axis = stated.as_int() if stated is not None else -1
    hidden = hidden_by(scores)
    return (hidden, axis - scores.rank if axis >= 0 else axis) if hidden else None


def _operand_key(case: TargetCase, warning: Alarm) -> int | None:
    """Equal for operands that are equal in every run, though the model may compute them twice."""
    value = warning.node.inputs[warning.operand] if warning.operand >= 0 else None
    known = case.interpretation.values.get(value) if value is not None else None
    return known.key if isinstance(known, AbstractTensor) else None


def _beside(case: TargetCase, revealed: Revealed, mend: Suggestion | None, confirmer: Confirmer) -> Finding | None:
    """The finding for a failure of a value for which another operator fails, by a run of its own; None without one."""
    shown: dict[int, Confirmation] = {}
    warning = replace(revealed.warning, root=None)
    if case.like is not None:  # where it stands behind the other operator too: whether it fails there, a run tells
        case = replace(case, like=replace(case.like, failing={**case.like.failing, key(warning): True}))
    _confirm(case, warning, confirmer, confirmer.clock() + case.budget.search, 1, shown)
    confirmation = shown.get(id(warning))
    if confirmation is None:
        return None
    beyond = _beyond_examples(case, warning, confirmation, case.like)
    fractional = _fractional(case, warning, confirmation) if beyond else ()
    support = replace(_supported(Support(suggestion=mend), confirmation), beyond=beyond, fractional=fractional)
    return _finding(case, warning, confirmation, support, ())


def _supported(support: Support, confirmation: Confirmation | None) -> Support:
    """The same with the run that shows the warning, where there is one."""
    if confirmation is None:
        return support
    shown_by = f"{confirmation.engine}: {confirmation.sentence}"
    return replace(support, shown_by=shown_by, standing=confirmation.standing)


def _finding(
    case: TargetCase,
    warning: Alarm,
    confirmation: Confirmation | None,
    support: Support,
    after: Sequence[Alarm],
) -> Finding:
    """The finding for one warning, with the reproducer of its run."""
    finding = finding_of(
        case.graph, case.target.id, case.interpretation, warning, case.assumptions, after, support, case.root
    )
    return finding if confirmation is None else _with_run(case, warning, confirmation, finding)


def _with_run(case: TargetCase, warning: Alarm, confirmation: Confirmation, finding: Finding) -> Finding:
    """The finding with its reproducer, where there is a place for one."""
    if case.output is None:
        return finding
    path = _write(case, confirmation, finding, warning, case.output)
    return replace(finding, reproducer=str(path.relative_to(case.output)))


def _hidden(
    case: TargetCase,
    confirmer: Confirmer,
    deadline: float,
    follow: dict[int, list[Alarm]],
    reached: Sequence[Alarm],
    shown: dict[int, Confirmation],
) -> Iterator[Alarm]:
    """Overflows that a run shows though no rule tells them; those that come with one of `reached` follow it."""
    searches = worth_searching(case.graph, case.interpretation, case.assumptions)
    groups = ((searches.thorough, math.inf), (searches.half, HALF_SEARCHES), (searches.brief, 1))
    for hidden, searched in groups:  # as many searches' time have they all together
        until = min(deadline, confirmer.clock() + searched * case.budget.search)
        said = list(confirmer.notes)
        for number, warning in enumerate(hidden):
            first = next((r for r in reached if fails_with(case.graph, case.interpretation, warning, r)), None)
            now, left = confirmer.clock(), len(hidden) - number
            share = min(until, now + 2 * (until - now) / left) if searched < math.inf else until
            if first is not None:
                follow.setdefault(id(first), []).append(warning)
            elif now >= until and searched < math.inf:
                confirmer.note(SPENT)
            elif _confirm(case, warning, confirmer, share, left, shown):
                yield warning
        if searched == 1:
            confirmer.notes[:] = said  # nobody was told of these, so nobody misses the rest of their searches


def _important_followers(
    case: TargetCase,
    root: Alarm,
    follow: Sequence[Alarm],
    confirmer: Confirmer,
    deadline: float,
    shown: dict[int, Confirmation],
) -> list[Alarm]:
    """Followers of a failure that blocks nothing, of the same value, that fail where it does not: below 0, say."""
    if id(root) not in shown or not unimportant(shown[id(root)].standing):
        return []
    value = root.node.inputs[root.operand] if root.operand >= 0 else None
    same = [w for w in follow if w.rule != root.rule and w.operand >= 0 and w.node.inputs[w.operand] is value]
    found: dict[int, Confirmation] = {}
    kept = [w for w in same if _confirm(case, w, confirmer, deadline, 1 + len(same), found)]
    kept = [w for w in kept if not unimportant(found[id(w)].standing)]
    shown.update({id(w): found[id(w)] for w in kept})
    return kept


def _beyond_examples(
    case: TargetCase, warning: Alarm, confirmation: Confirmation | None, like: LikeExamples | None
) -> tuple[str, ...]:
    """The inputs that nobody described, where they fail the operator only if unlike their examples."""
    if like is None or (like.shows(warning) if confirmation is None else not confirmation.beyond):
        return ()
    return _narrowed(case, warning, like)


def _fractional(case: TargetCase, warning: Alarm, confirmation: Confirmation | None) -> tuple[str, ...]:
    """The inputs that hold whole numbers in their examples, where only fractions in them make the operator fail."""
    whole = case.like.whole if case.like is not None else None
    if whole is None or (whole.shows(warning) if confirmation is None else not confirmation.fractional):
        return ()
    return _narrowed(case, warning, whole)


def _narrowed(case: TargetCase, warning: Alarm, like: LikeExamples) -> tuple[str, ...]:
    """The inputs that the operator depends on and of which the examples show less than is assumed."""
    narrowed = {a.name for a, b in zip(case.assumptions, like.assumptions, strict=True) if a != b}
    # What the operand rests on; where that is nothing of them (the weights of classes), what its other operands do.
    for each in (warning, replace(warning, operand=-1)):
        rests = rests_on(behind(case.graph.graph, each), case.assumptions)
        if named := tuple(a.name for a in rests if a.name in narrowed):
            return named
    return ()


def _behind(
    case: TargetCase, revealed: Revealed, mend: Suggestion | None, found: Mapping[int, tuple[Finding, Support]]
) -> Finding:
    """The finding for a failure that shows once the suggestions for others are applied.

    Of a value for which another operator fails alike it weighs no more than that one: both fail for the same values.
    So do softmaxes of scores that the same mask hides.
    """
    first = next((w for w in case.interpretation.warnings if key(w) == key(revealed.warning)), None)
    if first is None:
        told = (w for w in case.interpretation.warnings if id(w) in found)
        first = next((w for w in told if _share_mask(case, w, revealed.warning)), None)
    while first is not None and first.root is not None:
        first = first.root
    led, by = found.get(id(first), (None, None))
    if led is None or by is None or led.rule != revealed.warning.rule or not limited(led, by):
        led = None
    beyond = _narrowed(case, revealed.warning, case.like) if revealed.beyond and case.like is not None else ()
    after, support = revealed.after, Support(suggestion=mend, hidden=True, led=led, beyond=beyond)
    return finding_of(
        after.graph, case.target.id, after.interpretation, revealed.shown, case.assumptions, (), support, case.root
    )


def _confirm(
    case: TargetCase, warning: Alarm, confirmer: Confirmer, deadline: float, left: int, shown: dict[int, Confirmation]
) -> bool:
    """Looks for a failing run, kept in `shown` by the id of the warning; whether there is one.

    On inputs like the examples first, where they may bring it about. Every warning has its turn: none may take more
    than twice its even share of the time, with `left` of them to go.
    """
    now = confirmer.clock()
    until = min(deadline, now + max(case.budget.search, 2 * (deadline - now) / left))

    def found(assumptions: Sequence[Assumption], *weighed_in: Sequence[Assumption]) -> Confirmation | None:
        within = [as_ranges(each) for each in weighed_in]
        return confirmer.confirm(case.graph, warning, as_ranges(assumptions), case.target.symbols, until, within)

    likely = None
    if case.like is not None and case.like.shows(warning):
        larger = as_examples_show(case.graph, case.assumptions, math.inf)
        likely = found(case.like.assumptions, case.like.assumptions, larger)
    best = likely
    # What depends on no input of which examples show less is weighed by where the weights stand, as without examples.
    beyond = case.like is not None and bool(_narrowed(case, warning, case.like))
    if likely is None or (unimportant(likely.standing) and (beyond or warning.backward)):
        weighed_in = [] if beyond else [case.assumptions]
        whole = case.like.whole if case.like is not None else None
        if whole is not None and not _narrowed(case, warning, whole):
            whole = None
        other = found(whole.assumptions, *weighed_in) if whole is not None and whole.shows(warning) else None
        fractional = whole is not None and other is None
        if other is None:
            other = found(case.assumptions, *weighed_in)
        if other is not None and (likely is None or not unimportant(other.standing)):
            best = replace(other, beyond=case.like is not None, fractional=fractional)
    if best is not None:
        shown[id(warning)] = best
    return best is not None


def _write(case: TargetCase, confirmation: Confirmation, finding: Finding, warning: Alarm, output: Path) -> Path:
    return write_reproducer(
        output / "reproducers",
        confirmation.work,
        stem_of(finding.target, display_name(warning.node), finding.fingerprint),
        f"{display_name(warning.node)}: {message(warning, True, case.interpretation)}",
        confirmation.operands,
        confirmation.results,
        engine=confirmation.kind,
        backward=warning.backward,
        names=confirmation.names,
        losses=confirmation.losses,
        infinite=confirmation.infinite,
        event=confirmation.event,
        versions=", ".join(
            (
                confirmation.engine,
                processor(),
                confirmation.threads,
            )
        ),
    )
