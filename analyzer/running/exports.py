"""Exports that are kept between runs: a folder a target, and in it one a content of its sources.

An analysis has read hostile bytes. It reads the folder of its own target and writes none: what it has exported lies in
an empty folder of its own, and whoever started it takes one export out of it, the one whose key was computed before
the analysis began. So nothing is left for another target, nor for other sources than those that made the graph.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Mapping
from pathlib import Path

from analyzer.configuration.config import TargetConfig
from analyzer.exporting.export import key_of
from analyzer.findings import slug
from analyzer.problem import Problem
from analyzer.running.aside import read_aside
from analyzer.walls.serving import CAPS

MOST_FILES = 1_000  # a model, its weights and the manifest are three; external data is a file a tensor at most


def kept_in(exports: Path, identity: str) -> Path:
    """Where the exports of the target `identity` lie."""
    return exports / slug(identity)


def keys_of_exports(jobs: Mapping[str, tuple[TargetConfig, Path]]) -> dict[str, str]:
    """The key of each job's export, for entry points in their trees; computed aside, for sources are parsed."""
    entries = {name: (target, root) for name, (target, root) in jobs.items() if target.entry}

    def look() -> dict[str, str]:
        found = {}
        for name, (target, root) in entries.items():
            try:
                found[name] = key_of(str(target.entry), root, target)
            except (Problem, OSError):
                continue  # said by the export itself
        return found

    return read_aside(look, sorted({root for _, root in entries.values()})) if entries else {}


def take(made: Path, kept: Path, key: str | None) -> bool:
    """Copy the export `key` from what an analysis has `made` to its target's folder `kept`; whether there was one.

    The analysis has ended. What is not plain files within `CAPS.output` bytes is not taken at all.
    """
    source = made / str(key)
    if key is None or not source.is_dir() or source.is_symlink() or made.is_symlink():
        return False
    names: list[str] = []
    total = 0
    for folder, _, found in os.walk(source):
        for name in found:
            status = os.lstat(os.path.join(folder, name))
            total += status.st_size
            names.append(os.path.relpath(os.path.join(folder, name), source))
            plain = stat.S_ISREG(status.st_mode) and status.st_nlink == 1
            if not plain or total > CAPS.output or len(names) > MOST_FILES:
                return False
    draft = kept / f".{key}.{os.getpid()}"
    shutil.rmtree(draft, ignore_errors=True)
    for name in names:
        (draft / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, draft / name, follow_symlinks=False)
    shutil.rmtree(kept / key, ignore_errors=True)
    try:
        draft.rename(kept / key)
    except OSError:  # two runs with one folder leave one of two equal entries
        shutil.rmtree(draft, ignore_errors=True)
    return True
