"""From a `Report` to what GitHub shows: summary comment, inline comments, check run, step summary. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from action import markers
from action.diff import Changes
from action.placing import can_be_applied, caused_by, commented
from action.settings import Settings
from analyzer.findings import Finding, Level, Location, Report, Status, Verdict
from analyzer.rendering.headline import headline
from analyzer.rendering.markdown import COMMENT_LIMIT, Links, evidence, summary, templates
from analyzer.rendering.markdown_text import clean, truncate_blocks, verbatim_fence
from analyzer.rendering.rules import help_uri

CHECK_TEXT_LIMIT = 60_000  # characters: GitHub refuses a check run's text above 65,535
STEP_SUMMARY_BYTES = 1_000_000  # GitHub refuses a step summary above 1 MiB
ANNOTATIONS = 200  # four requests: GitHub takes 50 at a time
FILE_COMMENTS = 10  # comments at files, which a reader of the diff meets one by one
TOLD = 20  # findings in one comment
_CONTINUES = re.compile(r"Continues \[an earlier comment\]\([^()\s]+\)\.\Z")
_RULE = re.compile(r"^[a-z]+/[a-z0-9-]+\Z")  # a relayed report may hold anything
ANNOTATION_LEVELS = {Level.ERROR: "failure", Level.WARNING: "warning", Level.NOTE: "notice"}


@dataclass(frozen=True, slots=True)
class ReviewContext:
    """What the report does not know: where it is shown, for which commit, under which name."""

    identity: str
    repository: str
    server_url: str
    head_sha: str
    run_id: int = 0
    attempt: int = 1
    links: Links = field(default_factory=Links)
    fail_on_incomplete: bool = False

    @staticmethod
    def of(
        settings: Settings, head_sha: str, *, files: bool, run_id: int | None = None, attempt: int | None = None
    ) -> ReviewContext:
        """The context of this run, or of the first stage's `run_id` and `attempt`; `files`: whether the run has an
        artifact with the report's files."""
        run = run_id or settings.run_id
        context = ReviewContext(
            identity=settings.id,
            repository=settings.repository,
            server_url=settings.server_url,
            head_sha=head_sha,
            run_id=run,
            attempt=attempt or settings.run_attempt,
            fail_on_incomplete=settings.fail_on_incomplete,
        )
        if not files:
            return replace(context, links=Links(line=context.line_address))
        page = f"{settings.server_url}/{settings.repository}/actions/runs/{run}#artifacts"
        fetch = f"gh run download {run} --repo {settings.repository} --name {artifact_name(settings.id)}"
        return replace(context, links=Links(line=context.line_address, files=page, fetch=fetch))

    @property
    def name(self) -> str:
        return "Assay" if self.identity == "assay" else f"Assay ({self.identity})"

    def line_address(self, location: Location) -> str | None:
        path = quote(location.path, safe="/", errors="replace")  # a path that is not UTF-8 has lone surrogates
        span = f"#L{location.line}" + (f"-L{location.end_line}" if location.end_line else "")
        return f"{self.server_url}/{self.repository}/blob/{self.head_sha}/{path}{span}"


def artifact_name(identity: str) -> str:
    """The name under which our workflows upload the output folder."""
    return "assay-report" if identity == "assay" else f"assay-report-{identity}"


@dataclass(frozen=True, slots=True)
class InlineComment:
    """A comment on lines `start_line`..`line` of the head's `path`; on the whole file where `line` is None."""

    path: str
    line: int | None
    body: str
    fingerprints: tuple[str, ...]
    start_line: int | None = None


@dataclass(frozen=True, slots=True)
class CheckAnnotation:
    path: str
    start_line: int
    end_line: int
    level: str
    message: str
    title: str
    details: str


@dataclass(frozen=True, slots=True)
class CheckRun:
    name: str
    head_sha: str
    conclusion: str
    title: str
    summary: str
    annotations: tuple[CheckAnnotation, ...] = ()
    external_id: str = ""  # the run that says it


