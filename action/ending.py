"""How a run ends that has no report: a mistake in the configuration, a defect of Assay, a cancelled job. Pure.

Every ending is said where a result would stand: in the check run, the summary comment, the step's summary and the log.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from action import markers
from action.review import CheckAnnotation, CheckRun, ReviewContext
from analyzer.problem import Problem
from analyzer.rendering.markdown_text import clean, prose

SENTENCES = 50  # of a summary; the log has all
LAST_WAIT = 5.0  # seconds: a runner that cancels a job kills it ten seconds later
_PLACE = re.compile(r"^(?P<path>[^\s:][^:\n]{0,200}):(?P<line>[1-9][0-9]{0,6}): (?P<what>.+)$")


class Cancelled(BaseException):
    """The runner has asked this process to end; like KeyboardInterrupt, no handler of ordinary errors takes it."""


@dataclass(frozen=True, slots=True)
class Ending:
    """`title` follows the check's name. `code` is the exit code; a place `file:line:` begins a sentence."""

    symbol: str
    title: str
    sentences: tuple[str, ...]
    conclusion: str
    code: int

    @staticmethod
    def of(error: BaseException) -> Ending:
        if isinstance(error, Problem):
            lines = str(error).splitlines() or ["something is wrong"]
            return Ending("❌", "cannot run as it is configured", tuple(lines[:SENTENCES]), "failure", 2)
        if isinstance(error, (Cancelled, KeyboardInterrupt)):
            sentence = "The job was cancelled, or ran out of its time, before the analysis was done; run it again."
            return Ending("⚠️", "was cancelled", (sentence,), "cancelled", 3)
        sentence = f"An internal error ({type(error).__name__}) ended the run; the log shows where. Please report it."
        return Ending("❌", "broke off; nothing was checked", (sentence,), "failure", 3)

    def markdown(self, name: str) -> str:
        lines = "\n".join(f"- {prose(sentence)}" for sentence in self.sentences)
        return f"**{self.symbol} {prose(name)} {self.title}**\n\n{lines}\n"

    def comment(self, context: ReviewContext) -> str:
        marker = markers.summary(context.identity, context.head_sha, context.run_id, context.attempt)
        return f"{marker}\n{self.markdown(context.name)}"

    def check(self, context: ReviewContext) -> CheckRun:
        title = f"{context.name} {self.title}"
        return CheckRun(
            context.name,
            context.head_sha,
            self.conclusion,
            clean(title, 250),
            self.markdown(context.name),
            tuple(_annotations(self.sentences)),
        )


UNFINISHED = Ending(
    "❌",
    "ended without a result",
    ("The job ended before the review was done; its log shows why. Run it again.",),
    "failure",
    3,
)


def _annotations(sentences: Sequence[str]) -> list[CheckAnnotation]:
    matches = [match for match in map(_PLACE.match, sentences) if match]
    return [
        CheckAnnotation(
            path=clean(match["path"], 1_000),
            start_line=int(match["line"]),
            end_line=int(match["line"]),
            level="failure",
            message=clean(match["what"], 2_000),
            title="Configuration",
            details="",
        )
        for match in matches
    ]
