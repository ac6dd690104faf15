"""Runs one job in a child process: a deadline, captured output, and an answer that is plain JSON.

The parent must not have loaded a framework: the child is forked, which costs milliseconds and no second start.
Whatever a model or a library prints goes to a log, never to our own output, where a CI runner would parse it.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from analyzer.findings import Cause
from analyzer.walls import relayed, stage
from analyzer.walls.attended import Attendant, Served
from analyzer.walls.kernel import system
from analyzer.walls.kernel.rules import CannotStand, Rules, close
from analyzer.walls.launch import environment
from analyzer.walls.protocol import PROCESSES
from analyzer.walls.walled_servers import WalledServers

Send = Callable[[Any], None]
Job = Callable[[Send], Any]

MAX_ANSWER = 256 << 20  # bytes of a child's answer, pictures included: it is untrusted
MAX_MESSAGES = 10_000  # of one job: a stage sends one


@dataclass(frozen=True, slots=True)
class JobResult:
    """What became of a job: its JSON `value`, or `error`, one sentence on how the process ended."""

    value: Any = None
    error: str | None = None
    seconds: float = 0.0
    cause: Cause = Cause.MODEL  # of `error`


@dataclass(frozen=True, slots=True)
class Enclosure:
    """What closes around one job: the kernel's `rules` (None: it offers no wall), its own empty folder, what its
    environment holds besides, and what is `served` to it from outside, with a folder for `replies`."""

    home: Path
    rules: Rules | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    served: Served | None = None
    replies: Path | None = None


def run_all(
    jobs: Mapping[str, Job],
    *,
    deadline: float,
    parallel: int,
    logs: Path,
    on_message: Callable[[str, Any], None] = lambda _name, _message: None,
    enclosures: Mapping[str, Enclosure] | None = None,
) -> Iterator[tuple[str, JobResult]]:
    """Run `jobs`, at most `parallel` at once, each at most `deadline` seconds; yields answers as they come.

    A job is called in the child with a function that sends a JSON message to `on_message` in the parent. What it
    returns must be JSON. Its output goes to ``logs/INDEX.log``. The child leads a process group of its own, so that
    at the deadline everything it started is killed with it. A job with an entry in `enclosures` runs behind that wall,
    without our environment and our open files.
    """
    waiting = list(enumerate(jobs.items()))
    running: dict[Connection, _Running] = {}
    logs.mkdir(parents=True, exist_ok=True)
    try:
        while waiting or running:
            while waiting and len(running) < max(1, parallel):
                index, (name, job) = waiting.pop(0)
                child = _start(name, job, logs / f"{index:03d}.log", deadline, (enclosures or {}).get(name))
                running[child.pipe] = child
            soonest = min(child.ends for child in running.values())
            asking = {
                c.servers.fileno(): c.servers for c in running.values() if c.servers is not None and c.servers.open
            }
            ready = wait([*running, *asking], timeout=max(0.0, min(1.0, soonest - time.monotonic())))
            for number, servers in asking.items():
                if number in ready:
                    servers.serve()
            for pipe in [p for p in running if p in ready]:
                finished = _receive(running[pipe], on_message)
                if finished is not None:
                    child = running.pop(pipe)
                    _stop(child)
                    yield child.name, finished
            for pipe, child in list(running.items()):
                if child.crowded():
                    del running[pipe]
                    _stop(child)
                    yield child.name, JobResult(error=f"the analysis started more than {PROCESSES} processes.")
                elif time.monotonic() >= child.ends:
                    del running[pipe]
                    _stop(child)
                    yield (
                        child.name,
                        JobResult(
                            error=f"the analysis took longer than {deadline:g} s and was stopped; raise `timeout:`.",
                            seconds=deadline,
                        ),
                    )
    finally:
        for child in running.values():
            _stop(child)


@dataclass(slots=True)
class _Running:
    name: str
    process: multiprocessing.process.BaseProcess
    pipe: Connection
    started: float
    ends: float
    attendant: Attendant | None = None
    servers: WalledServers | None = None
    messages: int = 0
    looked: float = 0.0

    def crowded(self) -> bool:
        """Whether there are more processes below it than a wall allows; looked at once a second."""
        now = time.monotonic()
        if now - self.looked < 1.0 or self.process.pid is None:
            return False
        self.looked = now
        nested = self.servers.count() if self.servers is not None else 0
        return len(stage.descendants(self.process.pid)) + nested > PROCESSES


def _start(name: str, job: Job, log: Path, deadline: float, enclosure: Enclosure | None) -> _Running:
    context = multiprocessing.get_context("fork")
    attendant = None
    if enclosure is not None and enclosure.served is not None:
        assert enclosure.replies is not None
        user = enclosure.rules.user if enclosure.rules is not None else None
        attendant = Attendant(enclosure.served, enclosure.replies, user, deadline)
    servers = (
        WalledServers(enclosure.rules, enclosure.home)
        if enclosure is not None and enclosure.rules is not None
        else None
    )
    receiver, sender = context.Pipe(duplex=False)
    arguments = (job, sender, receiver, log, enclosure, attendant, servers, os.getpid())
    process = context.Process(target=_child, args=arguments, daemon=False)
    process.start()
    sender.close()
    if attendant is not None:
        attendant.alone()
    if servers is not None:
        servers.alone()
    now = time.monotonic()
    return _Running(name, process, receiver, now, now + deadline, attendant, servers)


def _child(
    job: Job, sender: Connection, receiver: Connection, log: Path, enclosure: Enclosure | None,
    attendant: Attendant | None, servers: WalledServers | None, parent: int,
) -> None:  # fmt: skip
    """In the child: own process group, output to the log, the wall, then the job."""
    receiver.close()
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    sys.stdout = sys.stderr = os.fdopen(descriptor, "w", buffering=1, errors="replace")

    def send(kind: str, value: Any) -> None:
        sender.send_bytes(json.dumps([kind, value], allow_nan=False).encode())

    try:
        if enclosure is not None:
            keep = {
                0,
                1,
                2,
                descriptor,
                sender.fileno(),
                *(a.descriptor for a in (attendant, servers) if a is not None),
            }
            if servers is not None:
                servers.take()
            _enclose(enclosure, keep, parent)
        if attendant is not None:
            relayed.give(attendant.channel())
        send("value", job(lambda message: send("message", message)))
    except CannotStand as problem:
        send(Cause.SURROUNDINGS, f"the kernel's wall could not be closed, so nothing was analysed: {problem}.")
    except MemoryError:
        send(Cause.MODEL, "the analysis ran out of memory; name a smaller model or a larger machine.")
    except BaseException as error:
        import traceback

        traceback.print_exc()
        told = f"the analysis broke off with an internal error ({type(error).__name__}: {_first_line(error)})."
        send(Cause.ASSAY, told)
    finally:
        if enclosure is not None:
            stage.end_all(os.getpid())  # whatever a worker has left behind
        os._exit(0)  # no atexit handlers of libraries that the job has loaded


def _enclose(enclosure: Enclosure, keep: set[int], parent: int) -> None:
    """Leave our open files and our environment behind, then close the wall."""
    for name in os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else ():
        if int(name) not in keep:
            with suppress(OSError):
                os.close(int(name))
    stage.adopt_orphans()
    system.clear_environment(environment(enclosure.home, enclosure.variables))
    tempfile.tempdir = None  # chosen anew from the environment
    if enclosure.rules is not None:
        close(replace(enclosure.rules, parent=parent))


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:200] if lines else "no message"


def _receive(child: _Running, on_message: Callable[[str, Any], None]) -> JobResult | None:
    try:
        kind, value = json.loads(child.pipe.recv_bytes(MAX_ANSWER))
    except (EOFError, OSError, ValueError, TypeError, RecursionError):
        child.process.join(5)
        return JobResult(error=_death(child.process.exitcode), seconds=time.monotonic() - child.started)
    if kind == "message":
        child.messages += 1
        if child.messages > MAX_MESSAGES:
            return JobResult(error="the analysis sent messages without end and was stopped.")
        on_message(child.name, value)
        return None
    seconds = time.monotonic() - child.started
    if kind == "value":
        return JobResult(value=value, seconds=seconds)
    return JobResult(error=str(value)[:1000], seconds=seconds, cause=Cause(kind))


def _death(code: int | None) -> str:
    if code is not None and code < 0:
        name = signal.Signals(-code).name
        hint = " (often: out of memory)" if name == "SIGKILL" else " (a crash inside a library)"
        return f"the analysis was ended by {name}{hint}."
    return f"the analysis ended without an answer (exit code {code})."


def _stop(child: _Running) -> None:
    """End the child's whole process group, then reap it."""
    if child.process.pid is not None:
        if child.process.is_alive():
            stage.end_tree(child.process.pid)  # workers lead process groups of their own
        try:
            os.killpg(child.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            child.process.kill()
    child.process.join(10)
    if child.servers is not None:
        child.servers.end()
    child.pipe.close()
    if child.attendant is not None:
        child.attendant.stop()


@contextmanager
def memory_growth(limit: int) -> Iterator[None]:
    """Within, this process's own memory may grow by at most `limit` bytes: beyond, Python raises MemoryError.

    Files that are mapped to be read do not count. A library that cannot bear a refused allocation ends the process
    instead; its parent then says so.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    statistics = Path("/proc/self/statm")
    pages = int(statistics.read_text().split()[5]) if statistics.exists() else 0
    wanted = pages * resource.getpagesize() + limit
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
