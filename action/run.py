"""One run of the action: plan, check out, analyse, publish. Everything with an effect is handed in as `Outside`."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from action import containment, folders, second_stage
from action.allowed import Chosen, allowed
from action.base_policy import Judged, affected, with_loosenings
from action.checkout import Change, Exported, Repository
from action.commands import Log, log_error, write_summary
from action.ending import Cancelled, Ending
from action.finish import finish
from action.github import GitHub
from action.placing import commented_paths
from action.plan import CheckCommit, Nothing, Plan, RelayReport, ReviewPullRequest, plan
from action.posting import Posting
from action.publication import Publication
from action.settings import Settings
from analyzer.configuration.config import Config, TargetConfig
from analyzer.findings import Report, Verdict
from analyzer.installation import as_problem
from analyzer.problem import UsageProblem
from analyzer.selecting.revisions import is_proper

if TYPE_CHECKING:
    from analyzer.running.containers import Containers
    from analyzer.running.opened import Opened
    from analyzer.walls import Sandbox

Pipeline = Callable[..., Report]
Contain = Callable[
    [Mapping[str, Path], "Sandbox | None"], AbstractContextManager[tuple["Containers | None", str | None]]
]


def _pipeline(*arguments: Any, **options: Any) -> Report:
    if "contained" in options and "keys" in options:  # no file of the trees is read in this process
        from analyzer.running.pipeline import review as analyse
    else:
        from analyzer.running.local import review as analyse

    return analyse(*arguments, **options)


def _write(report: Report, output: Path) -> Report:
    from analyzer.rendering.files import write

    return write(report, output)


@contextlib.contextmanager
def _in_this_process(_trees: Mapping[str, Path], _code: Sandbox | None) -> Iterator[tuple[None, None]]:
    yield None, None


@dataclass(frozen=True)
class Outside:
    """The world: GitHub, the analyses, the files they write, the sandbox, the date."""

    github: Callable[[Settings], GitHub]
    sandbox: Callable[[Settings, Plan, Path | None], tuple[Sandbox | None, str | None]]
    contain: Contain = _in_this_process
    pipeline: Pipeline = _pipeline
    write: Callable[[Report, Path], Report] = _write
    today: Callable[[], date] = field(default=lambda: datetime.now(UTC).date())


def run(settings: Settings, log: Log, outside: Outside) -> int:
    """Do what the event asks for. Exit code 0 nothing blocks, 1 something does, 3 not everything was analysed.

    The commit's check run is opened first and concluded in every ending; where it cannot be, the job fails.
    """
    chosen = plan(settings, read_payload(settings))
    if isinstance(chosen, Nothing):
        log.say(chosen.reason)
        if settings.step_summary:
            write_summary(settings.summary_path, f"✅ Assay had nothing to do. {chosen.reason}\n")
        finish(settings, None, None, Publication())
        return 0
    if isinstance(chosen, RelayReport):
        return second_stage.post(settings, chosen, log, outside.github(settings))
    posting = Posting.of(settings, chosen, log, outside.github)
    try:
        posting.begin()
        return _analyse(settings, chosen, posting, log, outside)
    except (Exception, Cancelled, KeyboardInterrupt) as broken:
        error = as_problem(broken)
        log_error(log, error)
        ending = Ending.of(error)
        outcome = posting.end(ending)
        if settings.step_summary:
            write_summary(settings.summary_path, "\n".join((ending.markdown(posting.context.name), *outcome.missing)))
        finish(settings, None, None, outcome)
        return ending.code


def _analyse(
    settings: Settings, todo: ReviewPullRequest | CheckCommit, posting: Posting, log: Log, outside: Outside
) -> int:
    repository = Repository(settings.workspace, f"{settings.server_url}/{settings.repository}", settings.token)
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        os.chmod(folder, 0o711)  # the user behind a wall passes through to what it is handed, and sees no names
        trees = _check_out(repository, todo, Path(folder).resolve())
        sandbox, refused = outside.sandbox(settings, todo, trees.base)
        output = folders.in_workspace(settings, settings.output) or folders.scratch(settings, Path(folder))
        judging = allowed(todo, settings, trees.head, trees.base)
        said: list[str] = []
        options = _options(settings, repository, todo, said)
        opened = _opened(options)
        with outside.contain(trees.by_name, sandbox) as (contained, why):
            if contained is None:
                chosen = _chosen_without_containers(why, trees, todo, settings, judging, opened)
            else:
                chosen = containment.select(contained, todo, settings, judging, trees.exported, opened)
            log.say(f"{len(chosen.targets)} of {chosen.total} models to analyse")
            notes = [*chosen.notes, *([refused] if refused and any(t.entry for t in chosen.targets) else [])]
            if why is not None:
                notes.append(f"The models were not analysed in containers of their own: {why}.")
            notes += said

            def analyse(config: Config, targets: Sequence[TargetConfig], output: Path) -> Report:
                keys = chosen.keys if config is chosen.config else {}
                walls: dict[str, Any] = {"contained": contained} if contained is not None else {}
                walls |= {"keys": keys} if chosen.keys is not None else {}  # else the pipeline reads the trees for them
                return outside.pipeline(
                    trees.head,
                    trees.base,
                    config,
                    targets,
                    output=output,
                    base_name=trees.base_sha[:12] if trees.base_sha else None,
                    head_name=todo.head_sha[:12],
                    sandbox=sandbox,
                    progress=LogProgress(log),
                    changed=None,
                    notes=notes,
                    **options,
                    **walls,
                )

            report = analyse(chosen.config, chosen.targets, output)
            reference, under_base = chosen.judging.reference, None
            if reference is not None and chosen.targets:
                log.say("The configuration asks less than the base's: analysing under the base's too")
                under_base = analyse(reference, affected(chosen.targets, reference), Path(folder) / "under-base")
        base_name = todo.base_ref or "the base"
        report = with_loosenings(report, chosen.judging, settings.config, under_base, base_name, outside.today())
        report = replace(report, targets=(*report.targets, *chosen.skipped))
        report = outside.write(report, output)
        changes = repository.commentable(
            trees.base_sha or todo.head_sha, todo.head_sha, trees.changes, commented_paths(report)
        )
        made, outcome = posting.post(report, changes, output, outside.today())
        folders.give_to_owner(settings, output)
        if settings.cache:
            folders.give_to_owner(settings, settings.workspace / settings.cache)
        finish(settings, made, output, outcome)
    return _exit_code(settings, report, outcome)


def _chosen_without_containers(
    why: str | None,
    trees: _Trees,
    todo: ReviewPullRequest | CheckCommit,
    settings: Settings,
    judging: Judged,
    opened: Opened,
) -> Chosen:
    """Behind the kernel's wall; `why` None: whoever called asked for neither wall."""
    if why is None:
        from action.selection import choose  # finds models by their content: not in the front

        return choose(todo, settings, judging, trees.head, trees.base, trees.exported, opened)
    containment.require_kernel_wall(why)
    from action import walled_selection

    return walled_selection.select(trees.by_name, todo, settings, judging, trees.exported, opened)


