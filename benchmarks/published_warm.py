"""Entry points of one package exported by one process and analysed by this one: imports are paid for once.

For machines where `assay check` for each entry point costs too much: the same exporter, the same analyses and the same
joining of what one line has, without the command's walls, cache and report. Entries of one package share an interpreter
while they are exported.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
EXPORTER = ROOT / "tests" / "numerical_detection" / "export_many.py"
SHOWN = ("level", "confidence", "rule", "message", "node", "location", "reproducer")


def _export(project: Path, out: Path, names: Sequence[str], timeout: int) -> str:
    """Entry points exported by one process, whose home is its own as in a sandbox; how it ended.

    What a build that was ended left in a shared home, a lock say, would make the next one wait for ever.
    """
    command = [sys.executable, str(EXPORTER), str(project), str(out), *names]
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "HOME": str(out.parent)}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=timeout * len(names), check=False
        )
    except subprocess.TimeoutExpired:
        return "the time for exporting was spent"
    return f"the exporting process ended with {done.returncode}: {done.stderr[-300:]}"


class Warm:
    """A confirmer whose workers stay; use it as a context manager."""

    def __init__(self, reports: Path) -> None:
        from analyzer.numerical.confirm.confirmation import Confirmer

        self.reports, self.confirmer = reports, Confirmer()

    def __enter__(self) -> Warm:
        return self

    def __exit__(self, *_: object) -> None:
        self.confirmer.close()

    def checks(
        self, folder: Path, entries: Sequence[tuple[str, str]], timeout: int
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """(function, row) of each entry (file, function), as `published_models.check` makes it; `timeout` for each."""
        names = [f"{file}:{function}" for file, function in entries]
        with tempfile.TemporaryDirectory(prefix="published-") as scratch:
            out, project = Path(scratch, "out"), Path(scratch, "box", "project")
            # A copy, where the command puts one: source lines are told by this place in the frames of an export.
            shutil.copytree(folder, project)
            said = _export(project, out, names, timeout)
            for number, (name, (_, function)) in enumerate(zip(names, entries, strict=True)):
                started = time.perf_counter()
                exported = out / str(number)
                if not (exported / "export.json").exists() and len(names) > 1:  # another one may have ended the process
                    said = _export(project, Path(scratch, f"alone-{number}"), [name], timeout)
                    exported = Path(scratch, f"alone-{number}", "0")
                row = self._analysed(folder, exported, name, function, said)
                yield function, {"exit": 0, "seconds": round(time.perf_counter() - started, 1), **row}

    def _analysed(self, folder: Path, exported: Path, name: str, function: str, said: str) -> dict[str, Any]:
        from analyzer.configuration.config import TargetConfig
        from analyzer.exporting.annotate import graph_of
        from analyzer.exporting.manifest import read_manifest
        from analyzer.numerical.analysis import analyse as numerical
        from analyzer.problem import Problem
        from analyzer.running.repeats import one_of_each_line
        from analyzer.validity import analyse as validity

        if not (exported / "export.json").exists():
            return {"status": "failed", "error": said}
        target = TargetConfig(id=function, entry=name)
        try:
            manifest = read_manifest(exported / "export.json", name)
            if manifest.failure is not None:
                return {"status": "failed", "error": str(manifest.failure)}
            graph = graph_of(exported, manifest, target)
            output = self.reports / f"{folder.name}-{function}"
            output.mkdir(parents=True, exist_ok=True)
            results = [
                numerical(graph, target, output=output, root=folder, confirmer=self.confirmer),
                validity(graph, target),
            ]
        except Problem as problem:
            return {"status": "failed", "error": str(problem)}
        except Exception as error:  # a mistake of ours is counted, and the study goes on
            return {"status": "failed", "error": f"internal error: {type(error).__name__}: {error}"}
        found = [dataclasses.asdict(f) for f in one_of_each_line(f for result in results for f in result.findings)]
        unsafe = results[0].unsafe_operators
        return {
            "status": "analysed",
            "error": None,
            "nodes": len(graph),
            "unsafe": {"checked": unsafe.checked, "safe": unsafe.safe},
            "notes": list(results[0].notes),
            "findings": [
                {**{k: f.get(k) for k in SHOWN}, "evidence": (f.get("evidence") or {}).get("sentences")} for f in found
            ],
        }
