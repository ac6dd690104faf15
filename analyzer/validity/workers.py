"""Work spread over processes that are forked and answer through pipes, which a wall around them allows.

Pools of the standard library and of joblib want named semaphores, whose folder all programs of a user share.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")


def spread(work: Callable[[T], R], parts: Sequence[T], jobs: int) -> list[R]:
    """``[work(part) for part in parts]`` by `jobs` processes (negative: one a core), in the order of `parts`.

    Raises RuntimeError where a process ends without an answer; its own words are on standard error.
    """
    jobs = min(len(parts), jobs if jobs > 0 else os.cpu_count() or 1)
    if jobs <= 1:
        return [work(part) for part in parts]
    children = [_forked(work, parts[index::jobs]) for index in range(jobs)]
    answers: list[list[R] | None] = [None] * jobs
    readers = [threading.Thread(target=_read, args=(children, answers, index)) for index in range(jobs)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    for child, _ in children:
        os.waitpid(child, 0)
    found: list[R | None] = [None] * len(parts)
    for index, answer in enumerate(answers):
        if answer is None:
            raise RuntimeError("a worker ended without an answer")
        found[index::jobs] = answer
    return found  # type: ignore[return-value]


def _forked(work: Callable[[T], R], parts: Sequence[T]) -> tuple[int, int]:
    """A new process and the pipe through which its answers come."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    code = 1
    try:
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump([work(part) for part in parts], pipe)
        code = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
    os._exit(code)


def _read(children: Sequence[tuple[int, int]], answers: list[Any], index: int) -> None:
    """What one process answers; it is of this one's own making, and knows nothing that this one does not."""
    with os.fdopen(children[index][1], "rb") as pipe:
        content = pipe.read()
    if content:
        answers[index] = pickle.loads(content)
