"""`unittest.mock.patch` and pytest's `monkeypatch`: what a test puts in the place of attributes and items.

A patch ends with its block, its test or its class: what the attribute is from then on is not followed.
"""

from __future__ import annotations

from collections.abc import Iterable

from analyzer.tracing.imports.modules import import_module
from analyzer.tracing.language.dictionary_objects import store_of
from analyzer.tracing.language.evaluation import get_attribute
from analyzer.tracing.language.items import set_item
from analyzer.tracing.language.setting_attributes import set_attribute
from analyzer.tracing.language.values import DictV, Value
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.paths.problems import PyRaise
from analyzer.tracing.paths.tracer import Tracer

MONKEYPATCH = "pytest.MonkeyPatch"


@operator("unittest.mock.patch mock.patch", "target *rest")
def patch(op: Op, target: Value, rest: tuple[Value, ...]) -> Value:
    """``patch("package.module.name")``: the attribute of what the text before the last dot names."""
    if isinstance(target, str) and "." in target:
        owner, _, name = target.rpartition(".")
        _replaced(op, _found(op.tr, owner), (name,))
    else:
        op.tr.path.guessed = True  # any attribute may be meant
    return op.tr.unknown_call(op.name)


@operator("unittest.mock.patch.object mock.patch.object", "target attribute *rest")
def patch_object(op: Op, target: Value, attribute: Value, rest: tuple[Value, ...]) -> Value:
    _replaced(op, target, (attribute,))
    return op.tr.unknown_call(op.name)


@operator("unittest.mock.patch.multiple mock.patch.multiple", "target *rest")
def patch_several(op: Op, target: Value, rest: tuple[Value, ...]) -> Value:
    _replaced(op, _found(op.tr, target) if isinstance(target, str) else target, op.extra)
    return op.tr.unknown_call(op.name)


@operator("unittest.mock.patch.dict mock.patch.dict", "in_dict *rest")
def patch_dictionary(op: Op, in_dict: Value, rest: tuple[Value, ...]) -> Value:
    held = _found(op.tr, in_dict) if isinstance(in_dict, str) else in_dict
    if (items := held if isinstance(held, DictV) else store_of(op.tr, held)) is not None:
        op.tr.forget([items])
        op.tr.give([items])
    if not isinstance(held, DictV) or held.items:
        op.tr.path.guessed = True
    return op.tr.unknown_call(op.name)


@operator(f"{MONKEYPATCH}.setattr", "target name value=None raising=True")
def set_for_test(op: Op, target: Value, name: Value, value: Value, raising: Value) -> Value:
    """``setattr(owner, "name", value)``, or ``setattr("package.module.name", value)``; it is undone after the test."""
    if isinstance(target, str):
        owner, _, attribute = target.rpartition(".")
        target, name, value = _found(op.tr, owner), attribute, name
    if isinstance(name, str):
        set_attribute(op.tr, target, name, value)
    else:
        op.tr.path.guessed = True
    return None


@operator(f"{MONKEYPATCH}.delattr", "target name=None raising=True")
def deleted_for_test(op: Op, target: Value, name: Value, raising: Value) -> Value:
    if isinstance(target, str) and name is None:
        owner, _, name = target.rpartition(".")
        target = _found(op.tr, owner)
    _replaced(op, target, (name,))
    return None


@operator(f"{MONKEYPATCH}.setitem", "dic name value")
def item_for_test(op: Op, dic: Value, name: Value, value: Value) -> Value:
    set_item(op.tr, dic, name, value)
    return None


@operator(f"{MONKEYPATCH}.delitem", "dic name raising=True")
def no_item_for_test(op: Op, dic: Value, name: Value, raising: Value) -> Value:
    op.tr.forget([dic])
    op.tr.give([dic])
    return None


@operator(f"{MONKEYPATCH}.setenv {MONKEYPATCH}.delenv {MONKEYPATCH}.chdir {MONKEYPATCH}.syspath_prepend", "*rest")
def surroundings(op: Op, rest: tuple[Value, ...]) -> Value:
    """Variables of the environment and folders, which are not known in any case."""
    return None


@operator(f"{MONKEYPATCH}.undo {MONKEYPATCH}.context", "*rest")
def undone(op: Op, rest: tuple[Value, ...]) -> Value:
    op.tr.path.guessed = True
    return op.tr.unknown_call(op.name)


def _found(tr: Tracer, text: str) -> Value:
    """What a text with dots names: a module, or an attribute of what is before the last dot."""
    first, *more = text.split(".")
    try:
        with tr.guarded(True):
            found = import_module(tr, first, whole=True)
            for name in more:
                found = get_attribute(tr, found, name)
    except PyRaise:
        return tr.unknown("what a patch names", "foreign")
    return found


def _replaced(op: Op, owner: Value, names: Iterable[Value]) -> None:
    for name in names:
        if isinstance(name, str):
            set_attribute(op.tr, owner, name, op.tr.unknown("what a patch puts there", "foreign", name))
        else:
            op.tr.path.guessed = True
