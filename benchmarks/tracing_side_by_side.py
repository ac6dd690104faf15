"""Tracing beside Pyrefly's tensor shapes, torchtyc, pyright and mypy on the same PyTorch programs.

    python benchmarks/tracing_side_by_side.py TOOLS PYTHON [--runs 16] [--made FILE --mutants 8] [--seed COMMIT]
                                              [--only written]

TOOLS is an environment with `pyrefly pyrefly-torch-stubs torchtyc[all] pyright mypy jaxtyping einops torch`. PYTHON is
an interpreter with torch and without Pyrefly's stubs, which mypy and pyright cannot read. Programs:
the defective programs of `tests/tracing/corpus` and their twins, as they are and with the annotations that tracing
proposes for the twin; the programs of `benchmarks/side_by_side`, written before any tool was tried on them, with their
annotations and without (`--only written`: these alone); the forms of annotations of
`tests/tracing/test_declared_shapes.py`; and defects injected into published code by `tracing_unseen.py --only make`
(FILE), with the example that they make fail. A defect is found where a tool says something that it does not say of the
twin, on the line where that is the marked, the failing or the changed one; a twin is silent if it says nothing at all
of it. What runs programs is given `--runs` pairs, drawn by the seed.
Each tool reads all files in one process where it can; times are of processor, start included, for each file.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from analyzer.tracing.contracts.annotations import annotated
from analyzer.tracing.tracing import propose_annotations
from benchmarks.tracing_unseen import Mutant, _changed_lines, _copied, read

HERE = Path(__file__).resolve().parents[1]
WRITTEN = HERE / "benchmarks" / "side_by_side"
CORPUS = HERE / "tests" / "tracing" / "corpus"
Said = set[tuple[str, int, str]]  # file, line, what is said


@dataclass(frozen=True)
class Pair:
    """A defective program and its repaired twin, the line that is at fault, and others that may be told of it."""

    name: str
    broken: str
    fixed: str
    line: int
    changed: frozenset[int] = frozenset()

    def lines(self) -> set[tuple[str, int]]:
        return {("", n) for n in (self.line, *self.changed)}


@dataclass
class Tally:
    """What one tool said of the programs of one kind."""

    pairs: int = 0
    found: int = 0
    placed: int = 0
    silent: int = 0
    seconds: float = 0.0
    files: int = 0

    def add(self, broken: Said, fixed: Said, lines: set[tuple[str, int]]) -> None:
        told = {(f, m) for f, _, m in fixed}
        new = {(f, n) for f, n, m in broken if (f, m) not in told}
        self.pairs += 1
        self.found += bool(new)
        self.placed += bool(new & lines)
        self.silent += not fixed

    def row(self, tool: str) -> str:
        each = f"{self.seconds / self.files:.1f} s" if self.files else "–"
        cells = (f"{self.found}", f"{self.placed}", f"{self.silent}")
        return f"| {tool} | {self.pairs} | " + " | ".join(cells) + f" | {each} |"


# ------------------------------------------------------------------------------------------------ programs


def corpus() -> list[Pair]:
    return [_pair(folder) for folder in sorted(CORPUS.glob("torch-*"))]


def _pair(folder: Path) -> Pair:
    broken, fixed = ((folder / f"{kind}.py").read_text(encoding="utf-8") for kind in ("broken", "fixed"))
    line = next(n for n, text in enumerate(broken.splitlines(), 1) if "# <- expected" in text)
    return Pair(_name(folder.name), broken, fixed, line)


def written() -> list[Pair]:
    """Programs that taught nothing; the line that fails and the line that differs from the twin's are both right."""
    pairs = []
    for folder in sorted(WRITTEN.iterdir()):
        pair = _pair(folder)
        lines = zip(pair.broken.splitlines(), pair.fixed.splitlines(), strict=True)
        changed = {n for n, (old, new) in enumerate(lines, 1) if old.partition("  # <-")[0] != new}
        pairs.append(replace(pair, changed=frozenset(changed)))
    return pairs


