"""Trees of files on a volume of the engine: copied once, mounted read-only in every container that needs them."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from analyzer.problem import SurroundingsProblem
from analyzer.walls.archive import pack
from analyzer.walls.docker_engine import LABEL, NOBODY, connect, own_image, remove, sentence

LIMIT = 33 << 30  # bytes of all trees: two revisions of the largest that git hands over


@contextlib.contextmanager
def filled_volume(trees: Mapping[str, Path], image: str | None, below: str) -> Iterator[tuple[str, str]]:
    """(name of the volume, `below`), with each of `trees` in a folder of its name; removed at the end.

    Raises `SurroundingsProblem` when the engine refuses.
    """
    from docker.errors import APIError
    from docker.types import Mount

    with contextlib.closing(connect()) as client:
        try:
            volume = client.volumes.create(labels={LABEL: "1"})
        except APIError as error:
            raise SurroundingsProblem(f"the Docker engine made no volume: {sentence(error)}") from error
        try:
            container = client.containers.create(
                image or own_image(client),
                entrypoint=["/bin/true"],  # never started: it only has the volume
                user=NOBODY,
                network_mode="none",
                mounts=[Mount(below, volume.name, type="volume")],
                labels={LABEL: "1"},
            )
            try:
                with _pipe(trees) as archive:
                    container.put_archive(below, archive)
            finally:
                remove(container)
            yield volume.name, below
        except APIError as error:
            raise SurroundingsProblem(f"the Docker engine did not take the files: {sentence(error)}") from error
        finally:
            with contextlib.suppress(APIError):
                volume.remove(force=True)


@contextlib.contextmanager
def _pipe(trees: Mapping[str, Path]) -> Iterator[object]:
    with tempfile.TemporaryFile(dir=os.environ.get("TMPDIR")) as archive:
        pack({**trees, ".ready": b""}, LIMIT, archive)
        archive.seek(0)
        yield archive
