"""What every sandbox promises."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeGuard

from analyzer.configuration.config import Environment

PYTHON = "{python}"  # in a command: the interpreter that the sandbox found
OUTPUT = "out"  # the folder, below the folder in which the command starts, whose content comes back

# What a command may be told through its environment. Everything else is refused, so that no secret slips in by mistake.
ALLOWED_ENVIRONMENT = frozenset(
    {
        "CUDA_VISIBLE_DEVICES",
        "JAX_ENABLE_X64",
        "JAX_PLATFORMS",
        "KERAS_BACKEND",
        "MKL_NUM_THREADS",
        "OMP_NUM_THREADS",
        "OMP_WAIT_POLICY",
        "OPENBLAS_NUM_THREADS",
        "PYTHONHASHSEED",
        "TF_CPP_MIN_LOG_LEVEL",
        "TF_ENABLE_ONEDNN_OPTS",
        "TF_NUM_INTEROP_THREADS",
        "TF_NUM_INTRAOP_THREADS",
        "TF_USE_LEGACY_KERAS",
    }
)


# Processes and threads together, of one walled command. Engines are shown `ENGINE_CORES` cores, for their pools grow by
# the core: TensorFlow then has 7 threads, JAX 17, PyTorch and ONNX Runtime 3, OpenVINO 5, so that all that an analysis
# keeps warm fit. 64 that do nothing but start more of themselves do not stop a small runner.
PROCESSES = 64  # of one job; engines and exports start far fewer, a fork bomb ends here
ENGINE_CORES = 2  # as many as a hosted runner gives one job for certain


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """What one command may use. Bytes, seconds, cores."""

    seconds: float = 300.0
    memory: int = 4 << 30  # in a container this includes what lies in the temporary folders
    cpus: float = ENGINE_CORES
    processes: int = PROCESSES
    input: int = 4 << 30  # all files that go in
    output: int = 1 << 30  # all files that come back
    scratch: int = 512 << 20  # the temporary folder
    log: int = 64 << 10  # what is kept of the printed text: its beginning and its end


@dataclass(frozen=True, slots=True)
class Completed:
    """How a command ended.

    `log` is what it printed (standard output and error together, shortened in the middle): hostile text.
    `files` are the names, relative to the output folder, of what came back.
    `refused` says in one sentence why (part of) the output was not taken.
    """

    exit_code: int
    seconds: float
    timed_out: bool = False
    out_of_memory: bool = False
    log: str = ""
    files: tuple[str, ...] = ()
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """What a sandbox is to run; `environment` was checked."""

    command: Sequence[str]
    files: Mapping[str, bytes | Path]
    limits: ResourceLimits
    environment: Mapping[str, str]


class Runs(ABC):
    """`Sandbox.run` for sandboxes, which only say how an `Order` is carried out."""

    def run(
        self,
        command: Sequence[str],
        *,
        files: Mapping[str, bytes | Path],
        output: Path | None = None,
        limits: ResourceLimits = ResourceLimits(),
        environment: Mapping[str, str] | None = None,
    ) -> Completed:
        return self._run(Order(command, files, limits, check_environment(environment)), output)

    @abstractmethod
    def _run(self, order: Order, output: Path | None) -> Completed: ...


class Stays(Runs):
    """`SessionSandbox.open` besides."""

    def open(
        self,
        command: Sequence[str],
        *,
        files: Mapping[str, bytes | Path],
        limits: ResourceLimits = ResourceLimits(),
        environment: Mapping[str, str] | None = None,
    ) -> Session:
        return self._open(Order(command, files, limits, check_environment(environment)))

    @abstractmethod
    def _open(self, order: Order) -> Session: ...


class SessionEnded(Exception):
    """The command of a session has ended, or broke the rules of its stream; the text says how.

    `lost`: nobody knows how it ended, for the engine that kept it is gone.
    """

    def __init__(self, text: str, exit_code: int | None = None, lost: bool = False) -> None:
        super().__init__(text)
        self.exit_code = exit_code
        self.lost = lost


class Session(Protocol):
    """A command that stays: lines and files go in, lines and bytes come out. What comes out is hostile."""

    def put(self, files: Mapping[str, bytes | Path]) -> None:
        """Files and folders into its folder. Raises `SessionEnded`, and `TargetProblem` when they are too large."""

    def send(self, line: bytes) -> None:
        """One line for the command's standard input. Raises `SessionEnded`."""

    def line(self, ends: float, limit: int) -> bytes:
        """The next line of its standard output, without the end of line; `ends` is a time of `time.monotonic`.

        Raises `TimeoutError`, and `SessionEnded` also for a line of more than `limit` bytes.
        """

    def take(self, size: int, ends: float) -> bytes:
        """The next `size` bytes of its standard output. Raises `TimeoutError`, `SessionEnded`."""

    def death(self) -> str:
        """How the command ended, with its last words: hostile text."""

    def close(self) -> None:
        """End the command and everything it has started."""


