"""A container as a sandbox, through the Docker SDK.

No network, read-only root, no capabilities, no new privileges, an unprivileged user, limits on processes, memory, CPU
and time, and an environment of a handful of names. Input goes in as a tar stream to an anonymous volume that only root
may write; output is written to a memory file system of limited size and comes back as a tar stream on standard output,
so nothing that runs inside can fill the disk, and no folder of the host is ever mounted.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from analyzer.configuration.config import Environment
from analyzer.problem import SurroundingsProblem
from analyzer.walls import stage
from analyzer.walls.archive import ArchiveRefused, pack, unpack
from analyzer.walls.docker_engine import (
    BOX,
    LABEL,
    NOBODY,
    answering,
    connect,
    image_id,
    kill,
    own_image,
    remove,
    sentence,
)
from analyzer.walls.docker_session import start
from analyzer.walls.protocol import OUTPUT, BoundedLog, Completed, Order, ResourceLimits, Session, Stays
from analyzer.walls.requirements import derive

if TYPE_CHECKING:
    import docker as sdk
    from docker.models.containers import Container

STAGE = ".assay-stage.py"
INSTALL_NETWORK = "ASSAY_INSTALL_NETWORK"  # the network for `environment: requirements:`, for nothing else
DISCARD_LIMIT = 256 << 20  # printed text beyond this ends the run: nobody reads it


@dataclass(frozen=True)
class DockerSandbox(Stays):
    """Runs commands in fresh containers of `image` (None: the image this very process runs in).

    `gpus` asks the engine for all its GPUs: for trusted code only, a device is a hole in the wall.
    `requirements_from` is the tree whose requirements files are installed, where it is not the one under review: what a
    stranger's revision lists is not installed.

    Holds no connection, so that it may cross into child processes; each use connects anew (`connect`).
    """

    image: str | None = None
    gpus: bool = False
    requirements_from: Path | None = None
    volumes: tuple[tuple[str, str], ...] = ()  # (name, absolute path inside), read-only in every container
    install_network: str = field(default_factory=lambda: os.environ.get(INSTALL_NETWORK, "bridge"))

    @property
    def name(self) -> str:
        return f"a container of {self.image or 'this image'}"

    @property
    def identity(self) -> str:
        with answering(), contextlib.closing(connect()) as client:
            return f"docker:{image_id(client, self.image or own_image(client))}"

    def within(self, environment: Environment | None, root: Path) -> DockerSandbox:
        """The sandbox in which this environment's packages are found; installs its requirements once."""
        if environment is None or (environment.image is None and environment.requirements is None):
            return self
        image = environment.image or self.image
        if environment.requirements is not None:
            with answering(), contextlib.closing(connect()) as client:
                base = image or own_image(client)
                tree = self.requirements_from or root
                image = derive(client, base, tree, environment.requirements, network=self.install_network)
        return replace(self, image=image)

    def _run(self, order: Order, output: Path | None) -> Completed:
        limits = order.limits
        with answering(), contextlib.closing(connect()) as client, tempfile.TemporaryFile() as archive:
            pack({**order.files, STAGE: Path(stage.__file__).read_bytes()}, limits.input, archive)
            archive.seek(0)
            container = self._create(client, order.command, limits, order.environment)
            try:
                container.put_archive(BOX, archive)
                return _execute(container, output, limits)
            finally:
                remove(container)

    def _open(self, order: Order) -> Session:
        return start(self, order)

    def _create(
        self, client: sdk.DockerClient, command: Sequence[str], limits: ResourceLimits, environment: Mapping[str, str]
    ) -> Container:
        request = json.dumps(
            {
                "command": list(command),
                "pack": True,
                "rlimits": {"FSIZE": max(limits.output, limits.scratch)},
                "seconds": limits.seconds,
                "cores": max(1, round(limits.cpus)),
            }
        )
        interpreter = 'p=$(command -v python3 || command -v python) || exit 126; exec "$p" -I "$0" "$1"'
        return self.create(
            client, ["/bin/sh", "-c", interpreter, f"{BOX}/{STAGE}"], [request], limits, environment, executable=False
        )

    def create(
        self,
        client: sdk.DockerClient,
        entrypoint: Sequence[str],
        command: Sequence[str],
        limits: ResourceLimits,
        environment: Mapping[str, str],
        *,
        executable: bool,
        stdin: bool = False,
    ) -> Container:
        """The one place where a container is described. `executable`: what lies in the temporary folder may be run.

        Raises `SurroundingsProblem` when the engine has no such image or refuses.
        """
        from docker.errors import APIError, ImageNotFound
        from docker.types import DeviceRequest, LogConfig, Mount, Ulimit

        image = self.image or own_image(client)
        run = "exec" if executable else "noexec"
        try:
            return client.containers.create(
                image,
                entrypoint=list(entrypoint),
                command=list(command),
                working_dir=BOX,
                user=NOBODY,
                network_mode="none",
                read_only=True,
                cap_drop=["ALL"],
                security_opt=["no-new-privileges"],
                pids_limit=limits.processes,
                mem_limit=limits.memory,
                memswap_limit=limits.memory,
                nano_cpus=int(min(limits.cpus, os.cpu_count() or 1) * 1e9),
                oom_score_adj=500,  # where the machine runs out of memory, this goes before the one that watches it
                ipc_mode="private",
                ulimits=[Ulimit(name="core", soft=0, hard=0), Ulimit(name="nofile", soft=4096, hard=4096)],
                tmpfs={
                    "/tmp": f"rw,{run},nosuid,nodev,size={limits.scratch},mode=1777",
                    f"{BOX}/{OUTPUT}": f"rw,noexec,nosuid,nodev,size={limits.output},uid=65534,gid=65534,mode=0700",
                },
                volumes=[BOX],
                mounts=[Mount(target, name, type="volume", read_only=True) for name, target in self.volumes],
                environment={
                    "HOME": "/tmp",
                    "TMPDIR": "/tmp",
                    "LANG": "C.UTF-8",
                    "PYTHONDONTWRITEBYTECODE": "1",
                    "PYTHONHASHSEED": "0",
                }
                | dict(environment),
                log_config=LogConfig(type="none"),
                device_requests=[DeviceRequest(count=-1, capabilities=[["gpu"]])] if self.gpus else None,
                labels={LABEL: "1"},
                tty=False,
                stdin_open=stdin,
                auto_remove=False,
            )
        except ImageNotFound as error:
            raise SurroundingsProblem(
                f"the engine has no image {image!r}; pull it before Assay runs, or correct `environment: image:`"
            ) from error
        except APIError as error:
            raise SurroundingsProblem(f"the Docker engine refused the sandbox: {sentence(error)}") from error


