"""Trace the sources of installed packages: no crash, no false error, and what share of library calls is understood.

    python benchmarks/tracing_sweep.py [--most N] [--every K] [PACKAGE/FOLDER …]

The sources of published packages are taken to be right: every error or blocking finding printed here is false until
someone has looked at it.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from analyzer.findings import Level
from analyzer.problem import TargetProblem
from analyzer.tracing.tracing import explore, read_source
from analyzer.tracing.versions import Versions

FOLDERS = (
    "transformers/models",
    "keras/src/applications",
    "keras/src/layers",
    "torch/nn",
    "torch/testing/_internal",
    "torch/ao/nn",
)


def files(folder: str) -> list[Path]:
    package, _, rest = folder.partition("/")
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return []
    base = Path(next(iter(spec.submodule_search_locations))) / rest
    names = sorted(base.rglob("modeling_*.py")) if package == "transformers" else sorted(base.rglob("*.py"))
    return [n for n in names if n.stat().st_size > 500]


def main() -> int:
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", default=FOLDERS)
    parser.add_argument("--most", type=int, default=10_000, help="most files of one folder")
    parser.add_argument("--every", type=int, default=1, help="take every K-th file")
    arguments = parser.parse_args()
    crashes = errors = total = 0
    for folder in arguments.folders:
        known: Counter[str] = Counter()
        unknown: Counter[str] = Counter()
        seconds: list[float] = []
        for file in files(folder)[:: arguments.every][: arguments.most]:
            started = time.perf_counter()
            try:
                _, tree = read_source(file, file.parent)
                shared = explore(file.parent, file.name, tree, Versions())
            except TargetProblem:
                continue
            except Exception:
                crashes += 1
                print(f"CRASH {file}\n{traceback.format_exc(limit=-6)}")
                continue
            seconds.append(time.perf_counter() - started)
            total += 1
            known.update(shared.known_calls)
            unknown.update(
                {
                    k: v
                    for k, v in shared.unknown_calls.items()
                    if k.startswith(("torch.", "keras.", "tf.", "numpy.", "Tensor."))
                }
            )
            for problem in shared.problems.values():
                if problem.level == Level.ERROR or problem.level == Level.WARNING:
                    errors += problem.level == Level.ERROR
                    print(
                        f"{problem.level} {'certain' if problem.certain else 'possible'} "
                        f"{file}:{problem.site.line} {problem.rule} {problem.message}"
                    )
        calls = sum(known.values()) + sum(unknown.values())
        share = sum(known.values()) / calls if calls else 0.0
        middle = sorted(seconds)[len(seconds) // 2] if seconds else 0.0
        print(
            f"{folder}: {len(seconds)} files, {calls} calls, {share:.1%} understood, median "
            f"{middle:.2f} s, longest {max(seconds, default=0):.2f} s"
        )
        print("  not understood:", ", ".join(f"{n} ({c})" for n, c in unknown.most_common(15)))
    print(f"{total} files, {crashes} crashes, {errors} errors reported")
    return 1 if crashes or errors else 0


if __name__ == "__main__":
    sys.exit(main())
