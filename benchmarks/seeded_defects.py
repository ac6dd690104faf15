"""Defects seeded into training modules: is each found on its line and confirmed, and is its repaired twin silent?

    python -m benchmarks.seeded_defects --work FOLDER [--set first|second|…] [--pairs 150] [--seed 0]
        [--only NAME …] [--harm]

A pair is a module (`seeded/hosts.py`) and a defect (`seeded/kinds.py`) that uses what the module computes, written out
as a file with the defect and one with its repair. Every kind of defect is drawn once, the rest at random. The files are
exported by warm processes and analysed with confirmation; FOLDER/results.jsonl is added to line by line. The sets from
the third on have PyTorch, TensorFlow and Keras, and a witness for each seed (`seeded/witnessed.py`); `--harm` runs it.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.exporting.annotate import graph_of
from analyzer.exporting.manifest import read_manifest
from analyzer.findings import Finding, Level
from analyzer.graph import ValueRange
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm.confirmation import ConfirmationBudget, Confirmer
from analyzer.problem import Problem
from benchmarks.seeded.failing_lines import failing_line
from benchmarks.seeded.fifth_tensorflow import PAIRS as FIFTH_TENSORFLOW
from benchmarks.seeded.fifth_tensorflow import RANGES as FIFTH_TENSORFLOW_RANGES
from benchmarks.seeded.fifth_torch import PAIRS as FIFTH_TORCH
from benchmarks.seeded.fifth_torch import RANGES as FIFTH_TORCH_RANGES
from benchmarks.seeded.fourth import PAIRS as FOURTH
from benchmarks.seeded.fourth import RANGES as FOURTH_RANGES
from benchmarks.seeded.hosts import HOSTS, RANGES, Host
from benchmarks.seeded.kinds import KINDS, Kind, kinds_of
from benchmarks.seeded.second import PAIRS
from benchmarks.seeded.seventh_tensorflow import PAIRS as SEVENTH_TENSORFLOW
from benchmarks.seeded.seventh_tensorflow import RANGES as SEVENTH_TENSORFLOW_RANGES
from benchmarks.seeded.seventh_torch import PAIRS as SEVENTH_TORCH
from benchmarks.seeded.seventh_torch import RANGES as SEVENTH_TORCH_RANGES
from benchmarks.seeded.sixth_tensorflow import PAIRS as SIXTH_TENSORFLOW
from benchmarks.seeded.sixth_tensorflow import RANGES as SIXTH_TENSORFLOW_RANGES
from benchmarks.seeded.sixth_torch import PAIRS as SIXTH_TORCH
from benchmarks.seeded.sixth_torch import RANGES as SIXTH_TORCH_RANGES
from benchmarks.seeded.third import PAIRS as THIRD
from benchmarks.seeded.third import RANGES as THIRD_RANGES
from benchmarks.seeded.witnessed import Seed, harm, seeds_of

EXPORTER = Path(__file__).resolve().parents[1] / "tests" / "numerical_detection" / "export_many.py"
BATCH = 50  # files exported by one process
Ranges = Mapping[str, tuple[float, float]]
WITNESSED = {"third": (THIRD, THIRD_RANGES), "fourth": (FOURTH, FOURTH_RANGES),
             "fifth_torch": (FIFTH_TORCH, FIFTH_TORCH_RANGES),
             "fifth_tensorflow": (FIFTH_TENSORFLOW, FIFTH_TENSORFLOW_RANGES),
             "sixth_torch": (SIXTH_TORCH, SIXTH_TORCH_RANGES),
             "sixth_tensorflow": (SIXTH_TENSORFLOW, SIXTH_TENSORFLOW_RANGES),
             "seventh_torch": (SEVENTH_TORCH, SEVENTH_TORCH_RANGES),
             "seventh_tensorflow": (SEVENTH_TENSORFLOW, SEVENTH_TENSORFLOW_RANGES)}  # fmt: skip


@dataclass(frozen=True)
class Pair:
    """A module with a defect, and what repairs it."""

    host: Host
    kind: Kind
    framework: str = "torch"

    @property
    def name(self) -> str:
        return f"{self.host.name}_{self.kind.name}".lower() if self.host.roles else self.kind.name

    def text(self, repaired: bool) -> str:
        host, kind = self.host, self.kind
        lines = ["import torch", "import torch.nn.functional as F", "from torch import nn", "", ""]
        lines += [f"class {host.name}(nn.Module):", "    def __init__(self):", "        super().__init__()"]
        lines += [f"        {line}" for line in (*host.setup.split("\n"), *kind.setup)]
        lines += ["", f"    def forward(self, {', '.join(n for n, _ in host.inputs)}):"]
        body = [*host.forward.split("\n"), *kind.shared_before]
        body += kind.repaired if repaired else (f"{kind.defective}  # defect",)
        body += [*kind.shared_after, f"return {host.loss} + term"]
        lines += [f"        {line}" for line in body]
        lines += ["", "", "def build():", "    torch.manual_seed(0)"]
        examples = ", ".join(f"{name!r}: {example}" for name, example in host.inputs)
        return "\n".join((*lines, f"    return {host.name}(), {{{examples}}}", ""))

    def line(self) -> int:
        return next(i for i, row in enumerate(self.text(False).split("\n"), 1) if row.endswith("# defect"))


def drawn(hosts: Sequence[Host], kinds: Sequence[Kind], count: int, seed: int) -> list[Pair]:
    """Every kind once in a module that offers its role, then pairs at random, none twice."""
    draw = random.Random(seed)
    first = [Pair(draw.choice([h for h in hosts if k.role in h.roles]), k) for k in kinds]
    rest = [Pair(h, k) for h in hosts for k in kinds if k.role in h.roles]
    rest = [p for p in rest if p not in first]
    draw.shuffle(rest)
    return (first + rest)[:count]


def written(text: str) -> Iterator[Pair]:
    """The pairs of the second set: each defect in a module of its own."""
    for block in text.strip().removeprefix("= ").split("\n= "):
        heading, lines = block.split("\n", 1)
        name, given = heading.split(" | ")
        inputs = tuple((n, example) for n, example in (part.split(": ", 1) for part in given.split("; ")))
        (kind,) = kinds_of(f"@ own {name}\n{lines}")
        yield Pair(Host(name.title().replace("_", ""), (), inputs, "", "", "0.0"), kind)


def exported(names: Sequence[str], root: Path, out: Path) -> None:
    command = [sys.executable, str(EXPORTER), str(root), str(out), *(f"{name}.py:build" for name in names)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr[-2000:], file=sys.stderr)


def findings(
    folder: Path, root: Path, name: str, confirmer: Confirmer, results: Path, ranges: Ranges
) -> tuple[Finding, ...] | str:
    """What is reported of one exported file, notes left out; a sentence where it could not be analysed."""
    entry = f"{name}.py:build"
    inputs = {n: InputSpec(range=ValueRange(*bounds)) for n, bounds in ranges.items()}
    try:
        manifest = read_manifest(folder / "export.json", entry)
        if manifest.failure is not None:
            return str(manifest.failure)
        graph = graph_of(folder, manifest, TargetConfig(id=name, entry=entry))
        present = {v.name for v in graph.graph.inputs}
        target = TargetConfig(id=name, entry=entry, inputs={n: s for n, s in inputs.items() if n in present})
        result = analyse(graph, target, output=results, root=root, confirmer=confirmer)
    except (Problem, OSError) as problem:
        return str(problem)
    return tuple(f for f in result.findings if f.level is not Level.NOTE)


def shown(finding: Finding) -> dict[str, Any]:
    place = finding.location
    return {
        "rule": finding.rule,
        "level": finding.level.value,
        "confidence": finding.confidence.value,
        "line": None if place is None else place.line,
        "message": finding.message,
    }


def batches(pairs: Sequence[Pair | Seed]) -> Iterator[Sequence[Pair | Seed]]:
    """Parts that one exporting process takes: of one framework."""
    for framework in dict.fromkeys(p.framework for p in pairs):
        of_it = [p for p in pairs if p.framework == framework]
        yield from (of_it[begin : begin + BATCH // 2] for begin in range(0, len(of_it), BATCH // 2))


def study(pairs: Sequence[Pair | Seed], work: Path, ranges: Ranges) -> None:
    results = work / "results.jsonl"
    done = {row["name"] for row in rows(results)}
    left = [pair for pair in pairs if pair.name not in done]
    root = work / "box" / "project"
    root.mkdir(parents=True, exist_ok=True)
    with Confirmer(ConfirmationBudget(search=10.0, total=60.0)) as confirmer:
        for batch in batches(left):
            out = work / f"exported-{time.time_ns()}"
            names = [name for pair in batch for name in (pair.name, f"{pair.name}_repaired")]
            for pair in batch:
                (root / f"{pair.name}.py").write_text(pair.text(False))
                (root / f"{pair.name}_repaired.py").write_text(pair.text(True))
            exported(names, root, out)
            for number, pair in enumerate(batch):
                both = [
                    findings(
                        out / str(2 * number + i), root, names[2 * number + i], confirmer, work / "reports", ranges
                    )
                    for i in (0, 1)
                ]
                row: dict[str, Any] = {"name": pair.name, "role": pair.kind.role, "line": pair.line()}
                for key, found in zip(("defective", "repaired"), both, strict=True):
                    row[key] = found if isinstance(found, str) else [shown(f) for f in found]
                with results.open("a") as file:
                    file.write(json.dumps(row) + "\n")


def harm_at_random(pair: Pair, runs: int = 250) -> int:
    """In how many plain PyTorch runs at random weights and inputs the loss or a weight's gradient is not finite.

    Knows nothing of the analysis: tells whether a seed that was not shown is a defect at all.
    """
    import torch

    torch.set_num_threads(1)
    draw, names = random.Random(0), dict[str, Any]()
    exec(compile(pair.text(False), pair.name, "exec"), names)
    harmful = 0
    for run in range(runs):
        model, examples = names["build"]()
        torch.manual_seed(run)
        with torch.no_grad():
            for weight in model.parameters():  # as training starts, near there, anywhere in the widened range
                weight += (torch.rand_like(weight) * 2 - 1) * (weight.max() - weight.min()) * (0, 0.1, 1)[run % 3]
        given = []
        for name, example in examples.items():
            low, high = RANGES.get(name, (0, 1) if "mask" in name else (-100, 100))
            drawn_at_random = low + (high - low) * torch.rand(example.shape)
            ends = torch.full(example.shape, float(draw.choice((low, high))))
            same = drawn_at_random[:1].expand(example.shape)
            chosen = draw.choice((torch.zeros(example.shape), drawn_at_random, ends, ends, example, same))
            fixed = not example.is_floating_point() or name == "labels"
            given.append(example if fixed else (chosen > 0.5).float() if "mask" in name else chosen)
        loss = model(*given)
        if loss.requires_grad:
            loss.backward()
        gradients = [w.grad for w in model.parameters() if w.grad is not None]
        harmful += not all(bool(t.isfinite().all()) for t in (loss, *gradients))
    return harmful


def rows(path: Path) -> Iterator[dict[str, Any]]:
    if path.is_file():
        yield from (json.loads(line) for line in path.read_text().splitlines())


def report(work: Path, pairs: Sequence[Pair] = (), witnessed: Sequence[Seed] = ()) -> None:
    """The figures, each miss and each twin that is not silent; of `pairs`, whether plain runs show what was missed.

    Of `witnessed` also what is told not on the line that its author repairs but on the one where its witness's run
    fails.
    """
    counted = found = confirmed = silent = failing = shown = 0
    known = {seed.name: seed for seed in witnessed}
    harmless = []
    seeds = {pair.name: pair for pair in pairs}
    for row in rows(work / "results.jsonl"):
        counted += 1
        if isinstance(row["defective"], str):
            print(f"not analysed {row['name']}: {row['defective']}")
            continue
        here = [f for f in row["defective"] if f["line"] == row["line"]]
        found += bool(here)
        shows = any(f["confidence"] in ("confirmed", "proved") for f in here)
        confirmed += shows
        if not here and row["name"] in known:
            line = failing_line(known[row["name"]])
            there = [f for f in row["defective"] if f["line"] == line]
            failing += bool(there)
            shown += any(f["confidence"] in ("confirmed", "proved") for f in there)
            print(f"the plain run of {row['name']} fails on line {line}", end="; ")
        if not shows:
            harm = harm_at_random(seeds[row["name"]]) if row["name"] in seeds else None
            if harm == 0:
                harmless.append(bool(here))
            if harm is not None:
                print(f"plain runs with harm: {harm} of 250", end=" ")
            print(f"{'not confirmed' if here else 'missed'} {row['name']}:{row['line']}: {row['defective']}")
        for f in row["defective"]:
            if f["line"] != row["line"]:
                print(f"elsewhere {row['name']}: {f}")
        silent += row["repaired"] == []
        if row["repaired"]:
            print(f"loud twin {row['name']}: {row['repaired']}")
    print(f"{counted} pairs: {found} found on the line, {confirmed} confirmed or proved, {silent} twins silent")
    if known:
        print(f"on the line where the plain run fails {found + failing} found, {confirmed + shown} confirmed or proved")
    if seeds:
        print(f"not shown and without harm in plain runs: {len(harmless)}, of them {sum(harmless)} found")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--pairs", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", choices=("first", "second", *WITNESSED), default="first")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--harm", action="store_true", help="whether plain runs show what was not confirmed")
    arguments = parser.parse_args()
    if arguments.set in WITNESSED:
        text, ranges = WITNESSED[arguments.set]
        seeds = [x for x in seeds_of(text) if not arguments.only or any(name in x.name for name in arguments.only)]
        if arguments.harm:
            for seed in seeds:
                print(seed.name, harm(seed, ranges) or "is a defect")
        elif not arguments.report:
            study(seeds, arguments.work.resolve(), ranges)
        return report(arguments.work, witnessed=() if arguments.harm else seeds)
    first = drawn(HOSTS, tuple(kinds_of(KINDS)), arguments.pairs, arguments.seed)
    pairs = list(written(PAIRS)) if arguments.set == "second" else first
    if not arguments.report:
        pairs = [p for p in pairs if not arguments.only or any(name in p.name for name in arguments.only)]
        study(pairs, arguments.work.resolve(), RANGES)
    return report(arguments.work, pairs if arguments.harm else ())


if __name__ == "__main__":
    main()
