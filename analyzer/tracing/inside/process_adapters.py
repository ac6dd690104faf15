"""`multiprocessing` in a dry run: a sandbox has no semaphores that processes share, and pools of threads need none."""

from __future__ import annotations

import threading
from typing import Any

_OF_THREADS = ("Lock", "RLock", "Semaphore", "BoundedSemaphore", "Condition", "Event", "Barrier")


def locks_of_threads(multiprocessing: Any) -> None:
    """Where no semaphore can be made, locks hold among the threads of the script; its processes are left out anyway."""
    try:
        multiprocessing.Lock()
        return
    except (OSError, ImportError):
        pass
    from multiprocessing import heap

    heap.Arena._dir_candidates = []  # type: ignore[attr-defined,unused-ignore]  # which names shared memory
    for name in _OF_THREADS:
        kind = getattr(threading, name)
        setattr(multiprocessing, name, kind)
        setattr(multiprocessing.context.BaseContext, name, lambda self, *args, _kind=kind: _kind(*args))
