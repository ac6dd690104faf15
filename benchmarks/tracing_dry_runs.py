"""What the dry run calls confirmed of programs that nobody has changed, judged by running them plainly.

    python benchmarks/tracing_dry_runs.py FOLDER... --seed COMMIT [--scripts 60] [--most 4] [--seconds 40]

Each FOLDER holds one folder for each package, its wheel or sdist unpacked. A script is an example of a package's
README, as it stands but for `.cuda()`, or a small Python file of a folder of examples; the seed chooses their order,
`--most` of one package. A confirmed error is true where the plain run raises the same exception. Where it raises
another one, or takes longer than its time, both are printed to be looked at.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from analyzer.tracing.dry_run import LIMITS, dry_run
from analyzer.walls.process import ProcessSandbox
from benchmarks.tracing_unseen import DRIVER, _drawn, examples, run, source_root

EXAMPLES = frozenset(("examples", "example", "demo", "demos", "tutorials", "scripts"))


def scripts(package: Path, seed: str) -> Iterator[tuple[str, str]]:
    """Name and text of each, in the order of the seed."""
    found = [(f"README {number}", text) for number, text in enumerate(examples(package))]
    root = source_root(package)
    for file in root.rglob("*.py"):
        if EXAMPLES & set(file.relative_to(root).parts[:-1]) and file.stat().st_size < 20_000:
            found.append((file.relative_to(root).as_posix(), file.read_text(encoding="utf-8", errors="replace")))
    found.sort(key=lambda f: sha256(f"{seed}/{f[0]}".encode()).hexdigest())
    yield from found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--seed", required=True)
    parser.add_argument("--scripts", type=int, default=60, help="that fail or do a step")
    parser.add_argument("--most", type=int, default=4, help="scripts of one package")
    parser.add_argument("--seconds", type=float, default=40.0)
    arguments = parser.parse_args()
    import torch  # noqa: F401 - the plain runs fork from here

    counts: Counter[str] = Counter()
    packages = [p for folder in arguments.folders for p in _drawn(folder.resolve(), arguments.seed)]
    for package in sorted(packages, key=lambda p: sha256(f"{arguments.seed}/{p.name}".encode()).hexdigest()):
        for name, text in list(scripts(package, arguments.seed))[: arguments.most]:
            if counts["passed"] + counts["confirmed"] >= arguments.scripts:
                break
            _judge(package, name, text, arguments.seconds, counts)
    print(dict(counts))
    return 0


def _judge(package: Path, name: str, text: str, seconds: float, counts: Counter[str]) -> None:
    root = source_root(package)
    script = root / DRIVER
    script.write_text(text, encoding="utf-8")
    try:
        found = dry_run(script, root, ProcessSandbox(), limits=replace(LIMITS, seconds=seconds))
    finally:
        script.unlink()
    counts["scripts"] += 1
    if found.unreached is not None:
        counts["not reached"] += 1
        print(f"not reached: {package.name} {name}: {found.unreached[:120]}", flush=True)
        return
    if found.failure is None:
        counts["passed"] += 1
        return
    counts["confirmed"] += 1
    plain = run(root, text)
    said = f"{found.failure.kind}: {found.failure.message[:120]} at {found.failure.frames[-1]}"
    same = plain.error is not None and plain.error.partition(":")[0] == found.failure.kind.rpartition(".")[2]
    verdict = "true" if same else "FALSE" if plain.error is None else "TO BE READ"
    counts[verdict] += 1
    print(f"confirmed, {verdict}: {package.name} {name}: {said}\n    plainly: {plain.error}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
