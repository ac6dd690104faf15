"""A model that its own framework refuses, told from an export that does not work: a finding with a script."""

from __future__ import annotations

from pathlib import Path

from analyzer.configuration.config import TargetConfig
from analyzer.exporting.manifest import ExportProblem
from analyzer.exporting.origins import origins_of
from analyzer.findings import AnalysisResult, Confidence, Evidence, Finding, Level

RULE = "validity/model-raises"

_SCRIPT = '''"""The model of {entry} raises. Run this in the repository, in the project's own environment."""

import contextlib
import runpy
import sys

sys.path.insert(0, ".")
made = runpy.run_path({path!r})[{name!r}]
if callable(made) and not hasattr(made, "parameters") and not hasattr(made, "layers"):
    made = made()
if isinstance(made, tuple) and len(made) == 2:
    model, examples = made
    quiet = contextlib.nullcontext()
    if hasattr(model, "eval"):
        import torch

        model.eval()
        quiet = torch.no_grad()
    with quiet:
        model(**examples) if isinstance(examples, dict) else model(*examples)
'''

_WHEN = {
    "building": "The framework raised while the entry point put the model together.",
    "running": "The model was built and called with the example inputs that its entry point gives.",
    "described": "The model was built and called with inputs of the shapes that the configuration states.",
}


def defect_of(problem: ExportProblem, target: TargetConfig, folder: Path, root: Path) -> AnalysisResult:
    """The finding for a model that raises; the script that reproduces it is written below `folder`.

    Lines of the tree `root` that the failing line's values come from go along: one of them may be what was changed.
    """
    entry = target.entry or ""
    path, _, name = entry.rpartition(":")
    said = str(problem).partition(": ")[2] or str(problem)
    script = None
    if problem.defect != "described":
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model_raises.py").write_text(_SCRIPT.format(entry=entry, path=path, name=name), encoding="utf-8")
        script = "model_raises.py"
    origins = origins_of(problem.location, root) if problem.location is not None else ()
    finding = Finding(
        rule=RULE,
        level=Level.ERROR,
        confidence=Confidence.CONFIRMED,
        message=(said[:1].upper() + said[1:])[:200],
        target=target.id,
        operand=problem.defect,
        location=problem.location,
        evidence=Evidence(
            "static",
            (_WHEN[problem.defect], said),
            data={"causes": [list(each) for each in origins]} if origins else {},
        ),
        reproducer=script,
    )
    return AnalysisResult(findings=(finding,))
