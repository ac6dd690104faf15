"""Shapes that a dry run has recorded, kept for an editor: shown where tracing knows none, as long as no file changes.

A record is kept by the text of a file, with the texts of all files that the run went through.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from analyzer.tracing.contracts.hints import Hint

FOLDER = "recorded"
MOST_KEPT = 200  # records in the folder
MOST_BYTES = 1 << 20

Shapes = Mapping[tuple[str, int], Mapping[str, tuple[int, ...]]]  # by file and line: name -> sizes


def keep(folder: Path | None, root: Path, shapes: Shapes) -> None:
    """Keep what a run of a script below `root` has recorded; where nothing can be written, nothing is."""
    if folder is None or not shapes:
        return
    texts = {path: text for path in sorted({p for p, _ in shapes}) if (text := _text(root / path)) is not None}
    files = {str((root / path).resolve()): _digest(text) for path, text in texts.items()}
    place = folder / FOLDER
    with suppress(OSError):
        place.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            lines = {line: names for (where, line), names in shapes.items() if where == path}
            record = place / f"{_digest(text)}.json"
            record.write_text(json.dumps({"files": files, "lines": lines}), encoding="utf-8")
        for old in sorted(place.glob("*.json"), key=lambda p: p.stat().st_mtime)[:-MOST_KEPT]:
            old.unlink(missing_ok=True)


def recorded_hints(folder: Path | None, text: str, known: tuple[Hint, ...]) -> tuple[Hint, ...]:
    """Hints for the names of `text` that have none, from the last run through it; none where a file has changed."""
    lines = _read(folder / FOLDER / f"{_digest(text)}.json") if folder is not None else {}
    if not lines:
        return known
    places = {(h.line, h.column) for h in known}
    found = []
    written_lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Store):
            continue
        sizes = lines.get(node.lineno, {}).get(node.id)
        written = written_lines[node.lineno - 1].encode()[: node.end_col_offset].decode("utf-8", "ignore")
        if sizes is not None and (node.lineno, len(written) + 1) not in places:
            shape = f"[{', '.join('?' if n < 0 else str(n) for n in sizes)}]"
            found.append(Hint(node.lineno, len(written) + 1, shape))
    return tuple(sorted((*known, *found), key=lambda h: (h.line, h.column)))


def _read(record: Path) -> dict[int, dict[str, tuple[int, ...]]]:
    """The lines of a record whose files are as they were."""
    try:
        if record.stat().st_size > MOST_BYTES:
            return {}
        data = json.loads(record.read_text(encoding="utf-8"))
        for path, digest in data["files"].items():
            text = _text(Path(path))
            if text is None or _digest(text) != digest:
                return {}
        return {
            int(line): {str(name): tuple(int(n) for n in sizes) for name, sizes in names.items()}
            for line, names in data["lines"].items()
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:40]
