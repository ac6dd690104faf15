"""Other people's tools as subprocesses: behind the kernel's wall, without a secret, and told where they say nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from analyzer.walls import launch

SECONDS = 30.0  # a type checker's cold start on a large repository


class ToolFailed(Exception):
    """A tool said nothing of a file, and why: one sentence for the report."""


def beside(name: str) -> str | None:
    """The program next to this interpreter, else the one on the path."""
    found = Path(sys.executable).with_name(name)
    return str(found) if found.is_file() else shutil.which(name)


def lay_out(folder: str, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (Path(folder) / name).write_text(text, encoding="utf-8", errors="replace")


def run(
    name: str, program: str | None, options: Sequence[str], folder: str, text: str | None = None, files: int = 1
) -> str:
    """Standard output of `program`, or of the Python module `name`, behind the kernel's wall where it stands.

    The environment carries no secret. Raises `ToolFailed` when the tool fails or takes too long for so many `files`.
    """
    seconds = SECONDS * (1 + (files - 1) / 10)  # ten more files take less than a start
    rules = launch.worker_rules(Path(folder), more=launch.programs(), programs=program is not None)
    what, form = (program, "program") if program is not None else (name, "module")
    try:
        done = subprocess.run(
            launch.command(what, *options, rules=rules, form=form), input=text,
            stdin=subprocess.DEVNULL if text is None else None, capture_output=True, text=True, timeout=seconds,
            cwd=folder, check=False, encoding="utf-8", errors="replace",
            env={"PATH": "/usr/bin:/bin", "HOME": folder, "TMPDIR": folder, "LC_ALL": "C.UTF-8",
                 "OPENSSL_CONF": "/dev/null"},  # Node.js ends where it may not read the system's
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ToolFailed(f"{name} gave no answer within {seconds:g} s, so it says nothing of this file") from None
    except (OSError, ValueError):
        raise ToolFailed(f"{name} could not be started, so it says nothing of this file") from None
    if done.returncode not in (0, 1):  # 1: it found something
        raise ToolFailed(f"{name} ended with exit code {done.returncode}, so it says nothing of this file")
    return done.stdout


def as_json(output: str, otherwise: Any) -> Any:
    """What a tool printed, or `otherwise` when that is something else than JSON of the same kind."""
    try:
        found = json.loads(output)
    except (ValueError, RecursionError):
        return otherwise
    return found if isinstance(found, type(otherwise)) else otherwise
