"""A stand-alone script that shows a deviation, and the text of an upstream issue. ONNX; other families beside."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from analyzer.differential.backend import Backend
from analyzer.differential.bisect import Culprit
from analyzer.differential.corrected import Corrected, corrected_operators
from analyzer.differential.known import KnownIssue
from analyzer.differential.localize import Blame
from analyzer.differential.reduce import Reduced

INLINE = 64 << 10  # bytes of arrays that a script carries itself

GUARD = """
STARTED = False  # whether what fails from here on is the engine


def failed(kind, error, trace):
    traceback.print_exception(kind, error, trace)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1 if STARTED and not issubclass(kind, ImportError) else 2)


sys.excepthook = failed
"""

ONNX_HEAD = '''"""{title}

Needs: {needs}. Exit code 1 when {shown}, 0 when not, 2 when this could not be run.
"""
import base64
import os
import subprocess
import sys
import traceback
{guard}
import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator
{operators}
MODEL = {model}

{feeds}

def load(text):
    kind, shape, data = text
    return np.frombuffer(base64.b64decode(data), dtype=kind).reshape(shape)

{apart}
model = onnx.load_from_string(base64.b64decode(MODEL)) if not MODEL.endswith(".onnx") else onnx.load(MODEL)
feeds = {{name: load(text) for name, text in FEEDS.items()}}
names = [o.name for o in model.graph.output]
print("model:", ", ".join([n.op_type for n in model.graph.node][:12]))

{engine}
'''

ONNX_COMPARE = """
{expected}
worst = 0.0
for name in names:
    mine, right = np.asarray(actual[name]), np.asarray(expected[name])
    if mine.shape != right.shape:
        print(name, "shape", mine.shape, "instead of", right.shape)
        worst = float("inf")
        continue
    a, b = mine.astype(np.float64), right.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if not np.all(same | (np.isfinite(a) & np.isfinite(b))):
        worst = float("inf")
    scale = np.max(np.abs(b[np.isfinite(b)]), initial=0.0) or 1.0
    with np.errstate(invalid="ignore"):
        worst = max(worst, float(np.max(np.where(same, 0.0, np.abs(a - b)), initial=0.0)) / scale)
    print(name, "{engine_name}:", mine.ravel()[:8], "{against}:", right.ravel()[:8])
print(f"relative error {{worst:.3g}} (limit {limit:.3g})")
sys.exit(1 if worst > {limit!r} else 0)
"""

# The engine runs in a process of its own, for it may take the process with it.
ONNX_APART = """
if len(sys.argv) < 2:
    code = subprocess.run([sys.executable, __file__, "run"]).returncode
    print(f"the engine ended with {code}" if code else "the engine gives a result")
    sys.exit(code if code in (0, 2) else 1)
"""

SPECIFICATION = """with np.errstate(all="ignore"):
    expected = dict(zip(names, ReferenceEvaluator(model{new}).run(None, feeds)))"""

REFERENCE = """with np.errstate(all="ignore"):
    actual = dict(zip(names, ReferenceEvaluator(model).run(None, feeds)))
