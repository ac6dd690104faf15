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


class Failure(Exception):
    """`str(failure)` is the sentence; `place` is where in the project's code it happened, if anywhere."""

    def __init__(self, sentence: str, place: Place | None = None) -> None:
        super().__init__(sentence)
        self.place = place


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


def first_sentence(error: BaseException) -> str:
    """The telling line of an exception's text, at most 300 characters."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
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
