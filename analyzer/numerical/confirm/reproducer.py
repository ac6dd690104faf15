"""Writes what a person needs to see the failure alone: the inputs as ``.npz``, the slice, and a test file that fails.

The test files need NumPy, pytest and the engine; nothing of Assay.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template

import numpy as np

ONNX_TEST = Template('''"""$headline

Run it with ``pytest $test``; it fails as long as the defect is there. Needs numpy, pytest and onnxruntime.
"""

from pathlib import Path

import numpy as np
import onnxruntime

HERE = Path(__file__).parent
OPERANDS = $operands  # what the operator receives
RESULTS = $results  # what it makes of it


def sound(array):
    return $sound


def test_operator_stays_finite():
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(HERE / "$stem.onnx"), options, providers=["CPUExecutionProvider"])
    with np.load(HERE / "$stem.npz") as archive:
        leaves = {name: archive[name] for name in archive.files}
    assert all(np.isfinite(leaf).all() for leaf in leaves.values()), "the inputs themselves are not finite"
    names = [output.name for output in session.get_outputs()]
    values = {**leaves, **dict(zip(names, session.run(names, leaves)))}
    for name in OPERANDS:
        assert name not in values or sound(values[name]), f"{name} fails earlier"
    for name in RESULTS:
        assert sound(values[name]), f"{name} is not finite"
''')

BODY_TEST = Template('''"""$headline

Run it with ``pytest $test``; it fails as long as the defect is there. Needs numpy, pytest and onnxruntime.
"""

from pathlib import Path

import numpy as np
import onnxruntime

HERE = Path(__file__).parent
EVENT = $event  # above 0 if the operator's operands were finite and its result was not, in some run of the body


def test_operator_stays_finite():
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(HERE / "$stem.onnx"), options, providers=["CPUExecutionProvider"])
    with np.load(HERE / "$stem.npz") as archive:
        leaves = {name: archive[name] for name in archive.files}
    assert all(np.isfinite(leaf).all() for leaf in leaves.values()), "the inputs themselves are not finite"
    (event,) = session.run([EVENT], leaves)
    assert not event.any(), "the operator in the body fails"
''')

TENSORFLOW_TEST = Template('''"""$headline

Run it with ``pytest $test``; it fails as long as the defect is there. Needs numpy, pytest and tensorflow.
"""

from pathlib import Path

import numpy as np
import tensorflow as tf

HERE = Path(__file__).parent
LEAVES = $leaves  # tensor in the GraphDef -> array in the .npz
OPERANDS = $operands  # what the operator receives
RESULTS = $results  # what it makes of it
GRADIENTS = $gradients  # check the gradients of the results instead of their values
EVENT = $event  # true if the operator, inside a body, had finite operands and a result that is not


def sound(array):
    array = np.asarray(array, np.float64)
    return $sound


def test_operator_stays_finite():
    graph = tf.Graph()
    with graph.as_default():
        definition = tf.compat.v1.GraphDef.FromString((HERE / "$stem.pb").read_bytes())
        tf.import_graph_def(definition, name="")
        with np.load(HERE / "$stem.npz") as archive:
            feeds = {graph.get_tensor_by_name(tensor): archive[name] for tensor, name in LEAVES.items()}
        operands = [graph.get_tensor_by_name(name) for name in OPERANDS]
        results = [graph.get_tensor_by_name(name) for name in RESULTS]
        if GRADIENTS:
            total = tf.add_n([tf.reduce_sum(tf.cast(r, tf.float32)) for r in results])
            operands, results = results, [
                g for g in tf.gradients(total, [t for t in feeds if t.dtype.is_floating]) if g is not None
            ]
        with tf.compat.v1.Session(graph=graph) as session:
            given, made = session.run([operands, results], feeds)
            assert not (EVENT and session.run(EVENT, feeds)), "the operator in the body fails"
    for value in given:
        assert sound(value), "fails earlier"
    for value in made:
        assert sound(value), "not finite"
''')

TORCH_TEST = Template('''"""$headline

