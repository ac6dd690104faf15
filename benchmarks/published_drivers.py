"""Programs that use a published package, and how they end: examples, tests and main parts that come with it.

Of the README and of docstrings come the Python examples; of a source distribution's tests those that a runner would
call without fixtures, one program for each file; of a module its main part; of its folder of examples small scripts.
What runs them is a forked child of this process, so run it where that may be.
"""

from __future__ import annotations

import ast
import os
import pickle
import re
import signal
import socket
import sys
import tempfile
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

DRIVER = "assay_driver.py"
SECONDS = 20  # of one run of a driver, which watches its lines; a changed one has half of it
MOST_CASES = 6  # tests of one file that a program calls
EXAMPLES = frozenset(("examples", "example", "demo", "demos", "tutorials", "scripts"))
MARKED = re.compile(r"torch|keras|tensorflow")
_TEST_FILE = re.compile(r"(^test_.*|.*_test)\.py$")


@dataclass(frozen=True)
class Program:
    """`kind`: README, docstring, test, main or script; `name`: where it comes from."""

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


def programs(package: Path, seed: str) -> list[Program]:
    """All of them, each kind in the order of the seed, and the kinds in turn."""
    root = source_root(package)
    kinds: dict[str, list[Program]] = {}
    for found in chain(_readme(package), _scripts(root), _of_modules(root)):
        kinds.setdefault(found.kind, []).append(found)
    for each in kinds.values():
        each.sort(key=lambda p: sha256(f"{seed}/{p.name}".encode()).hexdigest())
    order = sorted(kinds, key=lambda k: sha256(f"{seed}/{package.name}/{k}".encode()).hexdigest())
    longest = max((len(p) for p in kinds.values()), default=0)
    return [kinds[k][i] for i in range(longest) for k in order if i < len(kinds[k])]


def examples(package: Path) -> Iterator[str]:
    """The Python blocks of the README, in order."""
    texts = [*sorted(package.glob("*.dist-info/METADATA")), *sorted(package.glob("**/README*"))[:1]]
    for file in texts[:2]:
        text = file.read_text(encoding="utf-8", errors="replace")
        for block in re.findall(r"```[ ]?(?:python|py)[^\n]*\n(.*?)```", text, re.DOTALL):
            if "import" in block and len(block) < 4000:
                yield _on_processor(block)


def _on_processor(text: str) -> str:
    text = text.replace(".cuda()", "").replace(".to('cuda')", "").replace('.to("cuda")', "")
    named = "torch." in text and not re.search(r"^\s*import torch\b", text, re.MULTILINE)
    return f"import torch\n{text}" if named else text


def _readme(package: Path) -> Iterator[Program]:
    """Each block, and behind those that come before it, whose names it may use."""
    blocks = list(examples(package))
    for number, text in enumerate(blocks):
        yield Program("README", f"README {number}", text)
        if number:
            yield Program("README", f"README to {number}", "\n".join(blocks[: number + 1]))


def _scripts(root: Path) -> Iterator[Program]:
    for file in sorted(root.rglob("*.py")):
        relative = file.relative_to(root)
        if EXAMPLES & set(relative.parts[:-1]) and file.stat().st_size < 20_000:
            yield Program("script", relative.as_posix(), file.read_text(encoding="utf-8", errors="replace"))


def _of_modules(root: Path) -> Iterator[Program]:
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
            if called := _calls_of_tests(tree):
                kept = _without_main(text, tree)
                yield Program("test", relative.as_posix(), f"{kept}\n\n" + "\n".join(called) + "\n")
        elif all(part.isidentifier() for part in relative.with_suffix("").parts):
            yield from _main_part(tree, relative)
            yield from _docstrings(tree, relative)


def _without_main(text: str, tree: ast.Module) -> str:
    """A file without its main part, which would run its tests a second time and end the program."""
    lines = text.splitlines()
    for node in tree.body:
        if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test):
            lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or node.lineno) - node.lineno + 1)
    return "\n".join(lines)


def _calls_of_tests(tree: ast.Module) -> list[str]:
    """Calls of the tests that need no fixture, with the first of their parameters."""
    found: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            given = _given(node, node.args.args)
            if given is not None:
                found.append(f"{node.name}({given})")
        elif isinstance(node, ast.ClassDef) and not any("skip" in ast.unparse(d) for d in node.decorator_list):
            unit = any("TestCase" in ast.unparse(b) for b in node.bases)
            if not unit and node.bases:
                continue
            names = {m.name for m in node.body if isinstance(m, ast.FunctionDef)}
            for method in node.body:
                if not (isinstance(method, ast.FunctionDef) and method.name.startswith("test")):
                    continue
                given = _given(method, method.args.args[1:])
                if given is None:
                    continue
                made = f"case = {node.name}({method.name!r})" if unit else f"case = {node.name}()"
                before = "case.setUp()\n" if "setUp" in names else ""
                found.append(f"{made}\n{before}case.{method.name}({given})")
    return found[:MOST_CASES]


def _given(node: ast.FunctionDef, parameters: list[ast.arg]) -> str | None:
    """The arguments of a call, from `parametrize`; None where a fixture is wanted or the test is marked."""
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
    if wanted - set(given) or set(given) - {p.arg for p in parameters}:
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


def _docstrings(tree: ast.Module, relative: Path) -> Iterator[Program]:
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
        yield Program(
            "docstring", f"{relative.as_posix()}:{node.name}", f"from {module} import {', '.join(public)}\n{text}\n"
        )


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
            signal.alarm(SECONDS if watch else seconds)
            outcome = _execute(root, text, also, watch)
        finally:
            if os.getpid() == me:  # what the program forked has nothing to say
                os.write(writing, pickle.dumps(outcome))
            os._exit(0)
    os.close(writing)
    data, until = b"", time.monotonic() + SECONDS + 5
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
