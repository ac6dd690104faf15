"""Without a container engine: the models are found by a child process behind the kernel's wall.

A new program, not a fork: nothing of the front's memory, environment or open files crosses.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import select as waiting
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO

from action.allowed import Chosen
from action.base_policy import Judged
from action.checkout import Exported
from action.containment import ANSWER_LIMIT, SECONDS, chosen_of
from action.plan import Plan
from action.question import Question
from action.settings import Settings
from analyzer.problem import Problem
from analyzer.running.opened import Opened
from analyzer.running.request import REQUEST
from analyzer.walls import launch
from analyzer.walls.kernel.rules import Rules
from analyzer.walls.stage import end_tree

MODULE = "action.contained_selection"
MEMORY = 4 << 30  # bytes: it looks at the beginnings of files and parses Python
GRACE = 2.0  # seconds for a process without an answer to end by itself, and say why
LOG = 2_000  # bytes of what it printed, from the end


def select(
    trees: Mapping[str, Path],
    plan: Plan,
    settings: Settings,
    judging: Judged,
    exported: Exported,
    opened: Opened | None = None,
) -> Chosen:
    """The targets of a run. `trees` by name, `head` and perhaps `base`.

    Raises UsageProblem as `selection.choose` does, and Problem where the child gives no proper answer.
    """
    places = {name: str(tree.resolve()) for name, tree in trees.items()}
    question = Question(plan, replace(settings, token=""), judging, exported, "base" in trees, places, opened or {})
    with tempfile.TemporaryDirectory(prefix="assay-selection-", ignore_cleanup_errors=True) as folder:
        box = Path(folder, "box")
        box.mkdir()
        (box / REQUEST).write_bytes(pickle.dumps(question))
        os.chmod(folder, 0o711)  # another user passes through
        answer = ask(box, list(places.values()))
    try:
        return chosen_of(json.loads(answer), plan, settings, judging)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise Problem(
            f"The process that finds the changed models gave an improper answer ({type(problem).__name__})."
        ) from None


def ask(
    box: Path,
    trees: Sequence[str],
    *,
    module: str = MODULE,
    path: Sequence[Path] = (launch.ASSAY,),
    seconds: float = SECONDS,
) -> bytes:
    """What `module` answers behind the wall; it may read `trees`, and write below `box` alone. Raises Problem."""
    user = launch.user_for([*trees, box])
    launch.hand_over(box, user)
    rules = Rules(
        libraries=[*launch.libraries(), str(launch.ASSAY / "action")],
        read=[*trees, str(box)],
        names=[str(launch.ASSAY)],
        write=[str(box)],
        user=user,
        limits={"CORE": 0, "FSIZE": ANSWER_LIMIT, "NOFILE": 1024, "DATA": MEMORY},
        parent=os.getpid(),
    )
    with tempfile.TemporaryFile() as log:
        child = subprocess.Popen(
            launch.command(module, rules=rules, path=path),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=box,
            env=launch.environment(box),
            start_new_session=True,
        )
        assert child.stdout is not None
        answer = None
        try:
            answer = _read(child.stdout, time.monotonic() + seconds)
        except TimeoutError:
            raise Problem(f"Finding the changed models took longer than {seconds:g} s and was stopped.") from None
        finally:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(0 if answer is not None else GRACE)
            if child.poll() is None:
                end_tree(child.pid)
            child.wait()
            child.stdout.close()
        log.seek(max(0, log.seek(0, os.SEEK_END) - LOG))
        last = log.read().decode("utf-8", "replace").strip().splitlines()[-1:] or [""]
    if answer is None:
        raise Problem(f"The process that finds the changed models ended with exit code {child.returncode}: {last[0]}")
    return answer


def _read(stream: IO[bytes], ends: float) -> bytes | None:
    """The bytes after the line that says how many they are; None where the stream ends before, or is too long."""
    received = b""
    while len(received) <= ANSWER_LIMIT:
        head, found, body = received.partition(b"\n")
        if found:
            try:
                size = int(json.loads(head)["size"])
            except (ValueError, KeyError, TypeError, RecursionError):
                return None
            if 0 <= size <= len(body):
                return body[:size]
        ready, _, _ = waiting.select([stream], [], [], max(0.0, ends - time.monotonic()))
        if not ready:
            raise TimeoutError
        chunk = os.read(stream.fileno(), 1 << 20)
        if not chunk:
            return None
        received += chunk
    return None
