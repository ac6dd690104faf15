"""Programs that use a published package, and how they end: examples, tests and main parts that come with it.

Of the README and of docstrings come the Python examples, with the imports that their readers know of; of a source
distribution's tests those that a runner would call, with the fixtures of the same file; of a module its main part; of
its folder of examples small scripts; of its classes a first call (`constructed_drivers`). What runs them is a forked
child of this process, so run it where that may be.
"""

from __future__ import annotations

import ast
import builtins
import json
import os
import pickle
import re
import signal
import socket
import sys
import tempfile
import textwrap
import time
import traceback
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path
from select import select
from types import FrameType

from benchmarks.constructed_drivers import MOST, candidates

DRIVER = "assay_driver.py"
SECONDS = 20  # of processor time, of one run of a driver, which watches its lines; a changed one has half of it
CROWDED = 3  # times as long it may take where others use the machine
MOST_CASES = 6  # tests of one file that programs call
EXAMPLES = frozenset(("examples", "example", "demo", "demos", "tutorials", "scripts"))
MARKED = re.compile(r"torch|keras|tensorflow")
_TEST_FILE = re.compile(r"(^test_.*|.*_test)\.py$")


@dataclass(frozen=True)
class Program:
    """`kind`: README, docstring, test, main, script or constructed; `name`: where it comes from."""

    kind: str
    name: str
    text: str


@dataclass(frozen=True)
class Outcome:
    """How a program ended: what it raised, and the frames in the package, innermost last."""

    error: str | None
    frames: tuple[tuple[str, int], ...] = ()
    ran: frozenset[tuple[str, int]] = frozenset()  # lines of functions of the package, where it ended well


def drawn(folder: Path, seed: str) -> list[Path]:
    """The packages that lie in the folder, in the order of the seed."""
    found = [p for p in folder.iterdir() if p.is_dir() and not p.name.startswith(".")]
    return sorted(found, key=lambda p: sha256(f"{seed}/{p.name}".encode()).hexdigest())


def source_root(package: Path) -> Path:
    inner = [
        d for d in package.iterdir() if d.is_dir() and ((d / "setup.py").exists() or (d / "pyproject.toml").exists())
    ]
    root = inner[0] if inner else package
    return root / "src" if (root / "src").is_dir() else root


# ------------------------------------------------------------------------------------------------- programs


def programs(package: Path, seed: str, also: Path | None = None, written: bool = False) -> list[Program]:
    """All of them, each kind in the order of the seed, and the kinds in turn; with `written` none that is made here."""
    root = source_root(package)
    kinds: dict[str, list[Program]] = {}
    constructed = () if written else _constructed(root, seed, also)
    for found in chain(_readme(package, root), _scripts(root), _of_modules(root), constructed):
        kinds.setdefault(found.kind, []).append(found)
    for each in kinds.values():
        each.sort(key=lambda p: sha256(f"{seed}/{p.name}".encode()).hexdigest())
    order = sorted(kinds, key=lambda k: sha256(f"{seed}/{package.name}/{k}".encode()).hexdigest())
    longest = max((len(p) for p in kinds.values()), default=0)
    return [kinds[k][i] for i in range(longest) for k in order if i < len(kinds[k])]


_FENCE = re.compile(r"^[ ]*```([^\n`]*)\n(.*?)^[ ]*```[ ]*$", re.DOTALL | re.M)
_PYTHON = re.compile(r"[ ]*\{?\.?(?:python3?|py|pycon)?[ ]*(?:[^\w\n].*)?$", re.I)  # or no language at all
_DIRECTIVE = re.compile(
    r"^\.\. code(?:-block)?:: *python[^\n]*\n(?:[ \t]+:[^\n]*\n)*((?:[ \t]+[^\n]*\n|[ \t]*\n)+)", re.M
)


def examples(package: Path) -> Iterator[str]:
    """The Python blocks of the README, in order; of those without a language what is Python and imports something."""
    texts = [*sorted(package.glob("*.dist-info/METADATA")), *sorted(package.glob("**/README*"))[:1]]
    for file in texts[:2]:
        text = file.read_text(encoding="utf-8", errors="replace") + "\n"
        fenced = [block for language, block in _FENCE.findall(text) if _PYTHON.match(language)]
        for block in [*fenced, *_DIRECTIVE.findall(text)]:
            block = textwrap.dedent(block)
            lines = block.splitlines()
            if any(line.startswith(">>>") for line in lines):
                block = "\n".join(line[4:] for line in lines if line.startswith((">>> ", "... ")))
            if len(block) < 4000 and _parsed(block) is not None:
                yield _on_processor(block)


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _on_processor(text: str) -> str:
    return text.replace(".cuda()", "").replace(".to('cuda')", "").replace('.to("cuda")', "")


