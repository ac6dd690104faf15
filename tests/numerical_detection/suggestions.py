"""The suggestions of a review, as GitHub shows and applies them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from action.diff import Changes
from action.review import InlineComment, ReviewContext, inline_comments
from analyzer.findings import Finding, Report, TargetReport


def comments_of(
    file: str, entries: Sequence[str], findings: Sequence[Finding], lines: int
) -> tuple[InlineComment, ...]:
    """As a review posts them, of a pull request that adds the whole file of so many lines."""
    report = Report(tuple(TargetReport(entry, "entry", entry) for entry in entries), tuple(findings))
    changes = Changes(frozenset({file}), {file: (range(1, lines + 1),)})
    return inline_comments(
        report, ReviewContext("assay", "octo/models", "https://github.test", "a" * 40), changes, 10_000
    )


def applied(text: str, comments: Sequence[InlineComment]) -> str:
    """GitHub's batch: every suggestion at once; AssertionError where two are of one line, which it refuses."""
    rows = text.split("\n")
    taken: set[int] = set()
    for comment in sorted(comments, key=lambda c: -(c.line or 0)):
        blocks = re.findall(r"^```suggestion\n(.*?)^```$", comment.body, re.M | re.S)
        assert len(blocks) <= 1, comment.body
        for block in blocks:
            assert comment.line is not None
            first = comment.start_line or comment.line
            assert not taken & set(range(first, comment.line + 1)), f"two suggestions of line {first}"
            taken |= set(range(first, comment.line + 1))
            rows[first - 1 : comment.line] = block.removesuffix("\n").split("\n") if block else []
    return "\n".join(rows)
