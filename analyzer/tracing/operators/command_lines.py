"""`argparse`: what a parser makes of a command line that a user writes, or that stands in the program."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.values import ListV, Object, Unknown, Value
from analyzer.tracing.operators.flags import flag
from analyzer.tracing.operators.operands import items_of
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.paths.paths import PathEnd
from analyzer.tracing.paths.problems import PyRaise
from analyzer.tracing.paths.tracer import Tracer

LOST = "lost"  # of a parser or a namespace: it may have arguments that are not known
_SUPPRESS = "argparse.SUPPRESS"


@operator("argparse.ArgumentParser configargparse.ArgumentParser", "*args")
def parser(op: Op, args: tuple[Value, ...]) -> Value:
    """A parser has the arguments of its parents; a file of defaults may set any of them."""
    made = Object("parser", data={"flags": {}, "defaults": {}}, site=op.where)
    parents = op.extra.get("parents")
    known = parents is None or (isinstance(parents, (tuple, ListV)) and not getattr(parents, "open", False))
    for parent in items_of(parents) if known else ():
        if isinstance(parent, Object) and parent.kind == "parser":
            made.data["flags"] |= parent.data["flags"]
            made.data["defaults"] |= parent.data["defaults"]
            known = known and LOST not in parent.data
        else:
            known = False
    return made if known else _lost(op.tr, made)


def _lost(tr: Tracer, owner: Object) -> Object:
    tr.touch(owner)
    owner.data[LOST] = True
    return owner


def parser_method(tr: Tracer, owner: Object, name: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    """Methods of `argparse.ArgumentParser`."""
    if name == "add_argument":
        _add(tr, owner, args, kwargs)
        return tr.unknown("an argument", "data")
    if name in ("parse_args", "parse_known_args"):
        return _parse(tr, owner, args, kwargs, name == "parse_known_args")
    if name in ("add_argument_group", "add_mutually_exclusive_group"):
        return owner
    if name == "set_defaults":
        _set_defaults(tr, owner, kwargs)
        return None
    if name == "get_default" and args and isinstance(args[0], str) and LOST not in owner.data:
        known = owner.data["flags"].get(args[0])
        return owner.data["defaults"].get(args[0]) if known is None else _default(known[1])
    if name == "error":
        raise PathEnd
    if name == "add_subparsers":
        _lost(tr, owner)
    return tr.unknown(f"parser.{name}()", "foreign")


def _add(tr: Tracer, owner: Object, args: tuple[Value, ...], options: dict[str, Value]) -> None:
    """Of several arguments for one name the first decides what stands there without them."""
    names = [a for a in args if isinstance(a, str)]
    if not names:
        return
    label = next((n for n in names if n.startswith("--")), names[0]).lstrip("-").replace("-", "_")
    target = options.get("dest", label)
    label = target if isinstance(target, str) else label
    tr.touch(owner)
    flags, defaults = owner.data["flags"], owner.data["defaults"]
    if label in flags:
        options = {**options, "default": _default(flags[label][1])}
    elif "default" not in options and label in defaults:
        options = {**options, "default": defaults[label]}
    flags[label] = (args, dict(options))


def _set_defaults(tr: Tracer, owner: Object, values: dict[str, Value]) -> None:
    """Of arguments that there are or that come, and further attributes of what is parsed."""
    tr.touch(owner)
    owner.data["defaults"] = {**owner.data["defaults"], **values}
    flags = owner.data["flags"]
    owner.data["flags"] = {
        label: (names, {**options, "default": values[label]}) if label in values else (names, options)
        for label, (names, options) in flags.items()
    }


def _default(options: dict[str, Value]) -> Value:
    """What an argument is without a word of the command line, before a text goes through its type."""
    if "default" in options:
        return options["default"]
    return {"store_true": False, "store_false": True}.get(str(options.get("action")))


def _parse(tr: Tracer, owner: Object, args: tuple[Value, ...], kwargs: dict[str, Value], rest: bool) -> Value:
    given = args[0] if args else kwargs.get("args")
    written = isinstance(given, (ListV, tuple))  # and not what a user writes behind the command
    none = written and not getattr(given, "open", False) and not items_of(given)
    found: dict[str, Value] = {}
    for label, (names, options) in owner.data["flags"].items():
        optional = any(isinstance(n, str) and n.startswith("-") for n in names)
        if getattr(options.get("default"), "name", "") == _SUPPRESS:
            continue
        if none and optional:
            found[label] = _through_type(tr, options.get("type"), _default(options))
        elif written:
            found[label] = tr.unknown("an argument of the program's own")
        else:
            found[label] = _from_argument(tr, label, options, optional)
    found |= {label: value for label, value in owner.data["defaults"].items() if label not in owner.data["flags"]}
    space = _space(tr, args[1] if len(args) > 1 else kwargs.get("namespace"), found, none)
    if isinstance(space, Object) and LOST in owner.data:
        _lost(tr, space)
    others = ListV([]) if none else tr.unknown("other arguments", "data")
    return (space, others) if rest else space


def _through_type(tr: Tracer, kind: Value, default: Value) -> Value:
    """A default that is a text is read as one of the command line would be."""
    if not isinstance(default, str) or kind is None or getattr(kind, "name", "") == "str":
        return default
    try:
        return call(tr, kind, (default,), {})
    except PyRaise:  # which ends the program where nothing else is given
        return tr.unknown("a default that its type refuses")


def _space(tr: Tracer, given: Value, found: dict[str, Value], none: bool) -> Value:
    """The namespace that is filled: what stands in a given one is no default any more."""
    if given is None:
        return Object("namespace", found, {"open": True})
    if not (isinstance(given, Object) and given.kind == "namespace"):
        tr.forget([given])
        return tr.unknown("what a parser fills", "imprecise")
    tr.touch(given)
    for label, value in found.items():
        if label not in given.attrs:
            given.attrs[label] = value
        elif not none:
            given.attrs[label] = tr.unknown(f"the flag {label}", "flag", label)
    return given


def _from_argument(tr: Tracer, label: str, options: dict[str, Value], optional: bool) -> Value:
    action = options.get("action")
    two_sided = getattr(action, "name", "").rpartition(".")[2] == "BooleanOptionalAction"
    if action in ("store_true", "store_false") or two_sided:
        tr.met_default = True
        default = options.get("default", action == "store_false")
        if tr.defaults:
            return default
        value = Unknown(f"the flag {label}", "flag", label, "bool")
        value.default = default if isinstance(default, bool) else action == "store_false"
        return value
    kind = options.get("type")
    default = _through_type(tr, kind, options.get("default"))
    if options.get("nargs") is not None or (action is not None and action != "store"):
        tr.met_default = True
        if tr.defaults and "default" in options:
            return default
        if isinstance(default, ListV) and action is None:
            return default
        return tr.unknown(f"the flag {label}", "flag", label)
    if kind is None and "default" in options and not isinstance(default, str):
        # without type= the command line gives text, so a program that works uses the default
        return default
    return flag(tr, label, kind, default, optional and options.get("required") is not True)