_KNOWN = {
    "torch": "import torch", "nn": "from torch import nn", "F": "import torch.nn.functional as F",
    "np": "import numpy as np", "numpy": "import numpy", "tf": "import tensorflow as tf", "keras": "import keras",
    "tensorflow": "import tensorflow", "math": "import math", "Tensor": "from torch import Tensor",
    "einops": "import einops", "DataLoader": "from torch.utils.data import DataLoader", "plt":
    "import matplotlib.pyplot as plt", "optim": "from torch import optim", "random": "import random",
}  # fmt: skip


def with_imports(text: str, own: dict[str, str]) -> str:
    """A program behind the imports that its reader adds: of what everybody knows, and of the package's own names."""
    tree = _parsed(text)
    if tree is None:
        return text
    names = [n for n in ast.walk(tree) if isinstance(n, ast.Name)]
    bound = {n.id for n in names if not isinstance(n.ctx, ast.Load)} | set(dir(builtins))
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            bound |= _binds(node)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    missing = dict.fromkeys(n.id for n in names if isinstance(n.ctx, ast.Load) and n.id not in bound)
    lines = [_KNOWN.get(n) or own[n] for n in missing if n in _KNOWN or n in own]
    return "\n".join([*lines, text])


def _own_names(root: Path) -> dict[str, str]:
    """How public classes and functions are imported that one module of the package defines alone, and the package."""
    homes: dict[str, set[str]] = {}
    for file in sorted(root.rglob("*.py")):
        parts = file.relative_to(root).with_suffix("").parts
        if EXAMPLES & set(parts) or {"tests", "test", "docs"} & set(parts) or not all(p.isidentifier() for p in parts):
            continue
        tree = _parsed(file.read_text(encoding="utf-8", errors="replace"))
        for node in tree.body if tree is not None else ():
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_"):
                home = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
                homes.setdefault(node.name, set()).add(home)
    alone = {name: next(iter(found)) for name, found in homes.items() if len(found) == 1 and "" not in found}
    packages = {f.parent.name: f"import {f.parent.name}" for f in root.glob("*/__init__.py")}
    return {name: f"from {home} import {name}" for name, home in alone.items()} | packages


def _readme(package: Path, root: Path) -> Iterator[Program]:
    """Each block, and behind those that come before it, whose names it may use."""
    blocks = list(dict.fromkeys(examples(package)))
    own = _own_names(root) if blocks else {}
    for number, text in enumerate(blocks):
        yield Program("README", f"README {number}", with_imports(text, own))
        if number:
            yield Program("README", f"README to {number}", with_imports("\n".join(blocks[: number + 1]), own))


def _constructed(root: Path, seed: str, also: Path | None) -> Iterator[Program]:
    """First calls of classes and functions that were found to run, in one child."""
    files = [
        f
        for f in sorted(root.rglob("*.py"))
        if not {"tests", "test", "docs", "build", *EXAMPLES} & set(f.relative_to(root).parts)
        and all(p.isidentifier() for p in f.relative_to(root).with_suffix("").parts)
    ]
    wanted = candidates(root, files)
    wanted.sort(key=lambda w: sha256(f"{seed}/{w}".encode()).hexdigest())
    if not wanted:
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "found"
        text = f"from benchmarks.constructed_drivers import probe\nprobe({wanted[: 4 * MOST]!r}, {str(file)!r})\n"
        run(root, text, also, watch=False, seconds=SECONDS)
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    for name, found in map(json.loads, lines[:MOST]):
        yield Program("constructed", name, found)


def _scripts(root: Path) -> Iterator[Program]:
    for file in sorted(root.rglob("*.py")):
        relative = file.relative_to(root)
        if EXAMPLES & set(relative.parts[:-1]) and file.stat().st_size < 20_000:
            yield Program("script", relative.as_posix(), file.read_text(encoding="utf-8", errors="replace"))


def _of_modules(root: Path) -> Iterator[Program]:
    own = _own_names(root)
    for file in sorted(root.rglob("*.py")):
        relative = file.relative_to(root)
        if EXAMPLES & set(relative.parts[:-1]) or file.stat().st_size > 100_000:
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        if not MARKED.search(text):
            continue
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            continue
        if _TEST_FILE.match(file.name):
            kept = _as_program(text, tree)
            for number, called in enumerate(_calls_of_tests(tree)):
                yield Program("test", f"{relative.as_posix()} {number}", f"{kept}\n\n{called}\n")
        elif all(part.isidentifier() for part in relative.with_suffix("").parts):
            yield from _main_part(tree, relative)
            yield from _docstrings(tree, relative, own)


