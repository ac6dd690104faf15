"""Run the script, first on tensors that cost nothing, then on real ones where a value was invented or a failure is to
be confirmed, at last as it stands, with nothing left out, for as long as time is left: its end there is the truth. Each
time in a process and a copy of the project of its own. ``out/dry.json`` says what came of it."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import tempfile
import time
import traceback

from .workspace import writable

RESULT = os.path.abspath(os.path.join("out", "dry.json"))  # the script runs in another folder
ATTEMPT = os.path.abspath(os.path.join("out", "attempt.json"))  # what one attempt came to
FAKE = os.path.abspath(os.path.join("out", "fake"))  # is there as soon as tensors have no values
NEEDS_VALUES = "values"  # the status of a fake run that met a question only real numbers answer
PLAIN_SECONDS = 20.0  # of a run as it stands, which has to come to the same failure, or to none
TOO_LONG = "its first training step takes longer than the time allowed"
LAUNCHER = re.compile(r"the environment variable '(RANK|(LOCAL_)?WORLD_SIZE|LOCAL_RANK|MASTER_\w+)'")
KILLED = "the process ended with code"


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    if "mode" in request:
        _make(request)
        return
    ends = time.monotonic() + request["seconds"]
    plain_seconds = min(PLAIN_SECONDS, request["seconds"] / 4)
    plain_ends = ends - plain_seconds
    result = _attempt(request, "fake", plain_ends)
    if LAUNCHER.search(result.get("reason") or ""):  # it is started by a launcher, as one of several processes
        request["launched"] = True
        result = _attempt(request, "fake", plain_ends)
    if result["status"] == "finished":
        _write(result, RESULT)  # and if one of the next attempts takes the memory of all, this stays
    if result.get("fake") and (result["status"] in ("failed", NEEDS_VALUES) or result.get("made_up")):
        result = _compared(result, _attempt(request, "real", plain_ends))
    if result["status"] != "failed":
        _write(result, RESULT)
    plain = _attempt(request, "plain", min(ends, time.monotonic() + plain_seconds))
    judged = _as_it_stands(result, plain)
    if judged["status"] == "failed" and plain["status"] != "failed" and judged.get("cut"):
        judged = _however_much(judged, _attempt(request, "varied", ends))
    _write(judged, RESULT)


def _compared(fake: dict, real: dict) -> dict:  # type: ignore[type-arg]
    """What two attempts say together: only the real one may find that an alleged failure is none."""
    if real["status"] in ("failed", "finished"):
        return real
    cut_short = real.get("reason", TOO_LONG) == TOO_LONG
    if fake["status"] == "finished" and (cut_short or real["reason"].startswith((KILLED, "more memory"))):
        return fake
    if fake["status"] == "failed" and not fake["made_up"] and cut_short:
        return fake
    return dict(real, status="unreachable", reason=real.get("reason") or fake.get("reason"))


def _as_it_stands(dry: dict, plain: dict) -> dict:  # type: ignore[type-arg]
    """What the run without what the dry run leaves out adds: it fails, or comes to its end, or neither in its time.

    A failure of the dry run alone counts if nothing that was left out has a part in it. One that a compiler or another
    process passes on is told as the dry run met it, on the line where it arose.
    """
    if plain["status"] == "failed" and not plain.get("doubt"):
        passed_on = dry["status"] == "failed" and dry["error"]["message"] in plain["text"]
        return dict(dry, status="failed", error=dry["error"] if passed_on else plain["error"])
    if plain["status"] == "finished":
        if dry["status"] != "failed":
            return dict(dry, status="finished", whole=True, stubs=plain["stubs"])
        reason = "what is left out here: as it stands the script goes on where the dry run fails"
        return dict(dry, status="unreachable", reason=reason)
    if dry["status"] == "failed" and dry.get("doubt"):
        return dict(dry, status="unreachable", reason=dry["doubt"])
    return dry


def _however_much(dry: dict, varied: dict) -> dict:  # type: ignore[type-arg]
    """A failure behind rounds or batches that were left out counts if it is the same where fewer are."""
    if varied["status"] == "failed" and varied["error"] == dry["error"]:
        return dry
    return dict(dry, status="unreachable", reason="what is left out here: batches, or rounds of a loop")


def _attempt(request: dict, mode: str, ends: float) -> dict:  # type: ignore[type-arg]
    seconds = ends - time.monotonic()
    if seconds < 2:
        return {"status": "unreachable", "reason": TOO_LONG}
    for left in (ATTEMPT, FAKE):
        if os.path.exists(left):
            os.remove(left)
    with writable(request["root"]) as root:
        attempted = dict(request, mode=mode, seconds=seconds, root=root)
        code = _ended((_forked if "torch" in sys.modules else _started)(attempted), seconds)
    try:
        with open(ATTEMPT, encoding="utf-8") as file:
            return json.load(file)  # type: ignore[no-any-return]
    except (OSError, ValueError):
        reason = f"{KILLED} {code} before the first training step was over" if code else TOO_LONG
        fake = mode == "fake" and os.path.exists(FAKE)
        return {"status": NEEDS_VALUES if fake else "unreachable", "reason": reason, "fake": fake}


def _forked(request: dict) -> int:  # type: ignore[type-arg]
    """Make the attempt in a fork of this process, which has imported PyTorch and nothing of the project."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # nobody types
            _make(request)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    return child


def _started(request: dict) -> int:  # type: ignore[type-arg]
    """Make the attempt in a new process."""
    attempt = os.path.join(tempfile.gettempdir(), "attempt.json")  # the folder itself may not be written
    with open(attempt, "w", encoding="utf-8") as file:
        json.dump(request, file)
    nobody_types = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
    command = [sys.executable, "-m", "assay_dry", attempt]
    return os.posix_spawn(sys.executable, command, os.environ, file_actions=[nobody_types])


def _ended(child: int, seconds: float) -> int:
    """The exit code; 0 where its time is over, which is half of it for tensors without values: real ones follow."""
    started = time.monotonic()
    while time.monotonic() < started + (seconds / 2 if os.path.exists(FAKE) else seconds):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return 0


def _make(request: dict) -> None:  # type: ignore[type-arg]
    from .script import run_script

    _write(run_script(request, FAKE), ATTEMPT)


def _write(result: dict, path: str) -> None:  # type: ignore[type-arg]
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(result, file)


main()
