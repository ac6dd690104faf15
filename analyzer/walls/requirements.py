"""`environment: requirements:` as an image: installed once on top of a base image, kept under the hash of both.

The installation runs strangers' code (a source distribution's build) with a network, hence: a container of its own,
no secret and no token in its environment, no capability, no folder of the host, limits on memory, processes and time.
"""

from __future__ import annotations

import hashlib
import io
import re
import shlex
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.problem import SurroundingsProblem, TargetProblem
from analyzer.walls.archive import pack
from analyzer.walls.docker_engine import LABEL, image_id, kill, remove, sentence
from analyzer.walls.protocol import BoundedLog, ResourceLimits

if TYPE_CHECKING:
    import docker as sdk

REPOSITORY = "assay-environment"
FOLDER = "/assay-requirements"
SECONDS = 1800.0  # building the largest frameworks' wheels from a slow index takes minutes
MAX_SIZE = 1 << 20  # bytes; no list that a person keeps is larger
UNREACHED = re.compile(  # what pip prints where the index, and not the list, is at fault
    r"NewConnectionError|ConnectTimeoutError|ReadTimeoutError|NameResolutionError|ProxyError|SSLError|Connection reset"
    r"|Network is unreachable|No space left on device|HTTP error 5\d\d|5\d\d error responses|5\d\d Server Error"
    r"|Connection aborted|IncompleteRead|Temporary failure in name resolution"
)
_NESTED = re.compile(r"^\s*(?:-r|--requirement|-c|--constraint)(?:\s+|=)(\S+)", re.M)


def derive(
    client: sdk.DockerClient,
    base: str,
    root: Path,
    requirements: str,
    *,
    network: str = "bridge",
    seconds: float = SECONDS,
    options: Sequence[str] = (),
    one_of: Sequence[str] = (),
) -> str:
    """The image with `requirements` (a file below `root`) installed on top of the image `base`; `options` are pip's.

    `one_of` are further lists below `root`: of these the first is installed that can be.
    Raises `TargetProblem` when the file is missing or leads out of the repository, or the installation fails.
    """
    files = {file: content for name in (requirements, *one_of) for file, content in collect(root, name).items()}
    tag = derived_tag(image_id(client, base), files)
    if client.images.list(name=tag):
        return tag
    _install(client, base, files, requirements, tag, network, seconds, options, one_of)
    return tag


def derived_tag(base: str, files: dict[str, bytes]) -> str:
    """The name under which the engine keeps what is installed from `files` on the image whose content id is `base`."""
    return f"{REPOSITORY}:{_digest(base, files)}"


def collect(root: Path, requirements: str) -> dict[str, bytes]:
    """The requirements file and those it includes, by path relative to `root`."""
    inside = root.resolve()
    found: dict[str, bytes] = {}
    queue = [root / requirements]
    while queue:
        path = queue.pop()
        real = path.resolve()
        if not real.is_relative_to(inside):
            raise TargetProblem(f"requirements file {requirements!r} leads out of the repository; keep it inside")
        name = real.relative_to(inside).as_posix()
        if name in found:
            continue
        if not real.is_file():
            raise TargetProblem(f"there is no requirements file {name!r}; correct `environment: requirements:`")
        if real.stat().st_size > MAX_SIZE:
            raise TargetProblem(f"requirements file {name!r} is larger than 1 MiB; that is no list of packages")
        found[name] = real.read_bytes()
        queue += [real.parent / nested for nested in _NESTED.findall(found[name].decode("utf-8", "replace"))]
    return found


def _digest(base: str, files: dict[str, bytes]) -> str:
    digest = hashlib.sha256(base.encode())
    for name, content in sorted(files.items()):
        digest.update(b"\0" + name.encode() + b"\0" + hashlib.sha256(content).digest())
    return digest.hexdigest()[:32]


def _install(
    client: sdk.DockerClient,
    base: str,
    files: dict[str, bytes],
    requirements: str,
    tag: str,
    network: str,
    seconds: float,
    options: Sequence[str],
    one_of: Sequence[str],
) -> None:
    from docker.errors import APIError
    from docker.types import LogConfig

    limits = ResourceLimits()
    pip = f'"$p" -m pip install --no-input --no-cache-dir --disable-pip-version-check {shlex.join(options)} -r'
    script = f'p=$(command -v python3 || command -v python) && cd "$0" && {pip} "$1"'
    if one_of:
        script += " && { " + " || ".join(f"{pip} {shlex.quote(name)}" for name in one_of) + "; }"
    container = client.containers.create(
        base,
        entrypoint=["/bin/sh", "-c", script, FOLDER],
        command=[requirements],
        user="0:0",
        working_dir="/",
        network_mode=network,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges"],
        pids_limit=limits.processes,
        mem_limit=limits.memory,
        memswap_limit=limits.memory,
        environment={"HOME": "/root", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"},
        log_config=LogConfig(type="none"),
        labels={LABEL: "1"},
    )
    expired = threading.Event()

    def expire() -> None:
        expired.set()
        kill(container)

    clock = threading.Timer(seconds, expire)
    clock.daemon = True
    log = BoundedLog(16 << 10)
    try:
        archive = io.BytesIO()
        pack({f"{FOLDER.strip('/')}/{name}": content for name, content in files.items()}, MAX_SIZE * 64, archive)
        container.put_archive("/", archive.getvalue())
        stream = container.attach(stream=True)
        container.start()
        clock.start()
        for chunk in stream:
            log.write(chunk)
        code = int(container.wait(timeout=60)["StatusCode"])
        if expired.is_set():
            raise TargetProblem(
                f"installing {requirements!r} took longer than {seconds:.0f} s; pin the versions it lists"
            )
        if code != 0:
            said = f"installing {requirements!r} failed: {_last_error(log.text())}"
            raise (SurroundingsProblem if UNREACHED.search(log.text()) else TargetProblem)(said)
        repository, _, version = tag.partition(":")
        client.api.timeout = max(client.api.timeout, int(seconds))  # gigabytes of engines are written once more
        container.commit(repository=repository, tag=version, changes=[f'LABEL {LABEL}="1"'])
    except APIError as error:
        raise SurroundingsProblem(f"the Docker engine could not install {requirements!r}: {sentence(error)}") from error
    finally:
        clock.cancel()
        remove(container)


def _last_error(log: str) -> str:
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")]
    return (errors or lines or ["pip said nothing"])[0 if errors else -1][:300]
