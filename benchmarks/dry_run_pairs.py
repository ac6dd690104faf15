"""Training scripts as people write them, each with one shape defect and without: what the dry run says of both.

    python -m benchmarks.dry_run_pairs first [--only NAME] [--seconds 60]
    python -m benchmarks.dry_run_pairs third --really    # in plain Python on the data of `dry_run_data.py`

`dry_run_scripts/SET/NAME/` holds the healthy files and `dry_run_scripts/SET.json` the one text whose change makes the
defect. A pair is right where the defective twin is *confirmed* to fail and the healthy twin does its step in silence.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from analyzer.tracing.dry_run import LIMITS, dry_run
from analyzer.walls.process import ProcessSandbox
from benchmarks.dry_run_data import run_really

SETS = Path(__file__).parent / "dry_run_scripts"


@dataclass(frozen=True)
class Pair:
    """`script` is run; `file`, relative to the same folder, holds the text that the defect changes."""

    name: str
    script: str
    file: str
    healthy: str
    defective: str


def pairs(which: str) -> list[Pair]:
    return [Pair(**entry) for entry in json.loads((SETS / f"{which}.json").read_text(encoding="utf-8"))]


def written(which: str, pair: Pair, defective: bool, folder: Path) -> Path:
    """The twin's files in `folder`; the script to run."""
    shutil.copytree(SETS / which / pair.name, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    changed = folder / pair.file
    text = changed.read_text(encoding="utf-8")
    if text.count(pair.healthy) != 1:
        raise ValueError(f"{pair.name}: the text to change stands {text.count(pair.healthy)} times")
    if defective:
        changed.write_text(text.replace(pair.healthy, pair.defective), encoding="utf-8")
    return folder / pair.script


def really(which: str, pair: Pair, defective: bool, seconds: float) -> tuple[str, str]:
    """(`fails`, `passes` or `no time`, the last line): the twin in plain Python."""
    with tempfile.TemporaryDirectory() as folder:
        return run_really(pair.name, written(which, pair, defective, Path(folder)), Path(folder), seconds)


def judged(which: str, pair: Pair, defective: bool, seconds: float) -> tuple[str, str]:
    """(`confirmed`, `passed` or `not reached`, what was said)."""
    with tempfile.TemporaryDirectory() as folder:
        script = written(which, pair, defective, Path(folder))
        found = dry_run(script, Path(folder), ProcessSandbox(), limits=replace(LIMITS, seconds=seconds))
    if found.failure is not None:
        return "confirmed", str(found.failure)
    if found.unreached is not None:
        return "not reached", found.unreached
    return "passed", ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=sorted(p.stem for p in SETS.glob("*.json")))
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--seconds", type=float, default=LIMITS.seconds)
    parser.add_argument("--really", action="store_true", help="run the twins in plain Python instead")
    arguments = parser.parse_args()
    judge = really if arguments.really else judged
    counts: Counter[str] = Counter()
    for pair in pairs(arguments.which):
        if arguments.only and pair.name not in arguments.only:
            continue
        start = time.monotonic()
        for defective in (True, False):
            verdict, said = judge(arguments.which, pair, defective, arguments.seconds)
            twin = "defective" if defective else "healthy"
            counts[f"{twin} {verdict}"] += 1
            print(f"{pair.name:24} {twin:9} {verdict:11} {' '.join(said.split())[:300]}", flush=True)
        print(f"{pair.name:24} {time.monotonic() - start:.1f} s for both", flush=True)
    print(dict(sorted(counts.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