def _execute(container: Container, output: Path | None, limits: ResourceLimits) -> Completed:
    """Start, take both streams until they end or the deadline kills the container, and say how it ended."""
    from docker.errors import APIError

    log = BoundedLog(limits.log)
    chunks = cast(Iterator[tuple[bytes | None, bytes | None]], container.attach(stream=True, demux=True))
    expired = threading.Event()

    def expire() -> None:
        expired.set()
        kill(container)

    clock = threading.Timer(limits.seconds, expire)
    clock.daemon = True
    started = time.monotonic()
    try:
        container.start()
    except APIError as error:
        raise SurroundingsProblem(f"the Docker engine could not start the sandbox: {sentence(error)}") from error
    clock.start()
    names: tuple[str, ...] = ()
    refused: str | None = None
    stream = _Stream(chunks, log, limits)
    try:
        if output is not None:
            names = unpack(cast(IO[bytes], io.BufferedReader(stream)), output, limits.output)
        stream.drain()
    except ArchiveRefused as refusal:
        refused = str(refusal)
        _end(container, chunks)
    finally:
        clock.cancel()
    seconds = time.monotonic() - started
    code = int(container.wait(timeout=60)["StatusCode"])
    container.reload()
    out_of_memory = bool(container.attrs["State"].get("OOMKilled"))
    timed_out = expired.is_set()
    if timed_out or out_of_memory:
        refused = None  # a torn stream is no wonder
    return Completed(code, seconds, timed_out, out_of_memory and not timed_out, log.text(), names, refused)


class _Stream(io.RawIOBase):
    """Standard output of an attached container as a file; standard error goes to the log on the way."""

    def __init__(
        self, chunks: Iterator[tuple[bytes | None, bytes | None]], log: BoundedLog, limits: ResourceLimits
    ) -> None:
        self._chunks = chunks
        self._log = log
        self._printed = 0
        self._received = 0
        self._limit = limits.output + (64 << 20)  # headers and padding of the archive
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._left:
            pair = next(self._chunks, None)
            if pair is None:
                return 0
            out, err = pair
            if err:
                self._printed += len(err)
                if self._printed > DISCARD_LIMIT:
                    raise ArchiveRefused(f"more than {DISCARD_LIMIT >> 20} MiB of printed text")
                self._log.write(err)
            if out:
                self._received += len(out)
                if self._received > self._limit:
                    raise ArchiveRefused(f"more than {self._limit >> 20} MiB")
                self._left = out
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count

    def drain(self) -> None:
        """Read to the end and keep nothing but the log."""
        scrap = bytearray(1 << 16)
        while self.readinto(scrap):
            pass


def _end(container: Container, chunks: Iterator[object]) -> None:
    """Kill, and read on meanwhile: an engine that waits for a reader of what is printed does not kill."""
    killer = threading.Thread(target=kill, args=(container,), daemon=True)
    killer.start()
    for _ in chunks:
        pass
    killer.join(60)
