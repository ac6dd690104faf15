"""`open`: files of the repository that hold a configuration, as the default run finds them."""

from __future__ import annotations

from pathlib import Path

from analyzer.tracing.imports.configurations import text_inside
from analyzer.tracing.language.builtins.call import Call
from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.known_types import function_of
from analyzer.tracing.language.plain_data import LONGEST
from analyzer.tracing.language.values import Native, Object, Value
from analyzer.tracing.paths.tracer import Tracer

FORMS = {".json": "json", ".yaml": "yaml", ".yml": "yaml"}


def open_(c: Call) -> Value:
    """A configuration at a known place, in the default run; any other file is one of which nothing is known."""
    path, mode = c.get(0, "file"), c.get(1, "mode")
    if isinstance(path, str) and isinstance(mode, str) and set(mode) & set("wax+"):
        c.tr.shared.written.add(Path(path).name)
    text = configuration_text(c.tr, path) if mode in (None, "r", "rt", "rb") else None
    if text is None or not isinstance(path, str):
        return call(c.tr, function_of("builtins.open", "a builtin", "imprecise", "open"), c.args, c.kwargs, c.node)
    whole = text if len(text) <= LONGEST and mode != "rb" else c.tr.unknown("a text", "data", pytype="str")
    methods: dict[str, Value] = {"read": Native("read", lambda _: whole), "close": Native("close", lambda _: None)}
    return Object("configuration file", methods, {"text": text, "form": FORMS[Path(path).suffix]})


def configuration_text(tr: Tracer, path: Value) -> str | None:
    """The text of a file that stands in the folder of the repository or of the script, where no other one is there.

    None outside the default run, where the file may be another, and where the program itself writes one of this name.
    """
    if not isinstance(path, str) or Path(path).suffix not in FORMS or Path(path).name in tr.shared.written:
        return None
    tr.met_default = True
    if not tr.defaults:
        return None
    root = tr.shared.root
    texts = {text_inside(root, folder / path) for folder in (root, (root / tr.shared.path).parent)} - {None}
    return texts.pop() if len(texts) == 1 else None
