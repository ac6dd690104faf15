"""Exports many entry points in one process: ``python export_many.py ROOT OUT ENTRY…`` fills OUT/0, OUT/1 …"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from analyzer.exporting.inside.__main__ import export
from analyzer.exporting.inside.failure import ExportFailure, Project, python_version


def main(root: str, out: str, entries: list[str]) -> None:
    root, out = os.path.abspath(root), os.path.abspath(out)
    os.chdir(root)
    for number, entry in enumerate(entries):
        folder = os.path.join(out, str(number))
        os.makedirs(folder)
        request = {"entry": entry, "root": root, "inputs": {}, "symbols": {}, "files": [], "out": folder}
        try:
            result = export(request, root, folder, Project(root))
        except ExportFailure as failure:
            result = {"ok": False, "sentence": str(failure)}
        result.setdefault("versions", {})["python"] = python_version()
        Path(folder, "export.json").write_text(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
