"""Every declared name of a library, called with guessed arguments and keywords: what tracing believes of each result.

    python benchmarks/tracing_calls.py PREFIX ... [--seed N] [--most N]

A prefix is `tf.nn`, `numpy`, `keras.ops`, `torch.nn.functional`. The calls are tried in a forked child: tensors of
several ranks and types, numbers, lists; those that run are tried again with each keyword of the signature. All that ran
become one program, which is run with a recorder around its expressions (`tracing_recorded`) and then traced, nothing
executed. Told are beliefs that differ from the run, and errors claimed of what runs.
"""

from __future__ import annotations

import argparse
import inspect
import itertools
import os
import pickle
import random
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

from analyzer.tracing.operators.table import rules
from benchmarks.published_drivers import import_frameworks
from benchmarks.tracing_documented import line_of, ran
from benchmarks.tracing_recorded import beliefs, held_against

ARGUMENTS = ("f2", "f1", "f4", "f3", "f22", "i1", "i2", "b2", "f0", "2", "1", "(2, 3)", "[f2, f2]", "0", "0.5", "i0",
             "'float32'", "None")  # fmt: skip
MOST_TRIED = 260  # combinations of required arguments for one name
RUNNING = 5  # of these, whose keywords are tried
OF_NAME = 40  # calls
NAMES = 12  # of one child
CALLS = 50  # of one program
SECONDS = 20  # of one name
# (ones, of whole numbers) as each library makes them, and the name under which programs have it.
MAKERS = {"tf": ("tf.ones", "tf.constant", "tf"), "keras": ("tf.ones", "tf.constant", "keras"),
          "numpy": ("np.ones", "np.array", "np"), "torch": ("torch.ones", "torch.tensor", "torch")}  # fmt: skip
HEAD = """import numpy as np
import tensorflow as tf
import keras
import torch
f0 = {ones}(())
f1 = {ones}((4,))
f2 = {ones}((2, 3))
f22 = {ones}((3, 3))
f3 = {ones}((2, 3, 4))
f4 = {ones}((2, 8, 8, 3))
i0 = {whole}(2)
i1 = {whole}([0, 1, 2, 1])
i2 = {whole}([[0, 1, 1], [1, 0, 1]])
b2 = f2 > 0.5
"""
# What keywords are given, where they are no switches.
KEYWORDS: dict[str, tuple[str, ...]] = {
    "axis": ("0", "1", "-1", "(0, 1)"), "dim": ("0", "1", "-1", "(0, 1)"), "axes": ("0", "1", "(0, 1)"),
    "dtype": ("'float64'", "'int32'", "'float16'"), "out_type": ("'int64'",), "output_type": ("'int32'",),
    "padding": ("'same'", "'valid'", "'SAME'", "1"), "data_format": ("'channels_first'", "'NCHW'", "'NHWC'"),
    "strides": ("2", "[1, 2, 2, 1]"), "stride": ("2",), "dilation_rate": ("2",), "dilations": ("2",),
    "dilation": ("2",),
    "groups": ("2", "3"), "reduction": ("'none'", "'sum'", "'mean'", "None"), "batch_dims": ("1", "-1"),
    "k": ("1", "2"), "num_classes": ("5",), "ndmin": ("3",), "n": ("4",), "ddof": ("1",), "correction": ("0",),
    "indexing": ("'ij'", "'xy'"),
    "method": ("'nearest'", "'bilinear'"), "mode": ("'reflect'", "'nearest'", "'full'"),
    "size": ("2", "(2, 3)"), "repeats": ("2",), "initial": ("0",), "minlength": ("6",), "maxlength": ("2",),
    "reduce": ("False",), "size_average": ("False",), "step": ("1.5",), "num": ("3",), "start": ("1",),
    "order": ("'F'",),
    "ord": ("'fro'", "1", "2"), "kernel_size": ("1", "2"), "pool_size": ("2", "3"), "ksize": ("2",), "delta": ("0.5",),
    "label_smoothing": ("0.1",), "output_size": ("2",), "scale_factor": ("2",), "num_or_size_splits": ("2",),
}  # fmt: skip


