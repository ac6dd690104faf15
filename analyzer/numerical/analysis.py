"""One target from ranges to findings: assume, interpret, confirm, look for a repair, report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from analyzer.configuration.config import TargetConfig
from analyzer.findings import AnalysisResult, UnsafeOperators
from analyzer.graph import Graph, display_name
from analyzer.numerical.assumptions import Assumption, as_ranges, assume
from analyzer.numerical.confirm.confirmation import ConfirmationBudget, Confirmer
from analyzer.numerical.domain import dims
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.example_gradients import undefined_gradient
from analyzer.numerical.interpreter import interpret
from analyzer.numerical.like_examples import like_examples
from analyzer.numerical.logarithms import own_logarithms
from analyzer.numerical.reported import TargetCase, reported
from analyzer.numerical.result import Interpretation, Options
from analyzer.numerical.stored_weights import StoredWeight, exact_weights, stored_weights
from analyzer.numerical.trained import is_trained, without_gradients
from analyzer.problem import TargetProblem

SHOWN_ASSUMPTIONS = 40  # lines; the report of a large model would hold thousands
SHOWN_EXCUSES = 8  # sentences a person reads; their number is told


def analyse(
    graph: Graph,
    target: TargetConfig,
    *,
    output: Path | None = None,
    confirm: bool = True,
    explain: bool = True,
    root: Path | None = None,
    options: Options | None = None,
    confirmer: Confirmer | None = None,
    budget: ConfirmationBudget | None = None,
) -> AnalysisResult:
    """The numerical findings of one target.

    `output` receives reproducers; `root` is the folder that source locations and the checkpoint are relative to (the
    working directory if None). `explain` looks for preconditions and repairs.
    `confirmer` is used as it is and not closed: several targets may share one.

    Raises:
        TargetProblem: the configuration does not fit the model.
    """
    root = root or Path.cwd()
    weights, said = _usable_weights(graph, target, root)
    options = options or Options(symbols=target.symbols)
    budget = budget or ConfirmationBudget()
    own = None if confirmer is not None or not (confirm or explain) else Confirmer(budget)
    confirmer = confirmer or own
    with exact_weights(graph, target, weights) as exact, own_logarithms(graph):
        assumptions = assume(graph, target, weights, exact)
        interpretation = interpret(graph, as_ranges(assumptions), options=options)
        gradients = 0
        if not is_trained(graph, target):
            interpretation, gradients = without_gradients(interpretation)
            options = replace(options, backward=False)
        like = like_examples(graph, assumptions, interpretation, options)
        case = TargetCase(graph, target, assumptions, interpretation, options, budget, output, root, like)
        try:
            findings = reported(case, confirmer, confirm, explain)
            findings += undefined_gradient(graph, target, findings, output)
            notes = (
                *said,
                *_defects(interpretation),
                *_excuses(interpretation),
                *_fixed(interpretation),
                *_left_out(gradients),
                *(confirmer.notes if confirmer is not None else ()),
            )
        finally:
            if own is not None:
                own.close()
    return AnalysisResult(
        findings=tuple(findings),
        unsafe_operators=UnsafeOperators(interpretation.unsafe_checked, interpretation.unsafe_safe),
        unknown_operators=dict(interpretation.unknown),
        assumptions=_shown(assumptions),
        notes=notes,
        **_picture(graph, interpretation),
    )


def _defects(interpretation: Interpretation) -> tuple[str, ...]:
    """A sentence on rules that raised: they prove nothing."""
    failed = interpretation.failed_rules
    if not failed:
        return ()
    node, error = failed[0]
    more = f" (and those of {len(failed) - 1} more)" if len(failed) > 1 else ""
    name = display_name(node)[:80]
    return (f"The rule of `{name}` ({node.op_type}){more} failed, so nothing is proved about it: {error}.",)


def _excuses(interpretation: Interpretation) -> tuple[str, ...]:
    """Each failure that reaches no result, with the reason."""
    rest = len(interpretation.excuses) - SHOWN_EXCUSES
    shown = tuple(str(e) for e in interpretation.excuses[:SHOWN_EXCUSES])
    return (*shown, f"{rest} more operators are excused alike.") if rest > 0 else shown


def _fixed(interpretation: Interpretation) -> tuple[str, ...]:
    """What is safe for the numbers of a recorded model's example alone is not called proved."""
    count = interpretation.unsafe_fixed
    if not count:
        return ()
    which = "1 operator is" if count == 1 else f"{count} operators are"
    return (f"{which} safe with the numbers that the model read on its example inputs; with others nothing is known.",)


def _left_out(gradients: int) -> tuple[str, ...]:
    """A file that is only run has no gradients: one line for all that may be infinite."""
    if not gradients:
        return ()
    which = "A gradient" if gradients == 1 else f"{gradients} gradients"
    said = "which is not reported: nothing in this file or its configuration says that it is trained"
    return (f"{which} may not be finite, {said}.",)


def _picture(graph: Graph, interpretation: Interpretation) -> dict[str, Any]:
    """`intervals` and `shapes` of every interpreted value of the main graph that has a name."""
    intervals: dict[str, tuple[float, float]] = {}
    shapes: dict[str, tuple[int | str | None, ...]] = {}
    for value, abstract in interpretation.values.items():
        if not isinstance(abstract, AbstractTensor) or not value.name or value.graph is not graph.graph:
            continue
        intervals[value.name] = (abstract.low, abstract.high)
        if abstract.shape is not None:
            shapes[value.name] = tuple(_size(d) for d in abstract.shape)
    return {"intervals": intervals, "shapes": shapes}


def _size(dimension: dims.Dim) -> int | str | None:
    """A size, the name of a symbol, or None for a size that has no name of its own."""
    if isinstance(dimension, int):
        return dimension
    return None if dimension.name.startswith("?") else dimension.name


def _shown(assumptions: Sequence[Assumption]) -> tuple[str, ...]:
    texts = [str(a) for a in assumptions]
    rest = len(texts) - SHOWN_ASSUMPTIONS
    return tuple(texts) if rest <= 0 else (*texts[:SHOWN_ASSUMPTIONS], f"and {rest} more")


def _usable_weights(
    graph: Graph, target: TargetConfig, root: Path
) -> tuple[dict[str, StoredWeight] | None, tuple[str, ...]]:
    """The checkpoint's weights with which an analysis makes sense, and a sentence on those without.

    What is wrong with a checkpoint is for its own check to tell; the model is analysed all the same.
    """
    if not target.checkpoint:
        return None, ()
    try:
        found = stored_weights(graph, root / target.checkpoint)
    except TargetProblem as problem:
        return None, (f"Weights are taken from the model, not from its checkpoint: {problem}",)
    bad = sorted(name for name, stored in found.items() if not stored.finite)
    usable = {name: stored for name, stored in found.items() if stored.finite}
    if not bad:
        return usable, ()
    named = ", ".join(f"`{name[:80]}`" for name in bad[:3]) + (f" and {len(bad) - 3} more" if len(bad) > 3 else "")
    return usable, (f"The initial values of {named} are analysed: the checkpoint's are not finite.",)
