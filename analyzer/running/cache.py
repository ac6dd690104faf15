"""Outcomes by content: a run over an unchanged model, configuration and Assay version is a cache hit."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

from analyzer.running.outcome import Outcome, slug

_ENGINES = (
    "torch", "tensorflow", "tensorflow-cpu", "keras", "jax", "onnx", "onnxruntime", "openvino", "z3-solver", "ruff",
    "mypy", "pyright",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cache:
    """Outcomes and the files they point to, one folder a key below `folder`; those below `also` are only read."""

    folder: Path
    also: tuple[Path, ...] = ()

    def get(self, key: str, output: Path) -> Outcome | None:
        """The stored outcome, its files copied below `output`; None on a miss or a damaged entry."""
        return next(filter(None, (self._stored(folder / key, output) for folder in (self.folder, *self.also))), None)

    def _stored(self, entry: Path, output: Path) -> Outcome | None:
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


def engine_versions() -> dict[str, str]:
    found = {}
    for name in _ENGINES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
