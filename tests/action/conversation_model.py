"""Random lives of a pull request against an oracle that knows which comments, threads and check runs must stand.

`tests/action/test_conversation.py` plays a few, `benchmarks/review_conversation.py` hundreds.
"""

from __future__ import annotations

import difflib
import io
import random
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from action import markers
from action.commands import Log
from action.diff import Changes, hunks_of
from action.ending import Cancelled, Ending
from action.github import GitHub, RetryBudget
from action.github.transient_errors import SETTLED
from action.plan import ReviewPullRequest
from action.posting import Posting
from action.review import ReviewContext
from action.settings import Pictures, Settings
from action.status_check import StatusCheck
from analyzer.findings import Finding, Level, Location, Report, TargetReport
from analyzer.problem import UsageProblem
from tests.action.reports import KERNEL
from tests.github_simulator import ChangedFile, CheckRun, Comment, PullRequest, Simulator
from tests.github_simulator.in_process import Requester
from tests.github_simulator.server import TOKEN, UNLIMITED
from tests.github_simulator.state import BOT

NUMBER = 7
LAG = 2.0  # seconds for which every second world's reads do not see what was written
LAST_WORDS = re.compile(r"/issues/(\d+/)?comments|/check-runs|/pulls/comments|/reviews$|/graphql$")
EVENTS = 30
BUGS = 6
EVENT_NAMES = (
    "add", "add", "shift", "shift", "edit", "edit", "fix", "introduce_again", "rename", "delete", "rerun",
    "break_configuration", "mend_configuration", "concurrent", "cancelled_late",
    "pushed_meanwhile", "close", "reopen", "move_base", "force_push",
    "somebody_answers", "somebody_forges",
)  # fmt: skip


