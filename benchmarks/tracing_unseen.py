"""Injected shape defects in published packages that a seed has drawn, and errors claimed of the unmodified files.

    python benchmarks/tracing_unseen.py FOLDER --seed COMMIT [--mutants 40] [--files 12] [--dry 10]

FOLDER holds one folder for each package, its wheel or sdist unpacked: their code is read for `files`, and run for
`mutants` in forked children of this process, so run it where that may be. A driver is an example of a package's
README that runs as it stands. A mutant changes one number, argument or axis of the package's code; it counts if the
driver then fails inside the package. Tracing sees the mutant with the driver, and its file alone; the dry run executes
the driver. All is chosen by the seed. Every error called proved of an unmodified file is printed to be looked at.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import os
import pickle
import random
import re
import shutil
import signal
import statistics
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

from analyzer.problem import TargetProblem
from analyzer.tracing.tracing import explore, read_source
from analyzer.tracing.versions import Versions

DRIVER = "assay_driver.py"
SECONDS = 40  # of one run of a driver
LAYERS = re.compile(r"(Linear|Conv\w*|LayerNorm|BatchNorm\w*|GroupNorm|Embedding|GRU|LSTM|MultiheadAttention|Dense)$")
AXES = ("transpose", "permute", "flatten", "unsqueeze", "chunk", "split", "cat", "stack", "rearrange", "repeat", "view",
        "reshape", "expand", "softmax", "sum", "mean", "einsum", "movedim", "squeeze")  # fmt: skip


# ------------------------------------------------------------------------------------------------- drivers


def examples(package: Path) -> Iterator[str]:
    """The Python blocks of the README, in order."""
    texts = [*sorted(package.glob("*.dist-info/METADATA")), *sorted(package.glob("**/README*"))[:1]]
    for file in texts[:2]:
        text = file.read_text(encoding="utf-8", errors="replace")
        for block in re.findall(r"```[ ]?(?:python|py)[^\n]*\n(.*?)```", text, re.DOTALL):
            if "import" in block and len(block) < 4000:
                yield block


def source_root(package: Path) -> Path:
    inner = [
        d for d in package.iterdir() if d.is_dir() and ((d / "setup.py").exists() or (d / "pyproject.toml").exists())
    ]
    root = inner[0] if inner else package
    return root / "src" if (root / "src").is_dir() else root


@dataclass(frozen=True)
class Outcome:
    """How a driver ended: what it raised, and the frames in the package, innermost last."""

    error: str | None
    frames: tuple[tuple[str, int], ...] = ()


def run(root: Path, text: str) -> Outcome:
    """The driver in a forked child, which has what this process has imported and leaves nothing behind."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        outcome = Outcome("TimeoutError")
        try:
            signal.alarm(SECONDS)
            outcome = _execute(root, text)
        finally:
            with os.fdopen(writing, "wb") as out:
                out.write(pickle.dumps(outcome))
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        data = stream.read()
    os.waitpid(child, 0)
    return pickle.loads(data) if data else Outcome("TimeoutError")


def _execute(root: Path, text: str) -> Outcome:
    import torch

    torch.manual_seed(0)
    torch.set_num_threads(1)
    sys.path.insert(0, str(root))
    os.chdir(tempfile.mkdtemp())
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        try:
            exec(compile(text, DRIVER, "exec"), {"__name__": "__main__"})
        except ModuleNotFoundError as error:
            return Outcome(f"no module {error.name}")
        except BaseException as error:
            frames = [
                (str(Path(f.filename).relative_to(root)), f.lineno or 0)
                for f in traceback.extract_tb(error.__traceback__)
                if f.filename.startswith(str(root))
            ]
            return Outcome(type(error).__name__, tuple(frames))
    return Outcome(None)


# ------------------------------------------------------------------------------------------------- mutants


def sites(tree: ast.Module) -> list[tuple[ast.Call, int]]:
    """Calls with the place of an argument that decides a shape."""
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if LAYERS.search(name) or name in AXES:
            found += [(node, i) for i, a in enumerate(node.args) if _changeable(a, bool(LAYERS.search(name)))]
    return found


def _changeable(node: ast.expr, layer: bool) -> bool:
    if isinstance(node, ast.Constant):
        return (isinstance(node.value, int) and not isinstance(node.value, bool)) or (
            isinstance(node.value, str) and "->" in node.value
        )
    return layer and isinstance(node, (ast.Name, ast.BinOp, ast.Attribute))


