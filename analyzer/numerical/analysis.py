"""One target from ranges to findings: assume, interpret, confirm, look for a repair, report."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from analyzer.config import TargetConfig
from analyzer.findings import AnalysisResult, Finding, UnsafeOperators
from analyzer.graph import Graph, display_name
from analyzer.numerical.assumptions import Assumption, as_ranges, assume, checkpoint_weights
from analyzer.numerical.confirm.confirmation import Budget, Confirmation, Confirmer
from analyzer.numerical.confirm.reproducer import stem_of, write_reproducer
from analyzer.numerical.explanation import followers, message
from analyzer.numerical.findings import Support, finding_of
from analyzer.numerical.interpreter import interpret
from analyzer.numerical.repair.repair import repair
from analyzer.numerical.result import Interpretation, Options, Warning
from analyzer.numerical.sensitivity import precondition

EXPLAIN_SECONDS = 2.0  # for one warning's sensitivity
SHOWN_ASSUMPTIONS = 40


def analyse(
    graph: Graph,
    target: TargetConfig,
    *,
    output: Path | None = None,
    confirm: bool = True,
    root: Path | None = None,
    options: Options | None = None,
    confirmer: Confirmer | None = None,
    budget: Budget | None = None,
) -> AnalysisResult:
    """The numerical findings of one target.

    `output` receives reproducers; `root` is the folder that source locations and the checkpoint are relative to (the
    working directory if None). `confirmer` is used as it is and not closed: several targets may share one.

    Raises:
        TargetProblem: the configuration does not fit the model, or the checkpoint cannot be used.
    """
    root = root or Path.cwd()
    weights = checkpoint_weights(graph, root / target.checkpoint) if target.checkpoint else None
    assumptions = assume(graph, target, weights)
    options = options or Options(symbols=target.symbols)
    interpretation = interpret(graph, as_ranges(assumptions), options=options)
    budget = budget or Budget()
    own = confirmer is None
    confirmer = confirmer or Confirmer(budget)
    try:
        findings = _findings(
            graph, target, assumptions, interpretation, options, confirmer, budget, confirm, output, root
        )
        notes = tuple(confirmer.notes)
    finally:
        if own:
            confirmer.close()
    return AnalysisResult(
        findings=tuple(findings),
        unsafe_operators=UnsafeOperators(interpretation.unsafe_checked, interpretation.unsafe_safe),
        unknown_operators=dict(interpretation.unknown),
        assumptions=_shown(assumptions),
        notes=notes,
    )


def _shown(assumptions: Sequence[Assumption]) -> tuple[str, ...]:
    texts = [str(a) for a in assumptions]
    rest = len(texts) - SHOWN_ASSUMPTIONS
    return tuple(texts) if rest <= 0 else (*texts[:SHOWN_ASSUMPTIONS], f"and {rest} more")


def _findings(
    graph: Graph,
    target: TargetConfig,
    assumptions: Sequence[Assumption],
    interpretation: Interpretation,
    options: Options,
    confirmer: Confirmer,
    budget: Budget,
    confirm: bool,
    output: Path | None,
    root: Path,
) -> list[Finding]:
    roots = [w for w in interpretation.warnings if w.root is None]
    follow = followers(interpretation.warnings)
    deadline = time.monotonic() + budget.total
    ranges = as_ranges(assumptions)
    found = []
    for warning in roots:
        after = follow.get(id(warning), [])
        confirmation = None
        if confirm:
            confirmation = confirmer.confirm(graph, warning, ranges, target.symbols, deadline)
        needed = precondition(graph, warning, assumptions, options, time.monotonic() + EXPLAIN_SECONDS)
        suggestion = repair(graph, warning, assumptions, options, root, confirmer if confirm else None, needed)
        support = Support(
            f"{confirmation.engine}: {confirmation.sentence}" if confirmation else "",
            None,
            needed,
            suggestion,
        )
        finding = finding_of(graph, target.id, interpretation, warning, assumptions, after, support)
        if confirmation is not None and output is not None:
            path = _write(confirmation, finding, warning, output)
            support = Support(support.shown_by, str(path.relative_to(output)), needed, suggestion)
            finding = finding_of(graph, target.id, interpretation, warning, assumptions, after, support)
        found.append(finding)
    return found


def _write(confirmation: Confirmation, finding: Finding, warning: Warning, output: Path) -> Path:
    return write_reproducer(
        output / "reproducers",
        confirmation.work,
        stem_of(finding.target, display_name(warning.node), finding.fingerprint),
        f"{display_name(warning.node)}: {message(warning, True)}",
        confirmation.operands,
        confirmation.results,
        engine=confirmation.kind,
        backward=warning.backward,
        names=confirmation.names,
        losses=confirmation.losses,
    )