def without_annotations(pairs: Iterable[Pair]) -> list[Pair]:
    """The pairs that fail when they are run, and have jaxtyping's annotations, without these."""
    chosen = [p for p in pairs if "jaxtyping" in p.broken and not p.name.startswith("annotated_")]
    return [replace(p, name=f"{p.name}_plain", broken=bare(p.broken), fixed=bare(p.fixed)) for p in chosen]


def bare(text: str) -> str:
    """A program without annotations of parameters, results and names; every line stays where it is."""
    places: list[tuple[int, int, int, int]] = []

    def drop(before: tuple[int, int], node: ast.expr) -> None:
        places.append((*before, node.end_lineno or 0, node.end_col_offset or 0))

    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.arg) and node.annotation is not None:
            drop((node.lineno, node.col_offset + len(node.arg)), node.annotation)
        elif isinstance(node, ast.AnnAssign) and node.value is not None and "Tensor" in ast.unparse(node.annotation):
            drop((node.target.end_lineno or 0, node.target.end_col_offset or 0), node.annotation)
        elif isinstance(node, ast.FunctionDef) and node.returns is not None:
            line = text.splitlines()[node.returns.lineno - 1]
            drop((node.returns.lineno, line.rindex(" ->", 0, node.returns.col_offset)), node.returns)
    lines = text.splitlines(keepends=True)
    for first, start, last, end in sorted(places, reverse=True):
        assert first == last, "an annotation on one line"
        lines[first - 1] = lines[first - 1][:start] + lines[first - 1][end:]
    return "".join("\n" if line.startswith("from jaxtyping") else line for line in lines)


def with_annotations(pairs: Iterable[Pair]) -> list[Pair]:
    """The pairs for whose twin tracing proposes annotations, which are written into both programs."""
    found = []
    for pair in pairs:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "program.py"
            path.write_text(pair.fixed, encoding="utf-8")
            proposals = propose_annotations(path, Path(folder))
        if not proposals:
            continue
        fixed = annotated(pair.fixed, ast.parse(pair.fixed), proposals)
        names = {a.function: a for a in proposals}
        tree = ast.parse(pair.broken)
        own = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name in names]
        once = [n for n in own if sum(o.name == n.name for o in own) == 1 and len(n.args.args) > 0]
        moved = [type(names[n.name])(n.lineno, n.name, names[n.name].shapes) for n in once]
        if not moved:
            continue
        broken = annotated(pair.broken, tree, moved)
        marked = next((n for n, text in enumerate(broken.splitlines(), 1) if "# <- expected" in text), pair.line)
        found.append(Pair(f"{pair.name}_annotated", broken, fixed, marked))
    return found


def forms() -> list[Pair]:
    file = HERE / "tests" / "tracing" / "test_declared_shapes.py"
    spec = importlib.util.spec_from_file_location("declared_shapes", file)
    assert spec is not None and spec.loader is not None  # noqa: PT018
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    pairs = []
    for name, (wrong, right, text) in module.FORMS.items():
        broken, fixed = (module.HEAD + text.replace("{}", part) + "\n" for part in (wrong, right))
        line = next(n for n, told in enumerate(broken.splitlines(), 1) if "# here" in told)
        pairs.append(Pair(_name(f"form {name}"), broken, fixed, line))
    return pairs


def _name(text: str) -> str:
    return re.sub(r"\W", "_", text)


