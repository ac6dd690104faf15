"""Time of tracing: the corpus of the tests and one script of a thousand lines, as ratios to parsing the same text; and
how many paths are followed with and without merging branches whose sides agree.

    python benchmarks/tracing_speed.py
"""

from __future__ import annotations

import ast
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing import tracing
from analyzer.tracing.language import branches
from analyzer.tracing.paths.paths import Explorer
from analyzer.tracing.tracing import explore, read_source

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


def branching(agreeing: int, differing: int) -> str:
    """A training script with branches whose sides give equal shapes, and branches whose sides do not."""
    text = ["import argparse", "import torch", "import torch.nn as nn", "p = argparse.ArgumentParser()"]
    text += [f"p.add_argument('--flag{i}', action='store_true')" for i in range(agreeing + differing)]
    text += ["a = p.parse_args()", "x = torch.zeros(8, 64)"]
    for i in range(agreeing):
        text += [f"if a.flag{i}:", "    x = nn.Linear(64, 64)(x)", "else:", "    x = torch.relu(x)"]
    for i in range(agreeing, agreeing + differing):
        text += [f"if a.flag{i}:", "    x = torch.cat([x, x], dim=1)", "else:", "    x = torch.tanh(x)"]
    return "\n".join(text) + "\n"


def paths_of(text: str, merging: bool, most: int) -> tuple[int, int, float]:
    """(paths followed, steps, processor time), with at most `most` paths."""
    explorers: list[Explorer] = []

    class Counted(Explorer):
        def __init__(self, most_combined: int) -> None:
            super().__init__(most)
            explorers.append(self)

    changed: list[tuple[dict[str, Any], str, Any]] = [(vars(tracing), "Explorer", Counted)]
    if not merging:
        changed.append((vars(branches), "_agree", lambda tr, node: False))
    kept = [(names, name, names[name]) for names, name, _ in changed]
    for names, name, value in changed:
        names[name] = value
    started = time.process_time()
    try:
        shared = explore(Path("/nonexistent"), "script.py", ast.parse(text), Versions())
    finally:
        for names, name, value in kept:
            names[name] = value
    return sum(e.explored for e in explorers), shared.steps, time.process_time() - started


def show_merging() -> None:
    print(
        "agreeing, differing branches | paths and seconds merged | not merged | not merged, without the limit of paths"
    )
    for agreeing, differing in ((4, 0), (8, 0), (12, 0), (0, 4), (6, 2), (8, 4)):
        text = branching(agreeing, differing)
        merged = paths_of(text, True, tracing.MOST_PATHS)
        plain = paths_of(text, False, tracing.MOST_PATHS)
        full = paths_of(text, False, 100_000)
        cells = [f"{paths} paths {seconds:.2f} s" for paths, _, seconds in (merged, plain, full)]
        print(f"{agreeing}, {differing} | " + " | ".join(cells))
    texts = [f.read_text() for f in sorted(CORPUS.glob("*/fixed.py"))]
    for merging in (True, False):
        found = [paths_of(t, merging, tracing.MOST_PATHS) for t in texts]
        print(f"corpus, {'merged' if merging else 'not merged'}: {sum(p for p, _, _ in found)} paths", end="; ")
        print(f"{sum(s for _, s, _ in found)} steps, {sum(t for _, _, t in found):.1f} s")


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
    show_merging()
    return 0


if __name__ == "__main__":
    sys.exit(main())
