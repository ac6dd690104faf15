"""Every way in which a run can end, and what it must leave: a concluded check run, or a failed job that says why.

`tests/action/test_endings.py` asserts it, `benchmarks/review_endings.py` prints the table.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import save

from action.ending import Cancelled
from analyzer.findings import Report
from analyzer.problem import UsageProblem
from analyzer.rendering import files
from analyzer.running import local
from analyzer.walls.process import ProcessSandbox
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
    "action.posting.ReviewContext.of",
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
# The same of the trusted workflow that posts a fork's report.
SECOND_STAGES = (
    "action.run.second_stage.post",
    "action.second_stage._pulls",
    "action.relay.unpack",
    "action.status_check.StatusCheck.open",
    "action.second_stage.artifact_name",
    "action.second_stage._changes",
    "action.review.inline_comments",
    "action.threads.moves",
    "action.publish._summarise",
    "action.publish.conclude",
    "action.second_stage.finish",
)
# Before there is a commit to report on, or a way to: the job fails with the reason.
BEFORE_A_CHECK = (
    "action.run.read_payload",
    "action.run.plan",
    "action.posting.ReviewContext.of",
    "action.posting.StatusCheck.of",
    "action.run.second_stage.post",
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


def second_stage_ends(bench: Workbench, stage: str, error: BaseException | None = None) -> Ended:
    """The workflow that posts a fork's report breaks off where `stage` is first called, or is cancelled there."""
    bench.open_pull(head_repository="mallory/models")
    flows.first_stage(bench, report(KERNEL, LOG))
    with once(stage, error):
        ran = flows.second_stage(bench, bench.run_id)
    how, words = ("cancelled", "ancelled") if isinstance(error, Cancelled) else ("crash", "ZeroDivisionError")
    return ended(bench, f"second workflow: {how} in {stage.removeprefix('action.')}", ran, words)


_FILE = "{id: m, path: m.onnx, backends: [onnxruntime]}"
_ENTRY = '{id: m, entry: "net.py:build", backends: []}'
_HERE = "analyzer.running.target_run."
ANALYSES = {  # stage -> what breaks off in it, the target, the analyses
    "security": (f"{_HERE}scan", _FILE, "validity"),
    "loading": (f"{_HERE}load", _FILE, "validity"),
    "tracing": (f"{_HERE}trace", _ENTRY, "tracing"),
    "exporting": ("analyzer.running.ahead.export", _ENTRY, "validity"),
    "numerical": (f"{_HERE}numerical", _FILE, "numerical"),
    "validity": (f"{_HERE}validity", _FILE, "validity"),
    "checkpoint": (f"{_HERE}against", _FILE.replace("backends", "checkpoint: w.safetensors, backends"), "validity"),
    "differential": (f"{_HERE}differential", _FILE, "differential"),
    "head against base": (f"{_HERE}review_drift", _FILE, "differential"),
}
_NET = """from torch import nn, randn


def build():
    return nn.Linear(4, 4), (randn(2, 4),)
"""


def crash_in_analysis(bench: Workbench, stage: str) -> Ended:
    """A stage of the real analyses breaks off, of both revisions: the others go on."""
    breaks, target, only = ANALYSES[stage]
    bench.analyse, bench.code = local.review, ProcessSandbox()
    configuration = f"version: 1\ndiscover: off\nonly: [{only}]\ntargets:\n  - {target}\n"
    bench.base = bench.commit({".assay.yml": configuration, "net.py": _NET, **models()})
    bench.open_pull(models(2.0) if target != _ENTRY else {"net.py": f"{_NET}\n\nCHANGED = True\n"})
    with patch(breaks, raising(ZeroDivisionError("boom"))):
        ran = bench.run()
    return ended(bench, f"crash in the {stage} stage", ran, f"the {stage} stage broke off with an internal error")


def models(by: float = 1.0) -> dict[str, bytes]:
    """A model whose output is `by` times its input, and weights."""
    scale = numpy_helper.from_array(np.full(4, by, np.float32), "scale")
    graph = helper.make_graph(
        [helper.make_node("Mul", ["x", "scale"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 4])],
        [scale],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    return {"m.onnx": model.SerializeToString(), "w.safetensors": save({"scale": np.full(4, by, np.float32)})}


def crash_in_pictures(bench: Workbench, breaks: str) -> Ended:
    """The pictures are not drawn, or not stored: the review stands without them, and says so."""
    bench.open_pull()
    bench.analyse, bench.write = flows.drawn(report(KERNEL, LOG)), files.write
    with patch(breaks, raising(ZeroDivisionError("boom"))):
        ran = bench.run(inputs=INPUTS)
    found = ended(bench, f"crash in {breaks.removeprefix('action.').removeprefix('analyzer.')}", ran, "")
    return replace(found, reason="ZeroDivisionError" in ran.summary)  # the log is the standard error of what draws


PICTURES = ("analyzer.rendering.files.draw", "action.pictures.store")


class Killed(BaseException):
    """What no handler of the process sees: the runner has ended it."""


def killed(bench: Workbench, second: bool = False) -> Ended:
    """The process is killed in the middle (a time-out, the memory): the step after the job has its turn."""
    with suppress(Killed):
        if second:
            second_stage_ends(bench, "action.relay.unpack", Killed())
        else:
            bench.open_pull()
            bench.analyse = raising(Killed())
            bench.run()
    code = bench.last_resort()
    check = the_check(bench)
    name = "second workflow: killed" if second else "killed"
    return Ended(name, code, check.status if check else "", (check and check.conclusion) or "", True)


@contextmanager
def once(name: str, error: BaseException | None = None) -> Iterator[None]:
    """The first call of a function raises; later ones are its own."""
    called = False

    def boom(*arguments: Any, **options: Any) -> Any:
        nonlocal called
        if called:
            return plain(*arguments, **options)
        called = True
        raise error or ZeroDivisionError("boom")

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
