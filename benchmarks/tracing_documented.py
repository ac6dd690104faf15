"""What tracing believes of the examples in libraries' docstrings, against their values in a real run of them.

    python benchmarks/tracing_documented.py LIBRARY ... [--seconds S] [--only TEXT]

Each example with prompts is run as far as it runs, with a recorder around its expressions (`tracing_recorded`), in a
forked child with some others; then it is traced, nothing executed. Told are beliefs that differ from what was
recorded, and errors claimed of what runs.
"""

from __future__ import annotations

import argparse
import ast
import doctest
import importlib
import inspect
import os
import pickle
import pkgutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.published_drivers import DRIVER, import_frameworks, with_imports
from benchmarks.tracing_recorded import Described, Instrument, Place, beliefs, held_against, recording

TOGETHER = 40  # programs of one child
SECONDS = 4  # of one program
LONGEST = 3000  # characters of one
ELSEWHERE = ("distributed", "cuda", "onnx", "jit", "export", "multiprocessing", "testing", "compiler", "compat", "lite",
             "raw_ops", "estimator", "tests", "f2py", "distutils", "ao", "fx", "tpu", "mps", "xpu", "hub", "profiler",
             "legacy", "saved_model", "classes", "tools")  # fmt: skip
Recorded = dict[Place, list[Described] | None]


def documented(library: str) -> Iterator[tuple[str, str]]:
    """Names of the library's public objects that have examples, and these as programs."""
    seen: set[int] = set()
    texts: set[str] = set()
    for module in _modules(importlib.import_module(library)):
        for name, value in sorted(vars(module).items()):
            if name.startswith("_") or isinstance(value, ModuleType) or id(value) in seen:
                continue
            seen.add(id(value))
            held = [(f"{module.__name__}.{name}", value)]
            if inspect.isclass(value):
                held += [(f"{module.__name__}.{name}.{n}", v) for n, v in vars(value).items() if n[0] != "_"]
            for full, each in held:
                text = _program(each)
                if text is not None and text not in texts:
                    texts.add(text)
                    yield full, text


def _modules(module: ModuleType) -> Iterator[ModuleType]:
    """The module and its public submodules that are imported or can be."""
    waiting, seen = [module], {module.__name__}
    while waiting:
        module = waiting.pop(0)
        yield module
        names = {n for n, v in vars(module).items() if isinstance(v, ModuleType)}
        with suppress(TypeError):  # what stands in for a module may have no path of folders
            names |= {m.name for m in pkgutil.iter_modules(getattr(module, "__path__", []))}
        for name in sorted(names):
            if name.startswith("_") or name in ELSEWHERE:
                continue
            with suppress(Exception, SystemExit):
                found = getattr(module, name, None) or importlib.import_module(f"{module.__name__}.{name}")
                own = isinstance(found, ModuleType) and _top(found) == _top(module)
                if own and found.__name__ not in seen:
                    seen.add(found.__name__)
                    waiting.append(found)


def _top(module: ModuleType) -> str:
    return module.__name__.partition(".")[0].strip("_")


def _program(value: Any) -> str | None:
    text = getattr(value, "__doc__", None)
    if not isinstance(text, str) or ">>>" not in text:
        return None
    try:
        parts = doctest.DocTestParser().get_examples(text)
    except ValueError:
        return None
    lines = []
    for part in parts:
        try:
            ast.parse(part.source)
        except (SyntaxError, ValueError):
            continue
        if part.exc_msg is None:
            lines.append(part.source)
    program = "".join(lines)
    return program if 0 < len(program) < LONGEST else None


def ran(texts: list[str]) -> list[tuple[str, Recorded, str]]:
    """Of each program what of it runs, what its expressions were, and what ended it; in a forked child."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "recorded"
        child = os.fork()
        if child == 0:
            with suppress(BaseException), file.open("wb") as out:
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                os.chdir(folder)
                for text in texts:
                    out.write(pickle.dumps(_run(text)))
                    out.flush()
            os._exit(0)
        os.waitpid(child, 0)
        found = []
        with file.open("rb") as kept, suppress(EOFError, pickle.UnpicklingError):
            while True:
                found.append(pickle.load(kept))
    return found


def _late(*_: object) -> None:
    raise TimeoutError


def _run(text: str) -> tuple[str, Recorded, str]:
    import torch

    torch.manual_seed(0)
    torch.set_default_dtype(torch.float32)  # which an example before may have set
    found = recording()
    main = type(sys)("__main__")
    why, good = "", 0
    signal.signal(signal.SIGVTALRM, _late)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        for statement in ast.parse(text).body:
            source = ast.get_source_segment(text, statement) or ""
            try:
                tree = Instrument(DRIVER).visit(ast.Module([statement], []))
                exec(compile(tree, DRIVER, "exec", dont_inherit=True), main.__dict__)
            except BaseException as error:
                why = f"{source[:80]!r}: {type(error).__name__}: {error}"[:300]
                break
            good = statement.end_lineno or 0
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return "\n".join(text.splitlines()[:good]), dict(found), why


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", nargs="+")
    parser.add_argument("--seconds", type=float, default=3600.0, help="after which no further example is begun")
    parser.add_argument("--only", default="", help="names that hold this")
    arguments = parser.parse_args()
    import_frameworks()
    ends = time.monotonic() + arguments.seconds
    totals: Counter[str] = Counter()
    for library in arguments.libraries:
        known = {m: f"import {m}" for m in ("scipy", "einops", "torchvision", library)}
        brought = [(n, with_imports(t, known)) for n, t in documented(library) if arguments.only in n]
        print(f"{library}: {len(brought)} examples", flush=True)
        for start in range(0, len(brought), TOGETHER):
            if time.monotonic() > ends:
                break
            part = brought[start : start + TOGETHER]
            for (name, _), (text, real, why) in zip(part, ran([t for _, t in part]), strict=False):
                totals.update(examples=1, cut=bool(why))
                if not text:
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    found, errors = beliefs(Path(folder), text)
                    held, sure, told = held_against(found, real, Path(folder))
                totals.update(run=1, held=held, known=sure, differing=bool(told), errors=len(errors))
                for line in (*told, *errors):
                    print(f"{name}: {line}\n        {line_of(text, line)}", flush=True)
    print(dict(totals))
    return 0


def line_of(text: str, told: str) -> str:
    """The line of the program that a sentence names."""
    number = told.partition(f"{DRIVER}:")[2].split(" ")[0].split(":")[0]
    lines = text.splitlines()
    return lines[int(number) - 1].strip() if number.isdigit() and int(number) <= len(lines) else ""


if __name__ == "__main__":
    sys.exit(main())