def _as_program(text: str, tree: ast.Module) -> str:
    """A file without its main part, which would run its tests a second time; its fixtures are plain functions."""
    lines = text.splitlines()
    for fixture in _fixtures(tree).values():
        for given in fixture.decorator_list:
            for number in range(given.lineno - 1, given.end_lineno or given.lineno):
                lines[number] = ""
    for node in tree.body:
        if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test):
            lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or node.lineno) - node.lineno + 1)
    return "\n".join(lines)


def _fixtures(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """The functions of a file that a runner calls for the arguments of tests."""
    return {
        n.name: n
        for n in tree.body
        if isinstance(n, ast.FunctionDef)
        and len(n.decorator_list) == 1
        and re.match(r"(pytest\.)?fixture\b", ast.unparse(n.decorator_list[0]))
        and "params" not in ast.unparse(n.decorator_list[0])
    }


def _calls_of_tests(tree: ast.Module) -> list[str]:
    """Calls of the tests whose arguments are known, each of its own, with the first of their parameters."""
    found: list[str] = []
    fixtures = _fixtures(tree)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            given = _given(node, node.args.args, fixtures)
            if given is not None:
                found.append(f"{node.name}({given})")
        elif isinstance(node, ast.ClassDef) and not any("skip" in ast.unparse(d) for d in node.decorator_list):
            unit = any("TestCase" in ast.unparse(b) for b in node.bases)
            if not unit and node.bases:
                continue
            methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
            for method in methods.values():
                if not method.name.startswith("test"):
                    continue
                given = _given(method, method.args.args[1:], fixtures)
                if given is None:
                    continue
                made = f"case = {node.name}({method.name!r})" if unit else f"case = {node.name}()"
                found.append(f"{made}\n{_before(node.name, methods)}case.{method.name}({given})")
    return found[:MOST_CASES]


def _before(name: str, methods: dict[str, ast.FunctionDef]) -> str:
    """What a runner calls before a test of a class."""
    lines = [f"{name}.{n}()" for n in ("setUpClass", "setup_class") if n in methods]
    for n in ("setUp", "setup_method", "setup"):
        if n in methods:
            lines.append(f"case.{n}({'None' if len(methods[n].args.args) > 1 else ''})")
    return "".join(f"{line}\n" for line in lines)


def _from_fixture(name: str, fixtures: dict[str, ast.FunctionDef], depth: int = 4) -> str | None:
    """The value of a fixture as an expression; None where it wants one that the file does not have."""
    fixture = fixtures.get(name)
    if fixture is None or not depth:
        return None
    given = {a.arg: _from_fixture(a.arg, fixtures, depth - 1) for a in fixture.args.args}
    if None in given.values():
        return None
    called = f"{name}({', '.join(f'{k}={v}' for k, v in given.items())})"
    return f"next({called})" if any(isinstance(n, ast.Yield) for n in ast.walk(fixture)) else called


def _given(node: ast.FunctionDef, parameters: list[ast.arg], fixtures: dict[str, ast.FunctionDef]) -> str | None:
    """The arguments of a call, from `parametrize` and fixtures; None where others are wanted or the test is marked."""
    wanted = {p.arg for p in parameters[: len(parameters) - len(node.args.defaults)]}
    given: dict[str, str] = {}
    for decorator in node.decorator_list:
        text = ast.unparse(decorator)
        if (
            not isinstance(decorator, ast.Call)
            or not text.startswith("pytest.mark.parametrize")
            or len(decorator.args) < 2
        ):
            return None
        names, values = decorator.args[:2]
        if not isinstance(values, (ast.List, ast.Tuple)) or not values.elts:
            return None
        if isinstance(names, ast.Constant):
            keys = [n.strip() for n in str(names.value).split(",")]
        else:
            keys = [str(e.value) for e in getattr(names, "elts", []) if isinstance(e, ast.Constant)]
        first = values.elts[0]
        parts = [first] if len(keys) == 1 else list(getattr(first, "elts", []))
        if len(parts) != len(keys):
            return None
        given.update({k: ast.unparse(v) for k, v in zip(keys, parts, strict=True)})
    for name in sorted(wanted - set(given)):
        made = _from_fixture(name, fixtures)
        if made is None:
            return None
        given[name] = made
    if set(given) - {p.arg for p in parameters}:
        return None
    return ", ".join(f"{k}={v}" for k, v in given.items())


def _main_part(tree: ast.Module, relative: Path) -> Iterator[Program]:
    """What a module does when it is run, or in a function of tests of its own, as a program that imports it."""
    module = ".".join(relative.with_suffix("").parts)
    defined = {n for node in tree.body for n in _binds(node)}
    for node in tree.body:
        body: list[ast.stmt] = []
        if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test):
            body = node.body
        elif isinstance(node, ast.FunctionDef) and node.name in ("_test", "test") and not node.args.args:
            body = [ast.parse(f"{node.name}()").body[0]]
        if not body:
            continue
        text = "\n".join(ast.unparse(n) for n in body)
        used = sorted({n.id for b in body for n in ast.walk(b) if isinstance(n, ast.Name)} & defined)
        if used:
            yield Program("main", relative.as_posix(), f"from {module} import {', '.join(used)}\n\n{text}\n")


