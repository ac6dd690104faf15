"""Run the script, first on tensors that cost nothing, then on real ones where a value is needed or a failure is to be
confirmed, and what fails as it stands, with nothing left out; each time in a process of its own. ``out/dry.json`` says
what came of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback

RESULT = os.path.abspath(os.path.join("out", "dry.json"))  # the script runs in another folder
NEEDS_VALUES = "values"  # the status of a fake run that met a question only real numbers answer
PLAIN_SECONDS = 20.0  # of a run as it stands, which has to come to the same failure
TOO_LONG = "its first training step takes longer than the time allowed"


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    if "mode" in request:
        _make(request)
        return
    ends = time.monotonic() + request["seconds"]
    fake = _attempt(request, "fake", ends)
    result = fake
    if fake.get("fake") and (fake["status"] in ("failed", NEEDS_VALUES)):
        real = _attempt(request, "real", ends)
        result = _compared(fake, real)
    if result["status"] == "failed":
        result = _as_it_stands(result, _attempt(request, "plain", min(ends, time.monotonic() + PLAIN_SECONDS)))
    _write(result)


def _compared(fake: dict, real: dict) -> dict:  # type: ignore[type-arg]
    """What two attempts say together: only the real one may find that an alleged failure is none."""
    if real["status"] in ("failed", "finished"):
        return real
    if fake["status"] == "failed" and not fake["made_up"] and real.get("reason") == TOO_LONG:
        return fake
    return dict(real, status="unreachable", reason=real.get("reason") or fake.get("reason"))


def _as_it_stands(failed: dict, plain: dict) -> dict:  # type: ignore[type-arg]
    """A failure counts where the script fails without what the dry run leaves out, or cannot be run so far and nothing
    that was left out has a part in it."""
    if plain["status"] == "failed":
        return dict(failed, error=plain["error"])
    reason = failed.get("doubt")
    if plain["status"] == "finished":
        reason = "what is left out here: as it stands the script goes on where the dry run fails"
    return dict(failed, status="unreachable", reason=reason) if reason else failed


def _attempt(request: dict, mode: str, ends: float) -> dict:  # type: ignore[type-arg]
    left = ends - time.monotonic()
    if left < 2:
        return {"status": "unreachable", "reason": TOO_LONG}
    seconds = left * 0.5 if mode == "fake" else left
    if os.path.exists(RESULT):
        os.remove(RESULT)
    attempted = dict(request, mode=mode, seconds=seconds)
    code = (_forked if "torch" in sys.modules else _started)(attempted, seconds + 5)
    try:
        with open(RESULT, encoding="utf-8") as file:
            return json.load(file)  # type: ignore[no-any-return]
    except (OSError, ValueError):
        reason = TOO_LONG
        if code:
            reason = f"the process ended with code {code} before the first training step was over"
        return {"status": NEEDS_VALUES if mode == "fake" else "unreachable", "reason": reason, "fake": mode == "fake"}


def _forked(request: dict, seconds: float) -> int:  # type: ignore[type-arg]
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
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return 0


def _started(request: dict, seconds: float) -> int:  # type: ignore[type-arg]
    """Make the attempt in a new process."""
    attempt = os.path.join(tempfile.gettempdir(), "attempt.json")  # the folder itself may not be written
    with open(attempt, "w", encoding="utf-8") as file:
        json.dump(request, file)
    try:
        command = [sys.executable, "-m", "assay_dry", attempt]
        return subprocess.run(command, timeout=seconds, check=False, stdin=subprocess.DEVNULL).returncode
    except subprocess.TimeoutExpired:
        return 0


def _make(request: dict) -> None:  # type: ignore[type-arg]
    from .script import run_script

    _write(run_script(request))


def _write(result: dict) -> None:  # type: ignore[type-arg]
    os.makedirs(os.path.dirname(RESULT), exist_ok=True)
    with open(RESULT, "w", encoding="utf-8") as file:
        json.dump(result, file)


main()
