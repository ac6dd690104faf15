"""Writes what a person needs to see the failure alone: the inputs as ``.npz``, the slice, and a script that runs it.

The scripts need NumPy and the engine, nothing of Assay. They print what they see and exit 1 where it fails, 0 where it
does not, 2 where it could not be run.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template

import numpy as np

from analyzer.numerical.confirm.infinities import Infinities

_SCRIPT = '''"""$headline

Run it with ``python $script``$where: exit code 1 shows the defect, 0 does not, 2 means that it could not be run.
Needs numpy and $engine; seen with $versions.
The environment variable THREADS sets the number of threads (1 if it is not set).
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
THREADS = int(os.environ.get("THREADS", "1"))
$constants

def failure():
    """What is not finite, or None."""
$body

if sys.argv[1:] != ["here"]:  # a child runs it, because some engines end the whole process
    ended = subprocess.run([sys.executable, __file__, "here"]).returncode
    if ended < 0:
        print(f"the process was ended by signal {-ended} ({signal.Signals(-ended).name})")
    sys.exit(1 if ended < 0 else ended)
try:
    found = failure()
except Exception as error:
    print(f"could not be run: {type(error).__name__}: {error}")
    sys.exit(2)
print(found or "every result is finite: the defect does not show here")
sys.exit(1 if found else 0)
'''

_SESSION = """\
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = THREADS
    session = onnxruntime.InferenceSession(str(HERE / "$stem.onnx"), options, providers=["CPUExecutionProvider"])
    with np.load(HERE / "$stem.npz") as archive:
        leaves = {name: archive[name] for name in archive.files}
    if not all(np.isfinite(leaf).all() for leaf in leaves.values()):
        raise ValueError("the inputs themselves are not finite")
"""

_FIRST = """\
    def bad(array):
        array = np.asarray(array, np.float64)
        return $bad

"""

ONNX_CONSTANTS = Template("""\
OPERANDS = $operands  # what the operator receives
RESULTS = $results  # what it makes of it
""")

ONNX_BODY = Template(
    _FIRST
    + _SESSION
    + """\
    names = [output.name for output in session.get_outputs()]
    values = {**leaves, **dict(zip(names, session.run(names, leaves)))}
    for name in OPERANDS:
        if name in values and $broken(values[name]).any():
            raise ValueError(f"{name}, which the operator receives, is not finite")
    for name in RESULTS:
        if bad(values[name]).any():
            return f"{name}: {bad(values[name]).sum()} of {values[name].size} values are not finite"
    return None
"""
)

EVENT_CONSTANTS = Template("""\
EVENT = $event  # above 0 if the operator's operands were finite and its result was not, in some run of the body
""")

EVENT_BODY = Template(
    _SESSION
    + """\
    (event,) = session.run([EVENT], leaves)
    return "the operator in the body makes a value that is not finite" if event.any() else None
"""
)

TENSORFLOW_CONSTANTS = Template("""\
LEAVES = $leaves  # tensor in the GraphDef -> array in the .npz
OPERANDS = $operands  # what the operator receives
RESULTS = $results  # what it makes of it
GRADIENTS = $gradients  # check the gradients of the results instead of their values
EVENT = $event  # true if the operator, inside a body, had finite operands and a result that is not
""")

TENSORFLOW_BODY = Template(
    """\
    import tensorflow as tf

"""
    + _FIRST
    + """\
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
        threads = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=THREADS)
        with tf.compat.v1.Session(graph=graph, config=threads) as session:
            given, made = session.run([operands, results], feeds)
            if EVENT and session.run(EVENT, feeds):
                return "the operator in the body makes a value that is not finite"
    if any($broken(value).any() for value in given):
        raise ValueError("what the operator receives is not finite")
    for tensor, value in zip(results, made):
        if bad(value).any():
            return f"{tensor.name}: {bad(value).sum()} of {np.size(value)} values are not finite"
    return None
"""
)

TORCH_CONSTANTS = Template("""\
import operator  # noqa: F401

try:
    import torch
except ImportError as error:
    print(f"could not be run: {error}")
    sys.exit(2)


$program""")

TORCH_BODY = Template("""\
    torch.set_num_threads(THREADS)
    with np.load(HERE / "$stem.npz") as archive:
        arrays = {name: torch.from_numpy(archive[name]) for name in archive.files}
    leaves = {name[5:]: value for name, value in arrays.items() if name.startswith("leaf:")}
    constants = {name[9:]: value for name, value in arrays.items() if name.startswith("constant:")}
    for leaf in leaves.values():
        leaf.requires_grad_(leaf.is_floating_point())
    results = program(leaves, constants)
    if not all(torch.isfinite(result).all() for result in results):
        raise ValueError("the forward run is not finite")
    torch.stack([result.sum() for result in results]).sum().backward()
    for name, leaf in leaves.items():
        if leaf.grad is not None and not torch.isfinite(leaf.grad).all():
            wrong = int((~torch.isfinite(leaf.grad)).sum())
            return f"the gradient of {name}: {wrong} of {leaf.grad.numel()} values are not finite"
    return None
""")


TORCH_FORWARD_BODY = Template(
    _FIRST
    + """\
    torch.set_num_threads(THREADS)
    with np.load(HERE / "$stem.npz") as archive:
        arrays = {name: torch.from_numpy(archive[name]) for name in archive.files}
    leaves = {name[5:]: value for name, value in arrays.items() if name.startswith("leaf:")}
    constants = {name[9:]: value for name, value in arrays.items() if name.startswith("constant:")}
    with torch.no_grad():
        made = program(leaves, constants)
    values = [value.float().numpy() if value.is_floating_point() else value.numpy() for value in made]
    if any($broken(value).any() for value in values[:-RESULTS]):
        raise ValueError("what the operator receives is not finite")
    for value in values[-RESULTS:]:
        if bad(value).any():
            return f"{bad(value).sum()} of {value.size} values are not finite"
    return None
"""
)


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
    infinite: Infinities = Infinities.NONE,
    event: str = "",
    versions: str,
) -> Path:
    """Copies the files of a confirmed run from `work` to `folder` and writes the script; returns the script's path.

    `versions` tells what the run depended on: the engine's version, its threads.
    """
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / f"reproduce_{stem}.py"
    bad = "np.isnan(array)" if infinite.passed_on else "~np.isfinite(array)"
    broken = "np.isnan" if infinite is Infinities.GIVEN else "bad"  # of what the operator receives
    common = {"stem": stem, "bad": bad, "broken": broken}
    if engine == "tensorflow":
        known = names or {}
        with np.load(work / "found.npz") as archive:
            leaves = {known[name]: name for name in archive.files}
        ends = list(losses) if backward and losses else list(results)
        constants = TENSORFLOW_CONSTANTS.substitute(
            leaves=repr(leaves),
            operands=repr([] if event else [known[n] for n in operands if n in known]),
            results=repr([] if event else [known[n] for n in ends if n in known]),
            gradients=repr(backward),
            event=repr(known.get(event, "")),
        )
        body = TENSORFLOW_BODY.substitute(common)
        shutil.copyfile(work / "found.npz", folder / f"{stem}.npz")
        shutil.copyfile(work / "slice.pb", folder / f"{stem}.pb")
    elif engine == "torch":
        arrays = {}
        for prefix, file in (("leaf:", "found.npz"), ("constant:", "constants.npz")):
            with np.load(work / file) as archive:
                arrays.update({prefix + name: archive[name] for name in archive.files})
        np.savez(folder / f"{stem}.npz", **arrays)
        program = (work / "program.py").read_text()
        constants = TORCH_CONSTANTS.substitute(program=program)
        if not backward:
            constants = (
                f"RESULTS = {len(results)}  # the program's last values; those before them are received\n{constants}"
            )
        body = (TORCH_BODY if backward else TORCH_FORWARD_BODY).substitute(common)
    elif event:
        shutil.copyfile(work / "found.npz", folder / f"{stem}.npz")
        shutil.copyfile(work / "event.onnx", folder / f"{stem}.onnx")
        constants = EVENT_CONSTANTS.substitute(event=repr(event))
        body = EVENT_BODY.substitute(common)
    else:
        shutil.copyfile(work / "found.npz", folder / f"{stem}.npz")
        shutil.copyfile(work / "slice.onnx", folder / f"{stem}.onnx")
        constants = ONNX_CONSTANTS.substitute(operands=repr(list(operands)), results=repr(list(results)))
        body = ONNX_BODY.substitute(common)
    needed = "onnxruntime" if engine == "onnx" else engine
    script.write_text(script_text(script.name, headline, needed, versions, constants, body), encoding="utf-8")
    return script


def script_text(
    name: str, headline: str, engine: str, versions: str, constants: str, body: str, where: str = ""
) -> str:
    """A whole script: `constants` stand at its top, `body` gives what is not finite, `where` tells where it is run."""
    return Template(_SCRIPT).substitute(
        headline=_in_a_docstring(headline),
        script=name,
        where=f" in {where}" if where else "",
        engine=engine,
        versions=_in_a_docstring(versions),
        constants=constants,
        body=body,
    )


def _in_a_docstring(text: str) -> str:
    return re.sub(r'[\\"\x00-\x1f]+', " ", text).strip()
