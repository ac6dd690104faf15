"""Parsing in a child process with limits on memory, time and files, so that not even a fault in a parser reaches far.

The child is ``python -m analyzer.loading``: it prints the graph's bytes and sees no environment but what Python needs.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from analyzer.graph import Graph
from analyzer.graph.serial import from_bytes
from analyzer.loading.files import NotFetchedProblem, shown, size_text
from analyzer.problem import TargetProblem
from analyzer.walls import launch

_GIB = 1 << 30
REFUSED, NOT_FETCHED = 3, 4


def load_isolated(path: Path, *, memory: int = 8 * _GIB, seconds: int = 120) -> Graph:
    """Like `load`, in a child process. Weights are copied between the processes, so the model must stay below 2 GiB.

    Raises:
        NotFetchedProblem: a Git LFS pointer.
        TargetProblem: what `load` says, or the limits of `memory` (bytes) or `seconds` were reached.
    """
    model = path.resolve()
    rules = launch.worker_rules(None, read=[model if model.is_dir() else model.parent])  # external data lie beside it
    arguments = (str(memory), str(seconds), str(path.absolute()))
    command = launch.command("analyzer.loading", *arguments, rules=rules, path=[launch.ASSAY])
    environment = launch.environment(Path(tempfile.gettempdir()), {"OPENBLAS_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"})
    try:
        child = subprocess.run(command, env=environment, capture_output=True, timeout=seconds * 2 + 10, check=False)
    except subprocess.TimeoutExpired:
        raise TargetProblem(f"{shown(path)} takes longer than {seconds} s to parse.") from None
    if child.returncode == 0:
        return from_bytes(child.stdout)
    text = shown(child.stderr.decode("utf-8", "replace").strip(), 500)
    if child.returncode == NOT_FETCHED:
        raise NotFetchedProblem(text)
    if child.returncode == REFUSED:
        raise TargetProblem(text)
    raise TargetProblem(
        f"{shown(path)} could not be parsed within {seconds} s and {size_text(memory)} of memory; it may be damaged."
    )
