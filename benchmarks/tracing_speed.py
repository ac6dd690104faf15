"""Time of tracing: the corpus of the tests, and one script of a thousand lines, as ratios to parsing the same text.

python benchmarks/tracing_speed.py
"""

from __future__ import annotations

import ast
import statistics
import sys
import time
from pathlib import Path

from analyzer.tracing.tracing import explore, read_source
from analyzer.tracing.versions import Versions

CORPUS = Path(__file__).parents[1] / "tests" / "tracing" / "corpus"


def long_script(lines: int = 1000) -> str:
    """A plain training script with many layers and many undecided branches."""
    text = ["import argparse", "import torch", "import torch.nn as nn", "p = argparse.ArgumentParser()"]
    text += [f"p.add_argument('--flag{i}', action='store_true')" for i in range(40)]
    text += ["a = p.parse_args()", "x = torch.zeros(8, 64)"]
    index = 0
    while len(text) < lines:
        text += [
            f"if a.flag{index % 40}:",
            f"    x = torch.relu(nn.Linear(64, 64)(x)) * {index}",
            "else:",
            "    x = x + 1",
        ]
        text += [f"layer{index} = nn.Linear(64, 64)", f"x = layer{index}(x)"]
        index += 1
    return "\n".join(text) + "\n"


def main() -> int:
    seconds: list[float] = []
    ratios: list[float] = []
    for file in sorted(CORPUS.glob("*/fixed.py")):
        started = time.process_time()
        text, tree = read_source(file, file.parent)
        parsed = time.process_time()
        explore(file.parent, file.name, tree, Versions())
        seconds.append(time.process_time() - started)
        ratios.append((time.process_time() - parsed) / max(parsed - started, 1e-6))
        del text
    text = long_script()
    started = time.process_time()
    shared = explore(Path("/nonexistent"), "long.py", ast.parse(text), Versions())
    long = time.process_time() - started
    print(f"corpus: {len(seconds)} files, median {statistics.median(seconds):.2f} s CPU, longest {max(seconds):.2f} s")
    print(f"tracing / parsing, median {statistics.median(ratios):.0f}")
    print(
        f"1,000 lines with 160 undecided branches: {long:.2f} s CPU, {shared.steps} steps, notes {list(shared.notes)}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