Run it with ``pytest $test``; it fails as long as the defect is there. Needs numpy, pytest and torch.
"""

import operator  # noqa: F401
from pathlib import Path

import numpy as np
import torch

HERE = Path(__file__).parent


$program

def test_gradient_stays_finite():
    with np.load(HERE / "$stem.npz") as archive:
        arrays = {name: torch.from_numpy(archive[name]) for name in archive.files}
    leaves = {name[5:]: value for name, value in arrays.items() if name.startswith("leaf:")}
    constants = {name[9:]: value for name, value in arrays.items() if name.startswith("constant:")}
    for leaf in leaves.values():
        leaf.requires_grad_(leaf.is_floating_point())
    results = program(leaves, constants)
    for result in results:
        assert torch.isfinite(result).all(), "the forward run fails already"
    torch.stack([result.sum() for result in results]).sum().backward()
    for name, leaf in leaves.items():
        assert leaf.grad is None or torch.isfinite(leaf.grad).all(), f"the gradient of {name} is not finite"
''')


def stem_of(target: str, node: str, fingerprint: str) -> str:
    """A file name that is safe everywhere: letters, digits and underscores."""
    words = re.sub(r"[^A-Za-z0-9]+", "_", f"{target}_{node}").strip("_").lower()
    return f"{words[:60].strip('_')}_{fingerprint[:8]}"


def write_reproducer(
    folder: Path,
    work: Path,
    stem: str,
    headline: str,
    operands: Sequence[str],
    results: Sequence[str],
    *,
    engine: str,
    backward: bool,
    names: Mapping[str, str] | None = None,
    losses: Sequence[str] = (),
    infinite: bool = False,
    event: str = "",
) -> Path:
    """Copies the files of a confirmed run from `work` to `folder` and writes the test; returns the test's path."""
    folder.mkdir(parents=True, exist_ok=True)
    test = folder / f"test_{stem}.py"
    headline = re.sub(r'[\\"\x00-\x1f]+', " ", headline).strip()
    sound = "not np.isnan(array).any()" if infinite else "np.isfinite(array).all()"
    common = {"headline": headline, "test": test.name, "stem": stem, "sound": sound}
    if engine == "tensorflow":
        known = names or {}
        with np.load(work / "found.npz") as archive:
            leaves = {known[name]: name for name in archive.files}
        ends = list(losses) if backward and losses else list(results)
        text = TENSORFLOW_TEST.substitute(
            common,
            leaves=repr(leaves),
            operands=repr([] if event else [known[n] for n in operands if n in known]),
            results=repr([] if event else [known[n] for n in ends if n in known]),
            gradients=repr(backward),
            event=repr(known.get(event, "")),
        )
        shutil.copyfile(work / "found.npz", folder / f"{stem}.npz")
        shutil.copyfile(work / "slice.pb", folder / f"{stem}.pb")
    elif backward:
        arrays = {}
        for prefix, file in (("leaf:", "found.npz"), ("constant:", "constants.npz")):
            with np.load(work / file) as archive:
                arrays.update({prefix + name: archive[name] for name in archive.files})
        np.savez(folder / f"{stem}.npz", **arrays)
        text = TORCH_TEST.substitute(common, program=(work / "program.py").read_text())
    elif event:
        shutil.copyfile(work / "found.npz", folder / f"{stem}.npz")
        shutil.copyfile(work / "event.onnx", folder / f"{stem}.onnx")
        text = BODY_TEST.substitute(common, event=repr(event))
    else:
        shutil.copyfile(work / "found.npz", folder / f"{stem}.npz")
        shutil.copyfile(work / "slice.onnx", folder / f"{stem}.onnx")
        text = ONNX_TEST.substitute(common, operands=repr(list(operands)), results=repr(list(results)))
    test.write_text(text, encoding="utf-8")
    return test
