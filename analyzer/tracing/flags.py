"""What a user sets: argparse, absl / TF1 flags, click, typer, hydra, environment variables, as symbols."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.tracer import Tracer
from analyzer.tracing.values import Api, Bound, DictV, Function, ListV, Object, Unknown, Value


def flag(tr: Tracer, name: str, kind: Value, default: Value, choices: Value = None) -> Value:
    """A user-supplied value. Integers become symbols at first use as a size; the default is followed first."""
    text = getattr(kind, "name", "") if kind is not None else ""
    if text == "" and default is not None and not isinstance(default, Unknown):
        text = type(default).__name__ if isinstance(default, (bool, int, float, str)) else ""
    value = Unknown(
        f"the flag {name}", "flag", name, {"int": "int", "float": "float", "str": "str", "bool": "bool"}.get(text, "")
    )
    if isinstance(default, (bool, int, float, str)):
        value.default = default
    if isinstance(default, (ListV, DictV)):
        return default
    del choices
    if value.pytype == "int":
        value.term = tr.symbols.fresh(
            name,
            "flag",
            0 if isinstance(default, int) and default == 0 else 1,
            site=tr.site(),
            default=default if isinstance(default, int) else None,
        )
        return value.term
    return value


def parser_method(
    tr: Tracer, owner: Object, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> Value:
    """Methods of `argparse.ArgumentParser`."""
    if name == "add_argument":
        names = [a for a in args if isinstance(a, str)]
        if names:
            label = next((n for n in names if n.startswith("--")), names[0]).lstrip("-").replace("-", "_")
            target = kwargs.get("dest", label)
            tr.touch(owner)
            owner.data["flags"][target if isinstance(target, str) else label] = (args, dict(kwargs))
        return tr.unknown("an argument", "data")
    if name in ("parse_args", "parse_known_args"):
        space = Object("namespace", data={"open": True})
        for label, (_, options) in owner.data["flags"].items():
            space.attrs[label] = _from_argument(tr, label, options)
        return (space, tr.unknown("other arguments", "data")) if name == "parse_known_args" else space
    if name in ("add_argument_group", "add_mutually_exclusive_group"):
        return owner
    if name == "set_defaults":
        return None
    if name == "error":
        from analyzer.tracing.paths import PathEnd

        raise PathEnd
    return tr.unknown(f"parser.{name}()", "data")


def _from_argument(tr: Tracer, label: str, options: dict[str, Value]) -> Value:
    action = options.get("action")
    if action in ("store_true", "store_false"):
        value = Unknown(f"the flag {label}", "flag", label, "bool")
        value.default = action == "store_false"
        return value
    if options.get("nargs") is not None:
        return (
            options.get("default")
            if isinstance(options.get("default"), ListV)
            else tr.unknown(f"the flag {label}", "flag", label)
        )
    if action is not None:
        return tr.unknown(f"the flag {label}", "flag", label)
    default = options.get("default")
    kind = options.get("type")
    if isinstance(default, str) and getattr(kind, "name", "") == "int" and default.isdigit():
        default = int(default)
    if kind is None and "default" in options and not isinstance(default, str):
        # without type= the command line gives text, so a program that works uses the default
        return default
    return flag(tr, label, kind, default, options.get("choices"))


def command_line_decorator(tr: Tracer, function: Function, decorator: Value, node: ast.expr) -> bool:
    """`@click.option("--size", default=3)` and the like fill a parameter; `@hydra.main` gives a configuration."""
    name = decorator.name if isinstance(decorator, Api) else ""
    if isinstance(decorator, Bound) and isinstance(decorator.owner, Object) and decorator.owner.kind == "typer":
        tr.touch(decorator.owner)
        decorator.owner.data["commands"].append(function)
        return True
    if not name.startswith(("click.", "hydra.", "typer.")):
        return isinstance(decorator, Bound) and False
    if name in ("click.option", "click.argument") and isinstance(node, ast.Call):
        from analyzer.tracing.expressions import evaluate

        names = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        options = {k.arg: evaluate(tr, k.value) for k in node.keywords if k.arg}
        if names:
            label = next(
                (n for n in names if not n.startswith("-")), next((n for n in names if n.startswith("--")), names[0])
            )
            label = label.lstrip("-").partition("/")[0].replace("-", "_")
            if options.get("is_flag") is True:
                value: Value = Unknown(f"the flag {label}", "flag", label, "bool")
                value.default = bool(options.get("default", False))
            else:
                value = flag(tr, label, options.get("type"), options.get("default"))
            function.options[label] = value
    elif name in ("click.command", "click.group"):
        function.decorated = True  # called with arguments of the command line, or none
        function.command = True
    elif name == "hydra.main":
        positional = function.node.args.args
        if positional:
            function.options[positional[0].arg] = Unknown("the hydra configuration", "flag", positional[0].arg)
    return True


def run_command(tr: Tracer, function: Value) -> Value:
    """What `typer.run(main)` does: parameters become options of the command line, by their defaults."""
    from analyzer.tracing.calls import call

    if not isinstance(function, Function):
        return None
    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args]
    defaults: dict[str, Value] = dict(function.kw_defaults)
    if function.defaults:
        defaults.update(zip((p.arg for p in positional[-len(function.defaults) :]), function.defaults, strict=True))
    for parameter in (*positional, *spec.kwonlyargs):
        default = defaults.get(parameter.arg)
        if isinstance(default, Object) and default.kind == "option":
            default = default.data["default"]
        kind = Named(_type_named(parameter.annotation))
        function.options[parameter.arg] = flag(tr, parameter.arg, kind if kind.name else None, default)
    return call(tr, function, (), dict(function.options), None)


def _type_named(annotation: ast.expr | None) -> str:
    """`int` of `int` or of `Annotated[int, …]`."""
    if isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple) and annotation.slice.elts:
        return _type_named(annotation.slice.elts[0])
    return annotation.id if isinstance(annotation, ast.Name) else ""


@dataclass(frozen=True, slots=True)
class Named:
    """A Python type by its name."""

    name: str


# -------------------------------------------------------------------------------------------------- operators


@operator("argparse.ArgumentParser configargparse.ArgumentParser", "*args")
def parser(op: Op, args: tuple[Value, ...]) -> Value:
    return Object("parser", data={"flags": {}}, site=op.where)


_KINDS = {"integer": "int", "float": "float", "string": "str", "bool": "bool", "boolean": "bool", "enum": "str"}


@operator(
    " ".join(f"{home}.DEFINE_{k}" for home in ("tf.app.flags", "tf.flags", "absl.flags") for k in _KINDS),
    "name default=None *rest",
)
def define_flag(op: Op, name: Value, default: Value, rest: tuple[Value, ...]) -> Value:
    if not isinstance(name, str):
        return None
    default = op.extra.get("default_value", default)

    value = flag(op.tr, name, Named(_KINDS[op.short.removeprefix("DEFINE_")]), default)
    flags = flag_values(op.tr)
    op.tr.touch(flags)
    flags.attrs[name] = value
    return Object("flag holder", {"value": value, "default": default, "name": name})


def flag_values(tr: Tracer) -> Object:
    """The one FLAGS object of a program."""
    if not isinstance(tr.flags, Object):
        tr.flags = Object("namespace")
    return tr.flags


@operator("os.environ.get os.getenv", "name default=None")
def environment(op: Op, name: Value, default: Value) -> Value:
    label = name if isinstance(name, str) else "environment"
    value = Unknown(f"the environment variable {label}", "flag", label, "str")
    value.default = default if isinstance(default, str) else None
    return value


@operator("absl.app.run", "main *rest")
def absl_run(op: Op, main: Value, rest: tuple[Value, ...]) -> Value:
    from analyzer.tracing.calls import call

    return call(op.tr, main, (op.tr.unknown("arguments", "data"),), {})


@operator("typer.Typer", "*args")
def typer_application(op: Op, args: tuple[Value, ...]) -> Value:
    return Object("typer", data={"commands": []}, site=op.where)


@operator("typer.Option typer.Argument", "default=None *names")
def typer_option(op: Op, default: Value, names: tuple[Value, ...]) -> Value:
    return Object("option", data={"default": None if default is Ellipsis else default})


@operator("typer.run", "function")
def typer_run(op: Op, function: Value) -> Value:
    return run_command(op.tr, function)