class Sandbox(Protocol):
    """A place where a command can do no harm."""

    @property
    def name(self) -> str:
        """What to call this sandbox in a sentence: ``a container of python:3.11``."""

    @property
    def identity(self) -> str:
        """Changes whenever another result is to be expected: the image's id, or the interpreter and its packages."""

    def within(self, environment: Environment | None, root: Path) -> Sandbox:
        """The sandbox that has what `environment` asks for (paths relative to `root`): another image, or this one.

        Raises `TargetProblem` when the image is missing or the requirements cannot be installed.
        """

    def run(
        self,
        command: Sequence[str],
        *,
        files: Mapping[str, bytes | Path],
        output: Path | None = None,
        limits: ResourceLimits = ResourceLimits(),
        environment: Mapping[str, str] | None = None,
    ) -> Completed:
        """Run `command` in a folder that holds `files`; what it leaves in ``out/`` is put into `output`.

        `files` maps relative names to contents, or to a file or folder of this machine (symbolic links that leave
        the folder, version control and virtual environments stay behind). `output` is an empty folder or None.
        ``{python}`` in `command` stands for the interpreter. `environment` may hold `ALLOWED_ENVIRONMENT` only.

        Raises `TargetProblem` when the command cannot be started at all or the input is too large. A command that
        fails, is killed or hands back something improper is a `Completed` like any other.
        """


class SessionSandbox(Sandbox, Protocol):
    """A sandbox in which a command can stay."""

    def open(
        self,
        command: Sequence[str],
        *,
        files: Mapping[str, bytes | Path],
        limits: ResourceLimits = ResourceLimits(),
        environment: Mapping[str, str] | None = None,
    ) -> Session:
        """Start `command` (whose first word is ``{python}``) in a folder that holds `files`, and keep it running.

        `limits.seconds` does not count: each exchange has its own deadline. Raises `TargetProblem` when the command
        cannot be started.
        """


def can_stay(sandbox: Sandbox) -> TypeGuard[SessionSandbox]:
    """Whether a command can stay in `sandbox`; its properties, which may ask an engine, are not looked at."""
    return callable(getattr(type(sandbox), "open", None))


def check_environment(environment: Mapping[str, str] | None) -> dict[str, str]:
    """Raises ValueError for a name outside the allow-list: a mistake of the caller, not of the user."""
    chosen = dict(environment or {})
    strangers = sorted(set(chosen) - ALLOWED_ENVIRONMENT)
    if strangers:
        raise ValueError(f"not on the sandbox's environment allow-list: {', '.join(strangers)}")
    return chosen


class BoundedLog:
    """Keeps the beginning and the end of a stream that may be endless."""

    def __init__(self, limit: int) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._head_limit = limit // 4
        self._tail_limit = limit - self._head_limit
        self._dropped = 0

    def write(self, chunk: bytes) -> None:
        room = self._head_limit - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        self._tail += chunk
        if len(self._tail) > 2 * self._tail_limit:
            self._cut()

    def _cut(self) -> None:
        excess = max(0, len(self._tail) - self._tail_limit)
        self._dropped += excess
        del self._tail[:excess]

    def text(self) -> str:
        self._cut()
        middle = f"\n… {self._dropped} bytes left out …\n".encode() if self._dropped else b""
        return bytes(self._head + middle + self._tail).decode("utf-8", "replace")
