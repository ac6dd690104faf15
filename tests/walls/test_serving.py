"""A taken-over analysis: whatever its container says or asks for, the front keeps its head. On a real engine."""

from __future__ import annotations

import contextlib
import io
import json
import tarfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analyzer.configuration.config import Environment, TargetConfig
from analyzer.findings import Confidence, Finding, Level, Location, Status, TargetReport, slug
from analyzer.problem import TargetProblem
from analyzer.running.containers import take
from analyzer.running.outcome import TargetOutcome
from analyzer.walls import PYTHON, ResourceLimits, SessionEnded
from analyzer.walls.docker import DockerSandbox
from analyzer.walls.docker_engine import connect
from analyzer.walls.serving import OutOfTurn, Server
from analyzer.walls.volume import filled_volume

# What the program inside begins with: `tell` sends a message, `ask` waits for the reply as well.
PRELUDE = """
import io, json, os, subprocess, sys, tarfile
def tell(**message):
    sys.stdout.write(json.dumps(message) + "\\n")
    sys.stdout.flush()
def ask(**message):
    tell(**message)
    return json.loads(sys.stdin.readline())
def answer(text):
    tell(op="answer", size=len(text))
    sys.stdout.write(text)
    sys.stdout.flush()
LIMITS = {"seconds": 20}
RUN = dict(op="run", command=["{python}", "-c", "print(1)"], limits=LIMITS, environment={}, shared={})
"""
Serve = Callable[..., tuple[dict[str, Any], bytes]]


@pytest.fixture
def serve(docker_sandbox: DockerSandbox, tmp_path: Path) -> Iterator[Serve]:
    """Serve a program in a container until it answers; the front's trees hold a secret beside them."""
    tree = tmp_path / "head"
    tree.mkdir()
    (tree / "model.py").write_text("weights = 1\n")
    (tmp_path / "secret").write_text("topsecret")
    sessions = []

    def go(program: str, limit: int = 1 << 20, seconds: float = 60, **options: Any) -> tuple[dict[str, Any], bytes]:
        session = docker_sandbox.open(
            [PYTHON, "-I", "-c", PRELUDE + program],
            files={},
            limits=options.pop("limits", ResourceLimits(processes=64)),
        )
        sessions.append(session)
        code = options.pop("code", docker_sandbox)
        ends = time.monotonic() + seconds
        with Server(session, code, {"head": tree}, Environment(), tree, ends, **options) as server:
            return server.answer(limit)

    yield go
    for session in sessions:
        session.close()


@pytest.mark.docker
def test_what_is_asked_for_properly_runs_elsewhere(serve: Serve) -> None:
    program = """
open("/tmp/mark", "w").close()
look = "import os; print(open('project/model.py').read(), os.path.exists('/tmp/mark'), sorted(os.environ)); "
look += "open('out/result', 'w').write('made')"
reply = ask(**{**RUN, "command": ["{python}", "-c", look], "shared": {"project": "head"}, "output": True})
assert open(reply["folder"] + "/result").read() == "made", reply
opened = ask(op="open", command=["{python}", "-c", "print(input() * 2)"], limits=LIMITS, environment={}, shared={})
assert ask(op="send", session=opened["session"], line="ab") == {}
line = ask(op="line", session=opened["session"], seconds=20, limit=100)
answer(reply["completed"]["log"] + open(line["file"]).read())
"""
    message, text = serve(program)
    assert message["op"] == "answer"
    assert b"weights = 1" in text
    assert b"False" in text, "the mark of this container is in no other"
    assert b"TOKEN" not in text
    assert text.endswith(b"abab")