@dataclass(frozen=True, slots=True)
class Review:
    """Everything that a run has to say of a report, before anything is sent.

    `notices` of its methods are sentences about what could not be posted.
    """

    report: Report
    context: ReviewContext
    comments: tuple[InlineComment, ...] = ()  # worst first

    @staticmethod
    def of(report: Report, context: ReviewContext, changes: Changes) -> Review:
        return Review(report, context, inline_comments(report, context, changes, 10_000))

    @property
    def begins(self) -> bool:
        """Whether it is worth a first comment on the pull request: a change without models is not."""
        return bool(self.report.targets or self.report.findings)

    @property
    def current(self) -> frozenset[str]:
        return current_fingerprints(self.report)

    @property
    def silent(self) -> frozenset[str]:
        return unanswered_targets(self.report)

    def summary(self, notices: Sequence[str] = ()) -> str:
        return summary_comment(self.report, self.context, notices, self._commented())

    def _commented(self) -> frozenset[str]:
        return frozenset(fp for comment in self.comments for fp in comment.fingerprints)

    def check(self, notices: Sequence[str] = ()) -> CheckRun:
        return check_run(self.report, self.context, notices)

    def step_summary(self, notices: Sequence[str] = ()) -> str:
        return step_summary(self.report, self.context, notices)


def summary_comment(
    report: Report, context: ReviewContext, notices: Sequence[str] = (), elsewhere: Collection[str] = ()
) -> str:
    """The sticky comment's body, marker first; findings in `elsewhere` have comments of their own."""
    marker = markers.summary(context.identity, context.head_sha, context.run_id, context.attempt)
    text = summary(report, links=context.links, notices=notices, name=context.name, elsewhere=elsewhere)
    return f"{marker}\n{text}"


def step_summary(report: Report, context: ReviewContext, notices: Sequence[str] = ()) -> str:
    """The same for the run's page: at most `STEP_SUMMARY_BYTES` of UTF-8."""
    limit = STEP_SUMMARY_BYTES
    text = summary(report, links=context.links, notices=notices, name=context.name, limit=limit)
    while len(text.encode()) > STEP_SUMMARY_BYTES:
        limit = limit * 3 // 4
        text = summary(report, links=context.links, notices=notices, name=context.name, limit=limit)
    return text


def inline_comments(report: Report, context: ReviewContext, changes: Changes, limit: int) -> tuple[InlineComment, ...]:
    """At most `limit` comments, worst first: on lines of the diff, else (blocking ones only) on a changed file.

    Findings on one line share a comment. No two comments offer a change of the same line: the worst finding's is
    offered, the others are shown as text and follow once it is applied.
    """
    groups: list[_Group] = []
    on_files = 0
    paths = {target.id: target.file for target in report.targets}
    blocking = {finding.fingerprint for finding in report.blocking}
    seen: set[str] = set()
    for finding in report.findings:
        if not commented(finding) or finding.fingerprint in seen:
            continue
        location, fix = finding.location, finding.suggestion
        start = end = 0
        applies = False
        if location and fix and can_be_applied(finding) and changes.holds(location.path, fix.line or 0, fix.end_line):
            start, end, applies = fix.line or 0, fix.end_line or fix.line or 0, True
        elif location and changes.holds(location.path, location.line):
            start = end = location.line
        elif cause := caused_by(finding, changes):
            location, start, end = cause, cause.line, cause.line
        path = location.path if location else paths.get(finding.target, "")
        group = next((g for g in groups if g.path == path and g.meets(start, end)), None)
        if not end and (path not in changes.files or finding.fingerprint not in blocking):
            continue
        if group is None and not end:
            if on_files >= FILE_COMMENTS:
                continue
            on_files += 1
        seen.add(finding.fingerprint)
        if group is None:
            groups.append(_Group(path, start, end, [finding], finding if applies else None))
        elif len(group.findings) < TOLD:
            if (
                applies
                and group.offer is None
                and start <= group.start
                and group.end <= end
                and group.alone(start, end, groups)
            ):
                group.start, group.end, group.offer = start, end, finding
            group.findings.append(finding)
    return tuple(group.comment(context) for group in groups)[: max(0, limit)]