def mutated(tree: ast.Module, index: int, rng: random.Random) -> tuple[ast.Module, str]:
    """The tree with one argument changed, and what was done."""
    copy = deepcopy(tree)
    call, place = sites(copy)[index]
    old = call.args[place]
    new: ast.expr
    if isinstance(old, ast.Constant) and isinstance(old.value, str):
        new = ast.Constant(_other_pattern(old.value, rng))
    elif isinstance(old, ast.Constant) and isinstance(old.value, int):
        new = ast.Constant(old.value + rng.choice((1, -1)))
    else:
        new = ast.BinOp(old, *rng.choice(((ast.Mult(), ast.Constant(2)), (ast.Add(), ast.Constant(1)))))
    call.args[place] = new
    ast.fix_missing_locations(ast.copy_location(new, old))
    return copy, f"line {call.lineno}: {ast.unparse(old)} -> {ast.unparse(new)}"


def _other_pattern(pattern: str, rng: random.Random) -> str:
    left, _, right = pattern.partition("->")
    names = right.split()
    if len(names) < 2:
        return left.strip() + " x ->" + right
    i = rng.randrange(len(names) - 1)
    names[i], names[i + 1] = names[i + 1], names[i]
    return f"{left}-> {' '.join(names)}"


@dataclass(frozen=True)
class Mutant:
    package: str
    root: Path
    path: str
    tree: ast.Module
    change: str
    driver: str
    frames: tuple[tuple[str, int], ...]


def mutants(folder: Path, seed: str, most: int) -> Iterator[Mutant]:
    rng = random.Random(seed)
    ready: list[tuple[str, Path, str, list[str]]] = []
    skipped: dict[str, str] = {}
    for package in _drawn(folder, seed):
        root = source_root(package)
        for text in examples(package):
            outcome = run(root, text)
            if outcome.error is None:
                files = _reached(root, text)
                if files:
                    ready.append((package.name, root, text, files))
                    break
            skipped[package.name] = outcome.error or "no file of the package"
        else:
            skipped.setdefault(package.name, "no example")
        if len(ready) >= 12:
            break
    print(f"drivers that run: {[name for name, *_ in ready]}")
    print(f"without: { {n: why for n, why in skipped.items() if n not in [r[0] for r in ready]} }")
    made = tried = 0
    seen: set[tuple[str, str, str]] = set()
    while ready and made < most and tried < 12 * most:
        tried += 1
        name, root, text, files = ready[tried % len(ready)]
        path = rng.choice(files)
        tree = ast.parse((root / path).read_text(encoding="utf-8"))
        places = sites(tree)
        if not places:
            continue
        changed, change = mutated(tree, rng.randrange(len(places)), rng)
        if (name, path, change) in seen:
            continue
        seen.add((name, path, change))
        with _copied(root, path, changed) as copy:
            outcome = run(copy, text)
        if outcome.error is None or not outcome.frames or outcome.error == "TimeoutError":
            continue
        made += 1
        # the mutant is printed anew, so its lines are those of the printed text
        yield Mutant(name, root, path, ast.parse(ast.unparse(changed)), change, text, outcome.frames)
    print(f"{made} of {tried} changes make a driver fail")


def _reached(root: Path, text: str) -> list[str]:
    """Files of the package that the example imports, directly or through others, and that build layers."""
    names = {n.module or "" for n in ast.walk(ast.parse(text)) if isinstance(n, ast.ImportFrom)}
    names |= {a.name for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Import) for a in n.names}
    found = []
    for file in sorted(root.rglob("*.py")):
        relative = file.relative_to(root)
        if relative.parts[0] in {n.partition(".")[0] for n in names} and b"nn." in file.read_bytes():
            found.append(relative.as_posix())
    wanted = [f for f in found if any(f.replace("/", ".").startswith(n) for n in names if n)]
    return wanted[:6]


