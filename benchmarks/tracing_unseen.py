"""Injected shape defects in published packages that a seed has drawn, and errors claimed of the unmodified files.

    python benchmarks/tracing_unseen.py FOLDER --seed COMMIT [--mutants 40] [--files 12] [--dry 10] [--made FILE]
                                        [--written] [--without COMMIT ...]

FOLDER holds one folder for each package, its wheel or sdist unpacked: their code is read for `files`, and run for
`mutants` in forked children of this process, so run it where that may be. A driver is a program that comes with the
package and runs as it stands (`published_drivers.py`): examples, tests, main parts, scripts. A mutant changes one
number, argument or axis of the package's code; it counts if the driver then fails inside the package. Tracing sees the
mutant with the driver, and its file alone; the dry run executes the driver. All is chosen by the seed. Every error
called proved of an unmodified file is printed to be looked at.
`--without` leaves out the files that draws by earlier seeds have reached.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import random
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from analyzer.frameworks.requested_versions import Versions
from analyzer.problem import TargetProblem
from analyzer.tracing.tracing import explore, read_source
from benchmarks.published_drivers import DRIVER, Outcome, Program, drawn, import_frameworks, programs, run, source_root

PACKAGE_SECONDS = 90.0  # after which no other program of a package is tried, and no other change
MOST_TRIED = 12  # programs of one package, in the order of the seed
EACH_AGAIN = 4  # of so many files one is traced twice
OF_PROGRAM = 4  # most mutants of one program, so that one class does not stand for its package
# Calls whose sizes decide shapes, and calls whose axes do, as PyTorch, Keras, TensorFlow and einops name them.
LAYERS = re.compile(
    r"(Linear|Conv\w*|\w*Norm\d?d?|Embedding|GRU|LSTM|\w*Attention|Dense|RepeatVector|\w*Pool\w*"
    r"|zeros|ones|randn|rand|empty|full|add_weight)$"
)
AXES = ("transpose", "permute", "flatten", "unsqueeze", "chunk", "split", "cat", "stack", "rearrange", "repeat", "view",
        "reshape", "expand", "softmax", "sum", "mean", "einsum", "movedim", "squeeze", "concat", "concatenate",
        "Concatenate", "Reshape", "Permute", "expand_dims", "tile", "reduce_sum", "reduce_mean", "argmax", "max",
        "narrow", "pad", "swapaxes", "Flatten", "Unflatten", "gather", "matmul", "bmm", "tensordot")  # fmt: skip
SHAPING = frozenset(("dim", "axis", "axes", "shape", "units", "filters", "in_channels", "out_channels", "output_dim",
                     "in_features", "out_features", "target_shape", "perm", "dims", "num_features", "embedding_dim",
                     "hidden_size", "input_size", "kernel_size", "stride", "strides", "groups"))  # fmt: skip


# ------------------------------------------------------------------------------------------------- mutants


Place = tuple[ast.Call, ast.expr]  # a call, and the part of an argument that decides a shape


def sites(tree: ast.Module) -> list[Place]:
    """Positional arguments and those of telling names, and the elements of tuples among them."""
    found: list[Place] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        layer = bool(LAYERS.search(name))
        if not layer and name not in AXES:
            continue
        given = [*node.args, *(k.value for k in node.keywords if k.arg in SHAPING)]
        for part in given:
            parts = part.elts if isinstance(part, (ast.Tuple, ast.List)) else [part]
            found += [(node, p) for p in parts if _changeable(p, layer or part is not p)]
    return found


def _changeable(node: ast.expr, layer: bool) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return isinstance(node.operand, ast.Constant) and isinstance(node.operand.value, int)
    if isinstance(node, ast.Constant):
        return (isinstance(node.value, int) and not isinstance(node.value, bool)) or (
            isinstance(node.value, str) and "->" in node.value
        )
    return layer and isinstance(node, (ast.Name, ast.BinOp, ast.Attribute))


def mutated(tree: ast.Module, index: int, rng: random.Random) -> tuple[ast.Module, str]:
    """The tree with one argument changed, and what was done."""
    copy = deepcopy(tree)
    call, old = sites(copy)[index]
    new: ast.expr
    if isinstance(old, ast.Constant) and isinstance(old.value, str):
        new = ast.Constant(_other_pattern(old.value, rng))
    elif isinstance(old, ast.Constant) and isinstance(old.value, int):
        new = ast.Constant(old.value + rng.choice((1, -1)))
    elif isinstance(old, ast.UnaryOp):
        number = -ast.literal_eval(old.operand) + rng.choice((1, -1))
        new = ast.parse(str(number), mode="eval").body
    else:
        new = ast.BinOp(old, *rng.choice(((ast.Mult(), ast.Constant(2)), (ast.Add(), ast.Constant(1)))))
    ast.fix_missing_locations(ast.copy_location(new, old))
    _Replaced(old, new).visit(call)
    return copy, f"line {call.lineno}: {ast.unparse(old)} -> {ast.unparse(new)}"


class _Replaced(ast.NodeTransformer):
    """One node for another."""

    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


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
    """A changed file, the example that it makes fail, and where."""

    package: str
    root: str
    path: str
    text: str
    change: str
    driver: str
    error: str
    frames: tuple[tuple[str, int], ...]
    kind: str = "README"  # of the driver


def make(
    folder: Path, seed: str, most: int, file: Path, also: Path | None, each: int, seconds: float, written: bool
) -> None:
    """Append mutants to `file` until it holds `most`, `each` of one package; those that it holds are not made again."""
    have = read(file)
    ends = time.monotonic() + seconds
    with file.open("a") as out:
        for package in drawn(folder, seed):
            if len(have) >= most or time.monotonic() > ends:
                return
            if any(m.package == package.name for m in have):
                continue
            root = source_root(package)
            why: Counter[str] = Counter()
            count = 0
            until = time.monotonic() + PACKAGE_SECONDS
            for program in programs(package, seed, also, written)[:MOST_TRIED]:
                if time.monotonic() > until or any(n > 1 and w.startswith("no module") for w, n in why.items()):
                    break
                outcome = run(root, program.text, also, watch=True)
                if outcome.error is not None or not outcome.ran:
                    why[(outcome.error or "no line of the package")[:60]] += 1
                    continue
                rng = random.Random(f"{seed}/{package.name}/{program.name}")
                wanted = min(OF_PROGRAM, each - count, most - len(have))
                made = [
                    m
                    for m in mutants(package.name, root, program, outcome.ran, rng, wanted, also)
                    if (m.path, m.change) not in {(o.path, o.change) for o in have if o.package == m.package}
                ]
                if not made:
                    why["no change makes it fail"] += 1
                    continue
                have += made
                count += len(made)
                for mutant in made:
                    print(json.dumps(asdict(mutant)), file=out, flush=True)
                print(f"{len(made)} of {package.name} by {program.kind} {program.name}", flush=True)
                if count >= each or len(have) >= most:
                    break
            if not count:
                print(f"skipped {package.name}: {why.most_common(4) or 'no program'}", flush=True)


def mutants(
    package: str, root: Path, driver: Program, ran: frozenset[tuple[str, int]], rng: random.Random, most: int,
    also: Path | None,
) -> Iterator[Mutant]:  # fmt: skip
    """Changes of lines that the driver runs which make it fail inside the package."""
    places = []
    trees: dict[str, ast.Module] = {}
    for path in sorted({p for p, _ in ran}):
        if path == DRIVER or re.search(r"(^|/)(tests?|examples?)(/|$)|(^|/)test_|_test\.py$", path):
            continue  # the package's own code is meant
        trees[path] = ast.parse((root / path).read_text(encoding="utf-8-sig"))
        for index, (call, place) in enumerate(sites(trees[path])):
            if (path, call.lineno) in ran or (path, place.lineno) in ran:
                places.append((path, index))
    rng.shuffle(places)
    if not places or not _runs_unchanged(root, places[0][0], driver.text, also):
        return
    made = 0
    until = time.monotonic() + PACKAGE_SECONDS
    for path, index in places[: 5 * most]:
        if made == most or time.monotonic() > until:
            return
        changed, change = mutated(trees[path], index, rng)
        with _copied(root, path, ast.unparse(changed)) as copy:
            outcome = run(copy, driver.text, also)
        if is_defect(outcome):
            made += 1
            text = ast.unparse(changed)
            yield Mutant(
                package, str(root), path, text, change, driver.text, outcome.error, outcome.frames, driver.kind
            )


def _runs_unchanged(root: Path, path: str, driver: str, also: Path | None) -> bool:
    """Whether the program runs in a copy as mutants are run in, which is without compiled parts."""
    with _copied(root, path, (root / path).read_text(encoding="utf-8-sig")) as copy:
        return run(copy, driver, also).error is None


def is_defect(outcome: Outcome | Mutant) -> bool:
    """Whether a changed program failed inside the package, and not for want of time, memory or a compiled part."""
    error = outcome.error or ""
    spent = "Timeout" in error or "memory" in error.lower()
    return bool(error and outcome.frames) and not spent and not error.startswith(("ImportError", "ModuleNotFoundError"))


def read(file: Path) -> list[Mutant]:
    if not file.exists():
        return []
    found = [json.loads(line) for line in file.read_text().splitlines()]
    return [Mutant(**{**m, "frames": tuple((p, n) for p, n in m["frames"])}) for m in found]


class _copied:
    """A copy of the package with one file replaced by what its changed tree prints as."""

    def __init__(self, root: Path, path: str, text: str) -> None:
        self.root, self.path, self.text = root, path, text

    def __enter__(self) -> Path:
        self.folder = tempfile.mkdtemp(prefix="assay-unseen-")
        copy = Path(self.folder) / "package"
        shutil.copytree(self.root, copy, ignore=shutil.ignore_patterns("*.so", "*.png", "*.bin", ".git"))
        (copy / self.path).write_text(self.text, encoding="utf-8")
        beside = self.root.parent / "README.md"  # of a repository that keeps its package below `src`
        if self.root.name == "src" and beside.is_file():
            shutil.copy(beside, copy / "README.md")
        for metadata in copy.glob("*.dist-info/METADATA"):  # a wheel keeps the repository's README there
            described = metadata.read_text(encoding="utf-8", errors="replace").partition("\n\n")[2]
            (copy / "README.md").write_text(described, encoding="utf-8")
        return copy

    def __exit__(self, *rest: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def judge_mutants(made: list[Mutant], dry: int) -> None:
    counts = Counter(mutants=len(made))
    for number, mutant in enumerate(made):
        root, last = Path(mutant.root), mutant.frames[-1]
        with _copied(root, mutant.path, mutant.text) as copy:
            (copy / DRIVER).write_text(mutant.driver, encoding="utf-8")
            found = _lines(copy, DRIVER)
            (copy / DRIVER).unlink()  # alone means without it, whatever looks for programs in the folder
            alone = _lines(copy, mutant.path)
            (copy / "README.md").unlink(missing_ok=True)
            bare = _lines(copy, mutant.path)
            (copy / DRIVER).write_text(mutant.driver, encoding="utf-8")
            place = _dry(copy) if number < dry else None
        clean, clean_alone = _lines_of_clean(mutant)
        found, alone, bare = found - clean, alone - clean_alone, bare - clean_alone
        lines = {last, *_changed_lines(mutant)}
        counts.update({"driver": bool(found), "driver, on the line": bool(lines & found), "alone": bool(alone),
                       "alone without README": bool(bare), "dry": place is not None, "dry, on the line": place == last,
                       "dry tried": number < dry})  # fmt: skip
        verdict = "on the line" if lines & found else "flagged" if found else "MISSED"
        print(f"{number} {mutant.package} {mutant.path} {mutant.change}: fails at {last[0]}:{last[1]} "
              f"{mutant.error[:80]!r}"
              f"; with the driver {verdict}; alone {'flagged' if alone else 'MISSED'}, "
              f"without README {'flagged' if bare else 'MISSED'}"
              f"{'' if number >= dry else f'; dry {place}'}", flush=True)  # fmt: skip
    print(dict(counts))
    told = {key: lines for key, (lines, _) in _CLEAN.items() if lines}
    for (root, _, _), lines in told.items():
        print(f"of {root}, unchanged, a program that runs is said to fail: {sorted(lines)}")
    print(f"{len({k[2] for k in told})} of {len({k[2] for k in _CLEAN})} unchanged programs that run are said to fail")


def judge_dry(made: list[Mutant], seconds: float) -> None:
    """The dry run alone; where it finds nothing, why."""
    counts: Counter[str] = Counter()
    for number, mutant in enumerate(made):
        with _copied(Path(mutant.root), mutant.path, mutant.text) as copy:
            (copy / DRIVER).write_text(mutant.driver, encoding="utf-8")
            place = _dry(copy, seconds)
        last = mutant.frames[-1]
        verdict = "MISSED" if place is None else "on the line" if place == last else f"at {place}"
        counts[verdict if place in (None, last) else "on another line"] += 1
        print(f"{number} {mutant.package} {mutant.path} {mutant.change}: fails at {last[0]}:{last[1]} "
              f"{mutant.error[:80]!r}; dry {verdict}", flush=True)  # fmt: skip
    print(dict(counts), f"{statistics.median(_SECONDS or [0]):.1f} s median, {max(_SECONDS or [0]):.1f} at most")


def _changed_lines(mutant: Mutant) -> set[tuple[str, int]]:
    """Where the changed file differs: a layer of wrong size is told where it is made as well as where it is called."""
    before = ast.unparse(ast.parse((Path(mutant.root) / mutant.path).read_text(encoding="utf-8-sig"))).splitlines()
    pairs = enumerate(zip(before, mutant.text.splitlines(), strict=False), start=1)
    return {(mutant.path, number) for number, (old, new) in pairs if old != new}


_CLEAN: dict[tuple[str, str, str], tuple[set[tuple[str, int]], set[tuple[str, int]]]] = {}


def _lines_of_clean(mutant: Mutant) -> tuple[set[tuple[str, int]], set[tuple[str, int]]]:
    """What is reported of the unmodified file, as it is printed: with the driver, and alone."""
    key = (mutant.root, mutant.path, mutant.driver)
    if key not in _CLEAN:
        text = ast.unparse(ast.parse((Path(mutant.root) / mutant.path).read_text(encoding="utf-8-sig")))
        with _copied(Path(mutant.root), mutant.path, text) as copy:
            (copy / DRIVER).write_text(mutant.driver, encoding="utf-8")
            found = _lines(copy, DRIVER)
            (copy / DRIVER).unlink()
            _CLEAN[key] = found, _lines(copy, mutant.path)
    return _CLEAN[key]


def _lines(root: Path, path: str) -> set[tuple[str, int]]:
    _, tree = read_source(root / path, root)
    shared = explore(root, path, tree, Versions())
    return {(p.site.path, p.site.line) for p in shared.problems.values() if p.level in ("error", "warning")}


_SECONDS: list[float] = []  # of each dry run, those of its scripts


def _dry(root: Path, seconds: float | None = None) -> tuple[str, int] | None:
    from analyzer.tracing.dry_run import LIMITS, dry_run
    from analyzer.walls.process import ProcessSandbox

    limits = LIMITS if seconds is None else replace(LIMITS, seconds=seconds)
    found = dry_run(root / DRIVER, root, ProcessSandbox(), limits=limits)
    _SECONDS.append(sum(seconds for _, seconds in found.attempts))
    if found.failure is None:
        print(f"  dry run: {found.unreached or 'no failure'} {dict(found.attempts)}")
        return None
    return found.failure.frames[-1].path, found.failure.frames[-1].line


# ---------------------------------------------------------------------------------------- unmodified files


@dataclass(frozen=True)
class Judged:
    """What tracing said of one unmodified file."""

    package: str
    path: str
    seconds: float
    spent: tuple[str, ...]
    understood: int
    calls: int
    unknown: dict[str, int]
    proved: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    again: float | None = None  # seconds of the same trace once more: what an editor's open file takes


def judge_files(
    folder: Path, seed: str, most: int, packages: int, kept: Path | None, seconds: float, without: list[str]
) -> None:
    """Errors called proved of files nobody has changed: true or false is for a person to say.

    One file of each package in turn, so that a run which is stopped has seen all packages. `kept` holds the answers:
    files that it names are not traced again.
    """
    judged = [Judged(**json.loads(line)) for line in kept.read_text().splitlines()] if kept and kept.exists() else []
    have = {(j.package, j.path) for j in judged}
    ends = time.monotonic() + seconds
    for package, root, file in drawn_files(folder, seed, most, packages, without):
        path = file.relative_to(root).as_posix()
        if (package, path) in have:
            continue
        if time.monotonic() > ends:
            print("stopped: the time is over", flush=True)
            break
        found = _judged(package, root, path)
        if found is None:
            continue
        if len(judged) % EACH_AGAIN == 0:
            once_more = _judged(package, root, path)
            found = replace(found, again=once_more.seconds if once_more else None)
        judged.append(found)
        if kept:
            with kept.open("a") as out:
                print(json.dumps(asdict(found)), file=out)
        for text in found.proved:
            print(f"PROVED {package} {text}", flush=True)
    times = [j.seconds for j in judged]
    spent = sum(bool(j.spent) for j in judged)
    again = [(j.again, j.seconds) for j in judged if j.again is not None]
    rules = Counter(text.split()[1] for j in judged for text in j.notes)
    calls = sum(j.calls for j in judged)
    told = f"{sum(len(j.proved) for j in judged)} proved errors, {sum(len(j.possible) for j in judged)} possible, " + (
        f"{sum(len(j.warnings) for j in judged)} warnings in {sum(bool(j.warnings) for j in judged)}"
    )
    print(f"{len(judged)} files of {len({j.package for j in judged})} packages: {told}")
    print(f"processor time: median {statistics.median(times or [0.0]):.2f} s, longest {max(times, default=0):.1f} s, "
          f"{sum(t > 10 for t in times)} above 10 s; {spent} files spent a budget")  # fmt: skip
    if again:
        print(f"{len(again)} of them once more: median {statistics.median(a for a, _ in again):.2f} s, "
              f"the first time {statistics.median(f for _, f in again):.2f} s")  # fmt: skip
    print(f"calls understood {sum(j.understood for j in judged)} of {calls}; notes {dict(rules)}")
    for j in sorted(judged, key=lambda j: -j.seconds)[:10]:
        print(f"slow: {j.seconds:.1f} s {j.package} {j.path} {' '.join(j.spent)}")
    unknown: Counter[str] = Counter()
    for j in judged:
        unknown.update(set(j.unknown))
    print("not understood, in so many files:", ", ".join(f"{n} {c}" for n, c in unknown.most_common(60)))


def drawn_files(
    folder: Path, seed: str, most: int, packages: int | None = None, without: Sequence[str] = ()
) -> Iterator[tuple[str, Path, Path]]:
    """(package, root, file) of the files that mention a framework, at most so many of one package, in the seed's
    order: one of each package in turn."""
    of_package = []
    for package in drawn(folder, seed)[:packages]:
        root = source_root(package)
        files = [f for f in root.rglob("*.py") if re.search(rb"torch|keras|tensorflow", f.read_bytes())]
        names = {f: f.relative_to(folder).as_posix() for f in files}
        reached = {f for old in without for f in _by_seed(names, old)[:most]}
        chosen = [f for f in _by_seed(names, seed) if f not in reached]
        of_package.append((package.name, root, chosen[:most]))
    for number in range(most):
        for name, root, files in of_package:
            if number < len(files):
                yield name, root, files[number]


def _by_seed(names: dict[Path, str], seed: str) -> list[Path]:
    return sorted(names, key=lambda f: hashlib.sha256(f"{seed}/{names[f]}".encode()).hexdigest())


def _judged(package: str, root: Path, path: str) -> Judged | None:
    try:
        _, tree = read_source(root / path, root)
    except TargetProblem:
        return None
    started = time.process_time()
    shared = explore(root, path, tree, Versions())
    told: dict[str, list[str]] = {"proved": [], "possible": [], "notes": [], "warnings": []}
    for p in shared.problems.values():
        kind = f"{p.level}s" if p.level != "error" else "proved" if p.proved else "possible"
        evidence = "" if kind == "notes" else " | ".join(("", p.tier, *p.sentences))
        told[kind].append(f"{p.site.path}:{p.site.line} {p.rule} {p.message}{evidence}")
    return Judged(
        package, path, round(time.process_time() - started, 3),
        tuple(note for note in shared.notes if "budget" in note or "More than" in note),
        shared.known_calls.total(), shared.known_calls.total() + shared.unknown_calls.total(),
        dict(shared.unknown_calls.most_common(100)),
        tuple(told["proved"]), tuple(told["possible"]), tuple(told["notes"]), tuple(told["warnings"]),
    )  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", required=True)
    parser.add_argument("--mutants", type=int, default=40)
    parser.add_argument("--each", type=int, default=6, help="most mutants of one package, so that none decides")
    parser.add_argument("--made", type=Path, help="keep the mutants in this file, and take those that it holds")
    parser.add_argument("--dependencies", type=Path, help="a folder of packages that the examples import")
    parser.add_argument("--written", action="store_true", help="only programs that come with the packages")
    parser.add_argument("--files", type=int, default=12, help="most files of one package")
    parser.add_argument(
        "--without", nargs="*", default=[], help="seeds of earlier draws: not the files that they reached"
    )
    parser.add_argument("--judged", type=Path, help="keep what was said of files here, and go on from it")
    parser.add_argument("--seconds", type=float, default=3600.0, help="for unmodified files, and for making mutants")
    parser.add_argument("--packages", type=int, default=1000, help="of these packages, in the order of the draw")
    parser.add_argument("--dry", type=int, default=10, help="mutants that are also run dry")
    parser.add_argument("--dry-seconds", type=float, default=240.0, help="of each, with `--only dry`")
    parser.add_argument("--only", choices=("make", "judge", "dry", "files"))
    arguments = parser.parse_args()
    folder, seed = arguments.folder.resolve(), arguments.seed
    if arguments.only != "files":
        file = arguments.made or Path(tempfile.mkdtemp()) / "mutants.jsonl"
        if arguments.only == "dry":
            judge_dry(list(filter(is_defect, read(file)))[: arguments.mutants], arguments.dry_seconds)
            return 0
        if arguments.only != "judge":
            import_frameworks()
            make(folder, seed, arguments.mutants, file, arguments.dependencies, arguments.each, arguments.seconds,
                 arguments.written)  # fmt: skip
        if arguments.only != "make":
            judge_mutants(list(filter(is_defect, read(file)))[: arguments.mutants], arguments.dry)
    if arguments.only in (None, "files"):
        judge_files(folder, seed, arguments.files, arguments.packages, arguments.judged, arguments.seconds,
                    arguments.without)  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
