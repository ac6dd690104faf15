"""What mypy and pyright say of files: of many in one start of each, which costs more than a file.

Each file lies in an empty folder beside the others, under a name that none imports, with a configuration of ours: a
plugin, an interpreter or a base configuration named in the repository would be code of the pull request. Nothing that
a file imports is followed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType

from analyzer.tracing.checkers.tool_runs import ToolFailed, as_json, lay_out, run

_MYPY = (
    "--config-file", "empty.ini", "--cache-dir", "cache", "--follow-imports", "skip", "--ignore-missing-imports",
    "--no-site-packages", "--check-untyped-defs", "--show-error-codes", "--show-column-numbers", "--no-error-summary",
    "--hide-error-context", "--no-pretty", "--allow-redefinition",
)  # fmt: skip
PYRIGHT_RULES = (
    "reportUndefinedVariable", "reportUnboundVariable", "reportAttributeAccessIssue", "reportCallIssue",
)  # fmt: skip
_PYRIGHT = {
    "include": ["checked-*.py"],
    "typeCheckingMode": "off",
    "pythonVersion": "3.11",
    "useLibraryCodeForTypes": False,
    "strictParameterNoneValue": False,
    "reportMissingImports": False,
    "reportMissingModuleSource": False,
    **dict.fromkeys(PYRIGHT_RULES, "error"),
}

Complaint = tuple[int, int, str, str]  # line from 1, column from 0 (bytes), message, the tool's name for the kind
Answer = list[Complaint] | str  # a sentence: why the tool says nothing of the file
Said = Mapping[str, Answer]  # by tool; one that is not there is not installed
Known = Mapping[str, Said]  # by the digest of the text
NOTHING: Known = MappingProxyType({})


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def said_of(text: str, known: Known) -> Said:
    """What the tools say of a text: what is known already, else they are asked."""
    key = digest(text)
    return known[key] if key in known else check_types([text])[key]


def check_types(texts: Iterable[str]) -> dict[str, dict[str, Answer]]:
    """What each tool says of each text, by its digest. Plain JSON, so that it can cross a pipe."""
    files = {digest(text): text for text in texts}
    if not files:
        return {}
    tools = {"mypy": _mypy} | ({"pyright": _pyright} if pyright_command() is not None else {})
    with ThreadPoolExecutor(len(tools)) as pool:
        asked = {name: pool.submit(_answers, tool, files) for name, tool in tools.items()}
        answers = {name: future.result() for name, future in asked.items()}
    return {key: {name: answers[name][key] for name in tools} for key in files}


def carried(said: Said, before: str, now: str) -> Said:
    """What the tools said of a text, on the lines above and below what an edit has changed of it."""
    old, new = before.splitlines(), now.splitlines()
    shorter = min(len(old), len(new))
    head = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    tail = next((n for n in range(shorter - head) if old[-1 - n] != new[-1 - n]), shorter - head)
    return {
        tool: answer
        if isinstance(answer, str)
        else [
            (line if line <= head else line + len(new) - len(old), column, message, kind)
            for line, column, message, kind in answer
            if line <= head or line > len(old) - tail
        ]
        for tool, answer in said.items()
    }


Tool = Callable[[Mapping[str, str]], dict[str, list[Complaint]]]


def _answers(tool: Tool, files: Mapping[str, str]) -> dict[str, Answer]:
    """Of files together; where that fails, of each half: a file that breaks a tool costs no other its answer."""
    try:
        found = tool({f"checked-{number}.py": text for number, text in enumerate(files.values())})
        return {key: found.get(f"checked-{number}.py", []) for number, key in enumerate(files)}
    except ToolFailed as failed:
        if len(files) <= 1:
            return dict.fromkeys(files, str(failed))
    keys = list(files)
    halves = (keys[: len(keys) // 2], keys[len(keys) // 2 :])
    return {key: answer for half in halves for key, answer in _answers(tool, {k: files[k] for k in half}).items()}


def _mypy(files: Mapping[str, str]) -> dict[str, list[Complaint]]:
    if importlib.util.find_spec("mypy") is None:
        raise ToolFailed("mypy is not installed: wrong arguments and attributes were not looked for")
    with tempfile.TemporaryDirectory() as folder:
        lay_out(folder, {**files, "empty.ini": "[mypy]\n"})
        output = run("mypy", None, [*_MYPY, *files], folder, files=len(files))
    said: dict[str, list[Complaint]] = {}
    for line in output.splitlines():
        found = re.match(r"(checked-\d+\.py):(\d+):(\d+): error: (.*?)  \[([a-z-]+)\]$", line)
        if found is not None:
            said.setdefault(found[1], []).append(
                (int(found[2]), int(found[3]) - 1, _unnumbered(found[4].strip()), found[5])
            )
    return said


def _pyright(files: Mapping[str, str]) -> dict[str, list[Complaint]]:
    command = pyright_command()
    assert command is not None
    options = ["--outputjson", "--level", "error", "--pythonpath", "none", "--project", "settings.json"]
    with tempfile.TemporaryDirectory() as folder:
        lay_out(folder, {**files, "settings.json": json.dumps(_PYRIGHT)})
        output = run("pyright", command[0], [*command[1:], *options], folder, files=len(files))
    said: dict[str, list[Complaint]] = {}
    for entry in as_json(output, {}).get("generalDiagnostics", ()):
        message = _unnumbered(str(entry["message"]).splitlines()[0].strip())
        start, kind = entry["range"]["start"], str(entry.get("rule", ""))
        file, line = Path(entry["file"]).name, int(start["line"])
        column = _bytes(files.get(file, ""), line, int(start["character"]))
        said.setdefault(file, []).append((line + 1, column, message, kind))
    return said


def _bytes(text: str, line: int, units: int) -> int:
    """The column as Python's `ast` counts it, in bytes of UTF-8; pyright counts units of UTF-16."""
    lines = text.splitlines()
    before = lines[line].encode("utf-16-le", "replace")[: 2 * units] if line < len(lines) else b""
    return len(before.decode("utf-16-le", "replace").encode())


def _unnumbered(message: str) -> str:
    """A file's own module is called the same wherever it stands among others."""
    return re.sub(r"\bchecked-\d+\b", "checked", message)


def pyright_command() -> list[str] | None:
    """`node` and pyright's own program: its launcher for Python may download another version, so it is not used."""
    node = shutil.which("node")
    if node is None:
        return None
    found: list[Path] = []
    package = importlib.util.find_spec("pyright")
    if package is not None and package.origin is not None:
        found.append(Path(package.origin).parent / "dist" / "index.js")
    launcher = shutil.which("pyright")
    if launcher is not None:
        program = Path(launcher).resolve()
        if program.suffix == ".js":
            found.append(program)
        else:
            found += sorted(program.parent.parent.glob("lib/python3*/site-packages/pyright/dist/index.js"))
    program = next((path for path in found if path.is_file()), None)  # type: ignore[assignment]
    return [node, "--max-old-space-size=1024", str(program)] if program is not None else None
