"""Programs with two to four defects each: is the file silent once every suggestion of its review is applied at once?

    python -m benchmarks.mended_files [--programs 200] [--seed 0] [--show]

Each program is a PyTorch module that combines defects (logarithms, quotients, roots, norms, softmax by hand, ...) in
the ways people write them: in a helper called twice, a lambda, a method chain, a conditional expression, a loss, on
one line, one behind the other. It is exported and analysed; the comments that the action would post are applied as
GitHub's batch does it; the file is exported and analysed again.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.findings import Finding
from analyzer.graph import ValueRange
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm.confirmation import ConfirmationBudget, Confirmer
from tests.numerical_detection.conftest import export_all
from tests.numerical_detection.suggestions import applied, comments_of

RANGES = {"p": (0, 1), "q": (0, 1), "x": (-200, 200), "rows": (-1000, 1000), "s": (-2, 2), "u": (-3, 3)}
BATCH = 10  # programs exported in one process

# {a}, {b}: operands of one kind: `unit` in [0, 1], `wide` of either sign and large, `any` of either sign.
DEFECTS = (
    ("unit", "torch.log({a})"),
    ("unit", "{a}.log()"),
    ("wide", "torch.log(torch.sigmoid({a}))"),
    ("wide", "torch.log(1 - torch.sigmoid({a}))"),
    ("wide", "torch.log(torch.softmax({a}, dim=1))"),
    ("wide", "F.softmax({a}, dim=-1).log()"),
    ("unit", "{a} / {a}.sum(dim=1, keepdim=True)"),
    ("unit", "{a} / {b}"),
    ("any", "{a} / {b}"),
    ("any", "1 / {a}"),
    ("unit", "torch.sqrt({a})"),
    ("unit", "{a} ** 0.5"),
    ("any", "torch.sqrt({a} - {b})"),
    ("unit", "torch.rsqrt({a})"),
    ("any", "{a} / {a}.norm(dim=1, keepdim=True)"),
    ("any", "({a} - {a}.mean(dim=1, keepdim=True)) / {a}.std(dim=1, keepdim=True)"),
    ("wide", "torch.exp({a}) / torch.exp({a}).sum(dim=1, keepdim=True)"),
    ("wide", "torch.log(1 + torch.exp({a}))"),
    ("wide", "torch.log1p(torch.exp({a}))"),
    ("wide", "torch.log(torch.exp({a}).sum(dim=1))"),
    ("wide", "torch.exp({a})"),
    ("any", "torch.acos({a})"),
    ("unit", "-({a} * torch.log({a})).sum(dim=1)"),
    ("unit", "-({a} * torch.log({b}) + (1 - {a}) * torch.log(1 - {b}))"),
)
OPERANDS = {
    "unit": ("p", "q", "torch.sigmoid(x)", "(p * q)", "torch.relu(u)", "(1 - p)"),
    "wide": ("x", "rows", "self.layer(x)", "(x + rows)"),
    "any": ("s", "u", "(s * u)", "self.layer(u)"),
}
INNER = ("torch.sqrt(p)", "torch.exp(x)", "p / q", "torch.log(p)", "torch.softmax(rows, dim=1)")
WAYS = (
    "line", "helper", "lambda", "chain", "condition", "loss", "one-line", "attribute", "comprehension", "where",
    "lines", "behind", "annotated", "named",
)  # fmt: skip


@dataclass(frozen=True)
class Program:
    """The text of one file, and the ways in which its defects are written."""

    text: str
    ways: tuple[str, ...]


def program(seed: int) -> Program:
    """The program of a seed: two to four defects, each in a way of its own."""
    draw = random.Random(seed)
    outside: list[str] = []
    body: list[str] = []
    ends: list[str] = []
    ways = tuple(draw.choice(WAYS) for _ in range(draw.randint(2, 4)))
    for number, way in enumerate(ways):
        kind, form = draw.choice(DEFECTS)
        first, second = draw.sample(OPERANDS[kind], 2)
        name, whole = f"v{number}", form.format(a=first, b=second)
        if way == "helper":
            outside += [f"def helper_{number}(t, w):", f"    return {form.format(a='t', b='w')}", "", ""]
            body.append(f"{name} = helper_{number}({first}, {second}).sum() + helper_{number}({second}, {first}).sum()")
        elif way == "loss":
            outside += [
                f"def loss_{number}(t, w):",
                f"    r = {form.format(a='t', b='w')}",
                "    return r.mean()",
                "",
                "",
            ]
            ends.append(f"loss_{number}({first}, {second})")
            continue
        elif way == "lambda":
            body.append(f"f{number} = lambda t, w: {form.format(a='t', b='w')}")
            body.append(f"{name} = f{number}({first}, {second})")
        elif way == "chain":
            body.append(f"{name} = ({whole}).neg().abs().mean(dim=0)")
        elif way == "condition":
            other = form.format(a=second, b=first)
            body.append(f"{name} = {whole} * {other} if self.training is not None else {first}")
        elif way == "one-line":
            kind, form = draw.choice(DEFECTS)
            more = form.format(**dict(zip("ab", draw.sample(OPERANDS[kind], 2), strict=True)))
            body.append(f"{name} = ({whole}).sum() + ({more}).sum()")
        elif way == "attribute":
            body += [f"self.kept = {whole}", f"{name} = self.kept * 2"]
        elif way == "comprehension":
            body.append(f"{name} = sum(({form.format(a='t', b=second)}).mean() for t in ({first}, {second}))")
        elif way == "where":
            body.append(f"{name} = torch.where(p > 0.5, ({whole}).sum(), 0.0)")
        elif way == "lines":
            body += [f"{name} = (", f"    {whole}", "    + 1.0", ")"]
        elif way == "behind":
            inner = draw.choice(
                ("torch.sqrt(p)", "torch.exp(x)", "p / q", "torch.log(p)", "torch.softmax(rows, dim=1)")
            )
            body += [f"h{number} = {inner}", f"{name} = torch.log(h{number}.abs()) / h{number}"]
        elif way == "annotated":
            body.append(f"{name}: torch.Tensor = {whole}")
        elif way == "named":
            body += [f"a{number} = {first}", f"{name} = {form.format(a=f'a{number}', b=second)}"]
        else:
            body.append(f"{name} = {whole}")
        ends.append(f"{name}.sum()")
    lines = ["import torch", "import torch.nn.functional as F", "from torch import nn", "", "", *outside]
    lines += ["class Net(nn.Module):", "    def __init__(self):", "        super().__init__()"]
    lines += ["        self.layer = nn.Linear(3, 3)", "", "    def forward(self, p, q, x, rows, s, u):"]
    lines += [f"        {row}" for row in body]
    lines += [f"        return {' + '.join(ends)}", "", "", "def build():"]
    lines += ["    torch.manual_seed(0)", f"    return Net(), ({', '.join('torch.rand(2, 3)' for _ in RANGES)})", ""]
    return Program("\n".join(lines), ways)


@dataclass(frozen=True)
class Outcome:
    """What became of one file: its findings before and after, and the text after all suggestions."""

    before: tuple[Finding, ...]
    after: tuple[Finding, ...]
    text: str
    words: int  # findings whose mend is put in words alone
    failure: str = ""


def outcomes(texts: Sequence[str], work: Path, confirmer: Confirmer | None = None) -> list[Outcome]:
    """Each text analysed, mended by its own review, and analysed again; `work` is filled with files."""
    root = work / "box" / "project"
    root.mkdir(parents=True)
    files = [f"net_{number}.py" for number in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        (root / file).write_text(text, encoding="utf-8")
    before = _findings(files, root, work / "before", confirmer)
    mended, failures = [], []
    for file, text, found in zip(files, texts, before, strict=True):
        try:
            mended.append(applied(text, comments_of(file, [f"{file}:build"], found, text.count("\n"))))
            failures.append("")
        except AssertionError as failure:
            mended.append(text)
            failures.append(str(failure))
        (root / file).write_text(mended[-1], encoding="utf-8")
    after = _findings(files, root, work / "after", confirmer)
    words = [sum(f.suggestion is None or f.suggestion.replacement is None for f in found) for found in before]
    return [Outcome(*each) for each in zip(before, after, mended, words, failures, strict=True)]


def _findings(files: Sequence[str], root: Path, out: Path, confirmer: Confirmer | None) -> list[tuple[Finding, ...]]:
    found = []
    inputs = {n: InputSpec(range=ValueRange(float(lo), float(hi))) for n, (lo, hi) in RANGES.items()}
    for entry, graph in export_all([f"{file}:build" for file in files], root, out).items():
        names = {v.name for v in graph.graph.inputs}
        target = TargetConfig(id=entry, entry=entry, inputs={n: s for n, s in inputs.items() if n in names})
        result = analyse(graph, target, root=root, confirm=False, explain=True, confirmer=confirmer)
        found.append(result.findings)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="of the first program; the others follow")
    parser.add_argument("--show", action="store_true", help="the files that are not silent, before and after")
    options = parser.parse_args()
    begun, silent, told = time.monotonic(), 0, 0
    seeds = range(options.seed, options.seed + options.programs)
    with Confirmer(ConfirmationBudget()) as confirmer:
        for first in range(0, len(seeds), BATCH):
            some = seeds[first : first + BATCH]
            programs = [program(seed) for seed in some]
            with tempfile.TemporaryDirectory() as work:
                for seed, made, out in zip(
                    some, programs, outcomes([p.text for p in programs], Path(work), confirmer), strict=True
                ):
                    silent += not out.after and not out.failure
                    told += bool(out.after) and bool(out.words)
                    if out.after or out.failure:
                        _show(seed, made, out, options.show)
    print(
        f"{silent} of {len(seeds)} silent, {time.monotonic() - begun:.0f} s; {told} of the others have mends in words"
    )
    return 0


def _show(seed: int, made: Program, out: Outcome, whole: bool) -> None:
    print(f"seed {seed} ({', '.join(made.ways)}): {len(out.before)} findings, {out.words} in words {out.failure}")
    for finding in out.after:
        line = finding.location.line if finding.location else 0
        rows = out.text.split("\n")
        print(f"    left: {finding.rule} {finding.message}\n          {rows[line - 1].strip()}")
    if whole:
        for finding in out.before:
            fix = finding.suggestion
            print(f"    {finding.rule} at {finding.location and finding.location.line}: {fix}")
        print(made.text)
        print("    -- after --")
        print(out.text)


if __name__ == "__main__":
    sys.exit(main())
