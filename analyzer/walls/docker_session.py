"""A command that stays in a container: lines and files in, lines and bytes out, over the engine's attached stream."""

from __future__ import annotations

import contextlib
import socket
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzer.problem import SurroundingsProblem
from analyzer.walls.archive import pack
from analyzer.walls.docker_engine import BOX, connect, remove, sentence
from analyzer.walls.protocol import PYTHON, Order, ResourceLimits, Session, SessionEnded
from analyzer.walls.stream import Received

if TYPE_CHECKING:
    import docker as sdk
    from docker.models.containers import Container

    from analyzer.walls.docker import DockerSandbox

INTERPRETER = 'p=$(command -v python3 || command -v python) || exit 126; exec "$p" "$@"'
STDOUT, STDERR = 1, 2
LOG = 4_000  # bytes of standard error that are kept: its end


def start(sandbox: DockerSandbox, order: Order) -> Session:
    """Raises `TargetProblem` when the container cannot be started."""
    from docker.errors import APIError

    if not order.command or order.command[0] != PYTHON:
        raise ValueError("a session runs the container's Python")
    client = connect()
    container = None
    try:
        container = sandbox.create(
            client,
            ["/bin/sh", "-c", INTERPRETER, "session"],
            order.command[1:],
            order.limits,
            {"PYTHONPATH": BOX, "TF_CPP_MIN_LOG_LEVEL": "3", **order.environment},
            executable=True,
            stdin=True,
        )
        _put(container, order.files, order.limits.input)
        stream = container.attach_socket(params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
        container.start()
        return DockerSession(client, container, stream, order.limits)
    except (APIError, OSError) as error:  # it refuses, or does not answer any more
        raise SurroundingsProblem(f"the Docker engine could not start the container: {sentence(error)}") from error
    except BaseException:
        if container is not None:
            remove(container)
        client.close()
        raise


class DockerSession(Received):
    """The running container. Its output is taken apart frame by frame; nothing that was not asked for is kept."""

    def __init__(self, client: sdk.DockerClient, container: Container, stream: Any, limits: ResourceLimits) -> None:
        super().__init__()
        self._client = client
        self._container: Container | None = container
        self._stream = stream
        self._limits = limits
        self._frames = bytearray()
        self._log = b""

    def put(self, files: Mapping[str, bytes | Path]) -> None:
        from docker.errors import APIError

        if self._container is None:
            raise SessionEnded("the container is closed")
        if files:
            try:
                _put(self._container, files, self._limits.input)
            except APIError:
                raise self.ended() from None

    def death(self) -> str:
        return str(self.ended())

    def ended(self) -> SessionEnded:
        code, oom = None, False
        with contextlib.suppress(Exception):  # the container is gone; how it ended is not known
            assert self._container is not None
            self._container.wait(timeout=5)
            self._container.reload()
            state = self._container.attrs["State"]
            code, oom = state.get("ExitCode"), state.get("OOMKilled")
        last = self._log.decode("utf-8", "replace").strip().splitlines()[-1:] or [""]
        how = "ran out of memory" if oom else f"ended with exit code {code}"
        return SessionEnded(f"{how}: {last[0][:300]}", code, lost=code is None)

    def close(self) -> None:
        with contextlib.suppress(OSError):  # what it still sends would keep the engine from removing it
            self._socket().shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(OSError):
            self._stream.close()
        if self._container is not None:
            with contextlib.suppress(Exception):  # it is gone already, or the engine is
                remove(self._container)
            self._container = None
        self._client.close()

    def _socket(self) -> Any:
        return getattr(self._stream, "_sock", self._stream)

    def _came(self, chunk: bytes) -> None:
        """Take apart the engine's frames: eight bytes of header (stream, length), then the payload."""
        self._frames += chunk
        at = 0
        while len(self._frames) - at >= 8:
            stream, length = self._frames[at], int.from_bytes(self._frames[at + 4 : at + 8], "big")
            if len(self._frames) - at < 8 + length:
                break
            payload = self._frames[at + 8 : at + 8 + length]
            at += 8 + length
            if stream == STDOUT:
                self._output += payload
            elif stream == STDERR:
                self._log = (self._log + bytes(payload))[-LOG:]
        del self._frames[:at]


def _put(container: Container, files: Mapping[str, bytes | Path], limit: int) -> None:
    with tempfile.TemporaryFile() as archive:
        pack(files, limit, archive)
        archive.seek(0)
        container.put_archive(BOX, archive)