def write(pairs: Iterable[Pair], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for pair in pairs:
        (folder / f"{pair.name}_broken.py").write_text(pair.broken, encoding="utf-8")
        (folder / f"{pair.name}_fixed.py").write_text(pair.fixed, encoding="utf-8")


# --------------------------------------------------------------------------------------------------- tools


PLAIN: dict[str, str] = {}  # the interpreter without stubs


def run(command: list[str], folder: Path, seconds: int = 400) -> str:
    environment = {**os.environ, "PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=seconds, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout


def _findings(text: str) -> Said:
    """Of Assay, as JSON: errors and warnings. It prints a report whatever it finds, so anything else ends the study."""
    report = json.loads(text)
    return {
        (Path(place["path"]).name, place["line"], f["message"])
        for f in report["findings"]
        if f["level"] != "note" and (place := f.get("location"))
    }


# no type checker beside it: they have rows of their own
ALONE = (
    "import sys; from analyzer.tracing import tracing; tracing.check_python = lambda *a: ();"
    "from analyzer.commands.cli import main; sys.exit(main(sys.argv[1:]))"
)


def assay(tools: Path, folder: Path, files: list[str]) -> Said:
    return _findings(run([sys.executable, "-c", ALONE, "trace", *files, "--format", "json"], folder))


def assay_run(tools: Path, folder: Path, files: list[str]) -> Said:
    return _findings(run([sys.executable, "-c", ALONE, "trace", "--run", *files, "--format", "json"], folder))


def torchtyc(*verb: str) -> Callable[[Path, Path, list[str]], Said]:
    def said(tools: Path, folder: Path, files: list[str]) -> Said:
        python = str(tools / "bin" / "python")
        text = run([str(tools / "bin" / "torchtyc"), *verb, *files, "--format", "json", "--python", python], folder)
        try:
            found = json.loads(text)["diagnostics"]
        except (json.JSONDecodeError, KeyError):
            return set()
        return {(Path(d["path"]).name, d["line"] + 1, d["message"]) for d in found if d["severity"] != "info"}

    return said


def pyrefly(tools: Path, folder: Path, files: list[str]) -> Said:
    (folder / "pyrefly.toml").write_text('project-includes = ["*.py"]\n')
    command = [str(tools / "bin" / "pyrefly"), "check", "--python-interpreter-path", str(tools / "bin" / "python")]
    text = run([*command, "--output-format", "min-text", *files], folder)
    found = re.findall(r"^\s*(?:ERROR|WARN) (\S+?):(\d+):\S+ (.*)$", text, re.MULTILINE)
    return {(Path(f).name, int(n), m) for f, n, m in found if "[missing-import]" not in m}


def pyright(tools: Path, folder: Path, files: list[str]) -> Said:
    command = [str(tools / "bin" / "pyright"), "--pythonpath", PLAIN.get("python", ""), "--outputjson"]
    try:
        found = json.loads(run([*command, *files], folder))["generalDiagnostics"]
    except (json.JSONDecodeError, KeyError):
        return set()
    return {
        (Path(d["file"]).name, d["range"]["start"]["line"] + 1, d["message"])
        for d in found
        if d["severity"] == "error" and "reportMissing" not in d.get("rule", "")
    }


def mypy(tools: Path, folder: Path, files: list[str]) -> Said:
    command = [str(tools / "bin" / "mypy"), "--python-executable", PLAIN.get("python", "")]
    text = run([*command, "--ignore-missing-imports", "--check-untyped-defs", "--no-error-summary", *files], folder)
    found = re.findall(r"^(\S+?):(\d+): error: (.*)$", text, re.MULTILINE)
    return {(Path(f).name, int(n), m) for f, n, m in found}


READING = {"Assay": assay, "torchtyc check": torchtyc("check"), "Pyrefly with its torch stubs": pyrefly,
           "pyright": pyright, "mypy": mypy}  # fmt: skip
RUNNING = {"Assay --run": assay_run, "torchtyc run": torchtyc("run")}


def timed(
    tool: Callable[[Path, Path, list[str]], Said], tools: Path, folder: Path, files: list[str]
) -> tuple[Said, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = tool(tools, folder, files)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return said, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


# --------------------------------------------------------------------------------------------------- study

HEAD = """| tool | pairs | found | on the line | silent twins | processor time a file |
|---|---|---|---|---|---|"""


def compare(title: str, pairs: list[Pair], tools: Path, folder: Path, running: list[Pair]) -> None:
    print(f"\n{title}\n\n{HEAD}")
    for name, tool in READING.items():
        place = folder / _name(name)
        write(pairs, place)
        files = [f"{p.name}_{kind}.py" for p in pairs for kind in ("broken", "fixed")]
        said, seconds = timed(tool, tools, place, files)
        _print(name, pairs, said, seconds, len(files))
    for name, tool in RUNNING.items() if running else ():
        place = folder / _name(name)
        write(running, place)
        said, seconds = set(), 0.0
        for pair in running:
            for kind in ("broken", "fixed"):
                found, took = timed(tool, tools, place, [f"{pair.name}_{kind}.py"])
                said, seconds = said | found, seconds + took
        _print(name, running, said, seconds, 2 * len(running))


def _print(name: str, pairs: list[Pair], said: Said, seconds: float, files: int) -> None:
    tally = Tally(seconds=seconds, files=files)
    missed = []
    for pair in pairs:
        of = {kind: {("", n, m) for f, n, m in said if f == f"{pair.name}_{kind}.py"} for kind in ("broken", "fixed")}
        before = tally.found
        tally.add(of["broken"], of["fixed"], pair.lines())
        if tally.found == before:
            missed.append(pair.name)
    print(tally.row(name), flush=True)
    told = " ".join(missed)
    print(f"{name} missed: {told}", file=sys.stderr)


def compare_mutants(made: list[Mutant], tools: Path) -> None:
    print(f"\nInjected into published code\n\n{HEAD}")
    for name, tool in {**READING, **RUNNING}.items():
        tally = Tally()
        for mutant in made:
            old = ast.unparse(ast.parse((Path(mutant.root) / mutant.path).read_text(encoding="utf-8")))
            lines = {(Path(f).name, n) for f, n in (*mutant.frames[-1:], *_changed_lines(mutant))}
            said = []
            for text in (mutant.text, old):
                with _copied(Path(mutant.root), mutant.path, text) as copy:
                    (copy / "README.md").unlink(missing_ok=True)
                    (copy / "driver.py").write_text(mutant.driver, encoding="utf-8")
                    files = ["driver.py"] if name in RUNNING or name == "Assay" else ["driver.py", mutant.path]
                    found, seconds = timed(tool, tools, copy, files)
                said.append(found)
                tally.seconds, tally.files = tally.seconds + seconds, tally.files + 1
            tally.add(said[0], said[1], lines)
        print(tally.row(name), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", type=Path)
    parser.add_argument("python")
    parser.add_argument("--runs", type=int, default=16)
    parser.add_argument("--made", type=Path)
    parser.add_argument("--mutants", type=int, default=8)
    parser.add_argument("--seed", default="")
    parser.add_argument("--only", choices=["written"])
    arguments = parser.parse_args()
    tools = arguments.tools.resolve()
    PLAIN["python"] = arguments.python

    def drawn(name: str) -> str:
        return sha256(f"{arguments.seed}/{name}".encode()).hexdigest()

    own = written()
    with tempfile.TemporaryDirectory(prefix="assay-side-") as folder:
        root = Path(folder)
        annotated_ones = [p for p in own if "jaxtyping" in p.broken]
        others = [p for p in own if "jaxtyping" not in p.broken]
        compare("Written for this, without annotations", [*others, *without_annotations(own)], tools, root / "bare",
                [*others, *without_annotations(own)])  # fmt: skip
        contracts = [p for p in annotated_ones if p.name.startswith("annotated_")]  # the others are run without
        compare("Written for this, with annotations", annotated_ones, tools, root / "written", contracts)
    if arguments.only:
        return 0
    plain = corpus()
    chosen = sorted(plain, key=lambda p: drawn(p.name))[: arguments.runs]
    with tempfile.TemporaryDirectory(prefix="assay-side-") as folder:
        root = Path(folder)
        compare("As they are", plain, tools, root / "plain", chosen)
        compare("With annotations that tracing proposed", with_annotations(plain), tools, root / "annotated", [])
        compare("Forms of annotations", forms(), tools, root / "forms", [])
    if arguments.made:
        made = sorted(read(arguments.made), key=lambda m: drawn(m.package + m.path + m.change))
        compare_mutants(made[: arguments.mutants], tools)
    return 0


if __name__ == "__main__":
    sys.exit(main())
