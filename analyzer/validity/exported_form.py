"""What an exported graph says of itself although the model ran in PyTorch on that example: the exporter's mistake."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from analyzer.findings import Finding, Level

RAN = "PyTorch runs the model on its example inputs, so this is a mistake of its exporter, not of the model."


def of_exported_form(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Errors that hold for the example's sizes too become notes, one for each rule; those of other sizes stay.

    An error of other sizes names them (`sizes` of its evidence).
    """
    told: set[tuple[str, str]] = set()
    for finding in findings:
        if finding.level is not Level.ERROR or finding.evidence.data.get("sizes"):
            yield finding
        elif (finding.rule, finding.operand) not in told:
            told.add((finding.rule, finding.operand))
            evidence = replace(finding.evidence, sentences=(*finding.evidence.sentences, RAN))
            yield replace(
                finding,
                level=Level.NOTE,
                message=f"The exported form contradicts itself, though the model runs in PyTorch: {finding.message}",
                evidence=evidence,
            )
