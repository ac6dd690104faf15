"""What a problem leaves below the output folder: the reproducer, its data, and the text for upstream."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from analyzer.differential import noise
from analyzer.differential.explain import VALUES, Problem
from analyzer.differential.reproducer import issue_text, onnx_script
from analyzer.differential.runner import Artefact, Runner
from analyzer.differential.scripts import script
from analyzer.differential.study import Study
from analyzer.differential.transport import EngineFailed
from analyzer.differential.worker.contract import EngineError
from analyzer.differential.worker.onnx_model import OnnxModel

MAX_INLINE_ISSUE = 40_000


def write_problem(problem: Problem, done: Study, kinds: Mapping[str, Artefact], output: Path) -> None:
    """Write ``differential/KEY.py`` and ``KEY.md``; nothing when the case cannot be cut out of the model."""
    folder = output / "differential"
    limit = max(noise.MARGIN * problem.blame.floor, 1e-12)
    runner = next((r for r in done.runners if r.name == problem.backend.name), None)
    if problem.blame.kind not in VALUES or runner is None:
        return
    if problem.backend.engine.name in ("onnxruntime", "openvino", "reference"):
        model = cut_out(kinds["onnx"], problem)
        if model is None:
            return
        reduced = problem.reduced
        path = onnx_script(model, reduced.inputs, problem.backend, limit, folder, problem.key, reduced.expected)
    else:
        written = _other_script(problem, done, runner, limit, folder)
        if written is None:
            return
        path = written
    versions = {**done.versions, **runner.versions}
    text = path.read_text(encoding="utf-8")
    text = text if len(text) < MAX_INLINE_ISSUE else f"# see {path.name}"
    issue = issue_text(
        problem.blame, problem.reduced, problem.backend, versions, problem.culprit, problem.versions, problem.known,
        text, problem.key,
    )  # fmt: skip
    (folder / f"{problem.key}.md").write_text(issue, encoding="utf-8")


def _other_script(problem: Problem, done: Study, runner: Runner, limit: float, folder: Path) -> Path | None:
    unit = problem.reduced.unit
    names = [r.name for r in done.runners if r.name != problem.backend.name]
    errors = {n: e for n, e in problem.blame.peers.items() if n in names}
    closest = min(errors, key=lambda n: errors[n]) if errors else "keras-numpy"
    other = closest.partition(":")[0].partition("@")[0]
    if other == problem.backend.engine.name:
        other = "keras-numpy"
    try:
        part, weights = runner.cut(unit.inputs, unit.outputs)
        return script(
            problem.backend, other, part, weights, problem.reduced.inputs, unit.outputs, limit, folder, problem.key
        )
    except EngineFailed:
        return None


def cut_out(artefact: Artefact, problem: Problem) -> bytes | None:
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
