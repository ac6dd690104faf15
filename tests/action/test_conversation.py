"""Any sequence of pushes, runs and people's doings leaves exactly the right comments; so do two runs at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from action import markers, publish
from action.diff import Changes, hunks_of
from action.github import GitHub, RetryBudget
from action.publication import Publication
from action.review import Review, ReviewContext
from action.status_check import StatusCheck
from analyzer.findings import Location, Report
from tests.action.conversation_model import play
from tests.action.reports import KERNEL, report
from tests.github_simulator import ChangedFile, Comment, PullRequest, Simulator
from tests.github_simulator.in_process import Requester
from tests.github_simulator.server import TOKEN, UNLIMITED
from tests.github_simulator.state import BOT

NUMBER = 7
LIVES = 60
TARGETS = ("vae-loss", "big")
POOL = tuple(replace(KERNEL, node=f"n{n}", layer=f"layer{n}", target=TARGETS[n % 2]) for n in range(5))
PATCH = "@@ -1,0 +1,60 @@\n" + "\n".join(f"+line {n}" for n in range(60))
CHANGES = Changes(frozenset({"models/vae.py"}), {"models/vae.py": hunks_of(PATCH)})


def sha(number: int) -> str:
    return f"{number:040x}"


class World:
    """A pull request on the simulator and runs that post to it."""

    def __init__(self) -> None:
        self.simulator = Simulator(**UNLIMITED)
        self.state = self.simulator.state
        self.head = 1
        self.runs = 0
        files = [ChangedFile("models/vae.py", PATCH)]
        self.pull = self.state.add_pull(PullRequest(NUMBER, sha(1), sha(0), files=files))

    def push(self) -> None:
        self.head += 1
        self.pull.push(sha(self.head))

    def github(self) -> GitHub:
        budget = RetryBudget(60, clock=lambda: 0.0, sleep=lambda _: None, pause=0)
        made = GitHub("octo/models", self.simulator.url, self.simulator.graphql_url, TOKEN, budget, timeout=5)
        made._transport._requester = Requester(self.simulator)  # type: ignore[assignment]
        return made

    def run(self, found: Report, github: GitHub | None = None, number: int | None = None) -> Publication:
        self.runs += 1
        context = ReviewContext(
            "assay", "octo/models", self.simulator.site, sha(self.head), self.runs if number is None else number
        )
        made, github = Review.of(found, context, CHANGES), github or self.github()
        return publish.on_pull_request(made, github, NUMBER, publish.Wanted(), StatusCheck.of(github, context))

    def ours(self) -> list[tuple[Comment, markers.Marker]]:
        found = [(c, markers.read(c.body)) for c in self.state.review_comments.values() if c.author == BOT]
        return [(c, m) for c, m in found if m and m.kind == "finding" and m.get("state") != "double"]

    def summaries(self) -> list[Comment]:
        return [c for c in self.state.issue_comments.values() if c.author == BOT]


@pytest.mark.parametrize("seed", range(6))
def test_any_life_of_a_pull_request_leaves_what_must_stand(seed: int) -> None:
    """`benchmarks/review_conversation.py` plays hundreds."""
    assert play(seed) == []


SWITCHED_OFF: dict[str, tuple[str, Callable[..., Any]]] = {
    "fixed comments are closed": ("action.threads.Threads._close", lambda *_: None),
    "comments are opened again": ("action.threads.Threads._reopen", lambda *_: None),
    "comments move with their lines": ("action.anchoring.Present.stands_at", lambda *_: True),
    "what a newer comment replaces is closed": ("action.threads.Threads._after", lambda *_: []),
    "no check run of another run stays open": ("action.status_check.StatusCheck._tidy", lambda *_: None),
    "an older run does not conclude over a later one": ("action.status_check.StatusCheck._later", lambda *_: False),
    "an older run writes no summary over a later one's": ("action.conversation.Conversation._spoken", lambda *_: False),
    "a run of an older commit writes no summary": ("action.conversation.Conversation.moved_on", lambda *_: False),
    "a closed pull request is left alone": ("action.conversation.Conversation.superseded", lambda *_: False),
    "what was written is waited for": ("action.github.RetryBudget.until", lambda _, seen: seen()),
}
SEEN_BETWEEN_REQUESTS: dict[str, tuple[str, Callable[..., Any]]] = {
    "doubles go": ("action.github.PullRequests.delete_review_comment", lambda *_: None),
    "one summary": ("action.github.PullRequests.delete", lambda *_: None),
}


@pytest.mark.parametrize("mechanism", SWITCHED_OFF)
def test_the_oracle_sees_what_is_wrong(mechanism: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each mechanism switched off is noticed within a few lives."""
    monkeypatch.setattr(*SWITCHED_OFF[mechanism])
    assert any(play(seed) for seed in range(LIVES))


