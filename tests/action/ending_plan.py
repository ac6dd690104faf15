"""Every way in which a run can end, and what it must leave: a concluded check run, or a failed job that says why.

`tests/action/test_endings.py` asserts it, `benchmarks/review_endings.py` prints the table.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from action.ending import Cancelled
from analyzer.findings import Report
from analyzer.problem import UsageProblem
from tests.action import flows
from tests.action.harness import Ran, Workbench
from tests.action.reports import BROKEN, EXP, KERNEL, LOG, report
from tests.github_simulator import CheckRun, Fault, Request

# What the front calls, in the order of a run; the analyses' own stages end in a failed target.
STAGES = (
    "action.run.read_payload",
    "action.run.plan",
    "action.posting.StatusCheck.of",
    "action.status_check.StatusCheck.open",
    "action.run.Repository",
    "action.checkout.Repository.ensure",
    "action.checkout.Repository.merge_base",
    "action.checkout.Repository.export",
    "action.checkout.Repository.changes",
    "action.run.follow_renames",
    "action.folders.in_workspace",
    "action.run.allowed",
    "action.selection.choose",
    "action.run._options",
    "action.run.with_loosenings",
    "action.checkout.Repository.commentable",
    "action.posting.Context.of",
    "action.review.inline_comments",
    "action.review.Review.summary",
    "action.review.Review.check",
    "action.conversation.Conversation.superseded",
    "action.threads.moves",
    "action.publish._summarise",
    "action.publish.conclude",
    "action.finish.write_summary",
    "action.finish.write_outputs",
)
# Before there is a commit to report on, or a way to: the job fails with the reason.
BEFORE_A_CHECK = (
    "action.run.read_payload",
    "action.run.plan",
    "action.posting.Context.of",
    "action.posting.StatusCheck.of",
)
LASTING = tuple(f for f in Fault if f not in (Fault.RESET_AFTER, Fault.BAD_GATEWAY_AFTER, Fault.TIMEOUT))


def raising(error: BaseException) -> Callable[..., Report]:
    def analyse(*_: object, **__: object) -> Report:
        raise error

    return analyse


# name -> (the analyses, exit code, conclusion)
ENDINGS: dict[str, tuple[Callable[..., Report], int, str]] = {
    "pass": (lambda *_, **__: report(), 0, "success"),
    "fail": (lambda *_, **__: report(KERNEL), 1, "failure"),
    "incomplete": (lambda *_, **__: report(target=BROKEN), 0, "neutral"),
    "crash": (raising(RuntimeError("boom")), 3, "failure"),
    "out of memory": (raising(MemoryError()), 3, "failure"),
    "mistake": (raising(UsageProblem("targets/space.yml:3: `kernel` is no list.")), 2, "failure"),
    "cancelled": (raising(Cancelled()), 3, "cancelled"),
    "interrupted": (raising(KeyboardInterrupt()), 3, "cancelled"),
}


@dataclass(frozen=True)
class Ended:
    """What an ending left. `reason`: log and summary both have the words that they must."""

    ending: str
    code: int
    status: str  # of the check run on the head, empty without one
    conclusion: str
    reason: bool

    @property
    def settled(self) -> bool:
        """A concluded check run, or a failed job that says why."""
        return self.status == "completed" or (self.code != 0 and self.reason)


def the_check(bench: Workbench) -> CheckRun | None:
    """The one that counts: the latest on the head."""
    found = [c for c in bench.simulator.state.check_runs.values() if c.head_sha == bench.head]
    return max(found, key=lambda c: c.id, default=None)


def ended(bench: Workbench, ending: str, ran: Ran, words: str) -> Ended:
    check = the_check(bench)
    told = all(words in text for text in (ran.log, ran.summary))
    return Ended(ending, ran.code, check.status if check else "", (check and check.conclusion) or "", told)


def crash(bench: Workbench, stage: str) -> Ended:
    """The run breaks off where `stage` is first called."""
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(KERNEL, LOG)
    with once(stage):
        ran = bench.run()
    return ended(bench, f"crash in {stage.removeprefix('action.')}", ran, "ZeroDivisionError")


@contextmanager
def once(name: str) -> Iterator[None]:
    """The first call of a function raises; later ones are its own."""
    called = False

    def boom(*arguments: Any, **options: Any) -> Any:
        nonlocal called
        if called:
            return plain(*arguments, **options)
        called = True
        raise ZeroDivisionError("boom")

    path, _, attribute = name.rpartition(".")
    owner = pkgutil.resolve_name(path)
    plain = getattr(owner, attribute)
    fixed = isinstance(vars(owner).get(attribute), staticmethod)
    with patch.object(owner, attribute, staticmethod(boom) if fixed else boom):
        yield
    assert called, f"{name} was never called"


def labels(bench: Workbench) -> list[str]:
    """The kinds of requests that a run of `lasting` makes."""
    ready(bench)
    bench.simulator.forget_requests()
    bench.run(inputs=INPUTS)
    return list(dict.fromkeys(request.label for request in bench.simulator.requests))


INPUTS = {"pictures": "branch", "code-scanning": "true", "max-wait": "40"}


def ready(bench: Workbench) -> None:
    """A second push: one problem is mended, one kept, one new, with a picture."""
    bench.open_pull()
    bench.analyse = lambda *_, **__: report(KERNEL)
    bench.run(inputs=INPUTS)
    bench.push({"models/vae.onnx": "3"})
    bench.analyse = flows.drawn(report(LOG, EXP, fixed=(KERNEL,)))


def lasting(bench: Workbench, fault: Fault, label: str) -> Ended:
    """All requests of one kind fail in one way for as long as the run lasts; then the last resort has its turn."""
    ready(bench)

    def refused(request: Request) -> bool:
        return request.label == label

    for _ in range(80):
        bench.simulator.fail(fault, refused)
    ran = bench.run(inputs=INPUTS)
    found = ended(bench, f"{fault} at every {label}", ran, "check run could not be posted")
    bench.simulator.forget_requests()
    bench.last_resort()
    left = [c for c in bench.simulator.state.check_runs.values() if c.status != "completed"]
    assert not left, f"{found.ending}: the last resort left a check run open"
    return found
