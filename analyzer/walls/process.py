"""A resource-limited child process: for a laptop, by explicit choice, on code the user would run anyway.

On Linux the kernel's wall stands around it: no network, no files but the interpreter's and its own. Elsewhere it is no
wall against hostile code; it keeps a runaway export from taking the machine down, and secrets out of the environment.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from analyzer.configuration.config import Environment
from analyzer.problem import TargetProblem
from analyzer.walls import forked, launch, stage
from analyzer.walls.archive import MAX_MEMBERS, ArchiveRefused, check_name, flatten
from analyzer.walls.kernel.rules import Rules
from analyzer.walls.protocol import OUTPUT, PYTHON, BoundedLog, Completed, Order, ResourceLimits, Runs, Sandbox

# Shared libraries, thread stacks and allocator reserves of the frameworks: address space that is never touched.
ADDRESS_SPACE_RESERVE = 6 << 30
STAGE = ".assay-stage.py"
WATCH = 0.3  # seconds between two looks at a command's memory and processes: each reads all of /proc
_INSTALLED = (".dist-info", ".egg-info")  # folders of installed packages, named after what they are and their version


@dataclass(frozen=True)
class ProcessSandbox(Runs):
    """Child process with rlimits, own session, killed with all its descendants at the deadline."""

    python: str = sys.executable
    path: str = field(default_factory=lambda: os.environ.get("PATH", os.defpath))
    imports: tuple[str, ...] = ()  # a ``python -m`` command is forked from a process that has imported them
    packages: tuple[str, ...] = ()  # folders of further packages that the command may import

    @property
    def name(self) -> str:
        return "a limited process of this machine" + ("" if launch.standing() else " behind the kernel's wall")

    @property
    def identity(self) -> str:
        """The interpreter and the versions of all packages it sees (this interpreter's, unless another was chosen)."""
        packages = sorted({name for entry in sys.path for name in _names(entry or ".") if name.endswith(_INSTALLED)})
        text = "\n".join([self.python, sys.version, *packages])
        return "process:" + hashlib.sha256(text.encode()).hexdigest()[:32]

    def within(self, environment: Environment | None, root: Path) -> ProcessSandbox:
        """This machine's own interpreter has what the project needs, or the export says what is missing.

        Raises `TargetProblem` for a container image, which a process cannot enter.
        """
        if environment is not None and environment.image is not None:
            raise TargetProblem(
                f"`environment: image: {environment.image}` needs the Docker sandbox; the process sandbox runs in this "
                "machine's own Python"
            )
        return self

    def _run(self, order: Order, output: Path | None) -> Completed:
        limits = order.limits
        with tempfile.TemporaryDirectory(prefix="assay-", ignore_cleanup_errors=True) as temporary:
            box, scratch = Path(temporary, "box"), Path(temporary, "tmp")
            box.mkdir()
            (scratch / ".config").mkdir(parents=True)  # where programs keep settings, Ultralytics at its import
            _fill(box, order.files, limits)
            (box / STAGE).write_bytes(Path(stage.__file__).read_bytes())
            started = time.monotonic()
            request = {
                "command": list(order.command),
                "rlimits": _rlimits(limits),
                "seconds": limits.seconds,
                "watch": True,
                "cores": max(1, round(limits.cpus)),
            }
            (box / OUTPUT).mkdir(exist_ok=True)
            child = self._start(order, request, box, scratch)
            assert child.stdout is not None
            log = BoundedLog(limits.log)
            reader = threading.Thread(target=_drain, args=(child.stdout, log), daemon=True)
            reader.start()
            timed_out, out_of_memory = _watch(child, limits, started)
            reader.join(timeout=5)
            seconds = time.monotonic() - started
            names, refused = _collect(box / OUTPUT, output, limits) if output is not None else ((), None)
        return Completed(child.wait(), seconds, timed_out, out_of_memory, log.text(), names, refused)

    def _start(
        self, order: Order, request: Mapping[str, object], box: Path, scratch: Path
    ) -> subprocess.Popen[bytes] | forked.Forked:
        rules, program = self._rules(box, scratch), str(box / STAGE)
        variables = {**self._environment(scratch), **order.environment}
        if self.imports and self.python == sys.executable and order.command[:2] == [PYTHON, "-m"]:
            child = forked.start(
                program, json.dumps({**request, "fork": True}), form="script", imports=self.imports, rules=rules,
                folder=box, variables=variables, own=_at_import(order.environment), session=True, errors="joined",
            )  # fmt: skip
            if child is not None:
                return child
        return subprocess.Popen(
            launch.command(program, json.dumps(request), rules=rules, python=self.python, form="script"),
            cwd=box,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def _rules(self, box: Path, scratch: Path) -> Rules | None:
        if launch.standing() is not None:
            return None
        libraries = [*launch.libraries(), *launch.prefixes(self.python), *self.packages]
        folders = launch.installed_in_place(libraries)
        return Rules(
            libraries=libraries,
            read=[str(box), *launch.shown(folders)],
            names=folders,  # importing looks through them
            write=[str(box / OUTPUT), str(scratch)],
            programs=True,
            special_files=True,
        )  # not to die with this process at once: `stage` sees that it has gone and ends what it started

    def _environment(self, scratch: Path) -> dict[str, str]:
        return {
            "PATH": self.path,
            "HOME": str(scratch),
            "TMPDIR": str(scratch),
            "LANG": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",  # what a project makes of a set comes in the same order each time
            **{name: os.environ[name] for name in launch.INSTRUCTIONS if name in os.environ},
        }


def further_packages(sandbox: Sandbox) -> tuple[str, ...]:
    """Folders besides the interpreter's own from which a command may import; a process of this machine has them."""
    if not isinstance(sandbox, ProcessSandbox):
        return ()
    return (*sandbox.packages, *(launch.named_packages() if sandbox.python == sys.executable else ()))


def importing(sandbox: Sandbox, names: Sequence[str]) -> Sandbox:
    """`sandbox` for a ``python -m`` command that begins by importing `names`; only a process of this machine gains."""
    return replace(sandbox, imports=tuple(names)) if isinstance(sandbox, ProcessSandbox) else sandbox


def import_ahead(sandbox: Sandbox, names: Sequence[str], environment: Mapping[str, str]) -> None:
    """Begin to import `names` now, while others work: a command that is `importing` them in `sandbox` is to come."""
    if names and isinstance(sandbox, ProcessSandbox) and sandbox.python == sys.executable:
        forked.fork_server(tuple(names), _at_import(environment))


def _at_import(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that are known while a command's imports are made."""
    return {**environment, "PYTHONHASHSEED": "0"}


def _fill(box: Path, files: Mapping[str, bytes | Path], limits: ResourceLimits) -> None:
    for name, content in flatten(files, limits.input):
        path = box / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            shutil.copyfile(content, path)


def _rlimits(limits: ResourceLimits) -> dict[str, int]:
    return {
        "AS": limits.memory + ADDRESS_SPACE_RESERVE,
        "CPU": int(limits.seconds * max(1.0, limits.cpus)) + 1,
        "FSIZE": max(limits.output, limits.scratch),
        "NPROC": stage.tasks_of_user(os.getuid()) + limits.processes,  # the system counts all processes of the user
        "CORE": 0,
    }


def _drain(stream: IO[bytes], log: BoundedLog) -> None:
    while chunk := os.read(stream.fileno(), 1 << 16):
        log.write(chunk)


def _names(folder: str) -> list[str]:
    """What lies in a folder of the search path; nothing in one that is absent, an archive, or closed to this user."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _watch(child: subprocess.Popen[bytes] | forked.Forked, limits: ResourceLimits, started: float) -> tuple[bool, bool]:
    """Wait for the end; (deadline passed, memory exceeded). Either ends the child and all its descendants."""
    while True:
        try:
            child.wait(timeout=WATCH)
            return False, False
        except subprocess.TimeoutExpired:
            late = time.monotonic() - started > limits.seconds
            below = stage.descendants(child.pid)
            fat = not late and _resident([child.pid, *below]) > limits.memory
            crowded = stage.tasks(below) > limits.processes  # the rlimit does not bind root
            if isinstance(child, forked.Forked) and (late or fat or crowded):
                child.end()
                return late, fat
            if late or fat or crowded:
                stage.end_all(child.pid)
                try:
                    os.killpg(child.pid, signal.SIGKILL)
                except OSError:
                    child.kill()
                child.wait()
                return late, fat


def _resident(pids: Sequence[int]) -> int:
    """Bytes of memory held by these processes; 0 where /proc does not tell."""
    total = 0
    for each in pids:
        try:
            total += int(Path(f"/proc/{each}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError, ValueError):
            continue
    return total


def _collect(source: Path, target: Path, limits: ResourceLimits) -> tuple[tuple[str, ...], str | None]:
    """Move plain files from the box to `target`; links, devices and names that lead elsewhere are refused."""
    names: list[str] = []
    total = 0
    try:
        if source.is_symlink():
            raise ArchiveRefused("a link in place of the output folder")
        for folder, _, found in os.walk(source):
            for name in sorted(found):
                path = Path(folder, name)
                relative = path.relative_to(source).as_posix()
                check_name(relative)
                status = path.lstat()
                if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
                    raise ArchiveRefused(f"something that is not a plain file: {relative[:80]!a}")
                total += status.st_size
                if total > limits.output or len(names) >= MAX_MEMBERS:
                    raise ArchiveRefused(f"more than {limits.output >> 20} MiB or {MAX_MEMBERS} files")
                destination = target / relative
                destination.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(path, destination)
                names.append(relative)
    except ArchiveRefused as refusal:
        return tuple(names), str(refusal)
    except OSError as error:
        raise TargetProblem(f"the output of the sandbox cannot be read: {error.strerror}") from error
    return tuple(names), None
