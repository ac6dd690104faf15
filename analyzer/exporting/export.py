"""`export`: run an entry point in a sandbox and take its graph; an export of unchanged sources is reused."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import analyzer
from analyzer.configuration.config import TargetConfig
from analyzer.exporting.annotate import graph_of
from analyzer.exporting.imports import imported_files, mentioned_files
from analyzer.exporting.manifest import FORMATS, ExportProblem, Manifest, NotExported, read_manifest
from analyzer.findings import Location
from analyzer.graph import Graph
from analyzer.loading.exported_program import take_apart
from analyzer.problem import TargetProblem, UsageProblem
from analyzer.walls import PYTHON, Completed, ResourceLimits, Sandbox
from analyzer.walls.imports import EXPORTER, TOLD, frameworks_of
from analyzer.walls.memory import half_of_memory
from analyzer.walls.process import import_ahead, importing

INSIDE = "assay_inside"  # the name of the `inside` package where it runs
PROJECT = "project"
MANIFEST = "export.json"
PARTS = Path(__file__).parents[1] / "differential" / "worker" / "torch_parts.py"  # stands alone; runs inside too


def export(
    entry: str,
    root: Path,
    *,
    target: TargetConfig,
    sandbox: Sandbox | None,
    cache_dir: Path | None = None,
    made: Path | None = None,
    limits: ResourceLimits | None = None,
) -> Graph:
    """The graph of ``path/to/file.py:name`` below `root`.

    An export found in `cache_dir` under the hash of the sources and the configuration is reused; without a sandbox
    nothing else is possible. A new one is left in `made`, or in `cache_dir` where that is None. Raises `ExportProblem`
    with one clear sentence (and a line) for whatever goes wrong.
    """
    check_entry(entry, root)
    key = key_of(entry, root, target)
    place = sandbox.within(target.environment, root) if sandbox is not None else None
    stored = cache_dir / key if cache_dir is not None else None
    if stored is not None:
        manifest = _stored(stored, root, place)
        if manifest is not None:
            return graph_of(stored, manifest, target)
    if place is None:
        raise NotExported(
            f"{entry}: no export of its present sources was found, and running its code is not allowed here; run "
            "`assay export` in a job without permissions and hand its folder over"
        )
    with tempfile.TemporaryDirectory(prefix="assay-export-") as temporary:
        folder = Path(temporary)
        manifest = run_exporter(entry, root, target, place, folder, limits or export_limits())
        if manifest.format == "pt2" and sandbox is not None:
            manifest = convert_program(entry, sandbox, folder, limits or export_limits())
        if made is not None or cache_dir is not None:
            _store(folder, (made or cache_dir or folder) / key)
        return graph_of(folder, manifest, target)


def export_limits() -> ResourceLimits:
    """Of one entry point: half of the memory there is, 4 GiB at least, and files of 4 GiB: float32 weights of a billion
    parameters."""
    return ResourceLimits(memory=max(ResourceLimits().memory, half_of_memory()), output=4 << 30)


def prepare_export(entry: str, root: Path, sandbox: Sandbox) -> frozenset[str]:
    """Begin with what takes longest of an export that is about to come: importing the frameworks of its sources.

    Returns those frameworks.
    """
    with contextlib.suppress(TargetProblem, UsageProblem):  # the export says it
        check_entry(entry, root)
        mentioned = frameworks_of(imported_files(root / _path(entry), root))
        import_ahead(sandbox, _imports_of(mentioned), _environment(ResourceLimits()))
        return mentioned
    return frozenset()


def check_entry(entry: str, root: Path) -> None:
    """Raises `UsageProblem` for what is no entry point, `ExportProblem` for a file that is not in the repository."""
    path, _, name = entry.rpartition(":")
    if not path.endswith(".py") or not name.replace(".", "_").isidentifier():
        raise UsageProblem(f"{entry!r} is not an entry point; write it as path/to/file.py:name")
    file = (root / path).resolve()
    if not file.is_relative_to(root.resolve()):
        raise UsageProblem(f"{entry!r} leads out of the repository; entry points are paths relative to its root")
    if not file.is_file():
        raise ExportProblem(f"{entry}: there is no file {path!r}; correct `entry:`")


def run_exporter(
    entry: str, root: Path, target: TargetConfig, sandbox: Sandbox, folder: Path, limits: ResourceLimits
) -> Manifest:
    """Run the exporter in `sandbox`; its files are left in the empty `folder`."""
    files = sorted(p.relative_to(root.resolve()).as_posix() for p in imported_files(root / _path(entry), root))
    request = {
        "entry": entry,
        "root": PROJECT,
        "inputs": _inputs(target),
        "symbols": {name: list(bounds) for name, bounds in target.symbols.items()},
        "files": files,
        "out": "out",
    }
    completed = importing(sandbox, _imports_of(frameworks_of([root / name for name in files]))).run(
        [PYTHON, "-m", INSIDE, "request.json"],
        files={
            **exporter_files(),
            "request.json": json.dumps(request).encode(),
            PROJECT: root,
        },
        output=folder,
        limits=limits,
        environment=_environment(limits),
    )
    _check(entry, completed, limits, sandbox)
    manifest = read_manifest(folder / MANIFEST, entry)
    if manifest.failure is not None:
        raise ExportProblem(_with_place(manifest.failure, manifest.place), manifest.place, manifest.defect)
    extra = {name: _hash(root / name) for name in manifest.files if name not in files and (root / name).is_file()}
    _amend(folder / MANIFEST, {"identity": sandbox.identity, "dynamic": extra, "entry": entry})
    return replace(manifest, dynamic=extra)


def convert_program(entry: str, sandbox: Sandbox, folder: Path, limits: ResourceLimits) -> Manifest:
    """Turn ``program.pt2`` in `folder` into ONNX with Assay's own Torch, in `sandbox`. Only its data go there."""
    program = FORMATS["pt2"]
    request = {"entry": entry, "root": PROJECT, "program": "parts", "out": "out"}
    with (
        tempfile.TemporaryDirectory(prefix="assay-convert-") as temporary,
        tempfile.TemporaryDirectory(prefix="assay-parts-") as parts,
    ):
        try:
            take_apart(folder / program, Path(parts))
        except TargetProblem as problem:
            raise ExportProblem(f"{entry}: the traced program was not read: {problem}") from None
        completed = importing(sandbox, EXPORTER).run(
            [PYTHON, "-m", INSIDE, "request.json"],
            files={
                **exporter_files(),
                "request.json": json.dumps(request).encode(),
                f"{INSIDE}/{PARTS.name}": PARTS,
                f"{PROJECT}/parts": Path(parts),
            },
            output=Path(temporary),
            limits=limits,
            environment=_environment(limits),  # the same as above: one process has imported Torch for both
        )
        _check(entry, completed, limits, sandbox)
        converted = read_manifest(Path(temporary) / MANIFEST, entry)
        if converted.failure is not None:
            raise ExportProblem(converted.failure)
        for name in completed.files:
            if name != MANIFEST:
                shutil.move(Path(temporary) / name, folder / name)
    (folder / program).unlink()
    _amend(folder / MANIFEST, {"format": converted.format})
    return read_manifest(folder / MANIFEST, entry)