def calls(names: list[str], head: str, written: str, seed: float) -> list[str]:
    """Calls of these names that run, tried in a forked child."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "calls"
        child = os.fork()
        if child == 0:
            with suppress(BaseException), file.open("wb") as out:
                os.chdir(folder)
                scope: dict[str, Any] = {}
                exec(head, scope)
                rng = random.Random(seed)
                for name in names:
                    out.write(pickle.dumps(_of_name(written + name[len(name.partition(".")[0]) :], scope, rng)))
                    out.flush()
            os._exit(0)
        os.waitpid(child, 0)
        found: list[str] = []
        with suppress(EOFError, pickle.UnpicklingError, OSError), file.open("rb") as kept:
            while True:
                found += pickle.load(kept)
    return found


def _late(*_: object) -> None:
    raise TimeoutError


def _of_name(name: str, scope: dict[str, Any], rng: random.Random) -> list[str]:
    found: list[str] = []
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(SECONDS)
    with suppress(Exception), open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        for text in _tries(name, scope, rng, found):
            with suppress(Exception):
                exec(text, scope)
                found.append(text)
            if len(found) >= OF_NAME:
                break
    signal.alarm(0)
    return found


def _tries(name: str, scope: dict[str, Any], rng: random.Random, found: list[str]) -> Iterator[str]:
    """Calls by required arguments alone, then those that ran with each keyword."""
    function = eval(name, scope)
    try:
        parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    except (TypeError, ValueError):
        parameters = []
    if inspect.isclass(function):
        return
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = sum(p.default is p.empty and p.kind not in several for p in parameters) or 1
    if needed > 3:
        return
    combinations = list(itertools.product(ARGUMENTS, repeat=needed))
    rng.shuffle(combinations)
    good: list[tuple[str, ...]] = []
    for combination in combinations[:MOST_TRIED]:
        had = len(found)
        yield f"{name}({', '.join(combination)})"
        good += [combination] * (len(found) - had)
        if len(good) >= RUNNING:
            break
    for combination in good:
        for parameter in parameters:
            if parameter.default is parameter.empty:
                continue
            switch = isinstance(parameter.default, bool)
            for value in (str(not parameter.default),) if switch else KEYWORDS.get(parameter.name, ()):
                yield f"{name}({', '.join(combination)}, {parameter.name}={value})"


def declared(prefix: str) -> list[str]:
    """Functions under a prefix that the tables know: not methods, nor what stands in a class."""
    names = (n for n in rules() if n.startswith(f"{prefix}.") and ".__" not in n)
    return sorted(n for n in names if not any(part[:1].isupper() for part in n.split(".")[1:-1]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefixes", nargs="+")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=10_000, help="names of each prefix")
    arguments = parser.parse_args()
    import_frameworks()
    for prefix in arguments.prefixes:
        rng = random.Random(arguments.seed)
        ones, whole, written = MAKERS[prefix.partition(".")[0]]
        head = HEAD.format(ones=ones, whole=whole)
        names = declared(prefix)
        rng.shuffle(names)
        names, tried, differing = names[: arguments.most], 0, 0
        for start in range(0, len(names), NAMES):
            lines = calls(names[start : start + NAMES], head, written, rng.random())
            for first in range(0, len(lines), CALLS):
                for text, real, _ in ran([head + "\n".join(lines[first : first + CALLS])]):
                    tried += max(text.count("\n") - head.count("\n") + 1, 0)
                    with tempfile.TemporaryDirectory() as folder:
                        found, errors = beliefs(Path(folder), text)
                        _, _, told = held_against(found, real, Path(folder))
                    for line in (*told, *errors):
                        differing += 1
                        print(f"{line}\n        {line_of(text, line)}", flush=True)
        print(
            f"{prefix}: {len(names)} names, {tried} calls, seed {arguments.seed}; told otherwise {differing}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
