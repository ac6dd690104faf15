"""The script that shows how far the outputs of two models lie apart, with nothing of Assay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyzer.differential.reproducer import GUARD

SCRIPT = '''"""How far the outputs of {head} move from those of {base}.

Needs: numpy, {needs}. Exit code 1 when they move by more than the budget, 0 when not, 2 when this could not be run.
"""
import os
import pathlib
import sys
import traceback
{guard}
import numpy as np

BUDGET = {budget!r}
NAMES = {names!r}
here = pathlib.Path(__file__)
data = np.load(here.with_name("drift.npz"))
{readers}


def size(value):  # NaN is farther than any budget
    return float("inf") if np.isnan(value) else float(value)


flips = instances = 0
moves, relative = [0.0], 0.0
models = [OPEN[name.rpartition(".")[2]](str(here.with_name(name))) for name in ({base!r}, {head!r})]
for number in range({sets}):
    results = [run([data[f"{{number}}/{{place}}"] for place in range(len(NAMES))]) for run in models]
    for a, b in zip(*results):
        if a.dtype.kind == "f" and a.size and np.abs(a).mean() > 0:
            moves.append(size(np.abs(b.astype(float) - a).mean() / np.abs(a).mean()))
            relative = max(relative, size(np.abs(b.astype(float) - a).max() / np.abs(a).max()))
    a, b = results[0][0], results[1][0]
    instances += len(a)
    if a.ndim == 2 and a.shape[1] > 1:
        flips += int((a.argmax(axis=1) != b.argmax(axis=1)).sum())
found = {{"top1": 100.0 * flips / instances, "mad": max(moves), "relative": relative}}
print(found, "budget", BUDGET)
sys.exit(1 if any(found[k] > v for k, v in BUDGET.items() if k in found) else 0)
'''

READERS = {
    "onnx": """

def onnx(path):
    import onnxruntime as ort

    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    return lambda arrays: session.run(None, dict(zip(NAMES, arrays)))
""",
    "tflite": """

def tflite(path):
    import tensorflow as tf

    lite = tf.lite.Interpreter(model_path=path, num_threads=1)
    signatures = lite.get_signature_list()
    inputs = {d["name"]: d for d in lite.get_input_details()}
    outputs = {d["name"]: d for d in lite.get_output_details()}
    if signatures:
        key = "serving_default" if "serving_default" in signatures else next(iter(signatures))
        signed = lite.get_signature_runner(key)
        inputs, outputs = signed.get_input_details(), signed.get_output_details()
        if all(n.startswith("output_") for n in outputs):
            outputs = {n: outputs[n] for n in sorted(outputs, key=lambda n: int(n[7:]))}
    names = NAMES if set(NAMES) == set(inputs) else list(inputs)

    def scale(details):
        found = details["quantization_parameters"]
        whole = np.dtype(details["dtype"]).kind in "iu" and len(found["scales"]) == 1
        return (found["scales"][0], found["zero_points"][0]) if whole else None

    def stored(array, details):
        dtype = np.dtype(details["dtype"])
        if scale(details) is None:
            return array.astype(dtype)
        limits = np.iinfo(dtype)
        return np.clip(np.rint(array / scale(details)[0]) + scale(details)[1], limits.min, limits.max).astype(dtype)

    def meant(array, details):
        if scale(details) is None:
            return array
        return ((array.astype(float) - scale(details)[1]) * scale(details)[0]).astype(np.float32)

    def once(arrays):
        for name, array in zip(names, arrays):
            lite.resize_tensor_input(inputs[name]["index"], list(array.shape))
        lite.allocate_tensors()
        lite.reset_all_variables()
        for name, array in zip(names, arrays):
            lite.set_tensor(inputs[name]["index"], stored(array, inputs[name]))
        lite.invoke()
        return [meant(lite.get_tensor(d["index"]), d) for d in outputs.values()]

    def run(arrays):
        if all(list(d["shape_signature"][:1]) in ([1], []) for d in inputs.values()):
            each = [once([a[i : i + 1] for a in arrays]) for i in range(len(arrays[0]))]
            return [np.concatenate(parts) for parts in zip(*each)]
        return once(arrays)

    return run
""",
}
NEEDS = {"onnx": "onnxruntime", "tflite": "tensorflow"}


def drift_script(files: Mapping[str, str], inputs: Sequence[str], sets: int, budget: Mapping[str, float]) -> str:
    """The text of the script.

    Args:
        files: names of the models of ``base`` and ``head``, which lie beside it.
        inputs: names of the inputs, in the order of the ONNX model's; ``drift.npz`` holds the first
            set as ``"0/0"``, ``"0/1"`` and so on, whatever the names are.
        sets: how many sets of inputs there are.
        budget: ``top1``, ``mad``, ``relative`` that may not be exceeded.
    """
    kinds = sorted({name.rpartition(".")[2] for name in files.values()})
    readers = "".join(READERS[kind] for kind in kinds)
    table = ", ".join(f'"{kind}": {kind}' for kind in kinds)
    return SCRIPT.format(
        guard=GUARD, budget=dict(budget), names=list(inputs), sets=sets, base=files["base"], head=files["head"],
        needs=", ".join(NEEDS[kind] for kind in kinds), readers=f"{readers}\n\nOPEN = {{{table}}}",
    )  # fmt: skip
