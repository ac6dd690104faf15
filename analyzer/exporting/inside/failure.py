"""Why an export failed, in one sentence, and where in the project's code."""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any

Place = tuple[str, int]  # path relative to the project's root with forward slashes, line from 1

_FOREIGN = ("site-packages", "dist-packages", ".venv", "venv")


class ExportFailure(Exception):
    """`str(failure)` is the sentence; `place` is where in the project's code it happened, if anywhere.

    `defect`: the model itself is at fault, not its export or its surroundings: ``building`` (the framework refuses to
    put it together), ``running`` (it raises on its own example inputs), ``described`` (on inputs of the configuration).
    """

    def __init__(self, sentence: str, place: Place | None = None, defect: str = "") -> None:
        super().__init__(sentence)
        self.place = place
        self.defect = defect


class Project:
    """The folder of the project, to tell its frames from those of installed packages."""

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root)
        self._known: dict[str, str | None] = {}

    def relative(self, filename: str) -> str | None:
        """The path relative to the root, or None for code that is not the project's."""
        if filename not in self._known:
            self._known[filename] = self._relative(filename)
        return self._known[filename]

    def _relative(self, filename: str) -> str | None:
        if not filename or filename.startswith("<"):
            return None
        path = os.path.realpath(filename)
        if not path.startswith(self.root + os.sep):
            return None
        relative = os.path.relpath(path, self.root).replace(os.sep, "/")
        return None if any(part in _FOREIGN for part in relative.split("/")) else relative

    def innermost(self, frames: Iterator[tuple[str, int]]) -> Place | None:
        """The first of `frames` (innermost first) that is the project's."""
        for filename, line in frames:
            relative = self.relative(filename)
            if relative is not None:
                return relative, line
        return None

    def of_traceback(self, error: BaseException) -> Place | None:
        """Where in the project's code an exception was raised."""
        place = self.innermost(reversed([(f.filename, f.lineno or 0) for f in _summary(error.__traceback__)]))
        if place is None and isinstance(error, SyntaxError) and error.filename:
            relative = self.relative(error.filename)
            place = (relative, error.lineno or 1) if relative else None
        if place is None:  # compilers that catch and raise again put the frames into the text
            found = re.findall(r'File "([^"\n]+)", line (\d+)', str(error))
            place = self.innermost((name, int(line)) for name, line in reversed(found))
        if place is None and error.__cause__ is not None:
            place = self.of_traceback(error.__cause__)
        return place

    def of_stack(self, frame: FrameType | None, but_not_self: Any = None) -> Place | None:
        """Where in the project's code a call came from; methods of `but_not_self` do not count."""
        while frame is not None:
            if but_not_self is None or frame.f_locals.get("self") is not but_not_self:
                relative = self.relative(frame.f_code.co_filename)
                if relative is not None:
                    return relative, frame.f_lineno
            frame = frame.f_back
        return None


def _summary(trace: TracebackType | None) -> traceback.StackSummary:
    return traceback.StackSummary.extract(traceback.walk_tb(trace), lookup_lines=False)


_COLOURS = re.compile("\x1b\\[[0-9;]*m")
_OF_LAYER = re.compile(r"((?:\w+: )?)Exception encountered when calling .*\.")


def telling_lines(error: BaseException) -> list[str]:
    """The lines of an exception's text; Keras's word that a layer's call failed gives its place to why it did."""
    lines = [line.strip() for line in _COLOURS.sub("", str(error)).splitlines() if line.strip()]
    told: list[str] = []
    kind = ""
    for number, line in enumerate(lines):
        found = _OF_LAYER.fullmatch(line)
        if found and number + 1 < len(lines):
            kind = found[1] or kind
        else:
            told.append(kind + line)
            kind = ""
    return told


def first_sentence(error: BaseException) -> str:
    """The telling line of an exception's text, at most 300 characters."""
    lines = telling_lines(error)
    text = lines[0] if lines else ""
    if isinstance(error, SyntaxError) and error.msg:
        text = error.msg
    return text[:300]


def describe(error: BaseException) -> str:
    """``ValueError: shapes differ``."""
    text = first_sentence(error)
    return type(error).__name__ + (": " + text if text else "")


def python_version() -> str:
    return ".".join(str(part) for part in sys.version_info[:3])


_FRAMEWORKS = ("torch", "keras", "tf_keras", "tensorflow", "jax", "flax", "numpy")
_SURROUNDINGS = re.compile(  # words of a missing device, file, network or licence
    r"cuda|gpu|nvidia|driver|\bdevice\b|\bmps\b|download|connect|network|offline|http|memory|no such file|permission|"
    r"not found|not installed|install |environment variable|token|license|version|backend",
    re.IGNORECASE,
)
_NOT_SHAPES = (
    "hub",
    "serialization",
    "saving",
    "file_utils",
    "load_library",
    "distributed",
    "cuda",
    "_dynamo",
    "_export",
)


def is_defect(error: BaseException, project: Project) -> bool:
    """Whether a framework refuses what the project asks of it: sizes, types and values that cannot go together.

    Decided by where it was raised, by the class, and by the text: a missing file, device or package is no defect of a
    model, and an exception of the project's own code may be meant.
    """
    named = {c.__name__ for c in type(error).__mro__}
    if not named & {"ValueError", "TypeError", "RuntimeError", "IndexError", "InvalidArgumentError"}:
        return False
    if isinstance(error, (NotImplementedError, RecursionError)) or _SURROUNDINGS.search(str(error)):
        return False
    frames = _summary(error.__traceback__)
    if project.of_traceback(error) is None or not frames:
        return False
    place = frames[-1].filename.replace(os.sep, "/")
    last = max(i for i, frame in enumerate(frames) if project.relative(frame.filename) is not None)
    if any(frame.name == "<module>" for frame in frames[last + 1 :]):  # a package that cannot be imported here
        return False
    if project.relative(frames[-1].filename) is not None:  # a compiled operator leaves no frame of its own
        return (
            named & {"RuntimeError", "InvalidArgumentError"} != set()
            and error.__class__.__module__
            in (
                "builtins",
                "torch",
                "torch._C",  # a factorisation that fails
                "tensorflow.python.framework.errors_impl",
            )
            and not _raises_itself(frames[-1].filename, frames[-1].lineno or 0)
        )
    inside = [part for part in _FRAMEWORKS if f"/{part}/" in place]
    return bool(inside) and not any(f"/{word}" in place for word in _NOT_SHAPES)


def _raises_itself(filename: str, line: int) -> bool:
    """Whether the line is a `raise` or an `assert` of the project."""
    import linecache

    return linecache.getline(filename, line).lstrip().startswith(("raise ", "assert "))