class _copied:
    """A copy of the package with one file replaced by what its changed tree prints as."""

    def __init__(self, root: Path, path: str, tree: ast.Module) -> None:
        self.root, self.path, self.tree = root, path, tree

    def __enter__(self) -> Path:
        self.folder = tempfile.mkdtemp(prefix="assay-unseen-")
        copy = Path(self.folder) / "package"
        shutil.copytree(self.root, copy, ignore=shutil.ignore_patterns("*.so", "*.png", "*.bin", ".git"))
        (copy / self.path).write_text(ast.unparse(self.tree), encoding="utf-8")
        return copy

    def __exit__(self, *rest: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def judge_mutants(folder: Path, seed: str, most: int, dry: int) -> None:
    import einops  # noqa: F401 - what children need is imported once, here
    import torch  # noqa: F401

    counts = dict.fromkeys(("all", "driver", "driver line", "alone", "dry", "dry line", "dry tried"), 0)
    for mutant in mutants(folder, seed, most):
        counts["all"] += 1
        last = mutant.frames[-1]
        with _copied(mutant.root, mutant.path, mutant.tree) as copy:
            (copy / DRIVER).write_text(mutant.driver, encoding="utf-8")
            found = _lines(copy, DRIVER)
            alone = _lines(copy, mutant.path)
            if counts["dry tried"] < dry:
                counts["dry tried"] += 1
                place = _dry(copy)
                counts["dry"] += place is not None
                counts["dry line"] += place == last
        clean = _lines_of_clean(mutant)
        flagged, alone_flagged = found - clean, alone - clean
        counts["driver"] += bool(flagged)
        counts["driver line"] += last in flagged
        counts["alone"] += bool(alone_flagged)
        verdict = "on the line" if last in flagged else "flagged" if flagged else "missed"
        print(f"{mutant.package} {mutant.path} {mutant.change}: fails at {last}; with the driver {verdict}"
              f"{', alone flagged' if alone_flagged else ''}", flush=True)  # fmt: skip
    print(counts)


_CLEAN: dict[tuple[Path, str], set[tuple[str, int]]] = {}


def _lines_of_clean(mutant: Mutant) -> set[tuple[str, int]]:
    """What is reported of the unmodified file, as it is printed."""
    key = (mutant.root, mutant.path)
    if key not in _CLEAN:
        tree = ast.parse((mutant.root / mutant.path).read_text(encoding="utf-8"))
        with _copied(mutant.root, mutant.path, tree) as copy:
            (copy / DRIVER).write_text(mutant.driver, encoding="utf-8")
            _CLEAN[key] = _lines(copy, DRIVER) | _lines(copy, mutant.path)
    return _CLEAN[key]


def _lines(root: Path, path: str) -> set[tuple[str, int]]:
    _, tree = read_source(root / path, root)
    shared = explore(root, path, tree, Versions())
    return {(p.site.path, p.site.line) for p in shared.problems.values() if p.level in ("error", "warning")}


def _dry(root: Path) -> tuple[str, int] | None:
    from analyzer.tracing.dry_run import dry_run
    from analyzer.walls.process import ProcessSandbox

    found = dry_run(root / DRIVER, root, ProcessSandbox())
    if found.failure is None:
        print(f"  dry run: {found.unreached or 'no failure'}")
        return None
    return found.failure.frames[-1].path, found.failure.frames[-1].line


# ---------------------------------------------------------------------------------------- unmodified files


def _drawn(folder: Path, seed: str) -> list[Path]:
    found = [p for p in folder.iterdir() if p.is_dir() and not p.name.startswith(".")]
    return sorted(found, key=lambda p: hashlib.sha256(f"{seed}/{p.name}".encode()).hexdigest())


def judge_files(folder: Path, seed: str, most: int) -> None:
    """Errors called proved of files nobody has changed: true or false is for a person to say."""
    files = proved = possible = 0
    seconds: list[float] = []
    for package in _drawn(folder, seed):
        root = source_root(package)
        chosen = [f for f in root.rglob("*.py") if re.search(rb"torch|keras|tensorflow", f.read_bytes())]
        chosen.sort(key=lambda f: hashlib.sha256(f"{seed}/{f.relative_to(folder)}".encode()).hexdigest())
        for file in chosen[:most]:
            try:
                _, tree = read_source(file, root)
            except TargetProblem:
                continue
            started = time.process_time()
            shared = explore(root, file.relative_to(root).as_posix(), tree, Versions())
            seconds.append(time.process_time() - started)
            files += 1
            for problem in shared.problems.values():
                if problem.level == "error":
                    proved += problem.certain
                    possible += not problem.certain
                    if problem.certain:
                        place = f"{package.name} {problem.site.path}:{problem.site.line}"
                        print(f"PROVED {place} {problem.rule} {problem.message}", flush=True)
                        print(*(f"    {s}" for s in (problem.tier, *problem.sentences)), sep="\n")
    middle = statistics.median(seconds) if seconds else 0.0
    print(f"{files} files: {proved} proved errors, {possible} possible; processor time median {middle:.2f} s, "
          f"longest {max(seconds, default=0):.1f} s")  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", required=True)
    parser.add_argument("--mutants", type=int, default=40)
    parser.add_argument("--files", type=int, default=12, help="most files of one package")
    parser.add_argument("--dry", type=int, default=10, help="mutants that are also run dry")
    parser.add_argument("--only", choices=("mutants", "files"))
    arguments = parser.parse_args()
    if arguments.only != "files":
        judge_mutants(arguments.folder.resolve(), arguments.seed, arguments.mutants, arguments.dry)
    if arguments.only != "mutants":
        judge_files(arguments.folder.resolve(), arguments.seed, arguments.files)
    return 0


if __name__ == "__main__":
    sys.exit(main())
