"""Outcomes by content: a run over an unchanged model, configuration and Assay version is a cache hit."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

import analyzer
from analyzer.configuration.config import Config, TargetConfig
from analyzer.exporting.imports import imported_files
from analyzer.running.target_run import Outcome, slug
from analyzer.tracing.versions import read_versions

_ENGINES = (
    "torch", "tensorflow", "tensorflow-cpu", "keras", "jax", "onnx", "onnxruntime", "openvino", "z3-solver", "ruff",
    "mypy", "pyright",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cache:
    """Outcomes and the files they point to, one folder a key below `folder`."""

    folder: Path

    def get(self, key: str, output: Path) -> Outcome | None:
        """The stored outcome, its files copied below `output`; None on a miss or a damaged entry."""
        entry = self.folder / key
        try:
            outcome = Outcome.from_json(json.loads((entry / "outcome.json").read_text(encoding="utf-8")))
            files = entry / "files"
            if files.is_dir():
                shutil.copytree(files, output, dirs_exist_ok=True)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return replace(outcome, target=replace(outcome.target, cached=True))

    def put(self, key: str, outcome: Outcome, output: Path) -> None:
        """Store `outcome` and the target's own files; two writers of one key leave one of two equal entries."""
        entry = self.folder / key
        draft = self.folder / f".{key}.{os.getpid()}"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        (draft / "outcome.json").write_text(json.dumps(outcome.to_json()), encoding="utf-8")
        produced = output / "targets" / slug(outcome.target.id)
        if produced.is_dir():
            shutil.copytree(produced, draft / "files" / "targets" / produced.name)
        try:
            draft.rename(entry)
        except OSError:  # somebody else stored it first
            shutil.rmtree(draft, ignore_errors=True)


def key_of(target: TargetConfig, config: Config, root: Path) -> str | None:
    """A hash over everything the outcome depends on, or None when that is not known."""
    files = _files(target, root)
    if files is None:
        return None
    digest = hashlib.sha256()
    digest.update(repr((analyzer.__version__, engine_versions(), replace(target, line=None))).encode())
    digest.update(repr((config.only, config.environment, config.thresholds)).encode())
    if target.file.endswith(".py"):
        digest.update(repr(read_versions(root)).encode())  # verdicts hang on the versions that the repository asks for
    for path in sorted(set(files)):
        digest.update(b"\0" + os.fsencode(path.relative_to(root).as_posix()) + b"\0")  # a name need not be UTF-8
        try:
            with path.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
        except OSError:
            return None
    return digest.hexdigest()


def engine_versions() -> dict[str, str]:
    found = {}
    for name in _ENGINES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _files(target: TargetConfig, root: Path) -> Iterable[Path] | None:
    """The files that `target` reads: the model and its neighbours, or the entry and what it imports."""
    named = [root / p for p in (target.checkpoint, target.validation) if p and ":" not in p]
    if isinstance(target.space, str):
        named.append(root / target.space)
    if target.space is not None:  # its description may hang on the framework's version
        named += [root / "requirements.txt", root / "pyproject.toml"]
    if target.environment and target.environment.requirements:
        named.append(root / target.environment.requirements)
    extra = [f for path in named for f in _below(path)]
    source = root / target.file
    if not source.exists() or not source.resolve().is_relative_to(root.resolve()):
        return None
    if source.suffix == ".py":
        return [source, *imported_files(source, root), *extra]
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
