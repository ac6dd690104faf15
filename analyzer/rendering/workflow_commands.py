"""Commands that GitHub's runner reads on standard output: one annotation a line, whatever the text holds."""

from __future__ import annotations


def annotation(level: str, message: str, *, title: str = "", path: str = "", line: int = 0, column: int = 0) -> str:
    """A workflow command (``error``, ``warning``, ``notice``, ``debug``) that holds exactly one message."""
    properties = {
        "title": title,
        "file": path,
        "line": str(line) if line else "",
        "col": str(column) if column else "",
    }
    rendered = ",".join(f"{key}={_property(value)}" for key, value in properties.items() if value)
    return f"::{level}{' ' + rendered if rendered else ''}::{data(message)}"


def data(text: str) -> str:
    """`text` as the data of a command: on one line."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return data(text).replace(":", "%3A").replace(",", "%2C")