def exporter_files() -> dict[str, bytes | Path]:
    """The code that runs inside, as files for a sandbox."""
    source = Path(__file__).parent / "inside"
    return {f"{INSIDE}/{path.name}": path.read_bytes() for path in sorted(source.glob("*.py"))}


def _environment(limits: ResourceLimits) -> dict[str, str]:
    return {**TOLD, "OMP_NUM_THREADS": str(max(1, int(limits.cpus)))}


def _imports_of(mentioned: frozenset[str]) -> tuple[str, ...]:
    """What the exporter imports before the project's own code (`inside.creation.watch`)."""
    return (EXPORTER if "torch" in mentioned else ()) + (("tensorflow",) if mentioned - {"torch"} else ())


def _inputs(target: TargetConfig) -> dict[str, Any]:
    return {
        name: {
            "shape": list(spec.shape) if spec.shape is not None else None,
            "dtype": spec.dtype,
            "range": [spec.range.lo, spec.range.hi] if spec.range is not None else None,
        }
        for name, spec in target.inputs.items()
    }


def _check(entry: str, completed: Completed, limits: ResourceLimits, sandbox: Sandbox) -> None:
    """Raises `ExportProblem` unless the exporter ran to its end."""
    if completed.timed_out:
        raise ExportProblem(
            f"{entry}: the export did not end within {limits.seconds:.0f} s and was stopped; the entry point must "
            "build the model only, without training or downloading"
        )
    if completed.out_of_memory:
        raise ExportProblem(
            f"{entry}: the export needed more than {limits.memory / 2**30:.3g} GiB of memory and was stopped; "
            "build a smaller configuration of the model for the check"
        )
    if completed.refused is not None:
        raise ExportProblem(f"{entry}: the sandbox handed back {completed.refused}, which is refused")
    if MANIFEST not in completed.files:
        if completed.exit_code == 126 or "cannot start" in completed.log:
            raise ExportProblem(
                f"{entry}: {sandbox.name} has no Python; name an image that has it under `environment:`"
            )
        raise ExportProblem(
            f"{entry}: its code ended the process with code {completed.exit_code} before a model was handed back; "
            "an entry point must return" + _last_words(completed.log)
        )


