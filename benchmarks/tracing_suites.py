"""Programs that are known to run: test suites and docstrings of installed libraries. Each error told of them is false.

    python benchmarks/tracing_suites.py tests keras numpy [--most 100]
    python benchmarks/tracing_suites.py claims keras numpy test [--most 100]
    python benchmarks/tracing_suites.py docstrings torch tensorflow keras [--most 100]

`tests` traces each test file of a package alone: its suite passes for its authors, and a block that expects an error
holds none. Files that the authors skip on this machine, or that need a later version, are to be told apart by reading.
`claims` makes each assertion of these files a claim: a failure behind its contrary. What is proved of one, whatever the
data are, shows a value that tracing holds wrongly (`test` is Python's own suite).
`docstrings` runs the examples of each docstring first, in this process: run it where that may be. Those that come to
their end are traced. What is printed is to be mended or read.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import doctest
import importlib
import importlib.util
import io
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

from analyzer.frameworks.requested_versions import Versions
from analyzer.problem import TargetProblem
from analyzer.tracing.tracing import explore, read_source
from benchmarks.tracing_sweep import TooSlow, deadline

MOST_SECONDS = 60  # of tracing one file; an example runs for a third of it
HEADS = {
    "torch": "import numpy as np\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n",
    "tensorflow": "import numpy as np\nimport tensorflow as tf\n",
}
# What an example may not do to this process: start others, change defaults for all that follow, wait, or reach out.
UNTOLD = re.compile(
    r"fork|spawn|multiprocess|distributed|exit|quit|input\(|Server|urlopen|rmtree|system|subprocess|while True|debugger"
    r"|pdb|download|init_process|TCPStore|Popen|signal|show\(\)|set_default|set_grad_enabled"
)


CONTRARY = "torch.zeros(2, 3) @ torch.zeros(4, 5)"
COMPARED = {
    "assertEqual": ast.Eq, "assertNotEqual": ast.NotEq, "assertIs": ast.Is, "assertIsNot": ast.IsNot,
    "assertIn": ast.In, "assertNotIn": ast.NotIn, "assertLess": ast.Lt, "assertGreater": ast.Gt,
    "assertLessEqual": ast.LtE, "assertGreaterEqual": ast.GtE, "assertListEqual": ast.Eq, "assertDictEqual": ast.Eq,
    "assertTupleEqual": ast.Eq, "assertSetEqual": ast.Eq, "assert_equal": ast.Eq,
}  # fmt: skip


class Claims(ast.NodeTransformer):
    """Puts ``if not claim: CONTRARY`` in the place of each assertion."""

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        return self._guard(node.test, node)

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        call = node.value
        plain = isinstance(call, ast.Call) and not call.keywords and call.args
        if not isinstance(call, ast.Call) or not plain or any(isinstance(a, ast.Starred) for a in call.args):
            return node
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        claim = self._claim(name, call.args)
        return node if claim is None else self._guard(claim, node)

    @staticmethod
    def _claim(name: str, args: list[ast.expr]) -> ast.expr | None:
        if name in COMPARED and len(args) > 1:
            return ast.Compare(args[0], [COMPARED[name]()], [args[1]])
        if name in ("assertTrue", "assert_"):
            return args[0]
        if name == "assertFalse":
            return ast.UnaryOp(ast.Not(), args[0])
        if name in ("assertIsNone", "assertIsNotNone"):
            return ast.Compare(args[0], [ast.Is() if name == "assertIsNone" else ast.IsNot()], [ast.Constant(None)])
        if name == "assertIsInstance" and len(args) > 1:
            return ast.Call(ast.Name("isinstance", ast.Load()), args[:2], [])
        return None

    @staticmethod
    def _guard(claim: ast.expr, node: ast.stmt) -> ast.stmt:
        contrary = ast.parse(CONTRARY).body
        return ast.copy_location(ast.If(ast.UnaryOp(ast.Not(), claim), contrary, []), node)


def home_of(library: str) -> Path:
    """The folder of an installed package.

    Raises:
        SystemExit: it is not installed.
    """
    spec = importlib.util.find_spec(library)
    if spec is None or spec.origin is None:
        raise SystemExit(f"{library} is not installed here; name packages that are")
    return Path(spec.origin).parent


def tests(library: str) -> Iterator[tuple[str, str]]:
    """(place, source) of each test file."""
    home = home_of(library)
    for path in sorted(home.rglob("*.py")):
        if re.match(r"test_.*\.py|.*_test\.py", path.name):
            yield path.relative_to(home).as_posix(), path.read_text(encoding="utf-8-sig")


def claims(library: str) -> Iterator[tuple[str, str]]:
    """(place, source) of each test file, its assertions made claims."""
    for place, source in tests(library):
        try:
            tree = Claims().visit(ast.parse(source))
        except SyntaxError:
            continue
        later = (i for i, s in enumerate(tree.body) if not isinstance(s, ast.ImportFrom) or s.module != "__future__")
        tree.body.insert(
            next((i for i in later if i or ast.get_docstring(tree) is None), 0), ast.parse("import torch").body[0]
        )
        yield place, ast.unparse(ast.fix_missing_locations(tree))


def docstrings(library: str) -> Iterator[tuple[str, str]]:
    """(place, source) of the examples of each docstring that run to their end."""
    head = HEADS.get(library, f"import numpy as np\nimport {library}\n")
    importlib.import_module(library)
    seen: set[str] = set()
    for place, text in texts(library):
        try:
            examples = doctest.DocTestParser().get_examples(text)
        except ValueError:
            continue
        source = head + "".join(e.source for e in examples)
        if examples and source not in seen and not UNTOLD.search(source) and runs(place, source):
            yield place, source
        seen.add(source)


def texts(library: str) -> Iterator[tuple[str, str]]:
    """Docstrings in the sources of a package, and those that PyTorch gives to its built-in functions."""
    home = home_of(library)
    for path in sorted(home.rglob("*.py")):
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and ">>>" in node.value:
                yield f"{path.relative_to(home)}:{node.lineno}", node.value
    if library == "torch":
        module = importlib.import_module("torch")
        for name, value in (*vars(module).items(), *vars(module.Tensor.__mro__[1]).items()):
            if ">>>" in (text := str(getattr(value, "__doc__", ""))):
                yield name, text


def runs(place: str, source: str) -> bool:
    quiet = io.StringIO()
    try:
        with deadline(MOST_SECONDS // 3), contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
            exec(compile(source, place, "exec"), {"__name__": "__main__"})
    except (TooSlow, Exception, SystemExit):
        return False
    return True


def told(place: str, source: str, certain: bool = False) -> list[str]:
    """Every error that tracing tells of one program, its line behind it; `certain`: proved whatever the data are."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, Path(place.partition(":")[0]).name or "program.py").with_suffix(".py")
        path.write_text(source)
        try:
            with deadline(MOST_SECONDS):
                _, tree = read_source(path, path.parent)
                shared = explore(path.parent, path.name, tree, Versions())
        except TargetProblem:
            return []
        except TooSlow:
            return [f"the {MOST_SECONDS} s for tracing it are over"]
    lines = source.splitlines()
    return [
        f"{'proved' if p.proved else 'possible'} line {p.site.line} {p.rule}: {p.message} | "
        f"{lines[p.site.line - 1].strip() if p.site.path == path.name else p.site.path}"
        for p in shared.problems.values()
        if p.level == "error"
        if not certain or (p.proved and not any(s.startswith("The path is taken") for s in p.sentences))
    ]


PROGRAMS = {"tests": tests, "claims": claims, "docstrings": docstrings}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=tuple(PROGRAMS))
    parser.add_argument("libraries", nargs="+")
    parser.add_argument("--most", type=int, help="programs of each library")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for library in arguments.libraries:
        count = wrong = 0
        for place, source in PROGRAMS[arguments.kind](library):
            if count == arguments.most:
                break
            count, found = count + 1, told(place, source, arguments.kind == "claims")
            wrong += len(found)
            for line in found:
                print(f"{library}/{place} {line}", flush=True)
        print(f"{library}: {count} programs, {wrong} errors told of them", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
