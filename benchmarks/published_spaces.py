"""Published search spaces from code against real constructions: `python -m benchmarks.published_spaces [NAME …]`.

Each space is read from code that nobody described again (installed libraries; examples written after their published
description), exported as a predicate, and judged on vectors drawn from its domains, each built and run by the framework
itself. `--python` names the interpreter that has the libraries.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from analyzer.validity.recording.answer import decided, predicate
from analyzer.validity.recording.record import Recording, RecordingRequest, record
from analyzer.validity.solver import Z3Process
from analyzer.validity.space_reader import domains_from
from analyzer.walls.process import ProcessSandbox

CODE = Path(__file__).parent / "published_space_code"
TOKENS = "{ids: {shape: [2, 16], dtype: int64}}"
WIDTHS = "hidden: {min: 24, max: 120, step: 12}, heads: [1, 2, 3, 4, 5, 6, 8, 12]"
EDGE = "[none, skip_connect, nor_conv_1x1, nor_conv_3x3, avg_pool_3x3]"
SPACES: Mapping[str, tuple[str, str, str, str]] = {  # entry, style, hyperparameters, inputs
    "bert": ("transformers_models.py:bert", "build", f"{WIDTHS}, depth: [1, 2], inner: [64, 100]", TOKENS),
    "gpt2": ("transformers_models.py:gpt2", "build", f"{WIDTHS}, depth: [1, 2], positions: [16, 24, 64]", TOKENS),
    "vit": (
        "transformers_models.py:vit", "build",
        f"{WIDTHS}, depth: [1, 2], image: [16, 24, 30, 32], patch: [3, 4, 5, 8, 16, 40]",
        "{pixels: {shape: [2, 3, image, image]}}",
    ),
    "llama": (
        "transformers_models.py:llama", "build", f"{WIDTHS}, kv: [1, 2, 3, 4, 6], depth: [1, 2], inner: [33, 100]",
        TOKENS,
    ),
    "distilbert": ("transformers_models.py:distilbert", "build", f"{WIDTHS}, depth: [1, 2], inner: [64, 100]", TOKENS),
    "convnext": (
        "transformers_models.py:convnext", "build",
        "width: [8, 12, 20], growth: [1.0, 1.5, 2.0], stages: [1, 2, 3, 4], patch: [1, 2, 4, 5, 8], side: [16, 24, 32]",
        "{pixels: {shape: [2, 3, side, side]}}",
    ),
    "wav2vec2": (
        "transformers_models.py:wav2vec2", "build",
        "channels: [8, 12, 32], hidden: [16, 24, 36], heads: [1, 2, 3, 4], kernel: [2, 3, 5], groups: [1, 2, 4, 5],"
        " samples: [40, 100, 400]", "{sound: {shape: [2, samples]}}",
    ),
    "optuna-mlp": ("torch_examples.py:mlp", "trial", "", ""),
    "optuna-cnn": ("torch_examples.py:cnn", "trial", "", ""),
    "nas-cell": (
        "torch_examples.py:cell", "build",
        f"c: [4, 8], stages: [1, 2, 3], e01: {EDGE}, e02: {EDGE}, e12: {EDGE}, image: {{min: 6, max: 17}}",
        "{x: {shape: [2, 3, image, image]}}",
    ),
    "keras-cnn": ("keras_examples.py:cnn", "hp", "", ""),
    "keras-sequential": ("keras_examples.py:sequential", "hp", "", ""),
    "keras-attention": (
        "keras_examples.py:transformer", "build",
        "width: [4, 5, 6, 8, 10], heads: [1, 2, 3], key: [2, 3], tokens: [4, 5, 6, 8], merge: [plain, halves, turned]",
        "",
    ),
    "timm-mixer": (
        "timm_models.py:mixer", "build",
        "image: [16, 24, 32], patch: [2, 3, 4, 5, 8, 16], blocks: [1, 2], width: {min: 16, max: 64, step: 8},"
        " side: [16, 24, 32]", "{x: {shape: [2, 3, side, side]}}",
    ),
    "timm-vit": (
        "timm_models.py:vision_transformer", "build",
        "image: [16, 24, 32], patch: [3, 4, 5, 8, 16], width: {min: 16, max: 96, step: 8}, heads: [1, 2, 3, 4, 6, 8],"
        " ratio: [1.0, 2.5, 4.0]", "{x: {shape: [2, 3, image, image]}}",
    ),
    "timm-resnet": (
        "timm_models.py:resnet", "build",
        "width: [8, 16, 24], stem: [4, 8, 12], cardinality: [1, 2, 3, 4, 32], base: [4, 16, 64], side: [32, 33, 64]",
        "{x: {shape: [2, 3, side, side]}}",
    ),
}  # fmt: skip


def drawn(recording: Recording, count: int, seed: int) -> list[dict[str, Any]]:
    """Distinct vectors from the domains, as many as there are where they are fewer."""
    rng = random.Random(seed)
    found: dict[str, dict[str, Any]] = {}
    for _ in range(count * 20):
        vector = {n: rng.choice(h.values) for n, h in recording.domains.items() if h.values is not None}
        found[repr(vector)] = vector
        if len(found) == count:
            break
    return list(found.values())


def real(entry: str, style: str, inputs: str, vectors: list[dict[str, Any]], python: str) -> list[bool]:
    """Whether the framework builds and runs each vector, in a process that knows nothing of recording."""
    request = {"file": str(CODE / entry.partition(":")[0]), "name": entry.partition(":")[2], "style": style}
    request |= {"inputs": inputs, "vectors": vectors}
    done = subprocess.run(
        [python, str(CODE / "construct.py")], input=json.dumps(request), capture_output=True, text=True, check=True
    )
    return list(json.loads(done.stdout.strip().splitlines()[-1]))


def judged(name: str, count: int, seed: int, python: str) -> Mapping[str, Any]:
    """One row of the table."""
    entry, style, hyperparameters, inputs = SPACES[name]
    domains: Any = {}
    shapes: Any = {}
    if style == "build":
        text = f"version: 1\nhyperparameters: {{{hyperparameters}}}\ninputs: {inputs or '{}'}\n"
        domains, shapes = domains_from(text, f"{name}.yml")
    started = time.perf_counter()
    recording = record(RecordingRequest(entry, domains, shapes, style), CODE, ProcessSandbox(python=python))
    with Z3Process() as solver:
        found = decided(recording, solver)
    seconds = time.perf_counter() - started
    scope: dict[str, Any] = {}
    exec(compile(predicate(found), name, "exec"), scope)
    vectors = drawn(recording, count, seed)
    said = [scope["valid"](v) for v in vectors]
    truth = real(entry, style, inputs, vectors, python)
    pairs = list(zip(said, truth, strict=True))
    wrong = [v for v, (a, b) in zip(vectors, pairs, strict=True) if a not in (b, None)]
    return {
        "space": name, "forks": len(found.forks), "seconds": round(seconds, 1), "vectors": len(vectors),
        "really valid": sum(truth), "right": sum(a is b for a, b in pairs), "undecided": said.count(None),
        "wrongly valid": sum(a is True and not b for a, b in pairs),
        "wrongly refused": sum(a is False and b for a, b in pairs),
        "caveats": list(found.caveats), "wrong": wrong,
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(SPACES), metavar="NAME")
    parser.add_argument("--vectors", type=int, default=500)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has the libraries")
    args = parser.parse_args()
    columns = ("space", "forks", "seconds", "vectors", "really valid", "right", "undecided", "wrongly valid",
               "wrongly refused")  # fmt: skip
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|", flush=True)
    wrong = 0
    for name in args.names:
        row = judged(name, args.vectors, args.seed, args.python)
        print("| " + " | ".join(str(row[c]) for c in columns) + " |", flush=True)
        for caveat in row["caveats"][:4]:
            print(f"  - {caveat[:300]}", flush=True)
        for vector in row["wrong"][:4]:
            print(f"  - wrong: {vector}", flush=True)
        wrong += row["wrongly valid"]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
