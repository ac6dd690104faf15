"""Stand-alone scripts for what is no ONNX model: a Keras layer on two backends, a TensorFlow graph in two modes, Torch
operators in two precisions or modes, or beside their ONNX export. Each carries its data and needs only the engines."""

# ruff: noqa: E501

from __future__ import annotations

import base64
import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from analyzer.differential.backend import Backend
from analyzer.differential.corrected import corrected_operators
from analyzer.differential.reproducer import GUARD, INLINE, encoded, version_check

HEADER = '''"""{title}

Needs: {needs}. Exit code 1 when {shown}, 0 when not, 2 when this could not be run.
"""
import base64
import json
import os
import subprocess
import sys
import tempfile
import traceback
{guard}
import numpy as np

PART = json.loads({part!r})
{arrays}


def array(name):
    kind, shape, data = ARRAYS[name]
    return np.frombuffer(base64.b64decode(data), dtype=kind).reshape(shape)

'''

COMPARE = """

def compare(mine, right, limit):
    worst = 0.0
    for name in right:
        if mine[name].shape != right[name].shape:
            print(name, "shape", mine[name].shape, "instead of", right[name].shape)
            return float("inf")
        a, b = mine[name].astype(np.float64), right[name].astype(np.float64)
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        if not np.all(same | (np.isfinite(a) & np.isfinite(b))):
            worst = float("inf")
        scale = np.max(np.abs(b[np.isfinite(b)]), initial=0.0) or 1.0
        with np.errstate(invalid="ignore"):
            worst = max(worst, float(np.max(np.where(same, 0.0, np.abs(a - b)), initial=0.0)) / scale)
        print(name, FIRST + ":", mine[name].ravel()[:6], SECOND + ":", right[name].ravel()[:6])
    print(f"relative error {worst:.3g} (limit {limit:.3g})")
    return worst


def run(*arguments, **environment):
    path = os.path.join(tempfile.mkdtemp(), "result.npz")
    code = subprocess.run([sys.executable, __file__, path, *arguments], env={**os.environ, **environment}).returncode
    if CRASHES:
        print(f"the engine ended with {code}" if code else "the engine gives a result")
        sys.exit(code if code in (0, 2) else 1)
    if code:
        print(*arguments, *environment.values(), "could not run")
        sys.exit(2)
    return dict(np.load(path))

"""

KERAS_MAIN = """
if len(sys.argv) > 1:
    import keras
{check}{setup}
    env = {{name: array(name) for name in {inputs!r}}}
    for step in PART["steps"]:
        layer = keras.saving.deserialize_keras_object(step["layer"])
        values = [keras.ops.convert_to_tensor(env[name]) for name in step["inputs"]]
        arguments = [values] if step["as_list"] else values
        if step["weights"] and not layer.built:
            layer.build([tuple(v.shape) for v in values] if step["as_list"] else tuple(values[0].shape))
        if step["weights"]:
            layer.set_weights([array(name) for name in step["weights"]])
        STARTED = CRASHES
        extra = {{"training": False}} if getattr(layer, "_call_has_training_arg", False) else {{}}
        if keras.backend.backend() == "openvino":
            symbolic = [keras.Input(batch_shape=tuple(v.shape), dtype=str(np.asarray(env[n]).dtype)) for v, n in zip(values, step["inputs"])]
            model = keras.Model(symbolic, layer(*([symbolic] if step["as_list"] else symbolic), **extra))
            result = model.predict([np.asarray(env[n]) for n in step["inputs"]], verbose=0)
        else:
            result = layer(*arguments, **extra)
        for name, value in zip(step["outputs"], keras.tree.flatten(result)):
            env[name] = np.asarray(keras.ops.convert_to_numpy(value))
    np.savez(sys.argv[1], **{{f"out{{i}}": env[name] for i, name in enumerate({outputs!r})}})
    print("keras", keras.__version__, "on", keras.backend.backend())
    sys.exit()
"""

OPENVINO_SETUP = """
    if keras.backend.backend() == "openvino":  # else in bfloat16 where the processor is fast at it
        import functools

        import openvino

        openvino.compile_model = functools.partial(openvino.compile_model, config={"INFERENCE_PRECISION_HINT": "f32"})
"""

