"""Objects of libraries beside the tensors: writers, checkpoints, callbacks. Their methods compute no shape."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from analyzer.tracing.language.known_types import value_of
from analyzer.tracing.language.repeated_calls import called_again
from analyzer.tracing.language.values import Object, Value
from analyzer.tracing.paths.symbols import Site
from analyzer.tracing.paths.tracer import Tracer

BYSTANDER = "bystander"
_TYPES = {
    "SerializeToString": "bytes", "ParseFromString": "int", "read": "str", "readline": "str", "readlines": "list[str]",
    "size": "int", "seek": "None", "tell": "int", "write": "None", "close": "None", "flush": "None", "restore": "",
    "save": "str", "as_default": "", "set_as_default": "None", "init": "None", "get_config": "dict",
    "on_epoch_end": "None", "on_epoch_begin": "None", "on_train_begin": "None", "on_train_end": "None",
    "on_batch_end": "None", "on_batch_begin": "None", "set_model": "None", "set_params": "None",
    "on_train_batch_begin": "None", "on_train_batch_end": "None", "on_test_begin": "None", "on_test_end": "None",
    "__exit__": "None",
}  # fmt: skip
_TELLING = ("SerializeToString", "size", "tell", "get_config")
_ITSELF = ("as_default", "__enter__", "expect_partial", "assert_consumed", "assert_existing_objects_matched",
           "run_restore_ops", "restore", "read")  # fmt: skip


def bystander(name: str, site: Site | None, attrs: Mapping[str, Value] | None = None) -> Object:
    return Object(BYSTANDER, dict(attrs or {}), {"name": name, "made": frozenset(attrs or ())}, site)


def turned(tr: Tracer, owner: Object) -> None:
    """What the program has set on it is not known once it was called of: it sets such attributes anew."""
    tr.touch(owner)
    for name in owner.attrs.keys() - owner.data.get("made", ()):
        owner.attrs[name] = tr.unknown("what an object of a library sets", label=name)


def turned_again(tr: Tracer, values: list[Value]) -> None:
    """Of objects that a loop has called, the program's and the library's own, what they set is not known."""
    called_again(tr, values)
    for value in values:
        if isinstance(value, Object) and value.kind == BYSTANDER:
            turned(tr, value)


def bystander_method(
    tr: Tracer, owner: Object, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> Value:
    if name in _ITSELF and not (name == "read" and owner.data["name"] == "GFile"):
        return owner
    if name not in _TELLING:
        turned(tr, owner)
    tr.forget((*args, *kwargs.values()))
    if name in _TYPES:
        return value_of(_TYPES[name], f"result of {name}", "data", f"{name}()")
    return tr.unknown(f"{name}()", "foreign")
