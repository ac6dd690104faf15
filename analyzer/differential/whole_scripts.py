"""Scripts for what is said of an engine as a whole: it fails on the model, or it changes the model by running it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from analyzer.differential.compare import EngineResult
from analyzer.differential.fresh import Fresh
from analyzer.differential.plan import kind_for
from analyzer.differential.reproducer import GUARD, onnx_script, version_check
from analyzer.differential.runner import Artefact
from analyzer.differential.study import Study
from analyzer.differential.verdict import Kind

LARGEST = 256 << 20  # bytes of a model that is copied beside its script

KERAS_MUTATED = '''"""{title} changes the model by running it.

Needs: numpy, keras{version}, {package}. Exit code 1 when weights or statistics change, 0 when not, 2 when not run.
"""
import os
import pathlib
import sys
import traceback
{guard}
os.environ["KERAS_BACKEND"] = {package!r}
import keras
import numpy as np
{check}
here = pathlib.Path(__file__)
model = keras.saving.load_model(here.with_name({model!r}), compile=False)
data = np.load(here.with_name({data!r}))
values = [data[f"input_{{i}}"] for i in range({count})]
variables = [v for v in model.variables if "seed_generator" not in getattr(v, "path", v.name)]
before = [np.array(keras.ops.convert_to_numpy(v)) for v in variables]
model(values if len(values) > 1 else values[0]{training})
changed = 0
for variable, old in zip(variables, before):
    new = keras.ops.convert_to_numpy(variable)
    if not np.array_equal(new, old, equal_nan=True):
        changed += 1
        print(getattr(variable, "path", variable.name), "before", old.ravel()[:4], "after", np.asarray(new).ravel()[:4])
print("keras", keras.__version__, "on", keras.backend.backend(), "changed", changed, "of", len(variables), "variables")
sys.exit(1 if changed else 0)
'''


def write_whole(done: Study, kinds: Mapping[str, Artefact], output: Path, fresh: Fresh) -> Study:
    """`done` with the scripts that show, in a fresh process, what is said of its engines as wholes."""
    scripts: dict[tuple[str, Kind], str] = {}
    for result in done.comparison.results if done.comparison is not None else ():
        failure = result.failure
        for kind in [*([failure.kind] if failure else []), *([Kind.MUTATED] if result.mutated else [])]:
            if kind in (Kind.CRASH, Kind.MUTATED) and not any(
                p.blame.backend == result.runner.name for p in done.problems
            ):
                name = _script(result, kind, done, kinds, output / "differential", fresh)
                if name:
                    scripts[result.runner.name, kind] = name
    return replace(done, scripts=scripts)


def _script(
    result: EngineResult, kind: Kind, done: Study, kinds: Mapping[str, Artefact], folder: Path, fresh: Fresh
) -> str:
    backend = result.runner.backend
    form = kind_for(backend, kinds)
    artefact = kinds[form] if form else None
    assert done.comparison is not None
    index = next((i for i, o in enumerate(result.outcomes) if not o.ok), 0)
    if artefact is None or index >= len(done.comparison.sets):
        return ""
    feeds = done.comparison.sets[index].feeds
    path = artefact.files.get(str(artefact.request.get("path")))
    if path is None or not path.is_file() or path.stat().st_size > LARGEST or len(artefact.files) > 1:
        return ""
    stem = "-".join(c for c in (kind.value, "".join(c if c.isalnum() else "-" for c in backend.name)) if c)
    if form == "onnx" and kind is Kind.CRASH:
        script = onnx_script(path.read_bytes(), feeds, backend, 0.0, folder, stem, crashes=True)
    elif form == "keras" and kind is Kind.MUTATED:
        script = _mutated(result, path, feeds, folder, stem)
    else:
        return ""
    beside = [p for p in folder.glob(f"{stem}.*") if p != script]
    if fresh(script, beside, backend).shows:
        return script.name
    for each in (script, *beside):
        each.unlink(missing_ok=True)
    return ""


def _mutated(result: EngineResult, model: Path, feeds: Mapping[str, np.ndarray], folder: Path, stem: str) -> Path:
    backend = result.runner.backend
    folder.mkdir(parents=True, exist_ok=True)
    copy, data, script = folder / f"{stem}{model.suffix}", folder / f"{stem}.npz", folder / f"{stem}.py"
    shutil.copyfile(model, copy)
    np.savez(data, **{f"input_{i}": a for i, a in enumerate(feeds.values())})  # type: ignore[arg-type]
    text = KERAS_MUTATED.format(
        title=backend.title, version=f"=={backend.version}" if backend.version else "", guard=GUARD,
        package=backend.engine.name.removeprefix("keras-"), check=version_check("keras.__version__", backend),
        model=copy.name, data=data.name, count=len(feeds),
        training="" if backend.knobs["call"] == "plain" else ", training=False",
    )  # fmt: skip
    script.write_text(text, encoding="utf-8")
    return script