@pytest.mark.docker
@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("sys.stdout.write('x' * 20_000_000 + '\\n'); sys.stdout.flush()", "line of more than"),
        ("tell(op='answer', size=5 << 30)", "size"),
        ("tell(op='answer', size=2 << 20); sys.stdout.write('x' * (2 << 20))", "more than 1,048,576"),
        ("tell(op='answer', size=-1)", "size"),
        ("tell(op='answer', size=True)", "size"),
        ("print('[' * 200_000, flush=True)", "no message"),
        ("print('[]', flush=True)", "no message"),
        ("print('nonsense', flush=True)", "no message"),
        ("ask(op='steal')", "session"),
        ("ask(op='line', session=7, seconds=1, limit=10)", "does not have"),
        ("ask(**{**RUN, 'shared': {'project': '../secret'}})", "outside the trees"),
        ("ask(**{**RUN, 'shared': {'project': 'head/../../secret'}})", "outside the trees"),
        ("ask(**{**RUN, 'shared': {'project': 'head//etc/passwd'}})", "outside the trees"),
        ("ask(**{**RUN, 'shared': {'../project': 'head'}})", "could lead elsewhere"),
        ("ask(**{**RUN, 'environment': {'DOCKER_HOST': 'x'}})", "no command may have"),
        ("ask(**{**RUN, 'environment': {'LD_PRELOAD': 'x'}})", "no command may have"),
        ("ask(**{**RUN, 'limits': {'memory': -1}})", "no limit"),
        ("ask(**{**RUN, 'limits': {'seconds': float('nan')}})", "no limit"),
        ("ask(**{**RUN, 'command': 'reboot'})", "no command"),
        ("while True: ask(**{**RUN, 'command': ['{python}', '-c', '']}); ask(op='place')", "more than 3 runs"),
        ("tell(**{**RUN, 'size': 5}); sys.stdout.write('xxxxx'); sys.stdout.flush(); input()", "cannot be read"),
        ("sys.exit(3)", "exit code 3"),
        ("os.kill(os.getpid(), 9)", "ended with exit code"),
    ],
)
def test_who_breaks_the_rules_is_ended(serve: Serve, program: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analyzer.walls.serving.MAX_RUNS", 3)
    with pytest.raises((OutOfTurn, SessionEnded)) as caught:
        serve(program)
    assert told in str(caught.value)


@pytest.mark.docker
def test_links_in_what_is_carried_are_refused(serve: Serve) -> None:
    program = """
archive = io.BytesIO()
with tarfile.open(fileobj=archive, mode="w") as tar:
    link = tarfile.TarInfo("project/link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    tar.addfile(link)
data = archive.getvalue()
tell(**{**RUN, "size": len(data)})
sys.stdout.flush(); sys.stdout.buffer.write(data); sys.stdout.buffer.flush(); input()
"""
    with pytest.raises(OutOfTurn, match="not a plain file"):
        serve(program)


@pytest.mark.docker
@pytest.mark.parametrize("program", ["while True: tell(op='stage', stage='x' * 1000)", "input()"])
def test_an_answer_that_never_comes_has_an_end(serve: Serve, program: str) -> None:
    stages: list[str] = []
    with pytest.raises((TimeoutError, OutOfTurn)):
        serve(program, seconds=4, stage=stages.append)
    assert len(stages) <= 1_000
    assert all(len(stage) <= 60 for stage in stages)


@pytest.mark.docker
def test_without_permission_no_code_runs(serve: Serve) -> None:
    program = """
replies = [ask(**RUN), ask(op="place", place="environment"), ask(op="place")]
answer(json.dumps(replies))
"""
    _, text = serve(program, code=None)
    assert all(reply["problem"] and reply["kind"] == "NotAllowedProblem" for reply in json.loads(text))
    assert len(json.loads(text)) == 3


@pytest.mark.docker
def test_children_and_fork_bombs_end_with_the_container(serve: Serve) -> None:
    """It leaves children behind and forks without end; the engine holds it to 64, and nothing is left afterwards."""
    program = """
subprocess.Popen(["/bin/sh", "-c", "sleep 1000"], start_new_session=True)
made = 0
try:
    for _ in range(1000):
        if os.fork() == 0:
            import time; time.sleep(1000)
        made += 1
except OSError as error:
    answer(f"{made} {error.errno}")
input()
"""
    _, text = serve(program)
    made, number = map(int, text.split())
    assert made < 64
    assert number == 11  # EAGAIN


@pytest.mark.docker
def test_the_trees_are_read_only_and_go_with_the_run(docker_sandbox: DockerSandbox, tmp_path: Path) -> None:
    (tmp_path / "model").write_bytes(b"weights")
    with filled_volume({"head": tmp_path}, docker_sandbox.image, "/trees") as volume:
        sandbox = replace(docker_sandbox, volumes=(volume,))
        code = "print(open('/trees/head/model').read())\nfor p in ('/trees/head/model', '/trees/x'): open(p, 'w')"
        first = sandbox.run([PYTHON, "-c", code], files={})
        assert "weights" in first.log
        assert "Read-only file system" in first.log
        assert sandbox.run([PYTHON, "-c", code], files={}).exit_code == 1
    with contextlib.closing(connect()) as client:
        assert volume[0] not in {v.name for v in client.volumes.list()}


# -- what an analysis hands back ---------------------------------------------------------------------------------------

TARGET = TargetConfig(id="a.onnx", path="a.onnx")
OWN = f"targets/{slug('a.onnx')}"


def outcome(**changes: Any) -> TargetOutcome:
    finding = Finding("numerical/log-of-nonpositive", Level.ERROR, Confidence.PROVED, "log of 0", "a.onnx")
    report = TargetReport("a.onnx", "onnx", "a.onnx", status=Status.ANALYSED)
    return TargetOutcome(
        replace(report, **changes.pop("target", {})), (replace(finding, **changes.pop("finding", {})),)
    )


def packed(answer: Any, files: dict[str, bytes] | None = None, links: dict[str, str] | None = None) -> bytes:
    stream = io.BytesIO()
    text = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, content in {"outcome.json": text, **(files or {})}.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        for name, place in (links or {}).items():
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, place
            archive.addfile(member)
    return stream.getvalue()


def test_a_proper_answer_is_taken_with_its_files(tmp_path: Path) -> None:
    answer = outcome(finding={"reproducer": f"{OWN}/repro.py", "location": Location("m.py", 3)})
    (tmp_path / "in").mkdir()
    taken = take(packed(answer.to_json(), {f"{OWN}/repro.py": b"x"}), TARGET, tmp_path / "in", tmp_path / "out")
    assert taken == answer
    assert (tmp_path / "out" / OWN / "repro.py").read_bytes() == b"x"


FORGED: dict[str, bytes] = {
    "another target": packed(outcome(target={"id": "b.onnx"}).to_json()),
    "another file": packed(outcome(target={"path": "b.onnx"}).to_json()),
    "a finding of another target": packed(outcome(finding={"target": "b.onnx"}).to_json()),
    "from the cache": packed(outcome(target={"cached": True}).to_json()),
    "pictures of its own": packed(outcome(target={"pictures": ("../x.svg",)}).to_json()),
    "known already": packed(outcome(finding={"new": False}).to_json()),
    "suppressed": packed(outcome(finding={"suppressed": "I say so"}).to_json()),
    "a reproducer elsewhere": packed(outcome(finding={"reproducer": "../../.github/workflows/x.yml"}).to_json()),
    "a reproducer that is not there": packed(outcome(finding={"reproducer": f"{OWN}/none.py"}).to_json()),
    "a place outside": packed(outcome(finding={"location": Location("../../etc/passwd", 1)}).to_json()),
    "an absolute place": packed(outcome(finding={"location": Location("/etc/passwd", 1)}).to_json()),
    "files of another target": packed(outcome().to_json(), {"targets/b.onnx-000000/repro.py": b"x"}),
    "files above": packed(outcome().to_json(), {"../evil": b"x"}),
    "files of the report": packed(outcome().to_json(), {"report.json": b"{}"}),
    "a link": packed(outcome().to_json(), links={f"{OWN}/link": "/etc/passwd"}),
    "no answer": packed(outcome().to_json())[:700],
    "not even an archive": b"no archive",
    "no outcome": packed([]),
    "more than an outcome": packed({**outcome().to_json(), "verdict": "pass"}),
    "no JSON": packed(b"{"),
    "deep": packed(b"[" * 100_000),
    "an unknown level": packed({**outcome().to_json(), "findings": [{"level": "fine"}]}),
    "too many findings": packed(replace(outcome(), findings=outcome().findings * 5_001).to_json()),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_answer_counts_for_nothing(name: str, tmp_path: Path) -> None:
    folder, output = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    with pytest.raises(TargetProblem, match="counts"):
        take(FORGED[name], TARGET, folder, output)
    assert not output.exists()
    assert {p.name for p in tmp_path.iterdir()} == {"in"}