def _last_words(log: str) -> str:
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    text = "".join(c for c in lines[-1] if c.isprintable())[:160] if lines else ""
    return f" (it last printed: {text.replace('::', ': :')})" if text else ""


def _with_place(sentence: str, place: Location | None) -> str:
    return f"{sentence} ({place.path}:{place.line})" if place is not None else sentence


def key_of(entry: str, root: Path, target: TargetConfig) -> str:
    """A hash over the sources that make the model and the part of the configuration that shapes it."""
    digest = hashlib.sha256()
    shaping = (analyzer.__version__, entry, _inputs(target), sorted(target.symbols.items()), target.environment)
    digest.update(repr(shaping).encode())
    sources = imported_files(root / _path(entry), root)
    inside = root.resolve()
    for path in sorted(sources | mentioned_files(sources, root)):
        digest.update(f"\0{path.relative_to(inside).as_posix()}\0{_hash(path)}".encode())
    for path in sorted((Path(__file__).parent / "inside").glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:40]


def _stored(folder: Path, root: Path, sandbox: Sandbox | None) -> Manifest | None:
    """The manifest of a reusable export: same sandbox, and no file it imported by other means has changed since."""
    if not (folder / MANIFEST).is_file():
        return None
    with contextlib.suppress(TargetProblem, OSError, ValueError):
        manifest = read_manifest(folder / MANIFEST, folder.name)
        current = all((root / n).is_file() and _hash(root / n) == h for n, h in manifest.dynamic.items())
        if manifest.failure is None and current and (sandbox is None or manifest.identity == sandbox.identity):
            return manifest
    return None


def _store(folder: Path, stored: Path) -> None:
    """Two writers of one key leave one of two equal entries."""
    stored.parent.mkdir(parents=True, exist_ok=True)
    draft = stored.with_name(f".{stored.name}.{os.getpid()}")
    shutil.rmtree(draft, ignore_errors=True)
    shutil.copytree(folder, draft)
    shutil.rmtree(stored, ignore_errors=True)
    try:
        draft.rename(stored)
    except OSError:
        shutil.rmtree(draft, ignore_errors=True)


def _amend(path: Path, additions: Mapping[str, Any]) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    data.update(additions)
    path.write_text(json.dumps(data, indent=1, sort_keys=True), encoding="utf-8")


def _hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _path(entry: str) -> str:
    return entry.rpartition(":")[0]
