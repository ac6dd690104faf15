"""Which wall closes around the analysis of one target: it reads its tree and writes its own results, nothing else."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from analyzer.configuration.config import TargetConfig
from analyzer.differential.backend import any_accelerated
from analyzer.findings import slug
from analyzer.running.outcome import Surroundings
from analyzer.running.processes import Enclosure
from analyzer.walls import launch
from analyzer.walls.attended import Served
from analyzer.walls.docker import DockerSandbox
from analyzer.walls.kernel.rules import GPU_DEVICES, Rules

MADE = "exports"  # below its own folder: what a target's analysis has exported
FILE_SIZE = 8 << 30  # bytes of one file: a model is written once more for the engines


@contextmanager
def enclosures(jobs: Mapping[str, tuple[TargetConfig, Surroundings]]) -> Iterator[dict[str, Enclosure]]:
    """One enclosure a job, with empty folders that are gone afterwards; result folders that stayed empty go too."""
    with (
        tempfile.TemporaryDirectory(prefix="assay-run-", ignore_cleanup_errors=True) as slow,
        tempfile.TemporaryDirectory(
            prefix="assay-run-", dir=launch.memory_backed(), ignore_cleanup_errors=True
        ) as fast,
    ):
        made = {}
        for folder in (slow, fast):
            os.chmod(folder, 0o711)  # another user passes through, and sees no names
        for index, (name, (target, where)) in enumerate(jobs.items()):
            folders = [Path(slow, str(index)), Path(fast, str(index)), Path(slow, f"{index}.replies")]
            made[name] = _enclosure(target, where, folders)
        try:
            yield made
        finally:
            for target, where in jobs.values():
                results = where.output / "targets" / slug(target.id)
                if results.is_dir() and not results.is_symlink() and not any(results.iterdir()):
                    results.rmdir()


def _enclosure(target: TargetConfig, where: Surroundings, folders: list[Path]) -> Enclosure:
    home, fast, replies = folders
    results = where.output / "targets" / slug(target.id)
    for folder in (home, fast, replies, results, home / MADE):
        folder.mkdir(parents=True, exist_ok=True)
    variables = {launch.SCRATCH: str(fast)}
    trees = {"head": where.root} | ({"base": where.base_root} if where.base_root is not None else {})
    runs_code = bool(target.entry) or ".py" in f"{target.file} {target.validation}"
    served = None
    if runs_code and isinstance(where.sandbox, DockerSandbox):
        # The engine is not reached from behind the wall: the containers of this target's own code are asked for.
        served = Served(where.sandbox, trees, where.root, target.environment or where.config.environment)
    if launch.standing() is not None:
        return Enclosure(home, None, variables, served, replies)
    read = [str(replies), *(path for tree in trees.values() for path in launch.all_but(tree, where.output))]
    write = [str(home), str(fast), str(results.resolve())]
    if where.exports is not None and where.exports.is_dir():
        read.append(str(where.exports.resolve()))
    user = launch.user_for([*read, *(f.parent for f in (home, fast, results))])
    for folder in (home, fast, replies, results):
        launch.hand_over(folder, user)
    rules = Rules(
        libraries=[*launch.libraries(), *launch.programs()],
        read=read,
        names=[str(launch.ASSAY), *(str(tree.resolve()) for tree in trees.values())],
        write=write,
        programs=True,
        user=user,
        limits={"CORE": 0, "FSIZE": FILE_SIZE, "NOFILE": 4096, "NPROC": launch.threads_for(user)},
        devices=GPU_DEVICES if any_accelerated(target.backends or ()) else (),
        threads=launch.threads_of_children(user),
    )
    return Enclosure(home, rules, variables, served, replies)