@dataclass(frozen=True)
class _Trees:
    head: Path
    base: Path | None
    base_sha: str | None
    changes: tuple[Change, ...]
    exported: Exported

    @property
    def by_name(self) -> dict[str, Path]:
        """As containers name them."""
        return {"head": self.head} | ({"base": self.base} if self.base is not None else {})


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
    changes = repository.changes(base, todo.head_sha)
    follow_renames(before, changes)
    return _Trees(head, before, base, changes, exported)


def follow_renames(before: Path, changes: Sequence[Change]) -> None:
    """Give renamed files of the base their new names, so that a model that only moved is compared with itself.

    Python files keep their old names too: others of the base import them.
    """
    for change in changes:
        if change.status != "R" or change.old_path is None:
            continue
        source, target = before / change.old_path, before / change.path
        if not source.is_file() or target.exists() or not is_proper(change.path):
            continue
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target) if source.suffix == ".py" else source.replace(target)
        except OSError:  # the base has a file where the head has a folder
            continue


def read_payload(settings: Settings) -> Mapping[str, Any]:
    """The webhook's payload as the runner left it. Raises UsageProblem."""
    try:
        payload = json.loads(settings.event_path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        raise UsageProblem(f"The event file {settings.event_path} cannot be read ({type(problem).__name__}).") from None
    if not isinstance(payload, dict):
        raise UsageProblem(f"The event file {settings.event_path} does not hold an event.")
    return payload


def _options(
    settings: Settings, repository: Repository, todo: ReviewPullRequest | CheckCommit, notes: list[str]
) -> dict[str, Any]:
    """Where outcomes are kept between runs. A cache that the revision itself brings along would be a forged one.

    A pull request has a part of its own: it reads what runs of the repository's branches have kept, and writes nothing
    that they read.
    """
    if not settings.cache:
        return {}
    if repository.tracks(todo.head_sha, settings.cache):
        notes.append(f"The cache folder {settings.cache} is part of this revision and was not used.")
        return {}
    from analyzer.running.pipeline import RunOptions

    folder = folders.in_workspace(settings, settings.cache)
    if folder is None:
        return {}
    if not isinstance(todo, ReviewPullRequest):
        return {"options": RunOptions(cache=folder / "outcomes", exports=folder / "exports")}
    own = folder / f"pull-{todo.number}"
    return {"options": RunOptions(cache=own / "outcomes", cache_also=(folder / "outcomes",), exports=own / "exports")}


def _opened(options: Mapping[str, Any]) -> Opened:
    """What the last exports of the targets read, by the cache."""
    if not options:
        return {}
    from analyzer.running.cache import Cache

    return Cache(options["options"].cache, options["options"].cache_also).opened()


def _exit_code(settings: Settings, report: Report, outcome: Publication) -> int:
    """A check run without conclusion would be waited for in vain, so the job itself fails then."""
    if report.verdict is Verdict.FAIL:
        return 1
    incomplete = report.verdict is Verdict.INCOMPLETE and settings.fail_on_incomplete
    return 3 if incomplete or not outcome.concluded else 0


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
