"""Outcomes by content: a run over an unchanged model, configuration and Assay version is a cache hit."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

from analyzer.findings import Status, slug
from analyzer.running.opened import Opened, all_kept, content, keep, kept, recorded
from analyzer.running.outcome import TargetOutcome

OPENED = "opened"  # below the folder: what exports opened, a file a target
_ENGINES = (
    "torch", "tensorflow", "tensorflow-cpu", "keras", "jax", "onnx", "onnxruntime", "openvino", "z3-solver", "ruff",
    "mypy", "pyright",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cache:
    """Outcomes and the files they point to, one folder a key below `folder`; those below `also` are only read."""

    folder: Path
    also: tuple[Path, ...] = ()

    def get(self, key: str, output: Path, *trees: Path) -> TargetOutcome | None:
        """The stored outcome, its files copied below `output`; None on a miss or a damaged entry.

        What its export opened in `trees`, the target's own revision first, is in no key: it has to be the same still.
        """
        entries = (folder / key for folder in (self.folder, *self.also))
        return next(filter(None, (self._stored(entry, output, trees) for entry in entries)), None)

    def _stored(self, entry: Path, output: Path, trees: Sequence[Path]) -> TargetOutcome | None:
        try:
            data = json.loads((entry / "outcome.json").read_text(encoding="utf-8"))
            outcome = TargetOutcome.from_json(data)
            if data["content"] is None or data["content"] != content(recorded(outcome.opened or ()), *trees):
                return None
            files = entry / "files"
            if files.is_dir():
                shutil.copytree(files, output, dirs_exist_ok=True)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return replace(outcome, target=replace(outcome.target, cached=True))

    def put(self, key: str, outcome: TargetOutcome, output: Path, *trees: Path) -> None:
        """Store `outcome` and the target's own files, in place of one that opened other files in `trees`.

        Two writers of one key leave one of two equal entries.
        """
        now = content(outcome.opened, *trees)
        if now is None:
            return
        entry = self.folder / key
        draft = self.folder / f".{key}.{os.getpid()}"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        data = outcome.to_json() | {"content": now}
        (draft / "outcome.json").write_text(json.dumps(data), encoding="utf-8")
        produced = output / "targets" / slug(outcome.target.id)
        if produced.is_dir():
            shutil.copytree(produced, draft / "files" / "targets" / produced.name)
        shutil.rmtree(entry, ignore_errors=True)
        try:
            draft.rename(entry)
        except OSError:  # somebody else stored it first
            shutil.rmtree(draft, ignore_errors=True)

    def opened(self) -> Opened:
        """What the last exports opened, by this folder and those that are only read."""
        return all_kept(*(folder / OPENED for folder in (*self.also, self.folder)))

    def keep_opened(self, identity: str, outcomes: Iterable[TargetOutcome]) -> None:
        """Remember what the exports of a target opened on its revisions; one that failed tells less than the last."""
        said: list[Sequence[str] | None] = []
        for outcome in outcomes:
            said.append(outcome.opened)
            if outcome.target.status is not Status.ANALYSED:
                said.append(kept(self.folder / OPENED, identity))
        known = [names for names in said if names is not None]
        names = recorded({name for each in known for name in each}) if len(known) == len(said) else None
        keep(self.folder / OPENED, identity, names)


def engine_versions() -> dict[str, str]:
    found = {}
    for name in _ENGINES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
