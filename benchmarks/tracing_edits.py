"""Processor time of what an editor asks: published files as they are opened, opened again, and after edits.

    python benchmarks/tracing_edits.py FOLDER --seed COMMIT [--files 100] [--edits 3]

FOLDER holds one folder for each package, its wheel or sdist unpacked. The seed chooses one file of each package, and
edits of it: a number of a function becomes another, or a statement is put into one. Each edited text is also traced
from the start: what the file's memory made of it has to be the same. Nothing of the files is run.
"""

from __future__ import annotations

import argparse
import ast
import random
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from analyzer.problem import TargetProblem
from analyzer.tracing.checkers.type_checkers import digest
from analyzer.tracing.paths.remembered import Memory
from analyzer.tracing.tracing import trace_with_hints
from benchmarks.tracing_unseen import drawn_files

SLOW = 7.0  # seconds of processor time: a file's budget and a second


def traced(root: Path, path: Path, text: str, memory: Memory | None) -> tuple[float, Any]:
    """(processor time, what was said) of a text that stands for the file; type checkers are not asked."""
    started = time.process_time()
    result, hints = trace_with_hints(path, root, target=path.stem, text=text, types={digest(text): {}}, memory=memory)
    return time.process_time() - started, (result.findings, result.notes, hints)


def edited(text: str, rng: random.Random) -> str | None:
    """The text with one function changed; None where it has none."""
    functions = [n for n in ast.walk(ast.parse(text)) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    if not functions:
        return None
    statement = rng.choice(rng.choice(functions).body)
    lines = text.split("\n")
    numbers = [n for n in ast.walk(statement) if isinstance(n, ast.Constant) and type(n.value) is int and n.value > 1]
    first = lines[statement.lineno - 1].encode()[: statement.col_offset].decode()
    if numbers and rng.random() < 0.5:
        number = rng.choice(numbers)
        line = lines[number.lineno - 1].encode()
        changed = line[: number.col_offset] + str(int(str(number.value)) + 1).encode() + line[number.end_col_offset :]
        lines[number.lineno - 1] = changed.decode()
    elif not first.strip():
        lines.insert(statement.lineno - 1, f"{first}edited = {rng.randrange(99)}")
    made = "\n".join(lines)
    try:
        ast.parse(made)
    except SyntaxError:
        return text
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", required=True)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--edits", type=int, default=3, help="of each file")
    arguments = parser.parse_args()
    opened, again, edits, started = list[float](), list[float](), list[float](), list[float]()
    differ = spent = 0
    for package, root, file in drawn_files(arguments.folder.resolve(), arguments.seed, 1):
        if len(opened) == arguments.files:
            break
        rng, memory = random.Random(f"{arguments.seed}/{package}"), Memory()
        text = file.read_text(encoding="utf-8", errors="replace")
        try:
            opened.append(traced(root, file, text, memory)[0])
            again.append(traced(root, file, text, memory)[0])
        except (TargetProblem, SyntaxError):
            continue
        if opened[-1] > SLOW:
            print(f"slow: {opened[-1]:.1f} s {package} {file.relative_to(root)}", flush=True)
        for _ in range(arguments.edits):
            changed = edited(text, rng)
            if changed is None or changed == text:
                continue
            text = changed
            seconds, said = traced(root, file, text, memory)
            alone, anew = traced(root, file, text, None)
            edits.append(seconds)
            started.append(alone)
            if any("budget" in note for note in (*said[1], *anew[1])):  # of time: each is cut where it is
                spent += 1
            elif said != anew:
                differ += 1
                print(f"differs: {package} {file.relative_to(root)}", flush=True)
    for name, times in (("opened", opened), ("opened again", again), ("edited", edits), ("from the start", started)):
        print(f"{name}: {len(times)}, median {statistics.median(times or [0.0]):.3f} s, "
              f"longest {max(times, default=0.0):.1f} s")  # fmt: skip
    compared = len(edits) - spent
    print(f"{differ} of {compared} edits are said otherwise than from the start; {spent} others spend a budget")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
