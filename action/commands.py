"""What the runner reads: workflow commands on stdout, outputs and the step summary in files."""

from __future__ import annotations

import secrets
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

from analyzer.problem import Problem
from analyzer.rendering.markdown_text import clean
from analyzer.rendering.workflow_commands import annotation, data

SUMMARY_LIMIT = 1_000_000  # bytes; GitHub drops a step's whole summary above 1,024 KiB


class Log:
    """The step's log. Text of strangers is printed so that no line of it can be read as a command."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def say(self, text: object) -> None:
        """One line, indented: the runner takes commands only at the start of a line."""
        print(f"  {clean(text, 2_000).replace('##[', '## [').replace('::', ': :')}", file=self._stream, flush=True)

    def error(self, text: object, **where: object) -> None:
        self._command("error", text, where)

    def warning(self, text: object, **where: object) -> None:
        self._command("warning", text, where)

    def mask(self, secret: str) -> None:
        if secret:
            print(f"::add-mask::{data(secret)}", file=self._stream, flush=True)

    def _command(self, level: str, text: object, where: Mapping[str, object]) -> None:
        line = annotation(
            level,
            clean(text, 4_000),
            title=clean(where.get("title", ""), 200),
            path=str(where.get("path", "")),
            line=int(str(where.get("line", 0))),
        )
        print(line, file=self._stream, flush=True)


def log_error(log: Log, error: BaseException) -> None:
    """An error that ends the run: the sentences of a mistake, the traceback of a defect."""
    if isinstance(error, Problem):
        for line in str(error).splitlines()[:20] or ["something is wrong"]:
            log.error(line, title="Assay")
        return
    for line in "".join(traceback.format_exception(error)).splitlines():
        log.say(line)
    name = type(error).__name__
    log.error(f"Assay ended without a result: {name}. Please report it, unless you cancelled it.", title="Assay")


def write_outputs(path: Path | None, values: Mapping[str, str]) -> None:
    """Append to `GITHUB_OUTPUT` in the form whose delimiter cannot occur in the value."""
    if path is None:
        return
    with path.open("a", encoding="utf-8") as stream:
        for name, value in values.items():
            delimiter = f"assay_{secrets.token_hex(16)}"
            while delimiter in value:
                delimiter = f"assay_{secrets.token_hex(16)}"
            stream.write(f"{name}<<{delimiter}\n{value}\n{delimiter}\n")


def write_summary(path: Path | None, markdown: str) -> None:
    """Append to the step's summary; `markdown` has been cut to `SUMMARY_LIMIT` bytes by its renderer."""
    if path is None:
        return
    with path.open("a", encoding="utf-8") as stream:
        stream.write(markdown + "\n")
