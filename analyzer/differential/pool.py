"""Warm workers: one per (environment, backend, knobs), started on demand and closed together."""

from __future__ import annotations

import contextlib
import importlib.util
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from analyzer.differential.backend import Backend
from analyzer.differential.container import ContainerTransport
from analyzer.differential.runner import CARRIED, Artefact, Runner
from analyzer.differential.transport import (
    EngineEnvironment,
    EngineFailed,
    Meter,
    ProcessTransport,
    Turns,
    WorkerTransport,
)
from analyzer.differential.verdict import Failure, Kind
from analyzer.differential.worker import tensors
from analyzer.walls import ResourceLimits, Sandbox, can_stay
from analyzer.walls.process import ProcessSandbox

T = TypeVar("T")

STATE = "state.bin"  # beside the project in the worker's folder

LARGE = 1 << 30  # bytes of a model above which workers live one after another: together they take nine times as much

EXTRAS = {"torch": "torch", "tensorflow": "tensorflow"}  # of our distribution, that bring an engine; else `backends`

Connect = Callable[[Backend, Artefact], WorkerTransport | None]  # None: the usual transport
Overlay = Callable[[str, str], Path]  # package, version -> folder


@dataclass
class Pool:
    """Hands out runners that have the model loaded. Use as a context manager.

    `sandbox` runs what executes code of the project (entry points); model files are run in local worker processes.
    `overlay` provides versions of packages. `connect` replaces the choice of transport (containers).
    """

    sandbox: Sandbox | None = None
    overlay: Overlay | None = None
    connect: Connect | None = None
    deadline: float = 240.0
    memory: int = 6 << 30
    limit: int = 6  # workers kept warm at once
    meter: Meter = field(default_factory=Meter)
    pinned: frozenset[str] = frozenset()  # names of backends whose workers are in use and must stay
    _runners: dict[tuple[str, int], Runner] = field(default_factory=dict)
    _loaded: dict[tuple[str, int], Artefact] = field(default_factory=dict)
    _failed: dict[tuple[str, int], tuple[Failure, Artefact]] = field(default_factory=dict)
    _turns: Turns = field(default_factory=Turns)  # of the workers of large models
    # Started before there was a model for them, by name of the backend and whether for an entry point.
    _ahead: dict[tuple[str, bool], tuple[Runner, Future[None]]] = field(default_factory=dict)
    # The kernel ends a worker when the thread that started it ends, so these threads live as long as the pool.
    _threads: list[ThreadPoolExecutor] = field(default_factory=list)
    _asking: ThreadPoolExecutor | None = None
    _begun: dict[tuple[str, int], tuple[Artefact, Future[Runner | Failure]]] = field(default_factory=dict)

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def clock(self) -> float:
        """Seconds of processor time of this process and the workers: a busy machine finds what an idle one does."""
        return time.process_time() + self.meter.seconds

    def close(self) -> None:
        """End all workers."""
        for runner in self._runners.values():
            runner.close()
        for runner, begun in self._ahead.values():
            runner.close()
            wait([begun])
            runner.close()  # what it was starting at that moment
        self._ahead.clear()
        self._runners.clear()
        self._loaded.clear()
        self._failed.clear()
        for _, started in self._begun.values():
            late = started.result()
            if isinstance(late, Runner):
                late.close()
        self._begun.clear()
        self._asking = None
        while self._threads:
            self._threads.pop().shutdown()

    def absent(self, backend: Backend, artefact: Artefact) -> Failure | None:
        """The verdict on an engine that would run in a process of this installation and is not part of it.

        None where only a start can tell: in containers, in an environment of the project, in another version.
        """
        if self.connect is not None or artefact.kind.endswith("-entry") or backend.version is not None:
            return None
        package = backend.engine.packages[0]
        if importlib.util.find_spec(package) is not None:
            return None
        extra = EXTRAS.get(package, "backends")
        return Failure(Kind.MISSING, f"{package} is not installed; `pip install assay-action[{extra}]` brings it")

    def together(self, calls: Sequence[Callable[[], T]]) -> list[T]:
        """The results of `calls`, each of which asks another worker, in their order; made side by side."""
        if len(calls) < 2:
            return [call() for call in calls]
        return [each.result() for each in [self.beside(call) for call in calls]]

    def beside(self, call: Callable[[], T]) -> Future[T]:
        """Ask a worker that nobody asks before the result is there, and go on."""
        if self._asking is None:  # as large as it may become: a call that waits for another is not among them
            self._asking = ThreadPoolExecutor(2 * self.limit)
            self._threads.append(self._asking)
        return self._asking.submit(call)

    def begin(self, wanted: Sequence[tuple[Backend, Artefact]]) -> None:
        """Start workers side by side and do not wait for them: most of a start is one core's work in another process.

        Versions that are not installed here are left to `get`, and so is what has no room among the warm workers.
        """
        new = {(b.name, id(a)): (b, a) for b, a in wanted if b.version is None}
        idle = {k[0] for k, loaded in self._loaded.items() if not loaded.kind.endswith("-entry")}
        new = {k: v for k, v in new.items() if k not in self._runners and k not in self._begun and k[0] not in idle}
        keys = list(new)[: max(0, self.limit - len(self._runners) - len(self._begun))]
        if not keys:
            return
        self._threads.append(ThreadPoolExecutor(len(keys)))
        for key in keys:
            self._begun[key] = new[key][1], self._threads[-1].submit(self._start, *new[key])

    def warm(self, wanted: Sequence[tuple[Backend, Artefact]]) -> None:
        """As `begin`, and wait for all that were begun."""
        self.begin(wanted)
        for key in list(self._begun):
            self._arrived(key)

    def _arrived(self, key: tuple[str, int]) -> None:
        artefact, started = self._begun.pop(key)
        runner = started.result()
        if isinstance(runner, Failure):
            self._failed[key] = runner, artefact
        else:
            self._keep(key, runner, artefact)

    def prepare(self, backend: Backend, artefact: Artefact) -> None:
        """Let a worker of this machine begin with an entry point while others export it."""
        if not isinstance(self.sandbox, ProcessSandbox):
            return
        with contextlib.suppress(EngineFailed):  # told where the engine is asked for
            self._early(backend, artefact)

    def wake(self, backends: Sequence[Backend]) -> None:
        """Start the workers of this machine that will take a model file, while that file is still being made."""
        unmade = Artefact("onnx", {}, {})
        for backend in backends if self.connect is None else ():
            if backend.version is not None or self.absent(backend, unmade) is not None:
                continue
            with contextlib.suppress(EngineFailed):  # told where the engine is asked for
                self._early(backend, unmade)

    def _early(self, backend: Backend, artefact: Artefact) -> None:
        runner = Runner(backend, self._transport(backend, artefact), deadline=self.deadline)
        self._threads.append(ThreadPoolExecutor(1))
        ahead = runner, self._threads[-1].submit(runner.prepare, artefact)
        self._ahead[backend.name, artefact.kind.endswith("-entry")] = ahead

    def get(self, backend: Backend, artefact: Artefact) -> Runner | Failure:
        """A runner with `artefact` loaded, or the verdict why there is none.

        The worker that was asked for least recently makes room.
        """
        key = (backend.name, id(artefact))
        if key in self._begun:
            self._arrived(key)
        if key in self._runners:
            self._runners[key] = self._runners.pop(key)
            return self._runners[key]
        if key in self._failed:
            return self._failed[key][0]
        warm = self._idle(backend, artefact)
        if warm is not None:
            try:
                warm.load(artefact)
            except EngineFailed as failed:
                warm.close()
                return failed.failure
            self._keep(key, warm, artefact)
            return warm
        while len(self._runners) >= self.limit:
            oldest = next((k for k in self._runners if k[0] not in self.pinned), None)
            if oldest is None:
                break
            del self._loaded[oldest]
            self._runners.pop(oldest).close()
        runner = self._start(backend, artefact)
        if not isinstance(runner, Failure):
            self._keep(key, runner, artefact)
        return runner

    def _start(self, backend: Backend, artefact: Artefact) -> Runner | Failure:
        ahead = None if backend.version else self._ahead.pop((backend.name, artefact.kind.endswith("-entry")), None)
        if ahead is not None and _size(artefact) > LARGE:  # such workers take turns, which this one does not
            ahead[0].close()
            ahead = None
        try:
            if ahead is None:
                runner = Runner(backend, self._transport(backend, artefact), deadline=self.deadline)
            else:
                runner, begun = ahead
                error = begun.exception()  # another failure is the load's too, which says how
                if isinstance(error, EngineFailed) and error.failure.kind is Kind.TIMEOUT:
                    runner.close()
                    raise error
        except EngineFailed as failed:
            return failed.failure
        try:
            runner.load(artefact)
        except EngineFailed as failed:
            runner.close()
            return failed.failure
        return runner

    def _idle(self, backend: Backend, artefact: Artefact) -> Runner | None:
        """The worker of this backend that another model file left warm: importing a framework costs more than loading.

        Code of a project is imported once in a process, so workers of entry points take no other model.
        """
        for key in self._runners:
            if key[0] == backend.name and not (self._loaded[key].kind + artefact.kind).count("-entry"):
                del self._loaded[key]
                return self._runners.pop(key)
        return None

    def _keep(self, key: tuple[str, int], runner: Runner, artefact: Artefact) -> None:
        self._runners[key] = runner
        self._loaded[key] = artefact  # held, so that its id stays its own

    @property
    def runners(self) -> tuple[Runner, ...]:
        """The warm workers, the least recently asked for first."""
        return tuple(self._runners.values())

    def settle(self, backends: Sequence[Backend], artefact: Artefact, folder: Path) -> Artefact:
        """An entry point may make other weights each time: `artefact` with those of one build, which all others take.

        The first of `backends` that can build the model does; its worker is kept. Where none can, or what it made
        cannot be carried over, the artefact is unchanged.
        """
        for backend in backends if artefact.kind in CARRIED and "state" not in artefact.request else ():
            runner = self.get(backend, artefact)
            if isinstance(runner, Failure):
                continue
            if not runner.state:
                break
            path = folder / STATE
            manifest = tensors.write(path, runner.state)
            settled = replace(
                artefact,
                files={**artefact.files, STATE: path},
                request={**artefact.request, "state": {"file": STATE, "manifest": manifest}},
            )
            runner.adopt(settled)
            del self._runners[backend.name, id(artefact)], self._loaded[backend.name, id(artefact)]
            self._keep((backend.name, id(settled)), runner, settled)
            return settled
        return artefact

    def _transport(self, backend: Backend, artefact: Artefact) -> WorkerTransport:
        turns = self._turns if _size(artefact) > LARGE else None
        chosen = self.connect(backend, artefact) if self.connect is not None else None
        if chosen is not None:
            return chosen
        variables = variables_for(backend)
        compiles = backend.engine.name == "torch" and backend.knobs.get("mode") == "compile"
        devices = backend.accelerated
        if artefact.kind.endswith("-entry"):
            if self.sandbox is None:
                raise EngineFailed(Kind.MISSING, "running this repository's code is not allowed here")
            if isinstance(self.sandbox, ProcessSandbox):  # a process of this machine: one that stays is no weaker
                programs = compiles or devices
                environment = EngineEnvironment(
                    self.sandbox.python, variables=variables, programs=programs, devices=devices
                )
                return ProcessTransport(
                    backend.engine.name,
                    environment,
                    memory=self.memory,
                    limits=ResourceLimits(),
                    meter=self.meter,
                    turns=turns,
                )
            if not can_stay(self.sandbox):
                raise EngineFailed(Kind.MISSING, f"no worker can stay in {self.sandbox.name}")
            return ContainerTransport(
                backend.engine.name, self.sandbox, variables=variables, memory=self.memory, meter=self.meter
            )
        folder = None
        if backend.version is not None:
            if self.overlay is None:
                raise EngineFailed(Kind.MISSING, f"version {backend.version} is not installed here")
            folder = self.overlay(backend.engine.packages[-1], backend.version)
        environment = EngineEnvironment(
            overlay=folder, variables=variables, programs=compiles or devices, devices=devices
        )
        return ProcessTransport(backend.engine.name, environment, memory=self.memory, meter=self.meter, turns=turns)


def _size(artefact: Artefact) -> int:
    return sum(path.stat().st_size for path in artefact.files.values() if path.is_file())


def variables_for(backend: Backend) -> Mapping[str, str]:
    """Environment variables that an engine reads when it is imported, hence no ordinary knobs."""
    variables = {}
    name, knobs = backend.engine.name, backend.knobs
    if name.startswith("keras-"):
        variables["KERAS_BACKEND"] = name.removeprefix("keras-")
        if knobs.get("precision") == "float64":
            variables["JAX_ENABLE_X64"] = "1"
    if knobs.get("threads"):
        for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "TF_NUM_INTRAOP_THREADS"):
            variables[variable] = knobs["threads"]
    return variables
