"""Methods of a program that Python's library calls: those of its classes whose bases are classes of that library."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from analyzer.tracing.language.known_types import member
from analyzer.tracing.language.values import Bound, Class, Function, Instance

# of these, the methods call none of an heir, or are followed where they do
_FOLLOWED = ("abc.", "typing.", "enum.", "types.", "dataclasses.", "contextlib.", "unittest.", "collections.Ordered")
# and objects of these are called by others, at any time
_AT_ANY_TIME = ("threading.", "multiprocessing.", "concurrent.", "logging.", "asyncio.", "socketserver.", "http.")


def is_library_method(owner: Instance, name: str) -> bool:
    """Whether it is a method that may call those of the program."""
    homes = [home for home in _homes(owner) if (member(home, name) or "").startswith("-> ")]
    return any(not home.startswith(_FOLLOWED) for home in homes)


def _homes(owner: Instance) -> list[str]:
    return [b for b in owner.cls.library_bases if "." in b and b.partition(".")[0] in sys.stdlib_module_names]


def called_back(owner: Instance) -> Iterator[Bound]:
    """The program's methods that a method of the library may call on this object."""
    if any(not home.startswith(_FOLLOWED) for home in _homes(owner)):
        yield from _methods(owner)


def called_at_any_time(owner: Instance) -> Iterator[Bound]:
    """The program's methods that another thread may call, or Python itself when nothing keeps the object."""
    if any(base.startswith(_AT_ANY_TIME) for base in owner.cls.library_bases):
        yield from _methods(owner)
    ending = owner.cls.find("__del__")
    if ending is not None and isinstance(ending[0], Function):
        yield Bound(owner, ending[0], ending[1])


def _methods(owner: Instance) -> Iterator[Bound]:
    """Those of its class and of the program's classes that this inherits from."""
    for cls in owner.cls.mro:
        for name, found in list(cls.scope.names.items()) if isinstance(cls, Class) else ():
            if isinstance(found, Function) and name != "__init__":
                yield Bound(owner, found, cls)
