"""A command that reads files of strangers, run in a child process behind the kernel's wall."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from analyzer.walls import launch, relayed, stage
from analyzer.walls.attended import Attendant, Served
from analyzer.walls.kernel import system
from analyzer.walls.kernel.rules import GPU_DEVICES, CannotStand, Rules, close
from analyzer.walls.protocol import PROCESSES
from analyzer.walls.walled_servers import WalledServers


def enclosed(
    run: Callable[[], int], *, read: Sequence[str | Path], write: Sequence[str | Path], served: Served | None = None,
    devices: bool = False,
) -> int:  # fmt: skip
    """The exit code of `run`, called where it reads `read` (and what lies beside), and writes `write` only.

    `devices`: accelerators are open to it. `served` is what it may have run outside, by `relayed.asked`. Without a wall
    on this system it is called as it is.
    """
    if launch.standing() is not None:
        return run()
    sys.stdout.flush()
    sys.stderr.flush()
    with (
        tempfile.TemporaryDirectory(prefix="assay-run-", ignore_cleanup_errors=True) as home,
        tempfile.TemporaryDirectory(
            prefix="assay-run-", dir=launch.memory_backed(), ignore_cleanup_errors=True
        ) as fast,
        tempfile.TemporaryDirectory(prefix="assay-run-", ignore_cleanup_errors=True) as replies,
    ):
        attendant = Attendant(served, Path(replies)) if served is not None else None
        rules = _rules([*read, replies], [home, fast, *write], devices)
        servers = WalledServers(rules, Path(home))
        child = os.fork()
        if child == 0:
            _in_child(run, rules, Path(home), attendant, servers, {launch.SCRATCH: fast})
        if attendant is not None:
            attendant.alone()
        servers.alone()
        try:
            status = _ended(child, servers)
        except BaseException:
            _stop(child)
            raise
        finally:
            servers.end()
            if attendant is not None:
                attendant.stop()
    if status is None:
        print(f"assay: the command started more than {PROCESSES} processes and was stopped.", file=sys.stderr)
        return 3
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _ended(child: int, servers: WalledServers) -> int | None:
    """The status of `child` when it has ended; None where it was stopped for the processes that it has started."""
    watched = os.pidfd_open(child)
    try:
        while True:
            asking = [servers.fileno()] if servers.open else []
            ready = select.select([watched, *asking], [], [], 1.0)[0]
            if watched in ready:
                break
            if ready:
                servers.serve()
            elif len(stage.descendants(child)) + servers.count() > PROCESSES:
                _stop(child)
                return None
    finally:
        os.close(watched)
    return os.waitpid(child, 0)[1]


def _stop(child: int) -> None:
    """End `child` and all that it has started."""
    stage.end_tree(child)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(child, 0)


def _rules(read: Sequence[str | Path], write: Sequence[str | Path], devices: bool) -> Rules:
    code_of_a_project = any(str(path).endswith(".py") for path in read)
    paths = [Path(path).resolve() for path in (*read, *([Path.cwd()] if code_of_a_project else []))]
    return Rules(
        libraries=[*launch.libraries(), *launch.programs()],
        read=[str(path if path.is_dir() else path.parent) for path in paths],
        names=[str(launch.ASSAY)],
        write=[str(Path(path).resolve()) for path in write],
        programs=True,
        limits={"CORE": 0, "NPROC": launch.threads_for(None)},
        parent=os.getpid(),
        devices=GPU_DEVICES if devices else (),
        threads=launch.threads_of_children(None),
    )


def _in_child(
    run: Callable[[], int], rules: Rules, home: Path, attendant: Attendant | None, servers: WalledServers,
    variables: dict[str, str],
) -> None:  # fmt: skip
    code = 70
    try:
        variables |= {n: os.environ[n] for n in ("TERM", "COLUMNS", "LINES", "NO_COLOR") if n in os.environ}
        servers.take()
        stage.adopt_orphans()
        system.clear_environment(launch.environment(home, variables))
        tempfile.tempdir = None
        close(rules)
        if attendant is not None:
            relayed.give(attendant.channel())
        code = run()
    except CannotStand as problem:
        print(f"assay: the kernel's wall could not be closed, so nothing was analysed: {problem}.", file=sys.stderr)
        code = 3
    except BaseException as problem:
        last = traceback.extract_tb(problem.__traceback__)[-1]
        where = f"{Path(last.filename).name}:{last.lineno}"
        what = " ".join(f"{type(problem).__name__}: {problem}".split())[:500]
        print(f"assay: an error of Assay's own, please report it: {what} ({where}).", file=sys.stderr)
        code = 3
    finally:
        with contextlib.suppress(Exception):
            stage.end_all(os.getpid())
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
