"""The first program behind the wall: closes it around itself, then runs a Python module or another program.

    python -I -B -c START FOLDER '{"rules": {…}, "path": […], "module": "assay_worker"}' ARGUMENT…

Instead of ``module``: ``script``, a Python file, or ``program``, the full path of another program. `START` imports this
module from FOLDER. Exit code 125: the wall could not be closed, and nothing was run.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import sys
from typing import Any

from .rules import CannotStand, Rules, close

START = (
    "import sys; p = sys.argv.pop(1); sys.path.insert(0, p); from kernel import enter; sys.path.remove(p); enter.main()"
)
FORK_SERVER = START.replace("enter", "fork_server")  # what a parent of forked children runs instead
LENGTH = 4  # bytes before an order to a fork server
MAX_ORDER = 16 << 20
NOT_CLOSED = 125
OURS = ("kernel", "stage")  # modules that only the way in needs


def main() -> None:
    run(json.loads(sys.argv.pop(1)))


def run(request: dict[str, Any]) -> None:
    """Close the wall that `request` describes, then run what it names; the arguments stand in `sys.argv`."""
    if request.get("rules") is not None:
        close_wall(request["rules"])
    if "program" in request:
        try:
            os.execv(request["program"], [request["program"], *sys.argv[1:]])
        except OSError as error:
            sys.stderr.write(f"cannot start {request['program']}: {error.strerror}\n")
            os._exit(127)
    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        del sys.modules[name]  # a project may call its own modules so
    sys.path[:0] = request.get("path", [])
    if "script" in request:
        sys.argv[0] = request["script"]
        runpy.run_path(request["script"], run_name="__main__")
        return
    try:
        runpy.run_module(request["module"], run_name="__main__", alter_sys=True)
    except Exception as error:
        sentence = _misfit(error)
        if sentence is None:
            raise
        sys.exit(sentence)


def _misfit(error: Exception) -> str | None:
    """The sentence on a package that Assay cannot use, where that is why `error` was raised."""
    try:
        installation = importlib.import_module("analyzer.installation")  # this folder is imported by itself
    except ImportError:  # the module is none of Assay's
        return None
    sentence: str | None = installation.explained(error)
    return sentence


def close_wall(rules: dict[str, Any]) -> None:
    """Close the wall, or end this process."""
    try:
        close(Rules(**rules))
    except CannotStand as problem:
        sys.stderr.write(f"the kernel's wall could not be closed: {problem}\n")
        os._exit(NOT_CLOSED)
