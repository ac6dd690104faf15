"""What the kernel's wall costs: `assay check` with it against `assay check` without it, alternating, in one run.

    python -m benchmarks.wall_cost [--runs 2] [--only squeezenet,resnet50] [--demo vae-loss,detector]

The models are the ONNX zoo's in the form that the `onnx` package ships (their graphs, weights made when they load), and
the demo's targets with its configuration. Engines are named, for those that nobody names run within seconds of the
clock, and on a busy machine not on both sides. Without: a copy of Assay whose wall closes nothing. CPU seconds of all
processes (user and system), which other load moves by a sixth; wall-clock seconds stand beside them. Each figure is the
least of the runs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import onnx

ROOT = Path(__file__).resolve().parents[1]
ENGINES = ["onnxruntime", "onnxruntime:opt=disable", "openvino"]  # what runs for ONNX where nobody names any
ZOO = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"


def without_wall(folder: Path) -> Path:
    """A copy of the sources in which closing the wall does nothing; all else, and what engines may run, is the same."""
    shutil.copytree(ROOT / "analyzer", folder / "analyzer", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "templates", folder / "templates")
    rules = folder / "analyzer" / "walls" / "kernel" / "rules.py"
    text, count = re.subn(r"(def close\(rules: Rules\) -> None:\n)", r"\1    return\n", rules.read_text())
    assert count == 1
    rules.write_text(text)
    return folder


def demonstration(folder: Path) -> Path:
    """The demo's repository as its pull request leaves it."""
    for example in sorted((ROOT / "examples").iterdir()):
        if (example / "broken").is_dir():
            shutil.copytree(example / "broken", folder / example.name)
    shutil.copy(ROOT / "examples" / ".assay.yml", folder)
    return folder


def measured(sources: Path, work: Path, *arguments: str) -> tuple[float, float]:
    """CPU and wall-clock seconds of one `assay check`."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "analyzer", "check", *arguments, "--no-report", "--jobs", "1"],
        cwd=work, env={**os.environ, "PYTHONPATH": str(sources)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--only", default="", help="parts of the names of models, with commas between")
    parser.add_argument("--demo", default="", help="ids of the demo's targets, with commas between, measured besides")
    args = parser.parse_args()
    wanted = [part for part in args.only.split(",") if part]
    totals = [0.0, 0.0]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder, "work")
        work.mkdir()
        trees = (without_wall(Path(folder, "without")), ROOT)
        for sources in trees:  # compiled once, outside of what is measured
            subprocess.run([sys.executable, "-m", "compileall", "-q", str(sources / "analyzer")], check=False)
        models = [path for path in sorted(ZOO.glob("*.onnx")) if not wanted or any(w in path.name for w in wanted)]
        for path in models:
            shutil.copy(path, work / path.name)
        named = [{"id": path.stem, "path": path.name, "backends": ENGINES} for path in models]
        (work / ".assay.yml").write_text(json.dumps({"version": 1, "targets": named}))
        jobs = {path.stem: (work, path.stem) for path in models}
        demo = demonstration(Path(folder, "demo"))
        jobs |= {f"demo: {name}": (demo, name) for name in args.demo.split(",") if name}
        for name, (place, target) in jobs.items():
            best = [(float("inf"), float("inf"))] * 2
            for turn in range(args.runs):
                for side in (0, 1) if turn % 2 == 0 else (1, 0):
                    one = measured(trees[side], place, target)
                    best[side] = (min(best[side][0], one[0]), min(best[side][1], one[1]))
            (off, off_wall), (on, on_wall) = best
            totals[0] += off
            totals[1] += on
            print(
                f"{name}: CPU {off:.1f} -> {on:.1f} s (x {on / off:.3f}), clock {off_wall:.1f} -> {on_wall:.1f} s",
                flush=True,
            )
    print(f"all: CPU {totals[0]:.1f} -> {totals[1]:.1f} s (x {totals[1] / totals[0]:.3f})")


if __name__ == "__main__":
    main()
