"""What an outcome depends on, as a hash: the model's bytes and their neighbours, the sources, the configuration."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import analyzer
from analyzer.configuration.config import Config, TargetConfig
from analyzer.exporting.imports import imported_files
from analyzer.exporting.named_files import named_files
from analyzer.frameworks.requested_versions import read_versions
from analyzer.problem import TargetProblem
from analyzer.running.cache import engine_versions
from analyzer.running.outcome import Keys, with_environment
from analyzer.walls.requirements import collect


def keys_of(
    targets: Sequence[TargetConfig], config: Config, sides: Mapping[str, Path], installed_from: Path | None = None
) -> Keys:
    """(side, id of a target) -> (hash of what its outcome depends on, hash under which the cache keeps the outcome).

    `installed_from` is the tree whose requirements are installed, where it is not each side's own.
    """
    found = {}
    for side, tree in sides.items():
        for target in (with_environment(target, config) for target in targets):
            if side == "base" and not (tree / target.file).exists():
                continue
            key = key_of(target, config, tree, installed_from)
            beside = sides.get("base") if side == "head" else None
            found[side, target.id] = (key, _entry(key, target, config, beside, installed_from))
    return found


def key_of(target: TargetConfig, config: Config, root: Path, installed_from: Path | None = None) -> str | None:
    """A hash over everything the outcome depends on, or None when that is not known."""
    files = _files(target, root)
    if files is None:
        return None
    digest = hashlib.sha256()
    digest.update(repr((analyzer.__version__, engine_versions(), replace(target, line=None))).encode())
    digest.update(repr((config.only, config.environment, config.thresholds, config.drift)).encode())
    requirements = (target.environment or config.environment).requirements
    if requirements:
        try:
            digest.update(repr(sorted(collect(installed_from or root, requirements).items())).encode())
        except TargetProblem:
            return None  # said when it is to be installed
    if target.file.endswith(".py"):
        digest.update(repr(read_versions(root)).encode())  # verdicts hang on the versions that the repository asks for
    for path in sorted(set(files)):
        digest.update(b"\0" + os.fsencode(path.relative_to(root).as_posix()) + b"\0")  # a name need not be UTF-8
        if path.exists() and not path.is_file():
            return None  # a pipe would wait for somebody to write
        try:
            with path.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
        except OSError:
            return None
    return digest.hexdigest()


def _entry(
    key: str | None, target: TargetConfig, config: Config, base: Path | None, installed_from: Path | None
) -> str | None:
    """Where the cache keeps an outcome. Spaces and outputs are compared with the base, which is part of its key."""
    if key is None or base is None:
        return key
    beside = key_of(target, config, base, installed_from) if (base / target.file).exists() else "absent"
    if beside in (key, "absent") and target.space is None:
        return key  # nothing to be held against it
    return None if beside is None else hashlib.sha256(f"{key} {beside}".encode()).hexdigest()


def _files(target: TargetConfig, root: Path) -> Iterable[Path] | None:
    """The files that `target` reads: the model and its neighbours, or the entry and what it imports."""
    named = [root / p for p in (target.checkpoint, target.validation) if p and ":" not in p]
    if isinstance(target.space, str):
        named.append(root / target.space)
    if target.space is not None:  # its description may hang on the framework's version
        named += [root / "requirements.txt", root / "pyproject.toml"]
    extra = [f for path in named for f in _below(path)]
    source = root / target.file
    if not source.exists() or not source.resolve().is_relative_to(root.resolve()):
        return None
    if source.suffix == ".py":
        sources = [source, *imported_files(source, root)]
        return [*sources, *(f for each in sources for f in named_files(each, root)), *extra]
    if source.is_dir():
        return [*_below(source), *extra]
    # External data of ONNX and the shards of TensorFlow checkpoints lie beside the file.
    neighbours = [p for p in source.parent.iterdir() if p.is_file() and p.name.startswith(source.stem.split(".")[0])]
    return [source, *neighbours, *_external_data(source), *extra]


def _external_data(source: Path) -> Iterable[Path]:
    if source.suffix != ".onnx":
        return ()
    return (p for p in source.parent.iterdir() if p.is_file() and p.suffix in {".data", ".bin", ".weight"})


def _below(path: Path) -> list[Path]:
    return [p for p in path.rglob("*") if p.is_file()] if path.is_dir() else [path] if path.is_file() else []
