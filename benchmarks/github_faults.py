"""The fault plan: each request of a run fails once in each way; the counts of what became of it, as a Markdown table.

    python benchmarks/github_faults.py [--scene pull_request] [--seconds 600]

"whole" means that GitHub's final state is that of a run without faults; "reported" that it is not, and that the step's
summary says what is missing; "silent" (a bug) that neither is so.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.action.fault_plan import SCENES, play
from tests.github_simulator import Fault


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scene", choices=list(SCENES), action="append")
    parser.add_argument("--seconds", type=float, default=1200.0, help="start no further row after this time")
    options = parser.parse_args()
    end, silent = time.monotonic() + options.seconds, 0
    print("| event | fault | requests | whole | reported | silent | longest wait |")
    print("|---|---|---|---|---|---|---|")
    for scene in options.scene or list(SCENES):
        for fault in Fault:
            if time.monotonic() > end:
                print(f"| {scene} | {fault} | not run: out of time | | | | |")
                continue
            counts, longest = Counter[str](), 0.0
            with tempfile.TemporaryDirectory() as folder:
                for judged in play(scene, fault, Path(folder)):
                    counts["whole" if judged.whole else "reported" if judged.told else "silent"] += 1
                    longest = max(longest, judged.waited)
            silent += counts["silent"]
            cells = " | ".join(str(counts[kind]) for kind in ("whole", "reported", "silent"))
            print(f"| `{scene}` | {fault} | {counts.total()} | {cells} | {longest:.0f} s |", flush=True)
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main())
