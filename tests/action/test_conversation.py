"""Any sequence of pushes, runs and people's doings leaves exactly the right comments; so do two runs at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from action import markers, publish
from action.diff import Changes, hunks_of
from action.github import GitHub, RetryBudget
from action.outcome import Outcome
from action.review import Context, Review
from action.status_check import StatusCheck
from analyzer.findings import Finding, Location, Report, Status, TargetReport
from tests.action.reports import KERNEL, report
from tests.github_simulator import ChangedFile, Comment, PullRequest, Simulator
from tests.github_simulator.server import TOKEN
from tests.github_simulator.state import BOT

NUMBER = 7
TARGETS = ("vae-loss", "big")
POOL = tuple(replace(KERNEL, node=f"n{n}", layer=f"layer{n}", target=TARGETS[n % 2]) for n in range(5))
ANY = st.frozensets(st.integers(0, 4)).map(lambda chosen: tuple(POOL[n] for n in sorted(chosen)))
SOME = ANY.filter(bool)
PATCH = "@@ -1,0 +1,60 @@\n" + "\n".join(f"+line {n}" for n in range(60))
CHANGES = Changes(frozenset({"models/vae.py"}), {"models/vae.py": hunks_of(PATCH)})


def sha(number: int) -> str:
    return f"{number:040x}"


class World:
    """A pull request on the simulator and runs that post to it."""

    def __init__(self) -> None:
        self.simulator = Simulator()
        self.simulator.__enter__()
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
        return GitHub("octo/models", self.simulator.url, self.simulator.graphql_url, TOKEN, budget, timeout=5)

    def run(self, found: Report, github: GitHub | None = None, number: int | None = None) -> Outcome:
        self.runs += 1
        context = Context(
            "assay", "octo/models", self.simulator.site, sha(self.head), self.runs if number is None else number
        )
        made, github = Review.of(found, context, CHANGES), github or self.github()
        return publish.on_pull_request(made, github, NUMBER, publish.Wanted(), StatusCheck.of(github, context))

    def ours(self) -> list[tuple[Comment, markers.Marker]]:
        found = [(c, markers.read(c.body)) for c in self.state.review_comments.values() if c.author == BOT]
        return [(c, m) for c, m in found if m and m.kind == "finding" and m.get("state") != "double"]

    def summaries(self) -> list[Comment]:
        return [c for c in self.state.issue_comments.values() if c.author == BOT]


class Conversation(RuleBasedStateMachine):
    """What a reader sees is predicted from the findings of the last run that had something to say of each model."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.lines = {f.fingerprint: 1 + 7 * n for n, f in enumerate(POOL)}
        self.present: frozenset[str] = frozenset()
        self.seen: set[str] = set()  # fingerprints that have a comment
        self.closed_by_hand: set[str] = set()
        self.words: dict[int, str] = {}  # what people wrote
        self.posted = False

    @initialize(found=SOME)
    def opened(self, found: tuple[Finding, ...]) -> None:
        self.post(found)

    def post(self, found: tuple[Finding, ...], broken: str = "") -> None:
        """A run; nothing is known of the model `broken`, so its comments stay as they were."""
        kept = [f for f in found if f.target != broken]
        targets = tuple(
            TargetReport(t, "model", f"{t}.onnx", Status.FAILED if t == broken else Status.ANALYSED) for t in TARGETS
        )
        ordered = sorted(kept, key=lambda f: f.node)
        made = replace(
            report(*(replace(f, location=Location("models/vae.py", self.lines[f.fingerprint])) for f in ordered)),
            targets=targets,
        )
        outcome = self.world.run(made)
        assert outcome.missing == []
        now = {f.fingerprint for f in kept}
        silent = {f.fingerprint for f in POOL if f.target == broken}
        self.closed_by_hand -= now - self.present  # what comes back is opened again
        self.present = frozenset(now | (self.present & silent))
        self.seen |= now
        self.posted = True

    @rule(found=ANY)
    def push(self, found: tuple[Finding, ...]) -> None:
        self.world.push()
        self.post(found)

    @rule(by=st.integers(1, 9))
    def shift(self, by: int) -> None:
        """Lines move, findings stay."""
        self.world.push()
        self.lines = {fp: 1 + (line - 1 + by) % 60 for fp, line in self.lines.items()}
        self.post(tuple(f for f in POOL if f.fingerprint in self.present))

    @rule()
    def again(self) -> None:
        before = self.world.state.snapshot()["review_comments"]
        self.post(tuple(f for f in POOL if f.fingerprint in self.present))
        if self.seen >= self.present:
            assert len(self.world.state.snapshot()["review_comments"]) >= len(before)

    @rule(broken=st.sampled_from(TARGETS), found=ANY)
    def break_a_model(self, broken: str, found: tuple[Finding, ...]) -> None:
        self.world.push()
        self.post(found, broken)

    @rule(which=st.integers(0, 20))
    def somebody_resolves(self, which: int) -> None:
        roots = self.world.ours()
        if roots:
            comment, marker = roots[which % len(roots)]
            comment.resolved = True
            self.closed_by_hand.add(marker.get("fp"))

    @rule(which=st.integers(0, 20))
    def somebody_answers(self, which: int) -> None:
        roots = self.world.ours()
        if roots:
            root = roots[which % len(roots)][0]
            made = self.world.state.comment(NUMBER, "octocat", "Why?", path="models/vae.py", in_reply_to=root.id)
            self.words[made.id] = made.body

    @rule(which=st.integers(0, 20))
    def somebody_deletes(self, which: int) -> None:
        answered = {c.in_reply_to for c in self.world.state.review_comments.values()}
        roots = [pair for pair in self.world.ours() if pair[0].id not in answered]
        if roots:
            comment, marker = roots[which % len(roots)]
            del self.world.state.review_comments[comment.id]
            self.closed_by_hand.discard(marker.get("fp"))
            self.seen.discard(marker.get("fp"))
        self.posted = False

    @rule()
    def somebody_deletes_the_summary(self) -> None:
        for comment in self.world.summaries():
            del self.world.state.issue_comments[comment.id]
        self.posted = False

    @rule(forged=st.sampled_from(POOL))
    def somebody_forges(self, forged: Finding) -> None:
        body = f"{markers.finding('assay', forged.fingerprint, forged.target)}\nmine"
        made = self.world.state.comment(NUMBER, "mallory", body, path="models/vae.py", line=3)
        self.words[made.id] = body

    @rule()
    def an_old_run_comes_late(self) -> None:
        before = self.world.state.snapshot()
        outcome = self.world.run(report(*POOL), number=0) if self.posted else None
        if outcome:
            assert outcome.superseded
            after = self.world.state.snapshot()
            assert {k: after[k] for k in ("issue_comments", "review_comments")} == {
                k: before[k] for k in ("issue_comments", "review_comments")
            }

    @invariant()
    def exactly_the_right_comments(self) -> None:
        if not self.posted:
            return
        assert len(self.world.summaries()) == 1
        ours = self.world.ours()
        marked = {marker.get("fp"): (comment, marker) for comment, marker in ours}
        assert len(marked) == len(ours), "a problem has two comments"
        assert set(marked) == self.seen
        for fingerprint, (comment, marker) in marked.items():
            open_now = fingerprint in self.present
            assert marker.get("state") == ("open" if open_now else "fixed")
            assert ("Not found any more" in comment.body) is not open_now
            closed = comment.resolved or comment.minimized is not None
            assert closed is (not open_now or fingerprint in self.closed_by_hand)

    @invariant()
    def peoples_words_are_theirs(self) -> None:
        there = self.world.state.review_comments
        assert {n: there[n].body for n in self.words} == self.words

    def teardown(self) -> None:
        assert self.world.simulator.violations == []
        self.world.simulator.__exit__()


TestConversation = Conversation.TestCase
TestConversation.settings = settings(max_examples=20, stateful_step_count=10, deadline=None)


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
        try:
            if begun:
                world.run(report(replace(POOL[0], location=Location("models/vae.py", 5))), number=1)
                world.push()
            github = world.github()
            asked = meanwhile(github, index, lambda w=world: w.run(NEW, number=30))  # type: ignore[misc]
            world.run(OLD, github, number=20)
            total = len(asked)
            (summary,) = world.summaries()
            fingerprints = [marker.get("fp") for _, marker in world.ours()]
            assert len(fingerprints) == len(set(fingerprints)), f"doubled around {asked[index]}"
            # GitHub has no write on condition: between the last look and the edit itself nothing can be noticed.
            if not asked[index].startswith("PATCH /issues/comments/"):
                assert "run=30." in summary.body.split("\n")[0], f"the older run won around {asked[index]}"
            assert world.simulator.violations == []
        finally:
            world.simulator.__exit__()
        index += 1
    assert total > 5


def test_a_double_that_was_answered_is_folded() -> None:
    world = World()
    try:
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
    finally:
        world.simulator.__exit__()
