"""What a problem leaves below the output folder: the reproducer, its data, and the text for upstream."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from analyzer.differential import noise
from analyzer.differential.reproducer import issue_text, onnx_script
from analyzer.differential.runner import Artefact
from analyzer.differential.study import Problem, Study
from analyzer.differential.verdict import Kind


def write_problem(problem: Problem, done: Study, kinds: Mapping[str, Artefact], output: Path) -> None:
    """Write ``differential/KEY.py`` and ``KEY.md``; nothing when the case cannot be cut out of the model."""
    folder = output / "differential"
    limit = max(noise.MARGIN * problem.blame.floor, 1e-12)
    if problem.backend.engine.name not in ("onnxruntime", "openvino") or "onnx" not in kinds:
        return
    model = cut_out(kinds["onnx"], problem)
    if model is None:
        return
    script = onnx_script(model, problem.reduced.inputs, problem.backend, limit, folder, problem.key)
    runner = next((r for r in done.runners if r.name == problem.backend.name), None)
    versions = {**done.versions, **(runner.versions if runner else {})}
    text = issue_text(
        problem.blame, problem.reduced, problem.backend, versions, problem.culprit, problem.versions, problem.known,
        script.read_text(encoding="utf-8") if script.stat().st_size < 40_000 else f"# see {script.name}", problem.key,
    )  # fmt: skip
    (folder / f"{problem.key}.md").write_text(text, encoding="utf-8")


def cut_out(artefact: Artefact, problem: Problem) -> bytes | None:
    """The reduced model as ONNX bytes."""
    from analyzer.differential.worker.contract import EngineError
    from analyzer.differential.worker.onnx_model import OnnxModel

    name = artefact.request["path"]
    try:
        source = OnnxModel(artefact.files[name])
        model = source.extract(dict(problem.reduced.inputs), problem.reduced.unit.outputs)
    except EngineError:
        return None
    for value in model.graph.output:
        expected = problem.reduced.expected.get(value.name)
        if not value.type.tensor_type.elem_type and expected is not None:
            value.type.tensor_type.elem_type = _element(expected, problem.blame.kind)
    return bytes(model.SerializeToString())


def _element(array: np.ndarray, kind: Kind) -> int:
    import onnx

    dtype = np.dtype(np.float32) if array.dtype == np.float64 else array.dtype
    return int(onnx.helper.np_dtype_to_tensor_dtype(dtype))
