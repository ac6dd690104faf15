"""Scripts for what is said of an engine as a whole: it fails on the model, or it changes the model by running it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from analyzer.differential.backend import Backend
from analyzer.differential.compare import EngineResult
from analyzer.differential.compiled import accepted
from analyzer.differential.fresh import Fresh
from analyzer.differential.plan import kind_for
from analyzer.differential.reproducer import GUARD, onnx_script, version_check
from analyzer.differential.runner import Artefact
from analyzer.differential.scripts import Against, script
from analyzer.differential.study import Study
from analyzer.differential.transport import EngineFailed
from analyzer.differential.verdict import Kind

ENTRY_HEAD = '''"""{title} changes the model of {entry} by running it.

Run it as `python THIS_FILE PATH_OF_THE_PROJECT`. Needs: numpy, {package} and what the project needs.
Exit code 1 when weights, statistics or other state change, 0 when not, 2 when not run.
"""
import functools
import importlib
import importlib.util
import os
import sys
import traceback
{guard}
{variables}import {package}
import numpy as np

ENTRY = {entry!r}
path, _, name = ENTRY.rpartition(":")
root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else ".")
os.chdir(root)
sys.path[:0] = [root, os.path.join(root, "src"), os.path.dirname(os.path.join(root, path))]
parts = path.removesuffix(".py").split("/")
if all(part.isidentifier() for part in parts):
    module = importlib.import_module(".".join(parts))
else:
    spec = importlib.util.spec_from_file_location("entry", os.path.join(root, path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
{seed}
value = functools.reduce(getattr, name.split("."), module)
value = value() if callable(value) and not isinstance(value, {model}) else value
model, inputs = value if isinstance(value, (tuple, list)) else (value, ())
names = inputs if isinstance(inputs, dict) else {{}}
inputs = () if names else inputs if isinstance(inputs, (tuple, list)) else (inputs,)
'''

ENTRY_TAIL = """
before, first, after, second = state(), call(), state(), call()
changed = [n for n in before if n not in after or not np.array_equal(before[n], after[n], equal_nan=True)]
for each in changed:
    print(each, "before", before[each].ravel()[:4], "after", np.asarray(after.get(each)).ravel()[:4])
pairs = [(a, b) for a, b in zip(first, second) if a.shape == b.shape and a.dtype.kind == "f"]
apart = max((float(np.max(np.abs(a - b), initial=0.0)) for a, b in pairs), default=0.0)
print(f"{{len(changed)}} of {{len(before)}} arrays changed; run again, the outputs are {{apart:.3g}} apart")
sys.exit(1 if changed else 0)
"""

ENTRY_BODIES = {
    "torch": """
model.eval()


def state():
    kept = [*model.named_parameters(), *model.named_buffers()]
    return {{n: v.detach().cpu().clone().float().numpy() for n, v in kept}}


def call():
    with torch.no_grad():
        result = model(*inputs, **names)
    leaves = torch.utils._pytree.tree_leaves(result)
    return [v.detach().cpu().float().numpy() for v in leaves if isinstance(v, torch.Tensor)]

""",
    "keras": """
def state():
    return {{
        getattr(v, "path", v.name): np.array(keras.ops.convert_to_numpy(v))
        for v in model.variables
        if "seed_generator" not in getattr(v, "path", v.name)
    }}


def call():
    result = model(*inputs, **names{training})
    return [np.asarray(keras.ops.convert_to_numpy(v)) for v in keras.tree.flatten(result)]

""",
}

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
    for strict, loose in accepted(done.comparison) if done.comparison is not None else ():
        name = _acceptance(strict, loose, done, output / "differential", fresh)
        if name:
            scripts[loose.runner.name, Kind.CRASH] = name
    return replace(done, scripts=scripts)


def _acceptance(strict: EngineResult, loose: EngineResult, done: Study, folder: Path, fresh: Fresh) -> str:
    """The script that runs the layer which one mode refuses in both; empty where it cannot be cut out or shown."""
    backend = loose.runner.backend
    refused = next((p for p in done.problems if p.blame.backend == strict.runner.name), None)
    if refused is None:
        return ""
    unit, stem = refused.reduced.unit, "accepts-" + "".join(c if c.isalnum() else "-" for c in backend.name)
    try:
        part, weights = strict.runner.cut(unit.inputs, unit.outputs)
    except EngineFailed:
        return ""
    made = script(
        backend, Against(refused=True), part, weights, refused.reduced.inputs, unit.outputs, 0.0, folder, stem
    )
    return _kept(made, backend, fresh) if made is not None else ""


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
    stem = "-".join(c for c in (kind.value, "".join(c if c.isalnum() else "-" for c in backend.name)) if c)
    if kind is Kind.MUTATED and form in ("torch-entry", "keras-entry"):
        script = _mutated_entry(result, artefact, folder, stem)
        if fresh(script, [], backend, artefact.files["project"]).shows:
            return script.name
        script.unlink()
        return ""
    path = artefact.files.get(str(artefact.request.get("path")))
    if path is None or not path.is_file() or path.stat().st_size > LARGEST or len(artefact.files) > 1:
        return ""
    if form == "onnx" and kind is Kind.CRASH:
        script = onnx_script(path.read_bytes(), feeds, backend, 0.0, folder, stem, crashes=True)
    elif form == "keras" and kind is Kind.MUTATED:
        script = _mutated(result, path, feeds, folder, stem)
    else:
        return ""
    return _kept(script, backend, fresh)


def _kept(script: Path, backend: Backend, fresh: Fresh) -> str:
    """The name of a script that shows its failure in a fresh process; of another it and its files are removed."""
    beside = [p for p in script.parent.glob(f"{script.stem}.*") if p != script]
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


def _mutated_entry(result: EngineResult, artefact: Artefact, folder: Path, stem: str) -> Path:
    """Runs the project's entry point, from the project's folder, on its own example inputs."""
    backend = result.runner.backend
    on_torch = backend.engine.name == "torch"
    host = backend.engine.name.removeprefix("keras-")
    values = {
        "title": backend.title,
        "entry": artefact.request["entry"],
        "package": "torch" if on_torch else "keras",
        "guard": GUARD,
        "variables": "" if on_torch else f'os.environ["KERAS_BACKEND"] = {host!r}\n',
        "seed": "torch.manual_seed(0)" if on_torch else "keras.utils.set_random_seed(0)",
        "model": "torch.nn.Module" if on_torch else "keras.layers.Layer",
        "training": "" if backend.knobs.get("call") == "plain" else ", training=False",
    }
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / f"{stem}.py"
    text = ENTRY_HEAD + ENTRY_BODIES["torch" if on_torch else "keras"] + ENTRY_TAIL
    script.write_text(text.format(**values), encoding="utf-8")
    return script