def _binds(node: ast.stmt) -> set[str]:
    if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(a.asname or a.name).partition(".")[0] for a in node.names if a.name != "*"}
    if isinstance(node, ast.Assign):
        return {t.id for t in node.targets if isinstance(t, ast.Name)}
    return set()


def _docstrings(tree: ast.Module, relative: Path, own: dict[str, str]) -> Iterator[Program]:
    """The examples with prompts of a module's classes and functions, each a program that imports the module."""
    module = ".".join(relative.with_suffix("").parts)
    public = [n.name for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef)) and n.name[0] != "_"]
    for node in tree.body:
        if not isinstance(node, (ast.ClassDef, ast.FunctionDef)) or node.name not in public:
            continue
        lines = (ast.get_docstring(node) or "").splitlines()
        lines = [t.strip() for t in lines]
        code = [t[4:] for t in lines if t.startswith((">>> ", "... "))]
        if not code or node.name not in "\n".join(code):
            continue
        text = _on_processor("\n".join(code))
        text = with_imports(f"from {module} import {', '.join(public)}\n{text}\n", own)
        yield Program("docstring", f"{relative.as_posix()}:{node.name}", text)


# ------------------------------------------------------------------------------------------------- their runs


def import_frameworks() -> None:
    """What children need is imported once, here; no operation is run, so that a fork is safe."""
    import einops  # noqa: F401
    import torch  # noqa: F401

    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
    os.environ.setdefault("MPLBACKEND", "Agg")
    import keras  # noqa: F401
    import tensorflow  # noqa: F401


def run(root: Path, text: str, also: Path | None = None, watch: bool = False, seconds: int = SECONDS // 2) -> Outcome:
    """The program in a forked child, which has what this process has imported and leaves nothing behind."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.setsid()
        outcome = Outcome("TimeoutError")
        try:
            me = os.getpid()
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # nobody types
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS if watch else seconds)
            signal.alarm(CROWDED * (SECONDS if watch else seconds))
            outcome = _execute(root, text, also, watch)
        finally:
            if os.getpid() == me:  # what the program forked has nothing to say
                with suppress(OSError):  # nobody waits any longer
                    os.write(writing, pickle.dumps(outcome))
            os._exit(0)
    os.close(writing)
    data, until = b"", time.monotonic() + CROWDED * SECONDS + 5
    while select([reading], [], [], max(0.0, until - time.monotonic()))[0] and (part := os.read(reading, 1 << 20)):
        data += part
        until = time.monotonic() + 1
    os.close(reading)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return pickle.loads(data) if data else Outcome("TimeoutError")


def _no_network(*_: object) -> None:
    raise ConnectionRefusedError("no network")


def _execute(root: Path, text: str, also: Path | None, watch: bool) -> Outcome:
    import torch

    torch.manual_seed(0)
    torch.set_num_threads(1)
    sys.path[0:0] = [str(root), *([str(also)] if also else [])]
    os.chdir(tempfile.mkdtemp())
    sys.argv = [DRIVER]
    socket.socket.connect = _no_network  # type: ignore[assignment,method-assign]
    os.environ.update(PIP_NO_INDEX="1", UV_OFFLINE="1", YOLO_AUTOINSTALL="false")  # some packages install others
    prefix, ran = f"{root}/", set()

    def lines(frame: FrameType, event: str, _: object) -> object:
        if not frame.f_code.co_filename.startswith(prefix):
            return None
        if event == "line" and frame.f_code.co_name != "<module>":
            ran.add((frame.f_code.co_filename[len(prefix) :], frame.f_lineno))
        return lines

    main = type(sys)("__main__")
    main.__dict__["__file__"] = str(root / DRIVER)
    sys.modules["__main__"] = main
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        try:
            if watch:
                sys.settrace(lines)  # type: ignore[arg-type]
            exec(compile(text, str(root / DRIVER), "exec"), main.__dict__)
        except ModuleNotFoundError as error:
            return Outcome(f"no module {error.name}")
        except BaseException as error:
            frames = [
                (str(Path(f.filename).relative_to(root)), f.lineno or 0)
                for f in traceback.extract_tb(error.__traceback__)
                if f.filename.startswith(prefix) and f.filename != str(root / DRIVER)
            ]
            return Outcome(f"{type(error).__name__}: {error}"[:200], tuple(frames))
        finally:
            sys.settrace(None)
    return Outcome(None, (), frozenset(ran))
