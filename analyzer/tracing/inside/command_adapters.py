"""`click` and `typer` in a dry run: what a command requires and nobody gave is made up, a group runs its training."""

from __future__ import annotations

from typing import Any

from .made_up import InventedText, Inventions


def adapters(inventions: Inventions) -> dict[str, Any]:
    return {
        "click.core": lambda core: _parameters(core, ("Group", "MultiCommand"), inventions),
        "typer._click.core": lambda core: _parameters(core, (), inventions),
        "typer.core": lambda core: _groups(core, ("TyperGroup",), inventions),
    }


def _parameters(core: Any, groups: tuple[str, ...], inventions: Inventions) -> None:
    plain = core.Parameter.consume_value

    def consume_value(self: Any, ctx: Any, opts: Any) -> Any:
        value, source = plain(self, ctx, opts)
        if not self.required or not _missing(self, value):
            return value, source
        name = self.opts[0] if self.param_type_name == "option" else self.name
        inventions.tell(f"the argument {name}")
        kind: Any = getattr(self, "type", None)
        if hasattr(kind, "exists"):
            kind.exists = False  # a path of which nothing is here
        made = _value(self, inventions)
        count = self.nargs if isinstance(self.nargs, int) and self.nargs > 1 else 1
        many = self.nargs != 1 or getattr(self, "multiple", False)
        return (made,) * count if many else made, source

    core.Parameter.consume_value = consume_value
    _groups(core, groups, inventions)


def _missing(parameter: Any, value: Any) -> bool:
    return value is None or value == () or type(value).__name__ == "Sentinel" or "UNSET" in repr(value)[:20]


def _value(parameter: Any, inventions: Inventions) -> Any:
    given: Any = getattr(parameter, "type", None)
    kind = getattr(given, "name", "")
    if getattr(given, "choices", None):
        return next(iter(given.choices))
    if kind.startswith(("integer", "float")):
        return inventions.argument("int" if kind.startswith("integer") else "float")
    annotated = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)  # what typer goes by
    if annotated in (int, float):
        return inventions.argument(annotated.__name__)
    return InventedText(parameter.name or "argument")


def _groups(core: Any, names: tuple[str, ...], inventions: Inventions) -> None:
    """A group of commands that nobody gave one runs the one that trains, or its first."""
    for kind in {getattr(core, name) for name in names if hasattr(core, name)}:
        if "parse_args" not in vars(kind):
            continue
        plain = kind.parse_args

        def parse_args(self: Any, ctx: Any, args: Any, plain: Any = plain) -> Any:
            if not args and not getattr(self, "invoke_without_command", False) and self.commands:
                chosen = "train" if "train" in self.commands else next(iter(self.commands))
                inventions.tell(f"the command `{chosen}`")
                args = [chosen]
            return plain(self, ctx, args)

        kind.parse_args = parse_args
