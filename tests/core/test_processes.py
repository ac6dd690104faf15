"""Jobs in child processes: answers, crashes, deadlines, output that goes nowhere."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from analyzer.running.processes import Job, memory_growth, run_all


def answers(jobs: dict[str, Job], tmp_path: Path, *, deadline: float = 60, parallel: int = 2) -> dict[str, Any]:
    return dict(run_all(jobs, deadline=deadline, parallel=parallel, logs=tmp_path / "logs"))


def test_each_job_answers_with_its_value(tmp_path: Path) -> None:
    jobs: dict[str, Job] = {f"j{i}": lambda send, i=i: {"square": i * i} for i in range(5)}  # type: ignore[misc]
    result = answers(jobs, tmp_path)
    assert {name: answer.value["square"] for name, answer in result.items()} == {f"j{i}": i * i for i in range(5)}
    assert all(answer.error is None for answer in result.values())


def test_messages_arrive_in_order(tmp_path: Path) -> None:
    def job(send: Any) -> None:
        for stage in ("loading", "numerical"):
            send(stage)

    seen: list[tuple[str, Any]] = []
    list(
        run_all(
            {"a": job},
            deadline=60,
            parallel=1,
            logs=tmp_path,
            on_message=lambda name, message: seen.append((name, message)),
        )
    )
    assert seen == [("a", "loading"), ("a", "numerical")]


def crash(send: Any) -> None:
    signal.signal(signal.SIGSEGV, signal.SIG_DFL)  # without the test runner's own handler
    os.kill(os.getpid(), signal.SIGSEGV)


def leave(send: Any) -> None:
    os._exit(3)


def fail(send: Any) -> None:
    raise RuntimeError("first line\nsecond line")


def eat(send: Any) -> None:
    raise MemoryError


def not_json(send: Any) -> Any:
    return {1, 2}


@pytest.mark.parametrize(
    ("job", "words"),
    [
        (crash, "SIGSEGV"),
        (leave, "exit code 3"),
        (fail, "RuntimeError: first line"),
        (eat, "out of memory"),
        (not_json, "TypeError"),
    ],
)
def test_a_broken_job_is_one_sentence_and_the_others_go_on(job: Job, words: str, tmp_path: Path) -> None:
    result = answers({"bad": job, "good": lambda send: 1}, tmp_path)
    assert words in (result["bad"].error or "")
    assert "\n" not in (result["bad"].error or "")
    assert result["good"].value == 1


def test_the_deadline_ends_a_job_and_everything_it_started(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"

    def hang(send: Any) -> None:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        pid_file.write_text(str(child.pid))
        time.sleep(600)

    result = answers({"hang": hang, "good": lambda send: 1}, tmp_path, deadline=3)
    assert "longer than 3 s" in (result["hang"].error or "")
    assert result["good"].value == 1
    pid = int(pid_file.read_text())
    for _ in range(100):
        status = Path(f"/proc/{pid}/status")
        if not status.exists() or "zombie" in status.read_text():
            return
        time.sleep(0.05)
    raise AssertionError("the grandchild is still alive")


def test_what_a_job_prints_does_not_reach_our_output(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def loud(send: Any) -> int:
        print("::set-output name=x::owned", flush=True)
        os.write(2, b"::error::owned\n")
        return 1

    assert answers({"loud": loud}, tmp_path)["loud"].value == 1
    assert capfd.readouterr() == ("", "")
    assert "owned" in (tmp_path / "logs" / "000.log").read_text()


def test_memory_growth_is_refused_within_and_free_again_after(tmp_path: Path) -> None:
    def job(_send: Any) -> Any:
        with memory_growth(64 << 20):
            small = len(bytearray(16 << 20))
            try:
                refused = len(bytearray(256 << 20)) == 0
            except MemoryError:
                refused = True
        return {"small": small, "refused": refused, "after": len(bytearray(256 << 20))}

    assert answers({"a": job}, tmp_path)["a"].value == {"small": 16 << 20, "refused": True, "after": 256 << 20}
