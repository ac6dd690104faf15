"""No text of a stranger can be read as a command by the runner, which parses every line of the log."""

from __future__ import annotations

import io
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from action.commands import Log, write_outputs
from analyzer.rendering.workflow_commands import annotation
from tests.action.harness import parse_outputs
from tests.action.hostile_markdown import hostile

COMMANDS = ("::error::x", "::set-output name=a::b", "##[error]x", "::add-mask::y", "::stop-commands::z")
hostile_log = st.one_of(
    hostile, st.sampled_from(COMMANDS), st.builds("{}\r\n{}".format, hostile, st.sampled_from(COMMANDS))
)


def commands(log: str) -> list[str]:
    """Lines the runner would take as commands: it looks at the start of a line, and for `##[` anywhere."""
    return [line for line in log.replace("\r", "\n").split("\n") if line.lstrip().startswith("::") or "##[" in line]


@given(hostile_log)
def test_what_is_said_is_one_line_and_no_command(text: str) -> None:
    stream = io.StringIO()
    Log(stream).say(text)
    assert stream.getvalue().count("\n") == 1
    assert commands(stream.getvalue()) == []


@given(hostile_log, hostile_log, hostile_log)
def test_an_annotation_is_one_command_with_one_message(message: str, title: str, path: str) -> None:
    stream = io.StringIO()
    Log(stream).error(message, title=title, path=path, line=3)
    text = stream.getvalue()
    assert text.count("\n") == 1
    assert "\r" not in text
    assert text.startswith("::error ")
    properties, _, _ = text.removeprefix("::error ").partition("::")
    assert {p.split("=")[0] for p in properties.split(",")} <= {"title", "file", "line"}


def test_the_published_escapes() -> None:
    assert annotation("error", "a%b\r\nc", title="x:y,z") == "::error title=x%3Ay%2Cz::a%25b%0D%0Ac"


@given(st.dictionaries(st.sampled_from(["verdict", "report", "sarif"]), hostile_log, max_size=3))
def test_outputs_cannot_forge_other_outputs(tmp_path_factory: object, values: dict[str, str]) -> None:
    import tempfile

    values = {k: v.encode("utf-8", "ignore").decode() for k, v in values.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out"
        write_outputs(path, values)
        with path.open(encoding="utf-8", newline="") if path.exists() else io.StringIO("") as stream:
            assert parse_outputs(stream.read()) == values
