"""One run of the action: plan, check out, analyse, publish. Everything with an effect is handed in as `Outside`."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from action import pictures, publish, relay, review
from action.checkout import Change, Exported, Repository
from action.commands import Log, write_outputs, write_summary
from action.diff import Changes, from_patches
from action.github import GitHub, GitHubProblem, PermissionDenied
from action.plan import CheckCommit, Nothing, Plan, RelayReport, ReviewPullRequest, plan
from action.review import Context
from action.selection import choose
from action.settings import Pictures, Settings
from analyzer.findings import Report, Verdict
from analyzer.problem import Problem, UsageProblem
from analyzer.rendering.markdown import Links

if TYPE_CHECKING:
    from analyzer.sandbox import Sandbox

Pipeline = Callable[..., Report]


def _pipeline(*arguments: Any, **options: Any) -> Report:
    from analyzer.pipeline import review as analyse

    return analyse(*arguments, **options)


def _write(report: Report, output: Path) -> Report:
    from analyzer.rendering.files import write

    return write(report, output)


@dataclass(frozen=True)
class Outside:
    """The world: GitHub, the analyses, the files they write, the sandbox, the date."""

    github: Callable[[Settings], GitHub]
    sandbox: Callable[[Settings, Plan], tuple[Sandbox | None, str | None]]
    pipeline: Pipeline = _pipeline
    write: Callable[[Report, Path], Report] = _write
    today: Callable[[], date] = field(default=lambda: datetime.now(UTC).date())


def run(settings: Settings, log: Log, outside: Outside) -> int:
    """Do what the event asks for. Exit code 0 nothing blocks, 1 something does, 3 not everything was analysed."""
    chosen = plan(settings, _payload(settings))
    if isinstance(chosen, Nothing):
        log.say(chosen.reason)
        _finish(settings, Report((), ()), None, publish.Outcome(), None)
        return 0
    if isinstance(chosen, RelayReport):
        return _relay(settings, chosen, log, outside)
    return _analyse(settings, chosen, log, outside)


def report_problem(settings: Settings, problem: Problem, log: Log) -> None:
    """A usage or configuration error, where a person will look for it."""
    from analyzer.rendering.markdown_text import prose

    lines = str(problem).splitlines() or ["something is wrong"]
    for line in lines[:20]:
        log.error(line, title="Assay")
    if settings.step_summary:
        text = "\n".join(f"- {prose(line)}" for line in lines[:50])
        write_summary(settings.summary_path, f"**❌ Assay cannot run**\n\n{text}\n")


def _analyse(settings: Settings, todo: ReviewPullRequest | CheckCommit, log: Log, outside: Outside) -> int:
    repository = Repository(settings.workspace, f"{settings.server_url}/{settings.repository}", settings.token)
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        trees = _check_out(repository, todo, Path(folder).resolve())
        chosen = choose(todo, settings, trees.head, trees.base, trees.exported)
        log.say(f"{len(chosen.targets)} of {chosen.total} models to analyse")
        sandbox, refused = outside.sandbox(settings, todo)
        notes = [*chosen.notes, *([refused] if refused and any(t.entry for t in chosen.targets) else [])]
        output = _folder(settings, settings.output) or _scratch(settings, Path(folder))
        report = outside.pipeline(
            trees.head,
            trees.base,
            chosen.config,
            chosen.targets,
            output=output,
            base_name=trees.base_sha[:12] if trees.base_sha else None,
            head_name=todo.head_sha[:12],
            sandbox=sandbox,
            progress=LogProgress(log),
            changed=None,
            notes=notes,
            **_options(settings, repository, todo, notes),
        )
        report = replace(report, targets=(*report.targets, *chosen.skipped))
        report = outside.write(report, output)
        changes = repository.commentable(
            trees.base_sha or todo.head_sha, todo.head_sha, trees.changes, review.commented_paths(report)
        )
        context = _context(settings, todo.head_sha)
        outcome = _publish(settings, todo, report, context, changes, output, log, outside)
        _give_to_owner(settings, output)
        _finish(settings, report, output, outcome, context)
    return _exit_code(settings, report)


@dataclass(frozen=True)
class _Trees:
    head: Path
    base: Path | None
    base_sha: str | None
    changes: tuple[Change, ...]
    exported: Exported


def _check_out(repository: Repository, todo: ReviewPullRequest | CheckCommit, folder: Path) -> _Trees:
    """Both revisions as plain files; the base is the last common commit, so that only this change counts."""
    repository.ensure(todo.head_sha)
    base = todo.base_sha
    if base is None and todo.base_ref:
        base = repository.resolve(f"refs/remotes/origin/{todo.base_ref}")
    if base is not None:
        repository.ensure(base)
        if not isinstance(todo, CheckCommit) or todo.base_sha is None:
            base = repository.merge_base(base, todo.head_sha) or base
    head = folder / "head"
    head.mkdir()
    exported = repository.export(todo.head_sha, head)
    if base is None:
        return _Trees(head, None, None, (), exported)
    before = folder / "base"
    before.mkdir()
    repository.export(base, before)
    return _Trees(head, before, base, repository.changes(base, todo.head_sha), exported)


def _publish(
    settings: Settings,
    todo: ReviewPullRequest | CheckCommit,
    report: Report,
    context: Context,
    changes: Changes,
    output: Path,
    log: Log,
    outside: Outside,
) -> publish.Outcome:
    read_only = isinstance(todo, ReviewPullRequest) and todo.read_only
    outcome = publish.Outcome()
    if read_only:
        log.say("This run's token can only read (a fork or Dependabot): the report is left for the second workflow.")
        outcome.denied = True
    elif not settings.token:
        outcome.missing.append("Nothing could be posted: the input `token` is empty.")
    elif settings.comment or settings.review or settings.check_run:
        github = outside.github(settings)
        context = replace(context, links=_with_pictures(settings, report, context, output, github, outside, outcome))
        if isinstance(todo, ReviewPullRequest):
            wanted = replace(_wanted(settings), begin=bool(report.targets))
            extra = outcome.missing
            outcome = publish.on_pull_request(report, context, github, todo.number, changes, wanted)
            outcome.missing[:0] = extra
        elif settings.check_run:
            outcome = publish.on_commit(review.check_run(report, context), github, outcome)
    for sentence in outcome.missing:
        log.warning(sentence, title="Assay")
    if outcome.superseded:
        log.say("A newer commit or run speaks for this pull request: no comment was written.")
    if outcome.denied:
        (output / relay.FILE).write_text(relay.pack(report, settings.id, todo.head_sha), encoding="utf-8")
    return outcome


def _relay(settings: Settings, todo: RelayReport, log: Log, outside: Outside) -> int:
    """The trusted second stage: find the pull request by its head, fetch the report, post it with our own words."""
    github = outside.github(settings)
    try:
        if github.run_commit(todo.run_id) != todo.head_sha:
            raise UsageProblem("The workflow run's commit is not the one the event names; nothing was posted.")
        pulls = [
            p
            for p in github.pulls_of(todo.head_sha)
            if p.open and p.head_sha == todo.head_sha and p.base_repository == settings.repository
        ]
        if len(pulls) != 1:
            log.say(f"{len(pulls)} open pull requests have the head {todo.head_sha[:12]}: nothing to post.")
            return 0
        archive = github.artifact(todo.run_id, relay.artifact_name(settings.id), relay.COMPRESSED_LIMIT)
        if archive is None:
            log.say("The first stage left no report (it posted by itself, or had nothing to say).")
            return 0
        relayed = relay.unpack(archive)
        if relayed.head_sha != todo.head_sha or relayed.identity != settings.id:
            raise UsageProblem("The relayed report is about another commit or another id; nothing was posted.")
        report = replace(relayed.report, fail_on=settings.fail_on or relayed.report.fail_on)
        context = _context(settings, todo.head_sha, run_id=todo.run_id)
        changes = from_patches(github.patches(pulls[0].number))
        outcome = publish.on_pull_request(
            report, context, github, pulls[0].number, changes, replace(_wanted(settings), begin=bool(report.targets))
        )
    except GitHubProblem as problem:
        raise UsageProblem(f"The fork's report could not be posted: {problem}") from None
    for sentence in outcome.missing:
        log.warning(sentence, title="Assay")
    _finish(settings, report, None, outcome, context)
    return 0


def _payload(settings: Settings) -> Mapping[str, Any]:
    try:
        payload = json.loads(settings.event_path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        raise UsageProblem(f"The event file {settings.event_path} cannot be read ({type(problem).__name__}).") from None
    if not isinstance(payload, dict):
        raise UsageProblem(f"The event file {settings.event_path} does not hold an event.")
    return payload


def _context(settings: Settings, head_sha: str, run_id: int | None = None) -> Context:
    run = run_id or settings.run_id
    fetch = f"gh run download {run} --repo {settings.repository} --name {artifact(settings.id)}"
    context = Context(
        identity=settings.id,
        repository=settings.repository,
        server_url=settings.server_url,
        head_sha=head_sha,
        run_id=settings.run_id,
        attempt=settings.run_attempt,
        fail_on_incomplete=settings.fail_on_incomplete,
    )
    files = f"{settings.server_url}/{settings.repository}/actions/runs/{run}#artifacts"
    links = Links(
        line=context.line_address, files=files if settings.output else None, fetch=fetch if settings.output else None
    )
    return replace(context, links=links)


def artifact(identity: str) -> str:
    """The name under which our workflows upload the output folder."""
    return "assay-report" if identity == "assay" else f"assay-report-{identity}"


def _with_pictures(
    settings: Settings,
    report: Report,
    context: Context,
    output: Path,
    github: GitHub,
    outside: Outside,
    outcome: publish.Outcome,
) -> Links:
    """The context's links, with addresses for the drawn graphs where they can be shown."""
    drawn = [p for target in report.targets for p in target.pictures if p.endswith(".png")]
    if not drawn or settings.pictures is Pictures.NONE:
        return context.links
    try:
        private = settings.pictures is Pictures.AUTO and github.is_private()
        if pictures.place(settings.pictures, private=private, read_only=False) is not Pictures.BRANCH:
            return context.links
        contents = {name: (output / name).read_bytes() for name in drawn if (output / name).is_file()}
        stored = pictures.store(github, settings.pictures_branch, contents, outside.today(), settings.server_url)
        return replace(context.links, pictures=stored)
    except PermissionDenied:
        if settings.pictures is Pictures.BRANCH:
            outcome.missing.append("The pictures could not be stored: the job needs `permissions: contents: write`.")
    except GitHubProblem as problem:
        outcome.missing.append(f"The pictures could not be stored: {problem}")
    return context.links


