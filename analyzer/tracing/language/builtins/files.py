"""`open`: files of the repository that hold a configuration, and those that a module finds beside itself."""

from __future__ import annotations

import posixpath
from pathlib import Path

from analyzer.tracing.imports.configurations import text_inside
from analyzer.tracing.language.builtins.call import Call
from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.known_types import function_of
from analyzer.tracing.language.own_paths import place_of
from analyzer.tracing.language.plain_data import LONGEST
from analyzer.tracing.language.values import Native, Object, Unknown, Value
from analyzer.tracing.paths.tracer import Tracer

FORMS = {".json": "json", ".yaml": "yaml", ".yml": "yaml"}
FILE = "configuration file"
_READ = (None, "r", "rt", "rb")  # modes


def open_(c: Call) -> Value:
    """A configuration in the default run, or a text beside a module; of any other file nothing is known."""
    path, mode = c.get(0, "file"), c.get(1, "mode")
    if isinstance(mode, str) and set(mode) & set("wax+"):
        c.tr.shared.written.add(posixpath.basename(path if isinstance(path, str) else place_of(path)))
    text = _text(c.tr, path) if mode in _READ else None
    if text is None:
        return call(c.tr, function_of("builtins.open", "a builtin", "imprecise", "open"), c.args, c.kwargs, c.node)
    return _opened(text, path if isinstance(path, str) else place_of(path), mode == "rb")


def by_method(tr: Tracer, method: Unknown, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    """`path.open()` or `path.read_text()` of a file that a module finds beside itself; None where it is not known."""
    name = method.label.rpartition(".")[2]
    mode = (args[0] if args else kwargs.get("mode")) if name == "open" else None
    if name not in ("open", "read_text", "read_bytes") or not method.place or mode not in _READ:
        return None
    text = placed_text(tr, method.place)
    if text is None:
        return None
    opened = _opened(text, method.place, mode == "rb" or name == "read_bytes")
    return opened if name == "open" else opened.data["whole"]


def text_of(value: Value) -> str | None:
    """The text of an opened file, or what was read of it; None where it is not known."""
    if isinstance(value, Unknown) and value.pytype == "str" and value.factors:
        value = value.factors[0]
    if isinstance(value, Object) and value.kind == FILE:
        return str(value.data["text"])
    return value if isinstance(value, str) else None


def _opened(text: str, path: str, binary: bool) -> Object:
    opened = Object(FILE, {}, {"text": text, "form": FORMS.get(Path(path).suffix, "")})
    whole: Value = text
    if binary or len(text) > LONGEST:  # a text that is known only to what reads configurations
        whole = Unknown("a text", "data", pytype="str")
        whole.factors = (opened,)
    opened.attrs.update(read=Native("read", lambda _: whole), close=Native("close", lambda _: None))
    opened.data["whole"] = whole
    return opened


def _text(tr: Tracer, path: Value) -> str | None:
    return configuration_text(tr, path) if isinstance(path, str) else placed_text(tr, place_of(path))


def placed_text(tr: Tracer, place: str) -> str | None:
    """The text of a file that a module finds beside itself, unless the program writes one of this name."""
    if not place or posixpath.basename(place) in tr.shared.written:
        return None
    return text_inside(tr.shared.root, tr.shared.root / place)


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