class World:
    """One pull request that changes one file, and the runs that review it. `seed` decides everything."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.now = 0.0
        self.simulator = Simulator(**UNLIMITED, clock=self._clock, lag=LAG if seed % 2 else 0.0)
        self.state = self.simulator.state
        self.number = self.runs = 0
        self.base = [f"line {n}" for n in range(40)]
        self.head = list(self.base)
        self.path = "models/net.py"
        self.broken = False
        self.former: list[tuple[list[str], str]] = []
        self.words: dict[int, str] = {}
        self.left: dict[int, str] = {}  # our comments when the pull request was closed
        self.pull = self.state.add_pull(PullRequest(NUMBER, self.sha, "b" * 40))
        self.push()

    def _clock(self) -> float:
        return self.now

    def _sleep(self, seconds: float) -> None:
        self.now += seconds

    # -- the repository --------------------------------------------------------------------------------------------

    @property
    def sha(self) -> str:
        return f"{self.number:040x}"

    def changed(self) -> list[ChangedFile]:
        if not self.path:
            return [ChangedFile("models/net.py", None, "removed")]
        lines = list(difflib.unified_diff(self.base, self.head, lineterm="", n=3))[2:]
        previous = "models/net.py" if self.path != "models/net.py" else None
        patch = "\n".join(lines) if lines else None
        return [ChangedFile(self.path, patch, "renamed" if previous else "modified", previous, "\n".join(self.head))]

    def push(self) -> None:
        self.number += 1
        self.former.append((list(self.head), self.path))
        self.pull.push(self.sha, self.changed())

    def bugs(self) -> dict[int, int]:
        """The line of each bug."""
        if not self.path:
            return {}
        found = {}
        for number, text in enumerate(self.head, 1):
            if text.startswith("bug "):
                found[int(text.split()[1])] = number
        return found

    # -- runs ------------------------------------------------------------------------------------------------------

    def github(self) -> GitHub:
        budget = RetryBudget(60, clock=self._clock, sleep=self._sleep, pause=0)
        made = GitHub("octo/models", self.simulator.url, self.simulator.graphql_url, TOKEN, budget, timeout=5)
        made._transport._requester = Requester(self.simulator, self._sleep)  # type: ignore[assignment]
        return made

    def report(self) -> Report:
        findings = tuple(bug(n, self.path, line) for n, line in sorted(self.bugs().items()))
        targets = (TargetReport("net", "model", "net.onnx"),)
        return Report(targets, findings, base="b" * 12, head=self.sha[:12])

    def run(self, github: GitHub | None = None, cancelled: bool = False) -> None:
        """A run of the action, but for the checkout and the analyses; it reports what is there when it begins.

        `cancelled`: the runner ends it before it has a result.
        """
        self.runs += 1
        told, files, broken = self.report(), self.changed(), self.broken
        settings = Settings(
            token=TOKEN, pictures=Pictures.NONE, event_name="pull_request", event_path=Path("event.json"),
            repository="octo/models", sha=self.sha, workspace=Path(), run_id=self.runs,
        )  # fmt: skip
        todo = ReviewPullRequest(NUMBER, self.sha, self.pull.base_sha, "main", False, False)
        context = ReviewContext.of(settings, self.sha, files=False)
        github = github or self.github()
        check = StatusCheck.of(github, context)
        posting = Posting(settings, todo, context, Log(io.StringIO()), github, check)
        posting.begin()
        if cancelled:
            outcome = posting.end(Ending.of(Cancelled()))
        elif broken:
            outcome = posting.end(Ending.of(UsageProblem(".assay.yml:3: `fail-on` is 'sometimes'; choose one.")))
        else:
            changes = Changes(frozenset(f.path for f in files), {f.path: hunks_of(f.patch) for f in files if f.patch})
            _, outcome = posting.post(told, changes, Path(), date(2026, 11, 21))
        assert outcome.missing == [], outcome.missing

    # -- events ----------------------------------------------------------------------------------------------------

    def happen(self, name: str) -> bool:
        """Let something happen; False where it cannot happen now."""
        happened: bool = getattr(self, name)()
        return happened

    def add(self) -> bool:
        free = [n for n in range(BUGS) if n not in self.bugs()]
        if not free or not self.path:
            return False
        self.head.insert(self.random.randrange(len(self.head) + 1), f"bug {self.random.choice(free)} here")
        return self._pushed()

    introduce_again = add

    def shift(self) -> bool:
        if not self.path:
            return False
        place = self.random.choice([0, self.random.randrange(len(self.head) + 1)])
        self.head[place:place] = [f"new {self.number} {n}" for n in range(self.random.randint(1, 5))]
        return self._pushed()

    def edit(self) -> bool:
        if not self.bugs():
            return False
        _, line = self.random.choice(sorted(self.bugs().items()))
        self.head[line - 1] += f" edited {self.number}"
        return self._pushed()

    def fix(self) -> bool:
        if not self.bugs():
            return False
        _, line = self.random.choice(sorted(self.bugs().items()))
        if self.random.random() < 0.5:
            del self.head[line - 1]
        else:
            self.head[line - 1] = f"fixed {self.number}"
        return self._pushed()

    def rename(self) -> bool:
        if not self.path:
            return False
        self.path = "models/moved.py" if self.path == "models/net.py" else "models/net.py"
        return self._pushed()

    def delete(self) -> bool:
        self.path = "" if self.path else "models/net.py"
        return self._pushed()

    def force_push(self) -> bool:
        head, self.path = self.random.choice(self.former)
        self.head = list(head)
        return self._pushed()

    def move_base(self) -> bool:
        line = self.random.randrange(len(self.base))
        self.base[line] += " moved"
        if self.path and self.random.random() < 0.5 and line < len(self.head) and self.head[line].startswith("line"):
            self.head[line] = self.base[line]
        self.pull.base_sha = f"{self.number:039x}b"
        return self._pushed()

    def rerun(self) -> bool:
        self._run()
        return True

    def break_configuration(self) -> bool:
        if self.broken:
            return False
        self.broken = True
        return self._pushed()

    def mend_configuration(self) -> bool:
        if not self.broken:
            return False
        self.broken = False
        return self._pushed()

    def close(self) -> bool:
        self.pull.state = "closed"
        self.left = self._said()
        self._run()
        return True

    def reopen(self) -> bool:
        if self.pull.state == "open":
            return False
        self.pull.state = "open"
        self._run()
        return True

    def concurrent(self) -> bool:
        """A newer run happens wholly between two requests of an older one of the same commit."""
        return self._late(self._run)

    def cancelled_late(self) -> bool:
        """So it does, while the runner ends the older one, whose last words come after the newer one's."""
        return self._late(self._run, cancelled=True)

    def pushed_meanwhile(self) -> bool:
        """A newer commit is pushed and reviewed while an older one's run is under way."""

        def push() -> None:
            if self.path:
                self.head[0:0] = [f"new {self.number}"]
            if self.random.random() < 0.5 and self.bugs():
                del self.head[self.random.choice(sorted(self.bugs().values())) - 1]
            self._pushed()

        return self._late(push)

    def _late(self, other: Callable[[], None], cancelled: bool = False) -> bool:
        """`other` happens between two requests of an older run, and is seen by the next of them.

        But not right before a write: GitHub has no write on condition, so nobody can notice then.
        """
        github = self.github()
        at, asked, happened = self.random.randint(1, 14), 0, False
        plain = github._transport.call

        def call(verb: str, path: str, *arguments: Any, **options: Any) -> Any:
            nonlocal asked, happened
            asked += 1
            if not happened and asked >= at and not (verb in ("PATCH", "POST") and LAST_WORDS.search(path)):
                happened = True
                other()
                self.now += SETTLED
            return plain(verb, path, *arguments, **options)

        github._transport.call = call  # type: ignore[method-assign]
        self.now += 60
        self.run(github, cancelled)
        if not happened:  # the older one was done before
            other()
        return True

    def somebody_answers(self) -> bool:
        roots = [c for c, _ in self.ours()]
        if not roots:
            return False
        root = self.random.choice(roots)
        made = self.state.comment(NUMBER, "octocat", "Why?", path=root.path, in_reply_to=root.id)
        self.words[made.id] = made.body
        return True

    def somebody_forges(self) -> bool:
        body = f"{markers.finding('assay', bug(0, 'x', 1).fingerprint, 'net')}\nmine"
        made = self.state.comment(NUMBER, "mallory", body, path="models/net.py", line=3, commit_id=self.sha)
        self.words[made.id] = body
        return True

    def _pushed(self) -> bool:
        self.push()
        self._run()
        return True

    def _run(self) -> None:
        self.now += 60
        self.run()

    # -- the oracle ------------------------------------------------------------------------------------------------

    def ours(self) -> list[tuple[Comment, markers.Marker]]:
        found = [(c, markers.read(c.body)) for c in self.state.review_comments.values() if c.author == BOT]
        return [(c, m) for c, m in found if m and m.kind == "finding"]

    def _said(self) -> dict[int, str]:
        every = (*self.state.issue_comments.values(), *self.state.review_comments.values())
        return {c.id: c.body for c in every if c.author == BOT}

    def wrong(self) -> list[str]:
        """What does not stand as it must after a run."""
        told: list[str] = []
        told += self._wrong_checks()
        if self.simulator.violations:
            told.append(f"GitHub refused: {self.simulator.violations[:2]}")
        if {n: self.state.review_comments[n].body for n in self.words} != self.words:
            told.append("somebody's words were changed")
        summaries = [c for c in self.state.issue_comments.values() if c.author == BOT]
        if len(summaries) > 1:
            told.append(f"{len(summaries)} summaries")
        if self.pull.state == "closed" and self._said() != self.left:
            told.append("something was written on a closed pull request")
        if self.pull.state == "open":
            told += self._wrong_summary(summaries)
            if not self.broken:
                told += self._wrong_comments()
        return told

    def _wrong_checks(self) -> list[str]:
        told = []
        runs = [c for c in self.state.check_runs.values() if c.head_sha == self.sha]
        if any(c.status != "completed" for c in self.state.check_runs.values()):
            told.append("a check run stays open")
        latest: CheckRun | None = max(runs, key=lambda c: c.id, default=None)
        expected = "failure" if self.broken or self.bugs() else "success"
        if latest is None or latest.conclusion != expected:
            told.append(f"the check is {latest and latest.conclusion}, not {expected}")
        elif not self.broken and len(latest.annotations) != len(self.bugs()):
            told.append(f"{len(latest.annotations)} annotations for {len(self.bugs())} bugs")
        return told

    def _wrong_summary(self, summaries: list[Comment]) -> list[str]:
        if not summaries:
            return ["there is no summary"]
        body = summaries[0].body
        if f"sha={self.sha}" not in body:
            return ["the summary is about another commit"]
        count = len(self.bugs())
        says = "cannot run" if self.broken else f"{count} new problem" if count else "no new problem"
        return [] if says in body else [f"the summary does not say `{says}`"]

    def _wrong_comments(self) -> list[str]:
        told = []
        there: dict[str, list[Comment]] = {}
        for comment, marker in self.ours():
            closed = comment.resolved or comment.minimized is not None
            if (marker.get("state") == "open") is closed:
                told.append(f"comment {comment.id} is {marker.get('state')} and {'closed' if closed else 'open'}")
            if not closed:
                for fingerprint in marker.get("fp").split("."):
                    there.setdefault(fingerprint, []).append(comment)
        bugs = {bug(n, self.path, line).fingerprint: (n, line) for n, line in self.bugs().items()}
        for fingerprint, comments in there.items():
            if fingerprint not in bugs:
                told.append("a comment of a fixed bug is open")
            elif len(comments) > 1:
                told.append(f"bug {bugs[fingerprint][0]} has {len(comments)} open comments")
        for fingerprint, (n, line) in bugs.items():
            if self.pull.in_one_hunk(self.path, line):
                places = [self.state.place_now(c)[0] for c in there.get(fingerprint, ())]
                if places != [line]:
                    told.append(f"bug {n} is on line {line}, its comments on {places}")
        return told


def bug(n: int, path: str, line: int) -> Finding:
    return replace(
        KERNEL, node=f"n{n}", layer=f"layer{n}", target="net", message=f"bug {n} is here", level=Level.ERROR,
        location=Location(path, line),
    )  # fmt: skip


def play(seed: int, events: int = EVENTS) -> list[str]:
    """One sequence; what was wrong, with the events that led there. Empty when nothing was."""
    world = World(seed)
    world.run()
    done: list[str] = []
    while len(done) < events:
        name = world.random.choice(EVENT_NAMES)
        if not world.happen(name):
            continue
        done.append(name)
        told = world.wrong() if not name.startswith("somebody") else []
        if told:
            return [f"seed {seed}: {'; '.join(told)} after {' '.join(done)}"]
    return []