def _wanted(settings: Settings) -> publish.Wanted:
    return publish.Wanted(settings.comment, settings.review, settings.check_run, settings.max_comments)


def _options(
    settings: Settings, repository: Repository, todo: ReviewPullRequest | CheckCommit, notes: list[str]
) -> dict[str, Any]:
    """Where outcomes are kept between runs. A cache that the revision itself brings along would be a forged one."""
    if not settings.cache:
        return {}
    if repository.tracks(todo.head_sha, settings.cache):
        notes.append(f"The cache folder {settings.cache} is part of this revision and was not used.")
        return {}
    from analyzer.pipeline import Options

    folder = _folder(settings, settings.cache)
    return {"options": Options(cache=folder / "outcomes", exports=folder / "exports")} if folder else {}


def _folder(settings: Settings, path: str) -> Path | None:
    """A folder of the workspace, made if need be; a link on the way to it would lead elsewhere and is refused."""
    if not path:
        return None
    folder = settings.workspace
    for part in Path(path).parts:
        folder = folder / part
        if folder.is_symlink():
            raise UsageProblem(f"`{path}` is, or lies behind, a symbolic link in the checkout; choose another folder.")
        folder.mkdir(exist_ok=True)
        _give_to_owner(settings, folder)
    return folder


def _scratch(settings: Settings, fallback: Path) -> Path:
    """A folder outside the workspace: nothing that was not asked for is written there."""
    parent = settings.runner_temp if settings.runner_temp and settings.runner_temp.is_dir() else None
    if parent is None:
        folder = fallback / "report"
        folder.mkdir()
        return folder
    return Path(tempfile.mkdtemp(prefix="assay-report-", dir=parent))


