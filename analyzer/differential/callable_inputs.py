"""Validation data that a callable of the project makes: run in the sandbox, handed over as `.npz`."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from analyzer.differential.inputs import Inputs, from_file
from analyzer.differential.structure import TensorInfo
from analyzer.differential.validation_files import INSTANCES, batched
from analyzer.exporting.export import check_entry
from analyzer.problem import TargetProblem
from analyzer.walls import PYTHON, Sandbox

# Runs inside the sandbox, beside the project's code: NumPy only.
SCRIPT = """
import importlib.util, json, os, sys
import numpy as np
path, name = sys.argv[1].rsplit(":", 1)
root = os.path.abspath("project")
sys.path[:0] = [root, os.path.dirname(os.path.join(root, path))]
out = os.path.abspath("out")
spec = importlib.util.spec_from_file_location("assay_validation", os.path.join(root, path))
module = importlib.util.module_from_spec(spec)
os.chdir(root)
spec.loader.exec_module(module)
value = getattr(module, name)
value = value() if callable(value) else value
truth = None
ranks, limit = json.loads(sys.argv[2]), int(sys.argv[3])
LABELS = ("labels", "label", "targets", "target", "truth", "ground_truth", "y_true")


def array(v):
    return np.asarray(v.detach().cpu() if hasattr(v, "detach") else v)


def collected(value):
    # A dataset or loader: rows of (inputs, label), or of inputs by name, one instance or one batch each.
    if hasattr(value, "__len__") and hasattr(value, "__getitem__"):
        step = max(1, -(-len(value) // limit))
        rows = (value[i] for i in range(0, len(value), step))
    else:
        rows = iter(value)
    kept, count = {}, 0
    for row in rows:
        if isinstance(row, dict):
            named = {("labels" if k in LABELS and k not in ranks else str(k)): array(v) for k, v in row.items()}
        else:
            inputs, label = row if isinstance(row, (tuple, list)) and len(row) == 2 else (row, None)
            given = dict(inputs) if isinstance(inputs, dict) else dict(enumerate(inputs)) if isinstance(
                inputs, (tuple, list)) else {0: inputs}
            named = {str(k): array(v) for k, v in given.items()}
            if label is not None:
                named["labels"] = array(label)
        first = next(k for k in named if k != "labels")
        rank = ranks.get(first, next(iter(ranks.values())))
        many = named[first].ndim == rank
        for k, v in named.items():
            kept.setdefault(k, []).append(v if many else v[np.newaxis])
        count += len(kept[first][-1])
        if count >= limit:
            break
    return {k: np.concatenate(v)[:limit] for k, v in kept.items()}


rows = isinstance(value, list) and value and isinstance(value[0], (dict, tuple))
plain = not rows and isinstance(value, (dict, list, tuple, np.ndarray)) or hasattr(value, "detach")
if not plain and (hasattr(value, "__iter__") or hasattr(value, "__getitem__")) and not hasattr(value, "shape"):
    value = collected(value)
if isinstance(value, tuple) and len(value) == 2 and (len(ranks) == 1 or isinstance(value[0], (dict, list, tuple))):
    value, truth = value
listed = value if isinstance(value, (list, tuple)) else [value]
arrays = dict(value) if isinstance(value, dict) else dict(enumerate(listed))
arrays = {str(k): np.asarray(v.detach().cpu() if hasattr(v, "detach") else v) for k, v in arrays.items()}
if truth is not None:
    arrays["labels"] = np.asarray(truth.detach().cpu() if hasattr(truth, "detach") else truth)
strange = [k for k, v in arrays.items() if v.dtype.kind not in "biufcUS"]
if strange or not arrays:
    sys.exit(f"{name} gave {type(value).__name__}; give arrays by input name, or (arrays, labels)")
np.savez(os.path.join(out, "validation.npz"), **arrays)
"""


def from_callable(entry: str, root: Path, sandbox: Sandbox | None, wanted: Sequence[TensorInfo]) -> Inputs:
    """Call ``path/to/file.py:name``; it gives arrays by input name, or (arrays, ground truth).

    Raises `TargetProblem` when it may not run, fails, or gives something else.
    """
    if sandbox is None:
        raise TargetProblem(f"validation data {entry!r} needs the project's code to run, which is not allowed here.")
    check_entry(entry, root)
    with tempfile.TemporaryDirectory(prefix="assay-") as temporary:
        done = sandbox.run(
            [PYTHON, "make.py", entry, json.dumps({w.name: len(w.shape) for w in wanted}), str(INSTANCES)],
            files={"make.py": SCRIPT.encode(), "project": root},
            output=Path(temporary),
        )
        data = Path(temporary, "validation.npz")
        if not data.is_file():
            last = done.log.strip().splitlines()[-1:] or ["no message"]
            raise TargetProblem(f"validation data {entry!r} was not made: {last[0][:200]}")
        return batched(from_file(data, wanted, entry), wanted)
