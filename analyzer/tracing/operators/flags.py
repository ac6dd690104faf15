"""What a user sets: absl / TF1 flags, click, typer, hydra, environment variables, as symbols."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from analyzer.tracing.imports.configurations import hydra_configuration
from analyzer.tracing.language.evaluation import call, evaluate
from analyzer.tracing.language.values import Api, Bound, DictV, Function, ListV, Object, Unknown, Value
from analyzer.tracing.operators.operands import items_of
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.paths.tracer import Tracer


def flag(tr: Tracer, name: str, kind: Value, default: Value, optional: bool = True) -> Value:
    """A user-supplied value. Integers become symbols at first use as a size; the default is followed first.

    In the default run an `optional` flag is its default; any other is given in every run, and never None.
    """
    tr.met_default = True
    if tr.defaults and optional:
        return parsed(kind, default)
    default = parsed(kind, default)
    text = getattr(kind, "name", "") if kind is not None else ""
    if text == "" and default is not None and not isinstance(default, Unknown):
        text = type(default).__name__ if isinstance(default, (bool, int, float, str)) else ""
    value = Unknown(
        f"the flag {name}", "flag", name, {"int": "int", "float": "float", "str": "str", "bool": "bool"}.get(text, "")
    )
    if isinstance(default, (bool, int, float, str)):
        value.default = default
    if not optional and default is None:
        value.excluded.append(None)
    if isinstance(default, (ListV, DictV)):
        return default
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


def parsed(kind: Value, default: Value) -> Value:
    """What a number's type makes of a default that is a text."""
    number = {"int": int, "float": float}.get(getattr(kind, "name", ""))
    if isinstance(default, str) and number is not None:
        try:
            return number(default)
        except ValueError:
            return default
    return default


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
        names = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        options = {k.arg: evaluate(tr, k.value) for k in node.keywords if k.arg}
        if names:
            label = next(
                (n for n in names if not n.startswith("-")), next((n for n in names if n.startswith("--")), names[0])
            )
            label = label.lstrip("-").partition("/")[0].replace("-", "_")
            if options.get("is_flag") is True:
                tr.met_default = True
                default = bool(options.get("default", False))
                value: Value = default
                if not tr.defaults:
                    value = Unknown(f"the flag {label}", "flag", label, "bool")
                    value.default = default
            else:
                required = options.get("required", name == "click.argument")
                optional = required is not True
                value = flag(tr, label, options.get("type"), options.get("default"), optional)
            function.options[label] = value
    elif name in ("click.command", "click.group"):
        function.decorated = True  # called with arguments of the command line, or none
        function.command = True
    elif name == "hydra.main":
        positional = function.node.args.args
        if positional:
            tr.met_default = True
            found = _hydra_defaults(tr, node) if tr.defaults else None
            name = positional[0].arg
            function.options[name] = found if found is not None else Unknown("the hydra configuration", "flag", name)
    return True


def _hydra_defaults(tr: Tracer, node: ast.expr) -> Value:
    """The configuration that `@hydra.main(config_path=…, config_name=…)` composes without a command line."""
    options = {k.arg: evaluate(tr, k.value) for k in node.keywords if k.arg} if isinstance(node, ast.Call) else {}
    folder, name = options.get("config_path", "."), options.get("config_name")
    if not isinstance(folder, str) or not isinstance(name, str):
        return None
    return hydra_configuration(tr.shared.root, (tr.shared.root / tr.frame.path).parent / folder, name)


def run_command(tr: Tracer, function: Value) -> Value:
    """What `typer.run(main)` does: parameters become options of the command line, by their defaults."""
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
        kind = NamedType(_type_named(parameter.annotation))
        optional = parameter.arg in defaults and default is not None
        function.options[parameter.arg] = flag(tr, parameter.arg, kind if kind.name else None, default, optional)
    return call(tr, function, (), dict(function.options), None)


def _type_named(annotation: ast.expr | None) -> str:
    """`int` of `int` or of `Annotated[int, …]`."""
    if isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple) and annotation.slice.elts:
        return _type_named(annotation.slice.elts[0])
    return annotation.id if isinstance(annotation, ast.Name) else ""


@dataclass(frozen=True, slots=True)
class NamedType:
    """A Python type by its name."""

    name: str


# -------------------------------------------------------------------------------------------------- operators


_HOMES = ("tf.app.flags", "tf.flags", "absl.flags")
_KINDS = {"integer": "int", "float": "float", "string": "str", "bool": "bool", "boolean": "bool", "enum": "str"}


@operator(
    " ".join(f"{home}.DEFINE_{k}" for home in _HOMES for k in _KINDS),
    "name default=None *rest",
)
def define_flag(op: Op, name: Value, default: Value, rest: tuple[Value, ...]) -> Value:
    if not isinstance(name, str):
        return None
    default = op.extra.get("default_value", default)

    kind = NamedType(_KINDS[op.short.removeprefix("DEFINE_")])
    value = flag(op.tr, name, kind, default)
    flags = flag_values(op.tr)
    op.tr.touch(flags)
    flags.attrs[name], flags.data[f"type of {name}"] = value, kind
    return Object("flag holder", {"value": value, "default": default, "name": name})


@operator(" ".join(f"{home}.mark_flag_as_required" for home in _HOMES), "name")
def require_flag(op: Op, name: Value) -> Value:
    """A flag that every run has to give: it has no default."""
    flags = flag_values(op.tr)
    if isinstance(name, str) and name in flags.attrs:
        op.tr.touch(flags)
        flags.attrs[name] = flag(op.tr, name, flags.data.get(f"type of {name}"), None, optional=False)
    return None


@operator(" ".join(f"{home}.mark_flags_as_required" for home in _HOMES), "names")
def require_flags(op: Op, names: Value) -> Value:
    for name in items_of(names):
        require_flag(op, name)
    return None


def flag_values(tr: Tracer) -> Object:
    """The one FLAGS object of a program."""
    if not isinstance(tr.flags, Object):
        tr.flags = Object("namespace")
    return tr.flags


_ALWAYS_SET = ("HOME", "PATH", "USER", "PWD", "SHELL", "TMPDIR", "HOSTNAME", "LANG")


@operator("os.environ.get os.getenv", "name default=None")
def environment(op: Op, name: Value, default: Value) -> Value:
    label = name if isinstance(name, str) else "environment"
    op.tr.met_default = True
    if op.tr.defaults and label not in _ALWAYS_SET:
        return default
    value = Unknown(f"the environment variable {label}", "flag", label, "str")
    value.default = default if isinstance(default, str) else None
    return value


@operator("absl.app.run", "main *rest")
def absl_run(op: Op, main: Value, rest: tuple[Value, ...]) -> Value:
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


@operator("torch.distributed.is_torchelastic_launched", "")
def launched(op: Op) -> Value:
    """Whether several processes train together: a program that is started by itself is one process."""
    return flag(op.tr, op.short, Api("bool"), False)
