"""Head against base in a review: one sentence, one graph, and a finding where a budget of `.assay.yml` is exceeded."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from analyzer.configuration.config import DriftBudget, TargetConfig
from analyzer.differential.backend import parse
from analyzer.differential.drift import Drift, drift, picture, sentence, with_weights_of
from analyzer.differential.fresh import FreshProcess
from analyzer.differential.inputs import Inputs
from analyzer.differential.known_ranges import known_ranges
from analyzer.differential.plan import foreign_operators
from analyzer.differential.pool import Pool
from analyzer.differential.reproducer import GUARD
from analyzer.differential.structure import Description
from analyzer.differential.wording import shortened
from analyzer.findings import AnalysisResult, Confidence, Evidence, Finding, Level
from analyzer.graph import Graph

RULE = "differential/drift"
LARGEST = 64 << 20  # bytes of a model that is copied beside its script

SCRIPT = '''"""How far the outputs of head.onnx move from those of base.onnx.

Needs: numpy, onnxruntime. Exit code 1 when they move by more than the budget, 0 when not, 2 when this could not be run.
"""
import os
import pathlib
import sys
import traceback
{guard}
import numpy as np
import onnxruntime as ort

BUDGET = {budget!r}
here = pathlib.Path(__file__)
data = np.load(here.with_name("drift.npz"))
flips = instances = 0
moves, relative = [0.0], 0.0
sessions = [
    ort.InferenceSession(str(here.with_name(f"drift-{{which}}.onnx")), providers=["CPUExecutionProvider"])
    for which in ("base", "head")
]
for number in range({sets}):
    results = []
    for session in sessions:
        feeds = {{i.name: data[f"{{number}}/{{k}}"] for k, i in enumerate(session.get_inputs())}}
        results.append(session.run(None, feeds))
    for a, b in zip(*results):
        if a.dtype.kind == "f" and a.size and np.abs(a).mean() > 0:
            moves.append(float(np.abs(b.astype(float) - a).mean() / np.abs(a).mean()))
            relative = max(relative, float(np.abs(b.astype(float) - a).max() / np.abs(a).max()))
    a, b = results[0][0], results[1][0]
    instances += len(a)
    if a.ndim == 2 and a.shape[1] > 1:
        flips += int((a.argmax(axis=1) != b.argmax(axis=1)).sum())
found = {{"top1": 100.0 * flips / instances, "mad": max(moves), "relative": relative}}
print(found, "budget", BUDGET)
sys.exit(1 if any(found[k] > v for k, v in BUDGET.items() if k in found) else 0)
'''


def review_drift(
    head: Graph,
    base: Graph,
    target: TargetConfig,
    budget: DriftBudget,
    output: Path,
    given: Callable[[Description], Inputs] | None = None,
    pool: Pool | None = None,
) -> tuple[Drift, AnalysisResult]:
    """What a change did to a model's outputs. `given` makes inputs; without it they are made up as for the engines."""
    foreign = [name for g in (head, base) for name in foreign_operators(g)]
    if foreign or not head.graph.outputs or not base.graph.outputs:
        what = f"no engine here knows {', '.join(foreign[:3])}" if foreign else "one of them has no graph"
        return Drift(why=what), AnalysisResult()
    if target.entry:
        with_weights_of(base, head)
    own = pool or Pool()
    with tempfile.TemporaryDirectory(prefix="assay-drift-") as temporary:
        try:
            done = drift(head, base, target, own, Path(temporary), given, known_ranges(head, target))
            over = done.beyond(budget)
            findings = (_finding(done, over, budget, target, Path(temporary), output),) if over else ()
        finally:
            if pool is None:
                own.close()
    chart = picture(done)
    said = (sentence(done),) if done.moved or done.why else ()
    notes = () if said else (sentence(done),)
    return done, AnalysisResult(findings, notes=notes, backends=said, maps=(chart,) if chart is not None else ())


def _finding(
    done: Drift, over: tuple[str, ...], budget: DriftBudget, target: TargetConfig, models: Path, output: Path
) -> Finding:
    script = _script(done, budget, models, output / "differential")
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


def _script(done: Drift, budget: DriftBudget, models: Path, folder: Path) -> bool:
    """Write the script with both models and their inputs; whether it shows the drift."""
    files = {which: models / which / "model.onnx" for which in ("base", "head")}
    if any(f.stat().st_size > LARGEST for f in files.values()):
        return False
    folder.mkdir(parents=True, exist_ok=True)
    for which, file in files.items():
        shutil.copyfile(file, folder / f"drift-{which}.onnx")
    arrays = {f"{i}/{k}": a for i, s in enumerate(done.sets) for k, a in enumerate(s.feeds.values())}
    np.savez(folder / "drift.npz", **arrays)  # type: ignore[arg-type]
    limits = {
        k: v for k, v in (("top1", budget.top1), ("mad", budget.mad), ("relative", budget.relative)) if v is not None
    }
    script = folder / "drift.py"
    script.write_text(SCRIPT.format(guard=GUARD, budget=limits, sets=len(done.sets)), encoding="utf-8")
    beside = [folder / "drift-base.onnx", folder / "drift-head.onnx", folder / "drift.npz"]
    if FreshProcess()(script, beside, parse("onnxruntime")).shows:
        return True
    for path in (script, *beside):
        path.unlink(missing_ok=True)
    return False
