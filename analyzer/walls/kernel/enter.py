"""The first program behind the wall: closes it around itself, then runs a Python module or another program.

    python -I -B -c START FOLDER '{"rules": {…}, "path": […], "module": "assay_worker"}' ARGUMENT…

Instead of ``module``: ``script``, a Python file, or ``program``, the full path of another program. `START` imports this
module from FOLDER. Exit code 125: the wall could not be closed, and nothing was run.
"""

from __future__ import annotations

import json
import os
import runpy
import sys

from .rules import CannotStand, Rules, close

START = (
    "import sys; p = sys.argv.pop(1); sys.path.insert(0, p); from kernel import enter; sys.path.remove(p); enter.main()"
)
NOT_CLOSED = 125


def main() -> None:
    request = json.loads(sys.argv.pop(1))
    if request.get("rules") is not None:
        try:
            close(Rules(**request["rules"]))
        except CannotStand as problem:
            sys.stderr.write(f"the kernel's wall could not be closed: {problem}\n")
            os._exit(NOT_CLOSED)
    if "program" in request:
        try:
            os.execv(request["program"], [request["program"], *sys.argv[1:]])
        except OSError as error:
            sys.stderr.write(f"cannot start {request['program']}: {error.strerror}\n")
            os._exit(127)
    sys.path[:0] = request.get("path", [])
    if "script" in request:
        sys.argv[0] = request["script"]
        runpy.run_path(request["script"], run_name="__main__")
        return
    runpy.run_module(request["module"], run_name="__main__", alter_sys=True)