print("onnx", onnx.__version__)"""

ORT = """import onnxruntime as ort
{check}
options = ort.SessionOptions()
options.log_severity_level = 3
options.graph_optimization_level = ort.GraphOptimizationLevel({level})
session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]{disabled})
actual = dict(zip(names, session.run(names, feeds)))
print("onnxruntime", ort.__version__)"""

OPENVINO = """import openvino
{check}
core = openvino.Core()
compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU", {config})
result = compiled({{name: feeds[name] for name in feeds}})
actual = {{name: result[name] for name in names}}
print("openvino", openvino.__version__)"""


def onnx_script(
    model: bytes,
    inputs: Mapping[str, np.ndarray],
    backend: Backend,
    limit: float,
    folder: Path,
    stem: str,
    right: Mapping[str, np.ndarray] | None = None,
    *,
    crashes: bool = False,
    against: str = "the float64 run",
) -> Path:
    """Write the script (and, for large models or inputs, files beside it); returns its path.

    The engine is held against `onnx.reference`, or against the values `right`, which the script then carries, under
    the name `against`. `crashes`: all that is shown is that the engine gives no result.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if len(model) > INLINE:
        (folder / f"{stem}.onnx").write_bytes(model)
        model_text = f'str(__import__("pathlib").Path(__file__).with_name({stem + ".onnx"!r}))'
    else:
        model_text = _quoted(base64.b64encode(model).decode())
    if sum(a.nbytes for a in inputs.values()) > INLINE:
        np.savez(folder / f"{stem}.npz", **{f"input_{i}": a for i, a in enumerate(inputs.values())})  # type: ignore[arg-type]
        names = json.dumps(list(inputs))
        feeds = (
            f"ARRAYS = np.load(__import__('pathlib').Path(__file__).with_name({stem + '.npz'!r}))\n"
            f"FEEDS = {{name: (str(a.dtype), a.shape, base64.b64encode(np.ascontiguousarray(a)))\n"
            f"         for name, a in ((n, ARRAYS[f'input_{{i}}']) for i, n in enumerate({names}))}}"
        )
    else:
        lines = [
            f"    {n!r}: ({a.dtype.str!r}, {tuple(a.shape)!r}, {_quoted(encoded(a), 8)})," for n, a in inputs.items()
        ]
        feeds = "FEEDS = {\n" + "\n".join(lines) + "\n}"
    knobs = backend.knobs
    if backend.engine.name == "openvino":
        hint = {"float32": "f32", "bfloat16": "bf16", "float16": "f16"}.get(knobs["precision"])
        config = {"INFERENCE_PRECISION_HINT": hint} if hint else {}
        check = version_check("openvino.__version__", backend)
        engine, needs = OPENVINO.format(config=config, check=check), "numpy, onnx, openvino"
    elif backend.engine.name == "reference":
        engine, needs = REFERENCE, "numpy, onnx"
    else:
        level = {"disable": 0, "basic": 1, "extended": 2, "all": 99}[knobs["opt"]]
        disabled = [n for n in knobs["disabled"].split("+") if n]
        extra = f", disabled_optimizers={disabled}" if disabled else ""
        version = f"=={backend.version}" if backend.version else ""
        check = version_check("ort.__version__", backend)
        engine, needs = ORT.format(level=level, disabled=extra, check=check), f"numpy, onnx, onnxruntime{version}"
    asked = right is None and not crashes  # the specification's own code
    corrected = corrected_operators(model) if asked else Corrected((), "")
    other = "the ONNX specification" if asked else against
    head = ONNX_HEAD.format(
        operators=f"\n{corrected.source}\n" if corrected.names else "",
        title=f"{backend.title} gives no result." if crashes else f"{backend.title} against {other}.",
        shown="the engine fails" if crashes else "the results differ",
        needs=needs,
        guard=GUARD,
        model=model_text,
        feeds=feeds,
        apart=ONNX_APART if crashes else "",
        engine=f"STARTED = True\n{engine}" if crashes else engine,
    )
    new = f", new_ops=[{', '.join(corrected.names)}]" if corrected.names else ""
    compared = ONNX_COMPARE.format(
        expected=SPECIFICATION.format(new=new) if right is None else _carried(right),
        against="specification" if asked else against,
        engine_name=backend.engine.title,
        limit=limit,
    )
    path = folder / f"{stem}.py"
    path.write_text(head if crashes else head + compared, encoding="utf-8")
    return path


def version_check(expression: str, backend: Backend) -> str:
    """Ends a script that found another version of the engine than the one it is about."""
    if backend.version is None:
        return ""
    plain = f"{expression}.split('-')[0].split('+')[0]"
    return (
        f"\nif not {plain}.startswith({backend.version!r}):\n"
        f'    print("needs version {backend.version}, found", {expression})\n    sys.exit(2)\n'
    )


def _carried(right: Mapping[str, np.ndarray]) -> str:
    """The right values."""
    lines = [f"    {n!r}: ({a.dtype.str!r}, {tuple(a.shape)!r}, {_quoted(encoded(a), 8)})," for n, a in right.items()]
    return "RIGHT = {\n" + "\n".join(lines) + "\n}\nexpected = {n: load(t) for n, t in RIGHT.items()}"


def encoded(array: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def _quoted(text: str, indent: int = 4) -> str:
    """A long string as adjacent literals of at most 100 characters."""
    if len(text) <= 100:
        return repr(text)
    pad = " " * indent
    pieces = [text[i : i + 100] for i in range(0, len(text), 100)]
    return "(\n" + "\n".join(f"{pad}{piece!r}" for piece in pieces) + f"\n{pad[4:]})"


def issue_text(
    blame: Blame,
    reduced: Reduced,
    backend: Backend,
    versions: Mapping[str, str],
    culprit: Culprit | None,
    range_: Culprit | None,
    known: KnownIssue | None,
    script: str,
    key: str,
) -> str:
    """Markdown that can be filed upstream after a person has read it."""
    shapes = [f"`{n}` {a.dtype} {list(a.shape)}" for n, a in reduced.inputs.items()]
    attributes = {o.op: dict(o.attributes) for o in reduced.unit.operations if o.attributes}
    lines = [
        f"# {backend.engine.title}: {reduced.unit.op} deviates from {blame.oracle} by {reduced.error:.3g}",
        "",
        f"- Versions: {', '.join(f'{k} {v}' for k, v in sorted(versions.items()))}",
        f"- Settings: {', '.join(f'{k}={v}' for k, v in backend.knobs.items() if v) or 'defaults'}",
        f"- Operators: {reduced.unit.op}; attributes: `{json.dumps(attributes, default=str)}`",
        f"- Inputs: {', '.join(shapes)}",
        f"- Relative error {reduced.error:.3g}; changes of one unit in the last place of the inputs move the right "
        f"result by {blame.floor:.1g}",
    ]
    if culprit is not None:
        lines.append(f"- Introduced by {culprit.sentence}")
    if range_ is not None:
        lines.append(f"- Versions: {range_.sentence}")
    lines += [f"- Key for duplicates: `{key}`", ""]
    if known is not None:
        lines += [f"**Already known**: {known.sentence} Please comment there rather than filing anew.", ""]
    lines += ["## Reproduce", "", "```python", script.rstrip(), "```", ""]
    return "\n".join(lines)
