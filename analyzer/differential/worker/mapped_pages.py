"""Pages of a mapped file that an engine has read: given back while it runs, for it reads them again from the file."""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

INTERVAL = 0.02  # seconds; a core reads a hundred megabytes in that time
DONTNEED = 4  # of madvise(2), on Linux


@contextlib.contextmanager
def given_back(files: Sequence[Path]) -> Iterator[None]:
    """While the body runs, what is mapped of `files` does not stay in memory: packing weights would hold them twice.

    Only shared mappings: nobody's changes are lost. Does nothing where the system does not tell what is mapped.
    """
    done = threading.Event()

    def watch() -> None:
        while not done.wait(INTERVAL):
            give_back(files)

    thread = threading.Thread(target=watch, daemon=True)
    if files:
        thread.start()
    try:
        yield
    finally:
        done.set()
        if files:
            thread.join()
            give_back(files)


def give_back(files: Sequence[Path]) -> int:
    """The bytes of mappings of `files` whose pages were given back."""
    try:
        lines = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines()
        madvise = ctypes.CDLL(None).madvise
    except (OSError, AttributeError):
        return 0
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    total, names = 0, {str(file) for file in files}
    for line in lines:
        fields = line.split(maxsplit=5)  # range, rights, offset, device, inode, path
        if len(fields) == 6 and fields[5] in names and fields[1].endswith("s"):
            start, end = (int(place, 16) for place in fields[0].split("-"))
            total += 0 if madvise(start, end - start, DONTNEED) else end - start
    return total
