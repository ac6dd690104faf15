"""A worker in a container, through the Docker SDK: one image an environment, GPUs where the engine has them.

Messages go through the container's standard input and output, files in as tar streams, results out behind the reply
that announces them; no folder of the host is mounted. The wall is the sandbox's: no network, read-only root, no
capabilities, an unprivileged user, limits on memory, processes and files, results on a memory file system of limited
size. Unlike there, what lies in the temporary folder may be run: engines that compile load what they compile.

The image needs Python 3.9 or later, NumPy, and the engine (``onnx`` too for ONNX engines).
"""

from __future__ import annotations

import contextlib
import json
import shutil
import tarfile
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from analyzer.differential.transport import MAX_REPLY, WORKER, EngineFailed, carry_worker, read_reply
from analyzer.differential.verdict import Kind
from analyzer.problem import TargetProblem
from analyzer.walls import Limits
from analyzer.walls.archive import flatten
from analyzer.walls.docker import NOBODY, own_image
from analyzer.walls.protocol import OUTPUT

BOX = "/assay"
OWNER = "uid=65534,gid=65534,mode=0700"
ENVIRONMENT = {
    "PYTHONPATH": BOX, "HOME": "/tmp", "TMPDIR": "/tmp", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
}  # fmt: skip
INTERPRETER = 'p=$(command -v python3 || command -v python) || exit 126; exec "$p" -m "$0" "$@"'
STDOUT, STDERR = 1, 2
GPU_REFUSALS = (
    "could not select device driver",
    "nvidia-container",
    "no known gpu vendor",
    "capabilities: [[gpu]]",
    "cdi device",
)