def _give_to_owner(settings: Settings, folder: Path) -> None:
    """Files made by root in the workspace would break the next checkout on a self-hosted runner."""
    try:
        owner = settings.workspace.stat()
        if os.geteuid() != 0 or not folder.resolve().is_relative_to(settings.workspace.resolve()):
            return
        for path in (folder, *folder.rglob("*")):
            os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
    except OSError:  # a file system without owners
        return


def _finish(
    settings: Settings, report: Report, output: Path | None, outcome: publish.Outcome, context: Context | None
) -> None:
    """The step's summary and outputs; they need no permission, so they hold whatever could not be posted."""
    if settings.step_summary and context is not None:
        notices = list(outcome.missing)
        if outcome.denied and output is not None:
            notices.append(
                "This run's token can only read, so the pull request's review is posted by the second workflow."
            )
        write_summary(settings.summary_path, review.step_summary(report, context, notices))
    sarif = output / "report.sarif" if output and settings.sarif else None
    relayed = output / relay.FILE if output else None
    write_outputs(
        settings.output_path,
        {
            "verdict": str(report.verdict),
            "blocking": str(len(report.blocking)),
            "new": str(sum(f.new and f.suppressed is None for f in report.findings)),
            "fixed": str(len(report.fixed)),
            "known": str(sum(not f.new for f in report.findings)),
            "report": _shown(settings, output / "report.json") if output and (output / "report.json").exists() else "",
            "sarif": _shown(settings, sarif) if sarif and sarif.exists() else "",
            "relay": _shown(settings, relayed) if relayed and relayed.exists() else "",
            "comment-url": outcome.comment_url,
            "posted": str(not outcome.missing and not outcome.denied and not outcome.superseded).lower(),
        },
    )


def _shown(settings: Settings, path: Path) -> str:
    """A path as later steps see it: relative to the workspace, whose place differs inside and outside the container."""
    try:
        return path.resolve().relative_to(settings.workspace.resolve()).as_posix()
    except ValueError:
        return str(path)


def _exit_code(settings: Settings, report: Report) -> int:
    if report.verdict is Verdict.FAIL:
        return 1
    return 3 if report.verdict is Verdict.INCOMPLETE and settings.fail_on_incomplete else 0


class LogProgress:
    """The pipeline's progress as lines of the log."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def started(self, target: str, stages: Sequence[str]) -> None:
        self._log.say(f"{target}: waiting")

    def stage(self, target: str, stage: str) -> None:
        self._log.say(f"{target}: {stage}")

    def finished(self, target: str, report: Any) -> None:
        self._log.say(f"{target}: {report.status}" + (f", {report.error}" if report.error else ""))
