"""What a run of the first stage posts: the check run from the start on, then the review, or how the run ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from action import pictures, publish, relay
from action.commands import Log, log_error
from action.diff import Changes
from action.ending import LAST_WAIT, Ending
from action.github import GitHub, GitHubProblem, PermissionDenied
from action.plan import CheckCommit, ReviewPullRequest
from action.publication import Publication
from action.review import Review, ReviewContext
from action.settings import Pictures, Settings
from action.status_check import StatusCheck
from analyzer.findings import Report
from analyzer.problem import UsageProblem
from analyzer.rendering.markdown import Links


@dataclass(frozen=True)
class Posting:
    """`github` is None where nothing can be posted from here: a fork's run, or one without a token."""

    settings: Settings
    todo: ReviewPullRequest | CheckCommit
    context: ReviewContext
    log: Log
    github: GitHub | None
    check: StatusCheck | None

    @staticmethod
    def of(
        settings: Settings, todo: ReviewPullRequest | CheckCommit, log: Log, connect: Callable[[Settings], GitHub]
    ) -> Posting:
        """What this run may post to; nothing is sent yet."""
        context = ReviewContext.of(settings, todo.head_sha, files=bool(settings.output))
        github = check = None
        wanted = settings.comment or settings.review or settings.check_run or settings.code_scanning
        read_only = isinstance(todo, ReviewPullRequest) and todo.read_only
        if settings.token and wanted and not read_only:
            github = connect(settings)
            if settings.check_run:
                check = StatusCheck.of(github, context)
        return Posting(settings, todo, context, log, github, check)

    def begin(self) -> None:
        """Open the check run; that it could not be opened is no reason to stop, for it is tried again at the end."""
        if self.check is not None:
            try:
                self.check.open()
            except GitHubProblem as problem:
                self.log.say(f"The check run could not be opened: {problem}")

    def post(self, report: Report, changes: Changes, output: Path, today: date) -> tuple[Review, Publication]:
        """The whole review is built first, then sent."""
        outcome = Publication()
        context = self.context
        if self.github is not None:
            context = replace(context, links=self._with_pictures(report, output, self.github, outcome, today))
        made = Review.of(report, context, changes)
        wanted = publish.Wanted.of(self.settings)
        if self.github is None:
            self._left(outcome)
        elif isinstance(self.todo, ReviewPullRequest):
            outcome = publish.on_pull_request(made, self.github, self.todo.number, wanted, self.check, outcome.missing)
        else:
            outcome = publish.on_commit(made, self.github, self.settings.ref, wanted, self.check, outcome)
        self._say(outcome)
        if outcome.denied:
            try:
                text = relay.pack(report, self.settings.id, self.todo.head_sha)
                (output / relay.FILE).write_text(text, encoding="utf-8")
            except UsageProblem as problem:
                outcome.missing.append(str(problem))
        return made, outcome

    def end(self, ending: Ending) -> Publication:
        """Say how a run ended that has no report."""
        outcome = Publication()
        if self.github is None:
            self._left(outcome)
        else:
            if ending.conclusion == "cancelled":
                self.github.hurry(LAST_WAIT)
            number = self.todo.number if isinstance(self.todo, ReviewPullRequest) else None
            wanted = publish.Wanted.of(self.settings)
            outcome = publish.ended(ending, self.context, self.github, number, wanted, self.check)
        self._say(outcome)
        return outcome

    def _left(self, outcome: Publication) -> None:
        if isinstance(self.todo, ReviewPullRequest) and self.todo.read_only:
            self.log.say(
                "This run's token can only read (a fork or Dependabot): the report is left for the second workflow."
            )
            outcome.denied = True
        elif not self.settings.token:
            outcome.missing.append("Nothing could be posted: the input `token` is empty.")
            outcome.concluded = not self.settings.check_run

    def _say(self, outcome: Publication) -> None:
        for sentence in outcome.missing:
            self.log.warning(sentence, title="Assay")
        if outcome.superseded:
            self.log.say("A newer commit or run speaks for this pull request: no comment was written.")

    def _with_pictures(self, report: Report, output: Path, github: GitHub, outcome: Publication, today: date) -> Links:
        """The context's links, with addresses for the drawn graphs where they can be shown."""
        settings, links = self.settings, self.context.links
        drawn = [p for target in report.targets for p in target.pictures if p.endswith(".png")]
        if not drawn or settings.pictures is Pictures.NONE:
            return links
        try:
            private = settings.pictures is Pictures.AUTO and github.is_private()
            if pictures.place(settings.pictures, private=private, read_only=False) is not Pictures.BRANCH:
                return links
            contents = {name: (output / name).read_bytes() for name in drawn if (output / name).is_file()}
            stored = pictures.store(github, settings.pictures_branch, contents, today, settings.server_url)
            return replace(links, pictures=stored)
        except PermissionDenied:
            if settings.pictures is Pictures.BRANCH:
                outcome.missing.append(
                    "The pictures could not be stored: the job needs `permissions: contents: write`."
                )
        except GitHubProblem as problem:
            outcome.missing.append(f"The pictures could not be stored: {problem}")
        except Exception as error:  # a mistake of ours, which must not cost the review
            log_error(self.log, error)
            outcome.missing.append(f"The pictures could not be stored: an internal error ({type(error).__name__}).")
        return links
