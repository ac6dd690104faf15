"""Which example inputs a model takes, of several that its entry point may give: by tracing, nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from analyzer.frameworks.requested_versions import read_versions
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Value
from analyzer.tracing.tracing import explore


@dataclass(frozen=True, slots=True)
class Accepted:
    """The text whose inputs the model takes; `certain` where all that its result rests on was understood."""

    text: str
    certain: bool


def refusal(text: str, entry: str, relative: str, root: Path) -> str | None:
    """Why, and in which other file, the entry point `entry` in `text` fails as it is, where tracing proves it."""
    problems = explore(root, relative, ast.parse(text), read_versions(root), entry).problems.values()
    proved = [problem for problem in problems if problem.level == "error" and problem.proved]
    if not proved:
        return None
    site = proved[0].site
    return proved[0].message + (f" ({site.path}:{site.line})" if site.path != relative else "")


def accepted(texts: Sequence[str], entry: str, relative: str, root: Path) -> Accepted | None:
    """The first of `texts` whose entry point gives a model inputs that it takes; None where none of them does.

    Each text is that of the file `relative` of the repository at `root`, and holds the function `entry`.
    """
    versions = read_versions(root)
    for text in texts:
        shared = explore(root, relative, ast.parse(text), versions, entry)
        if not any(problem.level == "error" for problem in shared.problems.values()):
            understood = not shared.unknown_calls and not shared.notes
            return Accepted(text, understood or (bool(shared.results) and all(map(_is_known, shared.results))))
    return None


def _is_known(result: Value) -> bool:
    """Whether a model's result is a tensor of known sizes: nothing that it rests on was missed, whatever else was."""
    return isinstance(result, Tensor) and result.dims is not None and all(isinstance(d, int) for d in result.dims)