class ContainerTransport:
    """A long-lived worker in a container of `image` (None: the image this very process runs in); a new container after
    a crash or a timeout."""

    results = f"{OUTPUT}/"

    def __init__(
        self,
        engine: str,
        image: str | None,
        *,
        gpus: bool = False,
        variables: Mapping[str, str] | None = None,
        memory: int = 6 << 30,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        client: Any = None,
    ) -> None:
        self.engine, self.image, self.gpus = engine, image, gpus
        self.variables, self.memory, self.limits = dict(variables or {}), memory, limits
        self.starts = 0
        self.folder = Path(tempfile.mkdtemp(prefix="assay-worker-"))
        self._client = client
        self._container: Any = None
        self._stream: Any = None
        self._buffer = b""
        self._lines = bytearray()
        self._log = b""
        self._asked = 0
        self._setup: list[dict[str, Any]] = []
        self._placed: list[str] = []
        carry_worker(self.folder)

    def place(self, files: Mapping[str, Path]) -> None:
        for name, path in files.items():
            target = self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                shutil.rmtree(target, ignore_errors=True)  # of the model that was loaded before
                for below, source in flatten({name: path}, self.limits.input):
                    (self.folder / below).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(str(source), self.folder / below)
            else:
                shutil.copyfile(path, target)
            self._placed.append(name)
        if self._container is not None:
            self._put(list(files))

    def remember(self, request: Mapping[str, Any]) -> None:
        self._setup = [dict(request)]

    def exchange(
        self, request: Mapping[str, Any], *, send: Sequence[str] = (), receive: Sequence[str] = (), deadline: float
    ) -> Any:
        ends = time.monotonic() + deadline
        if self._container is None:
            self._start()
            if request["op"] != "load":
                for earlier in self._setup:
                    self._ask(earlier, (), ends)
        self._put(send)
        value = self._ask(request, receive, ends)
        if request["op"] == "load":
            self._setup = [dict(request)]
        return value

    def _start(self) -> None:
        import docker
        from docker.errors import APIError, DockerException, ImageNotFound, NotFound
        from docker.types import DeviceRequest, LogConfig, Ulimit

        try:
            if self._client is None:
                self._client = docker.from_env(timeout=120)
            container = self._client.containers.create(
                self.image or own_image(self._client),
                entrypoint=["/bin/sh", "-c", INTERPRETER],
                command=[WORKER, self.engine, BOX, "--send"],
                working_dir=BOX,
                user=NOBODY,
                environment={**ENVIRONMENT, **self.variables},
                stdin_open=True,
                network_mode="none",
                read_only=True,
                cap_drop=["ALL"],
                security_opt=["no-new-privileges"],
                mem_limit=self.memory,
                memswap_limit=self.memory,
                nano_cpus=int(self.limits.cpus * 1e9),
                pids_limit=self.limits.processes,
                ipc_mode="private",
                ulimits=[Ulimit(name="core", soft=0, hard=0), Ulimit(name="nofile", soft=4096, hard=4096)],
                tmpfs={
                    "/tmp": f"rw,exec,nosuid,nodev,size={self.limits.scratch},mode=1777",
                    f"{BOX}/{OUTPUT}": f"rw,noexec,nosuid,nodev,size={self.limits.output},{OWNER}",
                },
                volumes=[BOX],
                log_config=LogConfig(type="none"),
                device_requests=[DeviceRequest(count=-1, capabilities=[["gpu"]])] if self.gpus else None,
                labels={"assay": "differential"},
            )  # fmt: skip
            self._container = container
            self._put([WORKER, *[n for n in ("assay_inside",) if (self.folder / n).exists()], *self._placed])
            self._stream = container.attach_socket(params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
            self._buffer, self._lines, self._log = b"", bytearray(), b""
            container.start()
            self.starts += 1
        except (ImageNotFound, NotFound):
            self._stop()
            raise EngineFailed(Kind.MISSING, f"there is no container image {self.image}") from None
        except APIError as error:
            self._stop()
            text = str(error.explanation or error)
            if self.gpus and any(word in text.lower() for word in GPU_REFUSALS):
                raise EngineFailed(Kind.MISSING, f"this Docker engine offers no GPU: {text[:200]}") from None
            raise EngineFailed(Kind.CRASH, f"the container could not be started: {text[:300]}") from None
        except TargetProblem as problem:
            self._stop()
            raise EngineFailed(Kind.MISSING, str(problem)) from None
        except (DockerException, OSError) as error:
            self._stop()
            raise EngineFailed(Kind.MISSING, f"no Docker engine answers: {str(error)[:200]}") from None

    def _ask(self, request: Mapping[str, Any], receive: Sequence[str], ends: float) -> Any:
        raw = getattr(self._stream, "_sock", self._stream)
        self._asked += 1
        try:
            raw.sendall(json.dumps({**request, "receive": list(receive), "id": self._asked}).encode() + b"\n")
            while b"\n" not in self._lines:
                self._more(raw, ends)
                if len(self._lines) > MAX_REPLY and b"\n" not in self._lines:
                    raise EngineFailed(Kind.CRASH, "the worker's reply is too long")
            line, _, rest = self._lines.partition(b"\n")
            self._lines = rest
            for name, size in _announced(line, receive, self.limits.output):
                while len(self._lines) < size:
                    self._more(raw, ends)
                (self.folder / name).write_bytes(self._lines[:size])
                del self._lines[:size]
        except TimeoutError:
            self._stop()
            raise EngineFailed(Kind.TIMEOUT, "gave no answer before the deadline and was ended") from None
        except OSError:
            raise EngineFailed(Kind.CRASH, self._death()) from None
        except EngineFailed:
            self._stop()  # what else is in the stream is not known
            raise
        return read_reply(bytes(line), self._asked)

    def _more(self, raw: Any, ends: float) -> None:
        left = ends - time.monotonic()
        if left <= 0:
            raise TimeoutError
        raw.settimeout(max(0.01, left))
        chunk = raw.recv(1 << 20)
        if not chunk:
            raise EngineFailed(Kind.CRASH, self._death())
        self._feed(chunk)

    def _feed(self, chunk: bytes) -> None:
        """Take apart the engine's frames: eight bytes of header (stream, length), then the payload."""
        self._buffer += chunk
        while len(self._buffer) >= 8:
            stream, length = self._buffer[0], int.from_bytes(self._buffer[4:8], "big")
            if len(self._buffer) < 8 + length:
                return
            payload, self._buffer = self._buffer[8 : 8 + length], self._buffer[8 + length :]
            if stream == STDOUT:
                self._lines += payload
            elif stream == STDERR:
                self._log = (self._log + payload)[-4000:]

    def _death(self) -> str:
        code, oom = None, False
        try:
            self._container.reload()
            state = self._container.attrs["State"]
            code, oom = state.get("ExitCode"), state.get("OOMKilled")
        except Exception:  # the container is gone; how it ended is not known
            pass
        self._stop()
        last = self._log.decode("utf-8", "replace").strip().splitlines()[-1:] or [""]
        how = "ran out of memory" if oom else f"ended with exit code {code}"
        return f"the worker {how}: {last[0][:300]}"

    def _put(self, names: Sequence[str]) -> None:
        """Files and folders into the container as one tar stream."""
        if not names or self._container is None:
            return
        with tempfile.TemporaryFile() as file:
            with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
                for name in names:
                    archive.add(self.folder / name, arcname=name, filter=_plain_member)
            file.seek(0)
            self._container.put_archive(BOX, file)

    def _stop(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        if self._container is not None:
            with contextlib.suppress(Exception):  # it is gone already, or the engine is
                self._container.remove(force=True, v=True)
            self._container = None

    def close(self) -> None:
        self._stop()
        if self._client is not None:
            self._client.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def _announced(line: bytes | bytearray, receive: Sequence[str], limit: int) -> list[tuple[str, int]]:
    """The files that follow a reply: what was asked for and no more, for the worker has run hostile code."""
    try:
        files = [(str(name), int(size)) for name, size in json.loads(line).get("files", ())]
    except (ValueError, TypeError, AttributeError):
        raise EngineFailed(Kind.CRASH, "the worker's reply is not understood") from None
    total = sum(size for _, size in files)
    if any(name not in receive or size < 0 for name, size in files) or total > limit or len(files) > len(receive):
        raise EngineFailed(Kind.CRASH, "the worker sends other files than it was asked for")
    return files


def _plain_member(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    if not (member.isfile() or member.isdir()):
        return None
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    member.mode = 0o755 if member.isdir() else 0o644
    return member
