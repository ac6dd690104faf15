"""What tracing proves of a short program, whatever its data are."""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import dedent

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

FAILS = "torch.zeros(2, 3) @ torch.zeros(4, 5)"  # what `fails()` stands for


def proved(folder: Path, program: str, head: str = "") -> list[int]:
    """Lines of what is proved to fail on every path."""
    shared = explore(folder, "net.py", ast.parse((head + dedent(program)).replace("fails()", FAILS)), Versions())
    errors = [p for p in shared.problems.values() if p.level == "error" and p.proved]
    return [p.site.line for p in errors if not any(s.startswith("The path is taken") for s in p.sentences)]
