"""Head against base in a review: one sentence, one graph, and a finding where a budget of `.assay.yml` is exceeded."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from analyzer.configuration.config import DriftBudget, TargetConfig
from analyzer.differential.backend import parse
from analyzer.differential.drift import LITE, Drift, Model, drift, picture, sentence, with_weights_of
from analyzer.differential.drift_script import drift_script
from analyzer.differential.fresh import FreshProcess
from analyzer.differential.inputs import NOTHING, Inputs
from analyzer.differential.known_ranges import known_ranges
from analyzer.differential.plan import foreign_operators
from analyzer.differential.pool import Pool
from analyzer.differential.structure import Description
from analyzer.differential.wording import shortened
from analyzer.findings import AnalysisResult, Confidence, Evidence, Finding, Level
from analyzer.graph import Graph
from analyzer.loading.formats import is_lite

RULE = "differential/drift"
LARGEST = 64 << 20  # bytes of a model that is copied beside its script


def review_drift(
    head: Model,
    base: Model,
    target: TargetConfig,
    budget: DriftBudget,
    output: Path,
    given: Callable[[Description], Inputs] | None = None,
    pool: Pool | None = None,
) -> tuple[Drift, AnalysisResult]:
    """What a change did to a model's outputs. `given` makes inputs; without it they are made up as for the engines."""
    graphs = [model for model in (head, base) if isinstance(model, Graph)]
    foreign = [name for graph in graphs for name in foreign_operators(graph)]
    if foreign or not all(graph.graph.outputs for graph in graphs):
        what = f"no engine here knows {', '.join(foreign[:3])}" if foreign else "one of them has no graph"
        return Drift(why=what), AnalysisResult()
    if target.entry and isinstance(head, Graph) and isinstance(base, Graph):
        with_weights_of(base, head)
    own = pool or Pool()
    with tempfile.TemporaryDirectory(prefix="assay-drift-") as temporary:
        try:
            ranges = known_ranges(graphs[0], target) if graphs else NOTHING
            done = drift(head, base, target, own, Path(temporary), given, ranges)
            over = done.beyond(budget)
            files = {
                which: model if isinstance(model, Path) else Path(temporary) / which / "model.onnx"
                for which, model in (("base", base), ("head", head))
            }
            findings = (_finding(done, over, budget, target, files, output),) if over else ()
        finally:
            if pool is None:
                own.close()
    chart = picture(done)
    said = (sentence(done),) if done.moved or done.why else ()
    notes = () if said else (sentence(done),)
    return done, AnalysisResult(findings, notes=notes, backends=said, maps=(chart,) if chart is not None else ())


def _finding(
    done: Drift, over: tuple[str, ...], budget: DriftBudget, target: TargetConfig,
    files: Mapping[str, Path], output: Path,
) -> Finding:  # fmt: skip
    script = _script(done, budget, files, output / "differential")
    first = done.blames[0].unit.main if done.blames else None
    sentences = [sentence(done)]
    if not script:
        sentences.append("No script shows it in a fresh process, so it does not block.")
    return Finding(
        rule=RULE,
        level=Level.ERROR if script else Level.WARNING,
        confidence=Confidence.CONFIRMED,
        message=shortened(f"The change moves the model's outputs beyond the budget: {'; '.join(over)}.", 200),
        target=target.id,
        layer=(first.layer or first.name) if first is not None else "",
        node=first.name if first is not None else "",
        op=done.blames[0].unit.op if done.blames else "",
        evidence=Evidence(
            "deviation", tuple(sentences), data={"error": done.relative, "top1": done.top1, "mad": done.mad}
        ),
        reproducer="differential/drift.py" if script else None,
    )


def _script(done: Drift, budget: DriftBudget, files: Mapping[str, Path], folder: Path) -> bool:
    """Write the script with both models and their inputs; whether it shows the drift."""
    if any(f.stat().st_size > LARGEST or f.with_name(f"{f.name}.data").exists() for f in files.values()):
        return False
    folder.mkdir(parents=True, exist_ok=True)
    kinds = {which: LITE if is_lite(file) else "onnx" for which, file in files.items()}
    names = {which: f"drift-{which}.{kind}" for which, kind in kinds.items()}
    for which, file in files.items():
        shutil.copyfile(file, folder / names[which])
    arrays = {f"{i}/{k}": a for i, s in enumerate(done.sets) for k, a in enumerate(s.feeds.values())}
    np.savez(folder / "drift.npz", **arrays)  # type: ignore[arg-type]
    limits = {
        k: v for k, v in (("top1", budget.top1), ("mad", budget.mad), ("relative", budget.relative)) if v is not None
    }
    script = folder / "drift.py"
    script.write_text(drift_script(names, list(done.sets[0].feeds), len(done.sets), limits), encoding="utf-8")
    beside = [*(folder / name for name in names.values()), folder / "drift.npz"]
    if FreshProcess()(script, beside, parse(LITE if LITE in kinds.values() else "onnxruntime")).shows:
        return True
    for path in (script, *beside):
        path.unlink(missing_ok=True)
    return False