TENSORFLOW_MAIN = """
if len(sys.argv) > 1:
    import tensorflow as tf
{check}
    definition = tf.compat.v1.GraphDef.FromString(base64.b64decode(PART["graph"]))
    if sys.argv[2] == "grappler=off":
        tf.config.optimizer.set_experimental_options({{"disable_meta_optimizer": True}})
    wrapped = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(definition, name=""), [])
    graph = wrapped.graph
    part = wrapped.prune([graph.get_tensor_by_name(n) for n in PART["inputs"]], [graph.get_tensor_by_name(n) for n in PART["outputs"]])
    function = tf.function(lambda *v: part(*v), jit_compile=True, autograph=False) if sys.argv[2] == "mode=xla" else part
    STARTED = CRASHES
    result = function(*[tf.constant(array(n)) for n in {inputs!r}])
    np.savez(sys.argv[1], **{{f"out{{i}}": r.numpy() for i, r in enumerate(tf.nest.flatten(result))}})
    print("tensorflow", tf.__version__, sys.argv[2])
    sys.exit()
"""

TORCH_MAIN = """
if len(sys.argv) > 1:
    import torch
{check}
    wide = sys.argv[2] == "float64"

    def load(name):
        value = torch.from_numpy(array(name).copy())
        return value.double() if wide and value.is_floating_point() else value

    def plain(value, env):
        if isinstance(value, dict) and "tensor" in value:
            return env[value["tensor"]]
        if isinstance(value, dict):
            found = getattr(torch, value["torch"].removeprefix("torch."), None)
            found = found if found is not None else torch.device(value["torch"])
            return torch.float64 if wide and found is torch.float32 else found
        return [plain(v, env) for v in value] if isinstance(value, list) else value

    def program(env):
        env = dict(env)
        for step in PART["steps"]:
            args = plain(step["args"], env)
            if step["target"] == "getitem":
                env[step["name"]] = args[0][args[1]]
                continue
            target = torch.ops
            for part in step["target"].split("."):
                target = getattr(target, part)
            env[step["name"]] = target(*args, **{{k: plain(v, env) for k, v in step["kwargs"].items()}})
        return [env[name] for name in {outputs!r}]

    function = torch.compile(program, dynamic=False) if sys.argv[2] == "mode=compile" else program
    STARTED = CRASHES
    with torch.no_grad():
        result = function({{name: load(name) for name in ARRAYS}})
    np.savez(sys.argv[1], **{{f"out{{i}}": r.float().numpy() if r.is_floating_point() else r.numpy() for i, r in enumerate(result)}})
    print("torch", torch.__version__, sys.argv[2])
    sys.exit()
"""
EXPORT = """
if len(sys.argv) > 2 and sys.argv[2] == "export":
    import onnx
    from onnx.reference import ReferenceEvaluator
{operators}
    model = onnx.load_from_string(base64.b64decode(PART["onnx"]))
    feeds = {{i.name: array(i.name) for i in model.graph.input}}
    with np.errstate(all="ignore"):
        result = ReferenceEvaluator(model{new}).run({outputs!r}, feeds)
    np.savez(sys.argv[1], **{{f"out{{i}}": np.asarray(r) for i, r in enumerate(result)}})
    print("onnx", onnx.__version__, "runs the export")
    sys.exit()
"""

ENDING = """
FIRST, SECOND = {first!r}, {second!r}
error = compare({run_first}, {run_second}, {limit!r})
sys.exit(1 if error > {limit!r} else 0)
"""

ACCEPTS = """
FIRST, SECOND = {first!r}, {second!r}


def ended(mode):
    path = os.path.join(tempfile.mkdtemp(), "result.npz")
    return subprocess.run([sys.executable, __file__, path, mode]).returncode


strict = ended(SECOND)
loose = ended(FIRST) if strict not in (0, 2) else 0
told = {{0: "gives a result", 2: "could not run"}}
print(SECOND, told.get(strict, "refuses"), "and", FIRST, told.get(loose, "refuses") if strict not in (0, 2) else "was not run")
sys.exit(strict if strict in (0, 2) else {{0: 1, 2: 2}}.get(loose, 0))
"""

CARRIED = '{{f"out{{i}}": array(f"right/{{i}}") for i in range({count})}}'


@dataclass(frozen=True)
class Against:
    """What the deviating engine is held against: another engine or mode, right values that the script carries, or the
    export of the same operators. `crashes`: nothing, for the engine gives no result. `refused`: its other mode, which
    gives none."""

    other: str = ""
    right: Mapping[str, np.ndarray] = field(default_factory=dict)
    onnx: bytes = b""
    crashes: bool = False
    refused: bool = False


