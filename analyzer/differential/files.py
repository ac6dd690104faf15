"""What a problem leaves below the output folder: the reproducer, its data, and the text for upstream."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from analyzer.differential import noise
from analyzer.differential.explain import VALUES, Diagnosis
from analyzer.differential.fresh import Fresh, FreshProcess
from analyzer.differential.reproducer import issue_text, onnx_script
from analyzer.differential.runner import Artefact, Runner
from analyzer.differential.scripts import Against, script
from analyzer.differential.study import Study
from analyzer.differential.transport import EngineFailed
from analyzer.differential.verdict import Kind
from analyzer.differential.wording import oracle_title
from analyzer.differential.worker.contract import EngineError
from analyzer.differential.worker.onnx_model import OnnxModel

MAX_INLINE_ISSUE = 40_000  # characters: GitHub refuses an issue above 65,536, with the rest around it


def write_problems(done: Study, kinds: Mapping[str, Artefact], output: Path, fresh: Fresh | None = None) -> Study:
    """`done` with the scripts that show its problems, each written below ``differential/`` and run."""
    written: list[Diagnosis] = []
    for problem in done.problems:
        written.append(write_problem(problem, done, kinds, output, fresh, {p.script for p in written}))
    return replace(done, problems=tuple(written))


def write_problem(
    problem: Diagnosis,
    done: Study,
    kinds: Mapping[str, Artefact],
    output: Path,
    fresh: Fresh | None = None,
    taken: Collection[str] = (),
) -> Diagnosis:
    """Write ``differential/KEY.py`` and ``KEY.md``; the script is run, and kept only if it shows the problem.

    The engine is held against another engine first, then against the oracle's values. `taken`: names of scripts there
    are already: two layers, or two versions of an engine, may have one key.
    """
    if problem.blame.kind is Kind.MEMORY:
        return replace(problem, unshown="how much memory there is depends on the machine")
    folder = output / "differential"
    runner = next((r for r in done.runners if r.name == problem.backend.name), None)
    if runner is None:
        return replace(problem, unshown="no part of it could be cut out")
    base = problem.key + (f"-{problem.backend.version}" if problem.backend.version else "")
    more = (f"{base}-{i}" for i in itertools.count(2))
    stem = next(s for s in itertools.chain([base], more) if f"{s}.py" not in taken)
    place, why = fresh or FreshProcess(), "it could not be cut out of the model"
    for made in _scripts(problem, done, kinds, runner, folder, stem):
        if made is None:
            continue
        beside = [p for p in folder.glob(f"{stem}.*") if p.suffix in (".npz", ".onnx")]
        ran = place(made, beside, problem.backend)
        if ran.shows:
            _write_issue(problem, done, runner, folder, made)
            return replace(problem, script=made.name, unshown="")
        why = "run again, it agrees" if ran.exit_code == 0 else f"the script cannot run: {ran.said}"
        for path in (made, *beside):
            path.unlink(missing_ok=True)
    return replace(problem, unshown=why)


def _write_issue(problem: Diagnosis, done: Study, runner: Runner, folder: Path, script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    text = text if len(text) < MAX_INLINE_ISSUE else f"# see {script.name}"
    issue = issue_text(
        problem.blame, problem.reduced, problem.backend, {**done.versions, **runner.versions}, problem.culprit,
        problem.versions, problem.known, text, problem.key,
    )  # fmt: skip
    script.with_suffix(".md").write_text(issue, encoding="utf-8")


def _scripts(
    problem: Diagnosis, done: Study, kinds: Mapping[str, Artefact], runner: Runner, folder: Path, stem: str
) -> Iterator[Path | None]:
    """The scripts that may show a problem, the most convincing first; each is written when it is asked for."""
    reduced, backend = problem.reduced, problem.backend
    outputs, limit = reduced.unit.outputs, max(noise.MARGIN * problem.blame.floor, 1e-12)
    crashes = problem.blame.kind not in VALUES
    right = {} if crashes else reduced.expected
    title = oracle_title(problem.blame.oracle)
    if backend.engine.name in ("onnxruntime", "openvino", "reference"):
        model = cut_out(kinds["onnx"], problem)
        if model is None:
            return
        given = (model, reduced.inputs, backend, limit, folder, stem)
        if crashes or backend.engine.name != "reference":
            yield onnx_script(*given, crashes=crashes)
        if right:
            yield onnx_script(*given, right, against=title)
        return
    try:
        part, weights = runner.cut(reduced.unit.inputs, outputs)
    except EngineFailed:
        return
    if crashes:
        ways = [Against(crashes=True)]
    elif problem.culprit is not None and problem.culprit.kind == "export":
        ways = [Against(onnx=cut_out(kinds["onnx"], problem) or b"")]
    else:
        peer = _peer(problem, done) if problem.blame.kind is not Kind.COMMON else ""
        ways = [*([Against(other=peer)] if peer else []), Against(right=right)]
    for way in ways:
        yield script(backend, way, part, weights, reduced.inputs, outputs, limit, folder, stem)


def _peer(problem: Diagnosis, done: Study) -> str:
    """The engine that is closest to the oracle at this layer."""
    names = [r.name for r in done.runners if r.name != problem.backend.name]
    errors = {n: e for n, e in problem.blame.peers.items() if n in names}
    closest = min(errors, key=lambda n: errors[n]) if errors else "keras-numpy"
    other = closest.partition(":")[0].partition("@")[0]
    return "keras-numpy" if other == problem.backend.engine.name else other


def cut_out(artefact: Artefact, problem: Diagnosis) -> bytes | None:
    """The reduced model as ONNX bytes."""
    import onnx

    try:
        source = OnnxModel(artefact.files[artefact.request["path"]])
        model = source.extract(dict(problem.reduced.inputs), problem.reduced.unit.outputs)
    except EngineError:
        return None
    for value in model.graph.output:
        expected = problem.reduced.expected.get(value.name)
        if not value.type.tensor_type.elem_type and expected is not None:
            dtype = np.dtype(np.float32) if expected.dtype == np.float64 else expected.dtype
            value.type.tensor_type.elem_type = onnx.helper.np_dtype_to_tensor_dtype(dtype)
    return bytes(model.SerializeToString())
