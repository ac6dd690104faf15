"""A model that the base's run could analyse and the head's cannot: what was proved of it is not known any more."""

from __future__ import annotations

from analyzer.findings import Confidence, Evidence, Finding, Level, Location, Status, TargetReport
from analyzer.running.outcome import HEAD_ALONE, Outcome

NO_LONGER_ANALYSED = "analysis/no-longer-analysed"


def no_longer_analysed(after: Outcome, before: Outcome | None) -> tuple[Finding, ...]:
    """One finding where only the change can be the reason; none where a proved or confirmed error already says why.

    Both revisions are analysed in one run, on one machine, so what is missing there is missing for both.
    """
    if after.target.kind == "python":  # a script that was only traced: it may be written for a newer Python than ours
        return ()
    if before is None or before.target.status is not Status.ANALYSED or after.target.status is Status.ANALYSED:
        return ()
    if after.target.error and all(f"the {HEAD_ALONE} stage" in line for line in after.target.error.splitlines()):
        return ()  # the base's run has no such stage
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