def script(
    backend: Backend,
    against: Against,
    part: Any,
    weights: Mapping[str, np.ndarray],
    inputs: Mapping[str, np.ndarray],
    outputs: tuple[str, ...],
    limit: float,
    folder: Path,
    stem: str,
) -> Path | None:
    """Write ``stem.py``; None for an engine that has no form here, or that has nothing to be held against."""
    name, setup, before = backend.engine.name, "", ""
    version = f"=={backend.version}" if backend.version else ""
    if name.startswith("keras-"):
        first, second = name.removeprefix("keras-"), against.other.removeprefix("keras-")
        setup = OPENVINO_SETUP if "openvino" in (first, second) and backend.knobs["precision"] != "default" else ""
        main, needs, run = (
            KERAS_MAIN,
            f"numpy, keras{version}, {', '.join(filter(None, (first, second)))}",
            "run(KERAS_BACKEND={})",
        )
        check = version_check("keras.__version__", backend)
    elif name == "tensorflow":
        mode = next((f"{k}={v}" for k, v in backend.settings if (k, v) in (("mode", "xla"),)), "mode=function")
        first, second = mode, "mode=function" if against.refused else "grappler=off"
        main, needs, run = TENSORFLOW_MAIN, f"numpy, tensorflow{version}", "run({})"
        check = version_check("tf.__version__", backend)
    elif name == "torch":
        compiled = backend.knobs["mode"] == "compile"
        first, second = ("mode=compile", "mode=eager") if compiled else ("float32", "float64")
        main, needs, run = TORCH_MAIN, f"numpy, torch{version}", "run({})"
        check = version_check("torch.__version__", backend)
    else:
        return None
    run_first, run_second = run.format("FIRST"), run.format("SECOND")
    arrays = {**inputs, **weights}
    if against.onnx:
        corrected = corrected_operators(against.onnx)
        operators = textwrap.indent(corrected.source, "    ") if corrected.names else ""
        new = f", new_ops=[{', '.join(corrected.names)}]" if corrected.names else ""
        before, second, needs = (
            EXPORT.format(operators=operators, new=new, outputs=list(outputs)),
            "export",
            needs + ", onnx",
        )
        part = {**part, "onnx": base64.b64encode(against.onnx).decode()}
    elif against.right:
        arrays |= {f"right/{i}": against.right[o] for i, o in enumerate(outputs)}
        second, run_second = "float64 values", CARRIED.format(count=len(outputs))
    folder.mkdir(parents=True, exist_ok=True)
    if sum(a.nbytes for a in arrays.values()) > INLINE:
        names = {n: f"a{i}" for i, n in enumerate(arrays)}
        np.savez(folder / f"{stem}.npz", **{names[n]: a for n, a in arrays.items()})  # type: ignore[arg-type]
        loaded = (
            f"_FILE = np.load(os.path.join(os.path.dirname(os.path.abspath(__file__)), {stem + '.npz'!r}))\n"
            f"ARRAYS = {{n: (_FILE[k].dtype.str, _FILE[k].shape, base64.b64encode(np.ascontiguousarray(_FILE[k])))\n"
            f"          for n, k in {names!r}.items()}}"
        )
    else:
        lines = [f"    {n!r}: ({a.dtype.str!r}, {tuple(a.shape)!r}, {encoded(a)!r})," for n, a in arrays.items()]
        loaded = "ARRAYS = {\n" + "\n".join(lines) + "\n}"
    title = f"{backend.title} gives no result." if against.crashes else f"{backend.title}: {first} against {second}."
    shown = "the engine fails" if against.crashes else "the results differ"
    if against.refused:
        title, shown = f"{backend.title}: {first} accepts what {second} refuses.", "it does"
    text = HEADER.format(title=title, needs=needs, part=json.dumps(part), arrays=loaded, guard=GUARD, shown=shown)
    text += f"CRASHES = {against.crashes or against.refused}\n" + COMPARE + before
    text += main.format(inputs=list(inputs), outputs=list(outputs), setup=setup, check=textwrap.indent(check, "    "))
    ending = ACCEPTS if against.refused else ENDING
    text += ending.format(first=first, second=second, limit=limit, run_first=run_first, run_second=run_second)
    path = folder / f"{stem}.py"
    path.write_text(text, encoding="utf-8")
    return path