@dataclass
class _Group:
    """The findings of one comment on lines `start`..`end`, 0 for the file; the change of `offer` can be applied."""

    path: str
    start: int
    end: int
    findings: list[Finding]
    offer: Finding | None

    def meets(self, start: int, end: int) -> bool:
        return (self.end == 0) is (end == 0) and self.start <= end and start <= self.end

    def alone(self, start: int, end: int, groups: Sequence[_Group]) -> bool:
        """Whether no other group of the file has a part of these lines."""
        return not any(g is not self and g.path == self.path and g.meets(start, end) for g in groups)

    def comment(self, context: ReviewContext) -> InlineComment:
        """What is wrong and what mends it on the first screen; why, and how to see it again, folded below."""
        told = [(f.fingerprint, f.target) for f in self.findings]
        offer = str(_replacement(self.offer)) if self.offer else ""
        said, reasons = comment_text(_alike(self.findings), context, self.offer, (self.path, self.start, self.end))
        room = max(0, COMMENT_LIMIT - len(offer))
        cut = "*The rest is in `report.json`.*"
        said = truncate_blocks(f"{markers.findings(context.identity, told)}\n{said}", room, cut)
        said = "\n\n".join(part for part in (said.rstrip(), offer) if part)
        body = truncate_blocks(f"{said}\n\n{reasons}" if reasons else said, COMMENT_LIMIT, cut)
        return InlineComment(
            self.path,
            self.end or None,
            f"{body.rstrip()}\n",
            tuple(fp for fp, _ in told),
            self.start if self.start < self.end else None,
        )


