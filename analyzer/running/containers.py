"""Targets in containers: one serves one target of one revision, and what it hands back is checked before it counts.

This side imports no framework and reads no model; see `contained` for the other.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import pickle
import queue
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from analyzer.configuration.config import TargetConfig
from analyzer.findings import Cause, slug
from analyzer.problem import SurroundingsProblem, TargetProblem
from analyzer.running.answers import checked, malformed
from analyzer.running.outcome import TargetOutcome, cause_of
from analyzer.running.processes import JobResult
from analyzer.running.request import BROKE_OFF, FILES_LIMIT, OUTCOME, REQUEST, Request
from analyzer.walls import PYTHON, ResourceLimits, Sandbox, SessionEnded
from analyzer.walls.archive import ArchiveRefused, unpack
from analyzer.walls.docker import DockerSandbox
from analyzer.walls.engines import EnginesImage
from analyzer.walls.protocol import ENGINE_CORES
from analyzer.walls.relayed import TREES
from analyzer.walls.serving import OutOfTurn, Server
from analyzer.walls.volume import filled_volume

MOST_FILES = 500  # of one target: reproducers and pictures
OUTCOME_LIMIT = 64 << 20  # bytes of a report: what a container answers is untrusted


class _BrokeOff(TargetProblem):
    """An error of ours in the container."""


@dataclass(frozen=True)
class Containers:
    """Where targets are analysed: containers of the sandbox's image with the trees mounted.

    `trees`: folders by name. `code` is where the project's code runs, in yet other containers; None: nowhere.
    `engines` is the image with the frameworks; a target is analysed in it where it is at hand, and otherwise where the
    analysis in the sandbox's own image comes to something that needs it. None: the sandbox's image has everything.
    """

    sandbox: DockerSandbox
    trees: Mapping[str, Path]
    code: Sandbox | None
    engines: EnginesImage | None = None

    def analyse(self, request: Request, output: Path, stage: Callable[[str], None], seconds: float) -> TargetOutcome:
        """The outcome of one target, its files below `output`. Raises `TargetProblem` in one sentence."""
        image = self._image(request)
        message, packed = self._answer(replace(request, engines=image is not None), image, stage, seconds)
        if image is None and message.get("engines") == "needed":
            assert self.engines is not None
            image = self.engines.name()
            _, packed = self._answer(request, image, stage, seconds)
        with tempfile.TemporaryDirectory(prefix="assay-answer-") as folder:
            return take(packed, request.target, Path(folder), output)

    def _image(self, request: Request) -> str | None:
        """The image with the engines, None for the slim one: sources are only read, and a file may not need them."""
        if self.engines is None:
            return self.sandbox.image or ""
        if request.target.entry and request.code:
            return self.engines.name()
        return None if request.target.file.endswith(".py") else self.engines.at_hand()

    def _answer(
        self, request: Request, image: str | None, stage: Callable[[str], None], seconds: float
    ) -> tuple[dict[str, Any], bytes]:
        """What the container of `image` (None: the slim one) answers."""
        ends = time.monotonic() + seconds
        session = replace(self.sandbox, image=image or self.sandbox.image).open(
            [PYTHON, "-I", "-m", "analyzer.running.contained"],
            files={REQUEST: pickle.dumps(request)},
            limits=limits(),
            environment={name: str(ENGINE_CORES) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")},
        )
        environment = request.target.environment or request.config.environment
        server = Server(
            session, self.code if request.code else None, self.trees, environment, self.trees[request.side], ends, stage
        )
        try:
            with server:
                return server.answer(FILES_LIMIT + OUTCOME_LIMIT)
        except TimeoutError:
            raise TargetProblem(
                f"the analysis took longer than {seconds:g} s and was stopped; raise `timeout:`."
            ) from None
        except SessionEnded as ended:
            kind = SurroundingsProblem if ended.lost else _BrokeOff if ended.exit_code == BROKE_OFF else TargetProblem
            raise kind(f"the container of the analysis {ended}") from None
        except OutOfTurn as broken:
            raise TargetProblem(
                f"the container of the analysis {broken}, and was stopped; nothing of it counts."
            ) from None
        finally:
            session.close()

    def run(
        self, jobs: Mapping[str, tuple[Request, Path]], parallel: int, seconds: float, told: Callable[[str, Any], None]
    ) -> Iterator[tuple[str, JobResult]]:
        """Analyse `jobs`, at most `parallel` at once; yields answers as they come. `told` is called in this thread."""
        waiting = list(jobs.items())
        events: queue.Queue[tuple[str, str, Any]] = queue.Queue()
        running = 0

        def work(name: str, request: Request, output: Path) -> None:
            began = time.monotonic()
            try:
                outcome = self.analyse(request, output, lambda stage: events.put(("stage", name, stage)), seconds)
                answer = JobResult(outcome.to_json(), seconds=time.monotonic() - began)
            except _BrokeOff as problem:
                answer = JobResult(error=str(problem), seconds=time.monotonic() - began, cause=Cause.ASSAY)
            except TargetProblem as problem:
                answer = JobResult(error=str(problem), seconds=time.monotonic() - began, cause=cause_of(problem))
            except Exception as error:  # a mistake of ours, or an engine that is gone, costs this target alone
                lost = f"the container of the analysis could not be kept ({type(error).__name__})."
                answer = JobResult(error=lost, seconds=time.monotonic() - began, cause=Cause.SURROUNDINGS)
            events.put(("answer", name, answer))

        while waiting or running:
            while waiting and running < max(1, parallel):
                name, (request, output) = waiting.pop(0)
                threading.Thread(target=work, args=(name, request, output), daemon=True).start()
                running += 1
            kind, name, value = events.get()
            if kind == "stage":
                told(name, value)
            else:
                running -= 1
                yield name, value


@contextlib.contextmanager
def containers(
    sandbox: DockerSandbox, trees: Mapping[str, Path], code: Sandbox | None, engines: EnginesImage | None = None
) -> Iterator[Containers]:
    """The trees copied to a volume once. Raises `TargetProblem` where the engine refuses."""
    with filled_volume(trees, sandbox.image, str(TREES)) as volume:
        yield Containers(replace(sandbox, volumes=(*sandbox.volumes, volume)), trees, code, engines)


def limits() -> ResourceLimits:
    """Of an analysis: it may use the machine, but not take it down."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return ResourceLimits(
        memory=max(2 << 30, total * 3 // 4),
        cpus=float(os.cpu_count() or 1),
        scratch=max(1 << 30, total // 4),
        output=FILES_LIMIT,
    )


def take(packed: bytes, target: TargetConfig, folder: Path, output: Path) -> TargetOutcome:
    """What a container answered, if it is of the proper form and speaks of `target` alone; its files below `output`.

    Raises `TargetProblem` for anything else; then nothing is written below `output`.
    """
    try:
        names = unpack(io.BytesIO(packed), folder, FILES_LIMIT + OUTCOME_LIMIT)
    except ArchiveRefused as refusal:
        raise TargetProblem(f"the container of the analysis handed back {refusal}; nothing of it counts.") from None
    own = f"targets/{slug(target.id)}/"
    files = [name for name in names if name != OUTCOME]
    if not all(name.startswith(own) for name in files) or len(files) > MOST_FILES:
        raise TargetProblem("the container of the analysis handed back files of another target; nothing of it counts.")
    try:
        if (folder / OUTCOME).stat().st_size > OUTCOME_LIMIT:
            raise ValueError("it is too large")
        data = json.loads((folder / OUTCOME).read_bytes())
    except (OSError, ValueError, RecursionError) as problem:
        raise TargetProblem(malformed(problem)) from None
    outcome = checked(data, target, frozenset(files))
    for name in files:
        (output / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / name, output / name)
    return outcome
