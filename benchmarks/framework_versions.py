"""The refinement types against several versions of PyTorch or Keras: which rules differ from version to version.

    python -m benchmarks.framework_versions keras --overlay FOLDER … [--count 1000]
    python -m benchmarks.framework_versions torch --overlay FOLDER …

Each FOLDER is what `pip install --target FOLDER keras==VERSION` wrote; the environment's own version comes first.
Random applications (those of the tests) are judged by the type under that version and by the version itself.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from analyzer.frameworks.api_tables import Asked
from analyzer.validity.registry import spec
from analyzer.validity.spec import Category, CheckResult, TensorType, TypeStatus, check
from analyzer.validity.versions import missing

ROOT = Path(__file__).parent.parent


def agreement(instance: Any, real: Any, outcome: CheckResult, lacking: bool) -> bool:
    """Whether the type says what the framework does; an empty result that it accepts may be illegal here."""
    if isinstance(real, str) or lacking:
        return isinstance(real, str) and (lacking or outcome.status is TypeStatus.INVALID)
    if outcome.status is TypeStatus.INVALID:
        empty = any(0 in shape for shape, _ in real)
        kinds = (Category.ILLEGAL_SHAPE, Category.ILLEGAL_VALUE)
        return empty and outcome.failure is not None and outcome.failure.rule.category in kinds
    return outcome.status is TypeStatus.VALID and tuple((o.shape, o.dtype) for o in outcome.outputs) == real


def inside(framework: str, count: int, seed: int) -> Mapping[str, Any]:
    """The comparison with the version that this process imports."""
    sys.path.insert(0, str(ROOT / "tests" / "validity"))
    warnings.simplefilter("ignore")
    version = import_module(framework).__version__.partition("+")[0]
    asked = Asked(tuple(int(part) for part in version.split(".")[:3]))
    if framework == "torch":
        makers, oracle = import_module("instances").TORCH, import_module("torch_oracle").run
    else:
        makers, oracle = import_module("tf_instances").KERAS, import_module("tf_oracle").run_keras
    rng, wrong = random.Random(seed), []
    seen: Counter[str] = Counter()
    for _ in range(count):
        instance = rng.choice(makers)(rng)
        real = oracle(instance)
        found = spec(instance.operator, framework)
        if found is None:
            continue
        operands = [TensorType(s, d) for s, d in zip(instance.shapes, instance.dtypes, strict=True)]
        lacking = missing(framework, instance.operator, instance.hyperparameters, asked) is not None
        seen["refused" if isinstance(real, str) else "taken"] += 1
        seen["lacking"] += lacking
        if not agreement(
            instance, real, check(found, operands, instance.hyperparameters, version=asked.version), lacking
        ):
            wrong.append([str(instance), str(real)[:200]])
    return {"version": version, "seen": seen, "wrong": wrong}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("framework", choices=["torch", "keras"])
    parser.add_argument("--overlay", nargs="*", default=[])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=41)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside:
        print(json.dumps(inside(args.framework, args.count, args.seed)))
        return 0
    print("| version | taken | refused | of them for want of a name | disagreements |\n|---|---|---|---|---|")
    failed = 0
    for overlay in ("", *args.overlay):
        paths = [p for p in (overlay and str(Path(overlay).resolve()), str(ROOT)) if p]
        command = [sys.executable, "-m", "benchmarks.framework_versions", args.framework, "--inside",
                   "--count", str(args.count), "--seed", str(args.seed)]  # fmt: skip
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TF_CPP_MIN_LOG_LEVEL": "3"}
        done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=ROOT)
        if done.returncode:
            print(f"| {overlay} | could not be run: {(done.stderr.strip().splitlines() or [''])[-1][:160]} |")
            failed += 1
            continue
        row = json.loads(done.stdout.splitlines()[-1])
        seen = row["seen"]
        counts = (
            row["version"],
            seen.get("taken", 0),
            seen.get("refused", 0),
            seen.get("lacking", 0),
            len(row["wrong"]),
        )
        print("| " + " | ".join(map(str, counts)) + " |", flush=True)
        for instance, real in row["wrong"][:5]:
            print(f"  - {instance}: {real}", flush=True)
        failed += bool(row["wrong"])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
