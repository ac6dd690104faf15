"""Random model scripts, traced and executed: the verdicts must be the same.

    python benchmarks/tracing_differential.py [--count 5000] [--seed 0] [--family torch|keras|tf1|all] [--show 20]

A script is a chain of random layers and functions, sometimes with a wrong number, laid out as straight code, functions,
modules, subclasses, sequences, loops, branches or switches of the command line (see `tracing_scripts`). Running it says
on which line it fails, for each combination of its switches; tracing must say the same without running it. Scripts are
run in a child process that is replaced now and then, many to a process, on tensors of a few numbers.
"""

from __future__ import annotations

import argparse
import ast
import io
import itertools
import multiprocessing
import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

FAMILIES = ("torch", "keras", "tf1")
SHARES = {"torch": 10, "keras": 7, "tf1": 3}  # of twenty scripts
CHUNK = 200


def family_of(seed: int) -> str:
    """Which family a seed stands for when all are asked for."""
    order = [name for name, share in SHARES.items() for _ in range(share)]
    return order[seed * 7 % 20]


def script(seed: int, family: str = "all") -> str:
    """The text of one random script."""
    family = family_of(seed) if family == "all" else family
    if family == "torch":
        import tracing_scripts_torch as source
    else:
        import tracing_scripts_keras as source  # type: ignore[no-redef]
    return source.script(seed) if family != "tf1" else source.graph_script(seed)  # type: ignore[attr-defined]


def executed(text: str) -> list[set[int]]:
    """For each failing combination of switches the lines that may be blamed: the frames of the script, and the members
    of a sequence that failed. Runs our own generated text only."""
    switches = [line.split("'")[1] for line in text.splitlines() if "add_argument" in line]
    found: list[set[int]] = []
    for chosen in itertools.product((False, True), repeat=len(switches)):
        lines = _run(text, [s for s, on in zip(switches, chosen, strict=True) if on])
        if lines is not None and lines not in found:
            found.append(lines)
    return found


def _run(text: str, arguments: list[str]) -> set[int] | None:
    before = sys.argv
    sys.argv = ["script.py", *arguments]
    quiet = io.StringIO()
    try:
        with redirect_stderr(quiet), redirect_stdout(quiet):
            exec(compile(text, "script", "exec"), {"__name__": "__main__"})
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = {f.lineno for f in frames if f.filename == "script" and f.lineno is not None}
        own = [f.lineno for f in frames if f.filename == "script" and f.lineno is not None]
        if any(f.filename.endswith(("container.py", "sequential.py", "functional.py", "session.py")) for f in frames):
            lines |= {i for i, line in enumerate(text.splitlines(), 1) if line.endswith("# member")}
            return lines
        return {own[-1]} if own else set()
    finally:
        sys.argv = before
    return None


class Traced(NamedTuple):
    errors: set[int]  # the lines on which tracing is certain of an error
    open: set[int]  # the lines after which the engine's build and the processor decide what happens


def traced(text: str) -> Traced:
    from analyzer.frameworks.requested_versions import Versions
    from analyzer.tracing.tracing import explore

    shared = explore(Path("/nonexistent"), "script.py", ast.parse(text), Versions())
    problems = list(shared.problems.values())
    return Traced(
        {p.site.line for p in problems if p.level == "error" and p.certain},
        {p.site.line for p in problems if p.rule == "tracing/empty-result" and p.level == "warning"},
    )


def same(left: Traced, right: list[set[int]]) -> bool:
    """Whether tracing blames a line for each failure, and no other line.

    From a line on that is open, a failure may or may not happen here.
    """
    first = min(left.open, default=None)
    told = all(lines & left.errors or (first is not None and max(lines, default=0) >= first) for lines in right)
    return told and left.errors <= set().union(*right)


@dataclass(frozen=True)
class Outcome:
    seed: int
    failing: bool
    agree: bool
    text: str
    left: tuple[int, ...]
    right: tuple[tuple[int, ...], ...]
    seconds: tuple[float, float]  # traced, executed
    family: str


def compare(job: tuple[int, str]) -> Outcome:
    seed, family = job
    text = script(seed, family)
    started = time.process_time()
    left = traced(text)
    middle = time.process_time()
    right = executed(text)
    seconds = (middle - started, time.process_time() - middle)
    return Outcome(
        seed, bool(right), same(left, right), text, tuple(sorted(left.errors)), tuple(tuple(sorted(s)) for s in right),
        seconds, family_of(seed) if family == "all" else family,
    )  # fmt: skip


def _prepare() -> None:
    os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", KERAS_BACKEND="tensorflow")
    import warnings

    warnings.simplefilter("ignore")


def outcomes(seeds: range, family: str) -> Iterator[Outcome]:
    """In a child process that is replaced after a few hundred scripts."""
    context = multiprocessing.get_context("spawn")
    jobs = [(seed, family) for seed in seeds]
    with context.Pool(1, initializer=_prepare, maxtasksperchild=1) as pool:
        for part in pool.imap(_compare_all, [jobs[i : i + CHUNK] for i in range(0, len(jobs), CHUNK)]):
            yield from part


def _compare_all(jobs: list[tuple[int, str]]) -> list[Outcome]:
    return [compare(job) for job in jobs]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--family", choices=[*FAMILIES, "all"], default="all")
    parser.add_argument("--show", type=int, default=20, help="scripts to print where the verdicts differ")
    arguments = parser.parse_args()
    total: Counter[str] = Counter()
    failing: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    seconds: list[Any] = [0.0, 0.0]
    for outcome in outcomes(range(arguments.seed, arguments.seed + arguments.count), arguments.family):
        total[outcome.family] += 1
        failing[outcome.family] += outcome.failing
        seconds = [a + b for a, b in zip(seconds, outcome.seconds, strict=True)]
        if not outcome.agree:
            wrong[outcome.family] += 1
            if sum(wrong.values()) <= arguments.show:
                print(
                    f"--- seed {outcome.seed}: traced {outcome.left}, executed {outcome.right}\n{outcome.text}",
                    flush=True,
                )
    for name in total:
        print(f"{name}: {total[name]} scripts, {failing[name]} fail when run, {wrong[name]} verdicts differ")
    print(
        f"seeds {arguments.seed} to {arguments.seed + arguments.count - 1}: {sum(total.values())} scripts, "
        f"{sum(failing.values())} fail when run, {sum(wrong.values())} verdicts differ; processor time "
        f"traced / executed {seconds[0] / max(seconds[1], 1e-9):.2f}"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