@pytest.mark.parametrize("mechanism", SEEN_BETWEEN_REQUESTS)
def test_what_two_runs_at_once_see(mechanism: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*SEEN_BETWEEN_REQUESTS[mechanism])
    with pytest.raises((AssertionError, ValueError)):
        test_two_runs_at_once_leave_one_of_each_and_the_newer_wins(begun=False)


# -- two runs at once --------------------------------------------------------------------------------------------------


def meanwhile(github: GitHub, index: int, other: Callable[[], Any]) -> list[str]:
    """Let `other` happen before the request with that index; returns the list to which the requests are written."""
    transport = github._transport
    plain, asked = transport.call, []

    def call(verb: str, path: str, *arguments: Any, **options: Any) -> Any:
        asked.append(f"{verb} {path}")
        if len(asked) - 1 == index:
            other()
        return plain(verb, path, *arguments, **options)

    transport.call = call  # type: ignore[method-assign]
    return asked


OLD = report(*(replace(f, location=Location("models/vae.py", 5)) for f in POOL[:3]))
NEW = report(*(replace(f, location=Location("models/vae.py", 5)) for f in POOL[1:4]))


@pytest.mark.parametrize("begun", [False, True], ids=["first runs", "later runs"])
def test_two_runs_at_once_leave_one_of_each_and_the_newer_wins(begun: bool) -> None:
    """A newer run of the same commit happens wholly between two requests of an older one, at each place in turn."""
    index, total = 0, 1
    while index < total:
        world = World()
        if begun:
            world.run(report(replace(POOL[0], location=Location("models/vae.py", 5))), number=1)
            world.push()
        github = world.github()
        asked = meanwhile(github, index, lambda w=world: w.run(NEW, number=30))  # type: ignore[misc]
        world.run(OLD, github, number=20)
        total = len(asked)
        (summary,) = world.summaries()
        told = [fp for c, marker in world.ours() if not c.resolved for fp in marker.get("fp").split(".")]
        assert len(told) == len(set(told)), f"doubled around {asked[index]}"
        # GitHub has no write on condition: between the last look and the edit itself nothing can be noticed.
        if not asked[index].startswith("PATCH /issues/comments/"):
            assert "run=30." in summary.body.split("\n")[0], f"the older run won around {asked[index]}"
        assert world.simulator.violations == []
        index += 1
    assert total > 5


def test_a_double_that_was_answered_is_folded() -> None:
    world = World()
    world.run(OLD)
    first = world.ours()[0][0]
    double = world.state.comment(NUMBER, BOT, first.body, path="models/vae.py", line=5)
    silent = world.state.comment(NUMBER, BOT, first.body, path="models/vae.py", line=5)
    world.state.comment(NUMBER, "octocat", "Is it?", path="models/vae.py", in_reply_to=double.id)
    for _ in range(2):
        world.run(OLD)
        assert double.minimized == "DUPLICATE"
        assert silent.id not in world.state.review_comments
    assert "Is it?" in {c.body for c in world.state.review_comments.values()}
