"""Random model scripts, traced and executed: the verdicts must be the same.

    python benchmarks/tracing_differential.py [--count 5000] [--seed 0]

A script stacks random torch layers and functions on a random input, sometimes with a wrong number. Executing it (on the
meta device, in this process) says whether it fails and on which line; tracing must say the same without running it.
"""

from __future__ import annotations

import argparse
import ast
import random
import sys
import time
from pathlib import Path

from analyzer.tracing.tracing import explore
from analyzer.tracing.versions import Versions


def script(seed: int) -> str:
    """The text of one random script; about half of them contain a mistake."""
    rng = random.Random(seed)
    careless = rng.random() < 0.5
    lines = ["import torch", "import torch.nn as nn", "import torch.nn.functional as F", ""]
    batch, channels, size = rng.choice([1, 2, 4]), rng.choice([1, 3, 4]), rng.choice([8, 12, 16, 28])
    lines.append(f"x = torch.randn({batch}, {channels}, {size}, {size})")
    shape = [batch, channels, size, size]

    def off(value: int) -> int:
        return max(1, value + rng.choice([-1, 1, 2, value])) if careless and rng.random() < 0.12 else value

    for _ in range(rng.randint(2, 6)):
        if len(shape) != 4 or min(shape[2:]) < 2:
            break
        kind = rng.choice(["conv", "pool", "bn", "relu", "upsample", "cat", "add", "permute", "group", "avg"])
        if kind == "conv":
            out, kernel = rng.choice([4, 6, 8]), rng.choice([1, 2, 3, 5])
            stride, padding, dilation = rng.choice([1, 1, 2]), rng.choice([0, 0, 1, 2]), rng.choice([1, 1, 2])
            into = max(1, off(shape[1]))
            lines.append(
                f"x = nn.Conv2d({into}, {out}, {kernel}, stride={stride}, padding={padding}, dilation={dilation})(x)"
            )
            sizes = [(s + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1 for s in shape[2:]]
            shape = [shape[0], out, *sizes]
        elif kind == "pool":
            kernel = rng.choice([2, 2, 3])
            lines.append(f"x = F.max_pool2d(x, {kernel})")
            shape = [*shape[:2], *[(s - kernel) // kernel + 1 for s in shape[2:]]]
        elif kind == "avg":
            lines.append("x = nn.AvgPool2d(2, stride=1)(x)")
            shape = [*shape[:2], *[s - 1 for s in shape[2:]]]
        elif kind == "bn":
            lines.append(f"x = nn.BatchNorm2d({max(1, off(shape[1]))})(x)")
        elif kind == "relu":
            lines.append(rng.choice(["x = torch.relu(x)", "x = F.gelu(x)", "x = nn.LeakyReLU(0.1)(x)"]))
        elif kind == "upsample":
            lines.append("x = F.interpolate(x, scale_factor=2)")
            shape = [*shape[:2], *[2 * s for s in shape[2:]]]
        elif kind == "cat":
            other = [off(shape[0]), rng.choice([1, 2, 3]), off(shape[2]), shape[3]]
            lines.append(f"x = torch.cat([x, torch.zeros({', '.join(map(str, other))})], dim=1)")
            shape[1] += other[1]
        elif kind == "add":
            other = [1, off(shape[1]), 1, off(shape[3])]
            lines.append(f"x = x + torch.ones({', '.join(map(str, other))})")
        elif kind == "permute":
            lines.append("x = x.transpose(2, 3).contiguous()")
            shape[2], shape[3] = shape[3], shape[2]
        elif kind == "group":
            lines.append(f"x = nn.GroupNorm({rng.choice([1, 1, 2, 3])}, {shape[1]})(x)")
    ending = rng.choice(["flatten", "view", "mean", "adaptive"])
    if len(shape) == 4:
        total = shape[1] * shape[2] * shape[3]
        if ending == "flatten":
            lines.append("x = torch.flatten(x, 1)")
            width = total
        elif ending == "view":
            lines.append(
                f"x = x.view({shape[0]}, {off(total)})" if rng.random() < 0.5 else f"x = x.reshape(-1, {off(total)})"
            )
            width = total
        elif ending == "mean":
            lines.append("x = x.mean(dim=(2, 3))")
            width = shape[1]
        else:
            lines.append("x = nn.AdaptiveAvgPool2d(2)(x).flatten(1)")
            width = 4 * shape[1]
        classes = rng.choice([2, 5, 10])
        lines.append(f"x = nn.Linear({max(1, off(width))}, {classes})(x)")
        lines.append(f"y = torch.zeros({off(shape[0])}, dtype=torch.long)")
        lines.append(
            rng.choice(["loss = F.cross_entropy(x, y)", f"loss = F.mse_loss(x, F.one_hot(y, {off(classes)}).float())"])
        )
    return "\n".join(lines) + "\n"


def executed(text: str) -> int | None:
    """The line on which running the script fails, or None. Runs our own generated text only."""
    import torch

    try:
        with torch.device("meta"), torch.no_grad():
            exec(compile(text.replace("F.one_hot(y,", "_one_hot(y,"), "script", "exec"), {"_one_hot": _one_hot})
    except Exception as error:
        trace = error.__traceback__
        line = None
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == "script":
                line = trace.tb_lineno
            trace = trace.tb_next
        return line
    return None


def _one_hot(y: object, classes: int) -> object:
    import torch

    return torch.zeros(*y.shape, classes)  # type: ignore[attr-defined]


def traced(text: str) -> int | None:
    """The line on which tracing reports an error, or None."""
    shared = explore(Path("/nonexistent"), "script.py", ast.parse(text), Versions())
    found = [p for p in shared.problems.values() if p.level == "error" and p.certain]
    return min((p.site.line for p in found), default=None)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    wrong = failing = 0
    seconds = {"traced": 0.0, "executed": 0.0}
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        text = script(seed)
        started = time.perf_counter()
        left = traced(text)
        middle = time.perf_counter()
        right = executed(text)
        seconds["traced"] += middle - started
        seconds["executed"] += time.perf_counter() - middle
        failing += right is not None
        if left != right:
            wrong += 1
            print(f"seed {seed}: traced {left}, executed {right}\n{text}")
    print(
        f"{arguments.count} scripts, {failing} fail when run, {wrong} verdicts differ; time "
        f"traced / executed {seconds['traced'] / seconds['executed']:.2f}"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
