"""Real models nobody here wrote, through `assay check` with every analysis: no crash, unknown operators listed.

    python benchmarks/real_models.py [--models 'keras/*'] [--only numerical,validity,differential] [--json FILE]

The models are those of `exports.py`. Each gets its own run of the command, as a person would type it; with `--json` a
run can be stopped and goes on where it was. The table shows how each ended, what the analyses looked at, the operators
without a rule, and how many findings of each confidence there are (healthy models: none may block).
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

CONFIG = """version: 1
timeout: {timeout}
targets:
  - {{id: model, {source}}}
"""


def check(name: str, source: str | None, file: Path | None, only: str, timeout: int) -> dict[str, Any]:
    """What `assay check` says of one model."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "project")
        project.mkdir()
        if file is not None:
            (project / "model.onnx").write_bytes(file.read_bytes())
        else:
            (project / "entry.py").write_text(source or "")
        named = "path: model.onnx" if file is not None else 'entry: "entry.py:build"'
        (project / ".assay.yml").write_text(CONFIG.format(timeout=timeout, source=named))
        started = time.perf_counter()
        run = subprocess.run(
            [sys.executable, "-m", "analyzer", "check", "--sandbox=process", f"--only={only}", "--out=../report"],
            cwd=project, capture_output=True, text=True, check=False,
        )  # fmt: skip
        seconds = round(time.perf_counter() - started, 1)
        path = Path(folder, "report", "report.json")
        if not path.exists():
            return {"model": name, "exit": run.returncode, "error": run.stderr[-500:], "seconds": seconds}
        report = json.loads(path.read_text())
    target = report["targets"][0]
    return {
        "model": name,
        "exit": run.returncode,
        "status": target["status"],
        "error": target.get("error"),
        "nodes": target["nodes"],
        "unsafe": target["unsafe_operators"],
        "unknown": target["unknown_operators"],
        "findings": dict(Counter(f"{f['level']} {f['rule']}" for f in report["findings"])),
        "messages": [f["message"] for f in report["findings"] if f["level"] != "note"],
        "notes": target.get("notes"),
        "stages": target["seconds"],
        "seconds": seconds,
    }


def main() -> None:
    import exports

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default="*")
    parser.add_argument("--only", default="numerical,validity,tracing,differential")
    parser.add_argument("--timeout", type=int, default=1800, help="seconds for one model")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    work: dict[str, tuple[str | None, Path | None]] = {n: (None, p) for n, p in exports.light_zoo().items()}
    work |= {name: (source, None) for name, source in exports.sources().items()}
    done = json.loads(arguments.json.read_text()) if arguments.json and arguments.json.exists() else []
    finished = {row["model"] for row in done}
    print("| model | ended | nodes | unsafe operators proved safe | without a rule | findings | seconds |")
    print("|---|---|---|---|---|---|---|")
    for name, (source, file) in work.items():
        if not fnmatch.fnmatch(name, arguments.models):
            continue
        if name not in finished:
            done.append(check(name, source, file, arguments.only, arguments.timeout))
            if arguments.json:
                arguments.json.write_text(json.dumps(done, indent=1))
        print(row(next(entry for entry in done if entry["model"] == name)), flush=True)
    print(f"\n{sum(entry['exit'] == 0 for entry in done)} of {len(done)} models analysed whole, with nothing blocking.")


def row(result: dict[str, Any]) -> str:
    """One line of the Markdown table."""
    if "status" not in result:
        return f"| {result['model']} | exit {result['exit']} | | | | {result['error']} | {result['seconds']} |"
    unsafe = result["unsafe"]
    unknown = ", ".join(f"{count} {name}" for name, count in result["unknown"].items()) or "–"
    findings = ", ".join(f"{count} {name}" for name, count in result["findings"].items()) or "–"
    return (
        f"| {result['model']} | {result['status']}, exit {result['exit']} | {result['nodes']} | {unsafe['safe']} of "
        f"{unsafe['checked']} | {unknown} | {findings} | {result['seconds']} |"
    )


if __name__ == "__main__":
    main()
