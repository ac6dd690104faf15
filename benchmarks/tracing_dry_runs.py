"""What the dry run calls confirmed of programs that nobody has changed, judged by running them plainly.

    python benchmarks/tracing_dry_runs.py FOLDER... --seed COMMIT [--scripts 60] [--most 4] [--seconds 40]

Each FOLDER holds one folder for each package, its wheel or sdist unpacked. A script is a program that comes with the
package (`published_drivers.py`); the seed chooses their order, `--most` of one package. A confirmed error is true where
the plain run raises the same exception. Where it raises another one, or takes longer than its time, both are printed to
be looked at.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from analyzer.tracing.dry_run import LIMITS, dry_run
from analyzer.walls.process import ProcessSandbox
from benchmarks.published_drivers import DRIVER, drawn, import_frameworks, programs, run, source_root


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--seed", required=True)
    parser.add_argument("--scripts", type=int, default=60, help="that fail or do a step")
    parser.add_argument("--most", type=int, default=4, help="scripts of one package")
    parser.add_argument("--seconds", type=float, default=40.0)
    arguments = parser.parse_args()
    import_frameworks()  # the plain runs fork from here

    counts: Counter[str] = Counter()
    packages = [p for folder in arguments.folders for p in drawn(folder.resolve(), arguments.seed)]
    for package in sorted(packages, key=lambda p: sha256(f"{arguments.seed}/{p.name}".encode()).hexdigest()):
        for name, text in [(p.name, p.text) for p in programs(package, arguments.seed)][: arguments.most]:
            if counts["passed"] + counts["confirmed"] >= arguments.scripts:
                break
            _judge(package, name, text, arguments.seconds, counts)
    print(dict(counts))
    return 0


def _judge(package: Path, name: str, text: str, seconds: float, counts: Counter[str]) -> None:
    root = source_root(package)
    script = root / DRIVER
    script.write_text(text, encoding="utf-8")
    try:
        found = dry_run(script, root, ProcessSandbox(), limits=replace(LIMITS, seconds=seconds))
    finally:
        script.unlink()
    counts["scripts"] += 1
    if found.unreached is not None:
        counts["not reached"] += 1
        print(f"not reached: {package.name} {name}: {found.unreached[:120]}", flush=True)
        return
    if found.failure is None:
        counts["passed"] += 1
        return
    counts["confirmed"] += 1
    plain = run(root, text, seconds=60)
    said = f"{found.failure.kind}: {found.failure.message[:120]} at {found.failure.frames[-1]}"
    same = plain.error is not None and plain.error.partition(":")[0] == found.failure.kind.rpartition(".")[2]
    verdict = "true" if same else "FALSE" if plain.error is None else "TO BE READ"
    counts[verdict] += 1
    print(f"confirmed, {verdict}: {package.name} {name}: {said}\n    plainly: {plain.error}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
