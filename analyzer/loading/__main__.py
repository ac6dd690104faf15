"""The child of `isolated`: parse one model under limits and print the graph's bytes."""

from __future__ import annotations

import contextlib
import resource
import sys
from pathlib import Path

from analyzer.graph.serial import to_bytes
from analyzer.loading.files import NotFetchedProblem
from analyzer.loading.isolated import NOT_FETCHED, REFUSED
from analyzer.loading.reading import load
from analyzer.problem import Problem


def main(arguments: list[str]) -> int:
    """`arguments` are bytes of memory, seconds of processor time, and the path."""
    memory, seconds, path = int(arguments[0]), int(arguments[1]), Path(arguments[2])
    for kind, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (value, value))
    try:
        data = to_bytes(load(path))
    except Problem as problem:
        print(problem, file=sys.stderr)
        return NOT_FETCHED if isinstance(problem, NotFetchedProblem) else REFUSED
    sys.stdout.buffer.write(data)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
