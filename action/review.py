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
from action.settings import Settings
from analyzer.findings import Finding, Level, Location, Report, Status, Verdict
from analyzer.rendering.markdown import COMMENT_LIMIT, Links, evidence, headline, summary, templates
from analyzer.rendering.markdown_text import clean, is_plain_source, truncate_blocks, verbatim_fence
from analyzer.rendering.rules import help_uri

CHECK_TEXT_LIMIT = 60_000
STEP_SUMMARY_BYTES = 1_000_000
ANNOTATIONS = 200
FILE_COMMENTS = 10
_RULE = re.compile(r"^[a-z]+/[a-z0-9-]+\Z")  # a relayed report may hold anything
ANNOTATION_LEVELS = {Level.ERROR: "failure", Level.WARNING: "warning", Level.NOTE: "notice"}


@dataclass(frozen=True, slots=True)
class Context:
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
    ) -> Context:
        """The context of this run, or of the first stage's `run_id` and `attempt`; `files`: whether the run has an
        artifact with the report's files."""
        run = run_id or settings.run_id
        context = Context(
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
    fingerprint: str
    start_line: int | None = None


@dataclass(frozen=True, slots=True)
class Annotation:
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
    annotations: tuple[Annotation, ...] = ()
    external_id: str = ""  # the run that says it


@dataclass(frozen=True, slots=True)
class Review:
    """Everything that a run has to say of a report, before anything is sent.

    `notices` of its methods are sentences about what could not be posted.
    """

    report: Report
    context: Context
    comments: tuple[InlineComment, ...] = ()  # worst first

    @staticmethod
    def of(report: Report, context: Context, changes: Changes) -> Review:
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
        return frozenset(comment.fingerprint for comment in self.comments)

    def check(self, notices: Sequence[str] = ()) -> CheckRun:
        return check_run(self.report, self.context, notices)

    def step_summary(self, notices: Sequence[str] = ()) -> str:
        return step_summary(self.report, self.context, notices)


def summary_comment(
    report: Report, context: Context, notices: Sequence[str] = (), elsewhere: Collection[str] = ()
) -> str:
    """The sticky comment's body, marker first; findings in `elsewhere` have comments of their own."""
    marker = markers.summary(context.identity, context.head_sha, context.run_id, context.attempt)
    text = summary(report, links=context.links, notices=notices, name=context.name, elsewhere=elsewhere)
    return f"{marker}\n{text}"


def step_summary(report: Report, context: Context, notices: Sequence[str] = ()) -> str:
    """The same for the run's page: at most `STEP_SUMMARY_BYTES` of UTF-8."""
    limit = STEP_SUMMARY_BYTES
    text = summary(report, links=context.links, notices=notices, name=context.name, limit=limit)
    while len(text.encode()) > STEP_SUMMARY_BYTES:
        limit = limit * 3 // 4
        text = summary(report, links=context.links, notices=notices, name=context.name, limit=limit)
    return text


def inline_comments(report: Report, context: Context, changes: Changes, limit: int) -> tuple[InlineComment, ...]:
    """At most `limit` comments, worst first: on lines of the diff, else (blocking ones only) on a changed file."""
    placed: dict[str, InlineComment] = {}
    on_files = 0
    paths = {target.id: target.file for target in report.targets}
    blocking = {finding.fingerprint for finding in report.blocking}
    for finding in report.findings:
        if not commented(finding) or finding.fingerprint in placed:
            continue
        body = comment_body(finding, context)
        location, fix = finding.location, finding.suggestion
        if location and fix and can_be_applied(finding) and changes.holds(location.path, fix.line or 0, fix.end_line):
            start, end = fix.line or 0, fix.end_line or fix.line or 0
            body = comment_body(finding, context, with_change=True)
            comment = InlineComment(location.path, end, body, finding.fingerprint, start if start < end else None)
        elif location and changes.holds(location.path, location.line):
            comment = InlineComment(location.path, location.line, body, finding.fingerprint)
        else:
            path = location.path if location else paths.get(finding.target, "")
            if path not in changes.files or finding.fingerprint not in blocking or on_files >= FILE_COMMENTS:
                continue
            on_files += 1
            comment = InlineComment(path, None, body, finding.fingerprint)
        placed[finding.fingerprint] = comment
    return tuple(placed.values())[: max(0, limit)]


def commented(finding: Finding) -> bool:
    """Whether a finding is worth a comment of its own."""
    return finding.new and finding.suppressed is None and finding.level is not Level.NOTE


def can_be_applied(finding: Finding) -> bool:
    """Whether the suggestion may be offered as a change: proved, in the finding's file, nothing in it invisible."""
    fix, location = finding.suggestion, finding.location
    return bool(
        fix
        and location
        and fix.proved
        and fix.path == location.path
        and fix.line is not None
        and fix.replacement is not None
        and is_plain_source(fix.replacement)
    )


def comment_body(finding: Finding, context: Context, *, with_change: bool = False) -> str:
    """One inline comment: what, why folded, how to see it again, the change where it can be applied there."""
    text = (
        templates()
        .get_template("comment.md")
        .render(
            finding=finding,
            links=context.links,
            help_uri=help_uri(finding.rule) if _RULE.match(finding.rule) else None,
            replacement=_replacement(finding) if with_change else None,
            evidence=truncate_blocks(evidence(finding, context.links), 20_000, "*More is in `report.json`.*"),
        )
    )
    marker = markers.finding(context.identity, finding.fingerprint, finding.target)
    return truncate_blocks(f"{marker}\n{text.strip()}\n", COMMENT_LIMIT, "*The rest is in `report.json`.*")


def fixed_body(body: str, context: Context) -> str:
    """A comment whose finding is gone: it says so, and keeps what it said."""
    marker = markers.read(body)
    fields = {**(marker.fields if marker else {}), "state": "fixed"}
    said = markers.without(body)
    text = f"{markers.Marker('finding', fields)}\n✅ Not found any more in {context.head_sha[:10]}.\n\n{said}"
    return truncate_blocks(text, COMMENT_LIMIT, "")


def reopened_body(body: str) -> str:
    """A comment whose finding came back on a line that the diff does not show."""
    marker = markers.read(body)
    fields = {**(marker.fields if marker else {}), "state": "open"}
    said = re.sub(r"\A✅ Not found any more in [0-9a-f]{1,10}\.\s*", "", markers.without(body))
    return f"{markers.Marker('finding', fields)}\n{said}"


def double_body(body: str) -> str:
    """A comment that two runs posted at once and that was answered before the double was seen."""
    marker = markers.read(body)
    fields = {**(marker.fields if marker else {}), "state": "double"}
    return f"{markers.Marker('finding', fields)}\n{markers.without(body)}"


def check_run(report: Report, context: Context, notices: Sequence[str] = ()) -> CheckRun:
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


def conclusion(report: Report, context: Context) -> str:
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


def commented_paths(report: Report) -> frozenset[str]:
    """The files whose hunks matter."""
    found = {f.location.path for f in report.findings if f.location and commented(f)}
    return frozenset(found | {t.file for t in report.targets})


def _annotations(findings: Iterable[Finding]) -> Iterable[Annotation]:
    for finding in findings:
        location = finding.location
        if location is None or finding.suppressed is not None or not finding.new:
            continue
        sentences = "\n".join(clean(s, 500) for s in finding.evidence.sentences[:40])
        yield Annotation(
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
