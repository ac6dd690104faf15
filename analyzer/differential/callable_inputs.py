"""Validation data that a callable of the project makes: run in the sandbox, handed over as `.npz`."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from analyzer.differential.inputs import Inputs, from_file
from analyzer.differential.structure import TensorInfo
from analyzer.exporting.export import check_entry
from analyzer.problem import TargetProblem
from analyzer.walls import PYTHON, Sandbox

# Runs inside the sandbox, beside the project's code: NumPy only.
SCRIPT = """
import importlib.util, os, sys
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
if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], (dict, list, tuple)):
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
            [PYTHON, "make.py", entry],
            files={"make.py": SCRIPT.encode(), "project": root},
            output=Path(temporary),
        )
        data = Path(temporary, "validation.npz")
        if not data.is_file():
            last = done.log.strip().splitlines()[-1:] or ["no message"]
            raise TargetProblem(f"validation data {entry!r} was not made: {last[0][:200]}")
        return from_file(data, wanted, entry)
