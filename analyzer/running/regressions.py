"""A model that the base's run could analyse and the head's cannot: what was proved of it is not known any more."""

from __future__ import annotations

from dataclasses import replace

from analyzer.findings import Cause, Confidence, Evidence, Finding, Level, Location, Status, TargetReport
from analyzer.rendering.rules import NO_LONGER_ANALYSED
from analyzer.running.outcome import TargetOutcome


def not_compared(after: TargetOutcome, before: TargetOutcome | None) -> TargetOutcome:
    """The head's outcome where the base's is missing for no reason of the base: then nobody knows what is new.

    Its findings block nothing and its target counts as not analysed; what a file does when it is loaded still blocks.
    """
    if before is None or before.target.status is not Status.FAILED:
        return after
    if before.target.cause not in (Cause.SURROUNDINGS, Cause.ASSAY, Cause.ENGINES):
        return after
    told = [f for f in after.findings if f.suppressed is None and not f.rule.startswith("security/")]
    if before.target.cause is Cause.ENGINES:  # whatever needs no engine was analysed
        told = [f for f in told if f.rule.startswith("differential/")]
    if not told:
        return after
    target = after.target
    unknown = "whether it is new is not known, for the base was not analysed"
    if target.status is Status.ANALYSED:
        reason = (before.target.error or "no reason was given").removeprefix(f"{target.id}: ")
        error = f"{target.id}: which of its problems are new is not known, for the base was not analysed: {reason}"
        target = replace(target, status=Status.FAILED, cause=before.target.cause, error=error)
    findings = tuple(replace(f, suppressed=unknown) if f in told else f for f in after.findings)
    return TargetOutcome(target, findings)


def no_longer_analysed(after: TargetOutcome, before: TargetOutcome | None) -> tuple[Finding, ...]:
    """One finding where only the change can be the reason; none where a proved or confirmed error already says why.

    Both revisions are analysed in one run, on one machine, so what is missing there is missing for both.
    """
    if after.target.kind == "python":  # a script that was only traced: it may be written for a newer Python than ours
        return ()
    if before is None or before.target.status is not Status.ANALYSED or after.target.status is Status.ANALYSED:
        return ()
    if after.target.spared:  # the engine of containers, the network, a mistake of ours, a stage that the base has not
        return ()
    if any(f.level is Level.ERROR and f.confidence is not Confidence.POSSIBLE for f in after.findings):
        return ()
    target: TargetReport = after.target
    reason = (target.error or "no reason was given").removeprefix(f"{target.id}: ")
    return (
        Finding(
            rule=NO_LONGER_ANALYSED,
            level=Level.ERROR,
            confidence=Confidence.CONFIRMED,
            message=f"`{target.id}` could be analysed before this change and cannot be any more: {reason}",
            target=target.id,
            location=Location(target.file, 1) if target.file.endswith(".py") else None,
            evidence=Evidence("static", (f"Status before: {before.target.status}.", f"Status now: {target.status}.")),
        ),
    )
