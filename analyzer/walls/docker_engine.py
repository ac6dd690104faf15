"""The Docker engine: the connection, what it is asked everywhere, and how its refusals are told."""

from __future__ import annotations

import contextlib
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.problem import SurroundingsProblem

if TYPE_CHECKING:
    import docker as sdk
    from docker.models.containers import Container

BOX = "/box"
NOBODY = "65534:65534"
LABEL = "assay.sandbox"


def kill(container: Container) -> None:
    from docker.errors import APIError

    with contextlib.suppress(APIError):  # it ended in the meantime
        container.kill()


def remove(container: Container) -> None:
    from docker.errors import APIError

    with contextlib.suppress(APIError):  # the engine removes it with the next prune
        container.remove(v=True, force=True)


def sentence(error: Exception) -> str:
    text = str(getattr(error, "explanation", None) or error).strip().splitlines()
    return (text[0] if text else type(error).__name__)[:300]


@contextlib.contextmanager
def answering() -> Iterator[None]:
    """An engine that refuses, or answers no more, is told in one sentence: raises `SurroundingsProblem`."""
    from docker.errors import DockerException
    from requests.exceptions import RequestException

    try:
        yield
    except (DockerException, RequestException) as error:
        told = f"the Docker engine did not do what it was asked ({type(error).__name__}: {sentence(error)})"
        raise SurroundingsProblem(told) from error


def connect() -> sdk.DockerClient:
    """The engine that DOCKER_HOST, or the default socket, names. Raises `SurroundingsProblem` when none answers."""
    import docker
    from docker.errors import DockerException

    try:
        client = docker.from_env(timeout=120)
        client.ping()
    except DockerException as error:
        raise SurroundingsProblem(
            "no Docker engine answers; start one, hand its socket to the action, export in a job of its own with "
            "`assay export`, or choose the process sandbox on your own machine"
        ) from error
    return client


def image_id(client: sdk.DockerClient, image: str) -> str:
    """The content id of an image. Raises `SurroundingsProblem` when the engine does not have it."""
    from docker.errors import ImageNotFound

    try:
        return str(client.images.get(image).id)
    except ImageNotFound as error:
        raise SurroundingsProblem(
            f"the engine has no image {image!r}; pull it before Assay runs, or correct `environment: image:`"
        ) from error


def own_image(client: sdk.DockerClient) -> str:
    """The image of the container this process runs in. Raises `SurroundingsProblem` outside of a container."""
    from docker.errors import APIError

    try:
        with contextlib.suppress(APIError):
            return str(client.containers.get(socket.gethostname()).attrs["Image"])
        for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
            found = re.search(r"/containers/([0-9a-f]{64})/", line)
            if found:
                with contextlib.suppress(APIError):
                    return str(client.containers.get(found.group(1)).attrs["Image"])
    except OSError:
        pass
    raise SurroundingsProblem(
        "which image to run the project's code in is not known; name one with --image or under `environment: image:`"
    )
