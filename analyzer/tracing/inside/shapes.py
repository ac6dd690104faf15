"""The shapes that names of the repository's code had at each line, as far as a bounded number of events goes."""

from __future__ import annotations

import sys
from typing import Any

MOST_EVENTS = 60_000  # lines run, beyond which nothing more is recorded
MOST_RECORDS = 4_000  # shapes that are handed over


class ShapeRecorder:
    """`shapes`: path -> line -> name -> sizes, of what the line bound last."""

    def __init__(self, root: str) -> None:
        self.root = root + "/"
        self.shapes: dict[str, dict[str, dict[str, list[int]]]] = {}
        self.events = self.records = 0

    def start(self) -> None:
        sys.settrace(self._call)

    def stop(self) -> None:
        sys.settrace(None)

    def _call(self, frame: Any, event: str, argument: Any) -> Any:
        name = frame.f_code.co_filename
        if not name.startswith(self.root) or "site-packages" in name or self.events > MOST_EVENTS:
            return None
        seen: dict[str, int] = {}
        before = [frame.f_lineno]
        path = name[len(self.root) :]

        def line(frame: Any, event: str, argument: Any) -> Any:
            self.events += 1
            if event in ("line", "return"):
                self._look(path, before[0], frame.f_locals, seen)
                before[0] = frame.f_lineno
            return line if self.events <= MOST_EVENTS else None

        return line

    def _look(self, path: str, number: int, names: Any, seen: dict[str, int]) -> None:
        for name, value in list(names.items())[:60]:
            if seen.get(name) == id(value) or self.records >= MOST_RECORDS:
                continue
            seen[name] = id(value)
            kind = type(value).__module__.partition(".")[0]
            if kind not in ("torch", "tensorflow", "keras", "numpy", "jax", "jaxlib"):
                continue
            try:
                sizes = [int(n) if n is not None else -1 for n in value.shape]
            except Exception:
                continue
            self.shapes.setdefault(path, {}).setdefault(str(number), {})[name] = sizes
            self.records += 1