def _alike(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Findings that say the same of one line: a helper that is called from several places."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.rule, finding.message), []).append(finding)
    return list(groups.values())


def comment_text(
    groups: Sequence[Sequence[Finding]], context: ReviewContext, offer: Finding | None, place: tuple[str, int, int]
) -> tuple[str, str]:
    """What is wrong with a line and what mends it; then, folded, why and how to see it again.

    The findings of a group say one thing; the change of `offer` stands between the two texts. `place`: the path and
    lines of the comment; a finding that shows elsewhere says where.
    """
    told = []
    for same in groups:
        finding = next((f for f in same if _offers(f, offer)), same[0])
        told.append(
            {
                "finding": finding,
                "layers": tuple(dict.fromkeys(f.layer or f.node for f in same if f.layer or f.node)),
                "help_uri": help_uri(finding.rule) if _RULE.match(finding.rule) else None,
                "below": _offers(finding, offer),
                "shows_at": _elsewhere(finding.location, place),
                "evidence": truncate_blocks(evidence(finding, context.links), 20_000, "*More is in `report.json`.*"),
            }
        )
    module: Any = templates().get_template("comment.md").module
    texts = (str(module.said(told, offer, context.links)), str(module.reasons(told, context.links)))
    return texts[0].strip(), texts[1].strip()


def _elsewhere(location: Location | None, place: tuple[str, int, int]) -> Location | None:
    """Where a problem shows, if the comment on it stands on other lines."""
    path, start, end = place
    there = location is None or end == 0 or (location.path == path and start <= location.line <= end)
    return None if there else location


def _offers(finding: Finding, offer: Finding | None) -> bool:
    """Whether the change that `offer` makes is the finding's too: one for all problems of its lines."""
    fix, other = finding.suggestion, offer.suggestion if offer else None
    return bool(fix and other and replace(fix, description="") == replace(other, description=""))


def fixed_body(body: str, context: ReviewContext) -> str:
    """A comment whose finding is gone: it says so, and keeps what it said."""
    return with_state(body, "fixed", f"✅ Not found any more in {context.head_sha[:10]}.")


def moved_body(body: str, address: str) -> str:
    """A comment whose lines are gone while its finding is not."""
    return with_state(body, "moved", f"This continues in [a newer comment]({address}).")


def continuing_body(body: str, address: str) -> str:
    """A comment that takes the place of one whose lines are gone."""
    marker, text = body.split("\n", 1)
    return f"{marker}\n{text.rstrip()}\n\nContinues [an earlier comment]({address}).\n"


def continued(body: str, former: str) -> str:
    """A comment's new text, which still links the comment that `former`, its text so far, linked."""
    link = _CONTINUES.search(former.replace("\r\n", "\n").strip())
    return f"{body.rstrip()}\n\n{link[0]}\n" if link else body


def reopened_body(body: str) -> str:
    """A comment whose finding came back on a line that the diff does not show."""
    return with_state(body, "open")


def with_state(body: str, state: str, says: str = "") -> str:
    """A comment in another state; what it says of an earlier state goes, what it said of its finding stays."""
    marker = markers.read(body)
    fields = {**(marker.fields if marker else {}), "state": state}
    said = re.sub(r"\A✅ Not found any more in [0-9a-f]{1,10}\.\s*", "", markers.without(body))
    text = "\n".join((str(markers.Marker("finding", fields)), *((says, "") if says else ()), said))
    return truncate_blocks(text, COMMENT_LIMIT, "")


def check_run(report: Report, context: ReviewContext, notices: Sequence[str] = ()) -> CheckRun:
    """The check on the head commit."""
    head = headline(report, context.name)
    every = tuple(_annotations(report.findings))
    annotations = every[:ANNOTATIONS]
    if len(every) > ANNOTATIONS:
        notices = (*notices, f"{len(every) - ANNOTATIONS} more problems have no annotation: {ANNOTATIONS} are shown.")
    return CheckRun(
        name=context.name,
        head_sha=context.head_sha,
        conclusion=conclusion(report, context),
        title=clean(head.text, 250),
        summary=summary(report, links=context.links, notices=notices, name=context.name, limit=CHECK_TEXT_LIMIT),
        annotations=annotations,
    )


def conclusion(report: Report, context: ReviewContext) -> str:
    """`fail-on` has already decided the verdict; what could not be analysed is neutral unless asked otherwise."""
    if report.verdict is Verdict.FAIL:
        return "failure"
    if report.verdict is Verdict.INCOMPLETE:
        return "failure" if context.fail_on_incomplete else "neutral"
    return "success"


def current_fingerprints(report: Report) -> frozenset[str]:
    """Findings that are still there, new or known: their comments stay open."""
    return frozenset(f.fingerprint for f in report.findings if f.suppressed is None)


def unanswered_targets(report: Report) -> frozenset[str]:
    """Targets about which this run says nothing: their comments stay as they are."""
    return frozenset(markers.target_key(t.id) for t in report.targets if t.status is not Status.ANALYSED)


def _annotations(findings: Iterable[Finding]) -> Iterable[CheckAnnotation]:
    for finding in findings:
        location = finding.location
        if location is None or finding.suppressed is not None or not finding.new:
            continue
        sentences = "\n".join(clean(s, 500) for s in finding.evidence.sentences[:40])
        yield CheckAnnotation(
            path=clean(location.path, 1_000),
            start_line=location.line,
            end_line=location.end_line or location.line,
            level=ANNOTATION_LEVELS[finding.level],
            message=clean(finding.message, 2_000),
            title=clean(
                f"{finding.confidence} {finding.rule}" + (f" in {finding.layer}" if finding.layer else ""), 250
            ),
            details=sentences[:20_000],
        )


def _replacement(finding: Finding) -> Any:
    text = (finding.suggestion.replacement or "") if finding.suggestion else ""
    return Markup(verbatim_fence(text.removesuffix("\n"), "suggestion"))
