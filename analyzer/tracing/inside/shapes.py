"""The shapes that names of the repository's code had at each line, and what functions were given and gave back, as far
as a bounded number of events goes."""

from __future__ import annotations

import dis
import sys
from typing import Any

MOST_EVENTS = 60_000  # lines run, beyond which nothing more is recorded
MOST_RECORDS = 4_000  # shapes that are handed over
MOST_CALLS = 4  # of one function
MOST_SIZED = 8  # with those that have other sizes than these
MOST_SIZES = 40  # attributes of an object that may be sizes
_STORES = ("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF")
_KINDS = ("torch", "tensorflow", "keras", "numpy", "jax", "jaxlib")


class ShapeRecorder:
    """`shapes`: path -> line -> name -> sizes, of what the line bound last. `calls`: path -> line of a function ->
    for each call: name of a parameter or ``return`` -> element type and sizes; of an integer ``int`` and itself."""

    def __init__(self, root: str) -> None:
        self.root = root + "/"
        self.shapes: dict[str, dict[str, dict[str, list[int]]]] = {}
        self.calls: dict[str, dict[str, list[dict[str, list[Any]]]]] = {}
        self.events = self.records = 0
        self._stored: dict[Any, dict[int, list[str]]] = {}  # by code: line -> names

    def start(self) -> None:
        sys.settrace(self._call)

    def stop(self) -> None:
        sys.settrace(None)

    def _call(self, frame: Any, event: str, argument: Any) -> Any:
        if self.events > MOST_EVENTS:
            sys.settrace(None)
            return None
        code = frame.f_code
        name = code.co_filename
        if not name.startswith(self.root) or "site-packages" in name:
            return None
        path = name[len(self.root) :]
        stored = self._stored.get(code)
        if stored is None:
            stored = self._stored[code] = _names_stored(code)
        number = frame.f_lineno
        given = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        call = self._begun(path, code, frame, given) if given else None
        for name in given:
            self._look(path, number, name, frame.f_locals.get(name))

        def line(frame: Any, event: str, argument: Any) -> Any:
            nonlocal number
            self.events += 1
            if event in ("line", "return"):
                for name in stored.get(number, ()):
                    names = frame.f_locals
                    self._look(path, number, name, names[name] if name in names else frame.f_globals.get(name))
                number = frame.f_lineno
            if event == "return" and call is not None and (seen := _of_torch(argument)) is not None:
                call["return"] = seen
            return line if self.events <= MOST_EVENTS else None

        return line

    def _begun(self, path: str, code: Any, frame: Any, given: tuple[str, ...]) -> dict[str, list[Any]] | None:
        """The record of a call that begins; None where enough of them are known."""
        calls = self.calls.setdefault(path, {}).setdefault(str(code.co_firstlineno), [])
        if len(calls) >= MOST_SIZED or self.records >= MOST_RECORDS:
            return None
        values = {name: frame.f_locals.get(name) for name in given}
        owner = values.pop("self", None)
        own = vars(owner) if hasattr(owner, "__dict__") else {}
        call = {name: seen for name, value in values.items() if (seen := _of_torch(value)) is not None}
        if len(calls) >= MOST_CALLS and any(call.items() <= other.items() for other in calls):
            return None
        for name, value in [*list(own.items())[:MOST_SIZES], *values.items()]:
            if type(value) is int and name not in call:
                call[name] = ["int", [value]]
        calls.append(call)
        self.records += 1
        return call

    def _look(self, path: str, number: int, name: str, value: Any) -> None:
        seen = _seen(value) if self.records < MOST_RECORDS else None
        if seen is not None:
            self.shapes.setdefault(path, {}).setdefault(str(number), {})[name] = seen[1]
            self.records += 1


def _seen(value: Any) -> list[Any] | None:
    """Element type and sizes (-1: unknown) of an array of a framework."""
    if type(value).__module__.partition(".")[0] not in _KINDS:
        return None
    try:
        sizes = [int(n) if n is not None else -1 for n in value.shape]
        return [str(value.dtype).rpartition(".")[2], sizes]
    except Exception:  # a class of the script's own answers as it likes, and to look at it must not end the script
        return None


def _of_torch(value: Any) -> list[Any] | None:
    return _seen(value) if type(value).__module__.startswith("torch") else None


def _names_stored(code: Any) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    line = code.co_firstlineno
    for instruction in dis.get_instructions(code):
        if instruction.starts_line is not None and instruction.starts_line is not True:
            line = getattr(instruction, "line_number", None) or instruction.starts_line
        if instruction.opname in _STORES and instruction.argval not in found.setdefault(line, []):
            found[line].append(instruction.argval)
    return found
