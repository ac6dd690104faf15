"""The image with the frameworks: the slim one has none, so a sibling is pulled or built when work needs it."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.configuration.config import Environment
from analyzer.problem import SurroundingsProblem, TargetProblem
from analyzer.walls.docker import INSTALL_NETWORK, DockerSandbox
from analyzer.walls.docker_engine import connect, image_id, own_image, sentence
from analyzer.walls.protocol import Completed, ResourceLimits, Session
from analyzer.walls.requirements import collect, derive, derived_tag

if TYPE_CHECKING:
    import docker as sdk

IMAGE = "ASSAY_IMAGE"  # names Assay's image where this process does not run inside it; that image has everything
ENGINES = "ASSAY_ENGINES_IMAGE"  # set by the Dockerfile: the published image, `own` where this image has the engines
INDEX = "ASSAY_TORCH_INDEX"  # set by the Dockerfile: an extra index for PyTorch's CPU wheels
OWN = "own"
REQUIREMENTS = Path("/opt/requirements-engines.txt")  # what a slim image is built up with where none is published
TORCH = ("requirements-torch.txt", "requirements-cuda.txt")  # beside it: the wheel for CPUs, else the default one
SECONDS = 3_600.0  # to install gigabytes over a slow line
TRIES = 2  # a download may break off; each try takes minutes, and every target of a run would make its own


@dataclass
class EnginesImage:
    """Which image has the engines; found at the first use, once. `say` is told before something long begins."""

    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    say: Callable[[str], None] = lambda _text: None
    requirements: Path = REQUIREMENTS
    _found: str | None = None
    _tries: int = 0
    _failed: TargetProblem | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def own(self, client: sdk.DockerClient) -> str:
        """The image of this process. Raises `TargetProblem` where it is not known."""
        return self.environ.get(IMAGE) or own_image(client)

    @property
    def identity(self) -> str:
        """Changes with the engines' versions, and needs no engine of containers to be told."""
        if self._named not in ("", OWN):
            return self._named
        if self._named == "" and self.requirements.is_file():
            return repr(sorted(self._files().items()))
        return OWN

    @property
    def is_own(self) -> bool:
        """Whether this process has the engines beside it: its own image is the one, or none is known to be."""
        return self._named == OWN or not (self._named or self.requirements.is_file())

    @property
    def _named(self) -> str:
        return OWN if self.environ.get(IMAGE) else self.environ.get(ENGINES, "")

    def at_hand(self) -> str | None:
        """The image where it is there already: nothing is pulled or built."""
        if self._found is None:
            with contextlib.closing(connect()) as client:
                if self.is_own:
                    self._found = self.own(client)
                else:
                    tag = self._named or self._tag(client)
                    self._found = tag if _exists(client, tag) else None
        return self._found

    def name(self) -> str:
        """The image, pulled or built if need be. Raises `TargetProblem` in one sentence."""
        with self._lock:
            found = self.at_hand()
            if found is None:
                if self._failed is not None and self._tries >= TRIES:
                    raise self._failed
                self._tries += 1
                try:
                    with contextlib.closing(connect()) as client:
                        found = self._found = self._pulled(client) if self._named else self._built(client)
                except TargetProblem as problem:
                    self._failed = problem
                    raise
            return found

    def _pulled(self, client: sdk.DockerClient) -> str:
        from docker.errors import DockerException

        self.say(f"Pulling the image with the engines, {self._named}")
        try:
            client.images.pull(self._named)
            image_id(client, self._named)
        except DockerException as error:
            raise SurroundingsProblem(f"the image with the engines cannot be pulled: {sentence(error)}") from error
        return self._named

    def _built(self, client: sdk.DockerClient) -> str:
        self.say("Building the image with the engines: no published one is named, and this takes minutes")
        index = self.environ.get(INDEX)
        return derive(
            client, self.own(client), self.requirements.parent, self.requirements.name,
            network=self.environ.get(INSTALL_NETWORK) or "bridge", seconds=SECONDS,
            options=("--no-deps", *(("--extra-index-url", index) if index else ())),
            one_of=self._torch,
        )  # fmt: skip

    def _tag(self, client: sdk.DockerClient) -> str:
        return derived_tag(image_id(client, self.own(client)), self._files())

    @property
    def _torch(self) -> tuple[str, ...]:
        return tuple(name for name in TORCH if self.requirements.with_name(name).is_file())

    def _files(self) -> dict[str, bytes]:
        """All lists that the image is built from, by name."""
        names = (self.requirements.name, *self._torch)
        return {file: content for name in names for file, content in collect(self.requirements.parent, name).items()}


def _exists(client: sdk.DockerClient, image: str) -> bool:
    try:
        image_id(client, image)
    except TargetProblem:
        return False
    return True


@dataclass(frozen=True)
class EnginesSandbox:
    """Containers of the image with the engines, which is pulled or built when the first command runs.

    `inside` says how containers are made; its image is not looked at. An environment's own image needs no other.
    """

    engines: EnginesImage
    inside: DockerSandbox

    @property
    def name(self) -> str:
        return self._made().name

    @property
    def identity(self) -> str:
        return self._made().identity

    def within(self, environment: Environment | None, root: Path) -> DockerSandbox | EnginesSandbox:
        if environment is None or (environment.image is None and environment.requirements is None):
            return self
        made = self._made() if environment.image is None else self.inside
        return made.within(environment, root)

    def run(
        self,
        command: Sequence[str],
        *,
        files: Mapping[str, bytes | Path],
        output: Path | None = None,
        limits: ResourceLimits = ResourceLimits(),  # noqa: B008 - frozen
        environment: Mapping[str, str] | None = None,
    ) -> Completed:
        return self._made().run(command, files=files, output=output, limits=limits, environment=environment)

    def open(
        self,
        command: Sequence[str],
        *,
        files: Mapping[str, bytes | Path],
        limits: ResourceLimits = ResourceLimits(),  # noqa: B008 - frozen
        environment: Mapping[str, str] | None = None,
    ) -> Session:
        return self._made().open(command, files=files, limits=limits, environment=environment)

    def _made(self) -> DockerSandbox:
        return replace(self.inside, image=self.engines.name())
