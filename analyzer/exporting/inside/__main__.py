"""``python -m assay_inside request.json``: build the model, export it, leave ``out/export.json`` and the model's file.

The request: ``{"entry", "root", "inputs": {name: {"shape", "dtype", "range"}}, "symbols": {name: [low, high]},
"files": [path], "out"}``; or ``{"entry", "root", "program", "out"}`` to convert a traced program that another
environment handed back.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from .failure import ExportFailure, Project, describe, python_version


def main(request_path: str) -> int:
    with open(request_path, encoding="utf-8") as file:
        request: dict[str, Any] = json.load(file)
    out = os.path.abspath(request["out"])
    root = os.path.abspath(request["root"])
    project = Project(root)
    try:
        os.chdir(root)
        result = export(request, root, out, project)
    except ExportFailure as failure:
        result = {"ok": False, "sentence": str(failure), "place": failure.place, "defect": failure.defect}
    except MemoryError:
        result = {"ok": False, "sentence": f"{request['entry']}: the export took more memory than the sandbox allows"}
    except BaseException as error:
        result = {
            "ok": False,
            "sentence": f"{request['entry']}: the export failed with {describe(error)}",
            "place": project.of_traceback(error),
        }
    result.setdefault("versions", {})["python"] = python_version()
    with open(os.path.join(out, "export.json"), "w", encoding="utf-8") as file:
        json.dump(result, file)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # threads that the project's code started must not keep the process


def export(request: dict[str, Any], root: str, out: str, project: Project) -> dict[str, Any]:
    from . import creation, entry

    if "program" in request:
        from . import torch_export

        return torch_export.convert(request, out, project)
    creation.watch(project, request["files"], root)
    built = entry.build(request["entry"], root)
    if built.framework == "jax":
        raise ExportFailure(
            f"{request['entry']}: gave a JAX function, which has no export; compare its modes with "
            "`backends: [jax, jax:mode=eager]`",
            built.place,
        )
    if built.framework == "torch":
        from . import torch_export as exporter
    elif built.framework == "keras":
        from . import keras_export as exporter  # type: ignore[no-redef]
    else:
        from . import tensorflow_export as exporter  # type: ignore[no-redef]
    result: dict[str, Any] = exporter.export(built, request, out, project)
    result.update(ok=True, framework=built.framework, files=built.files)
    return result


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
