"""`argparse` in a dry run: arguments that a script requires and nobody gave are made up."""

from __future__ import annotations

import re
from typing import Any

from .made_up import InventedText, Inventions


def arguments_made_up(argparse: Any, inventions: Inventions) -> None:
    """From now on parsers do without what they require."""
    plain = argparse.ArgumentParser.parse_known_args

    def parse_known_args(self: Any, args: Any = None, namespace: Any = None, **options: Any) -> Any:
        given = args
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                if action.required and not given and action.choices:
                    names = list(action.choices)
                    given = ["train" if "train" in names else names[0]]
                    inventions.tell(f"the command `{given[0]}`")
            elif not given and (_required(action, argparse) or _of_data(action, inventions)):
                _made_up(action, inventions)
        for group in self._mutually_exclusive_groups:
            if group.required and not given:
                group.required = False
                if group._group_actions:
                    _made_up(group._group_actions[0], inventions)
        return plain(self, given, namespace, **options)

    argparse.ArgumentParser.parse_known_args = parse_known_args


# What names data that a training needs, and what names a state that one may begin from.
_DATA = re.compile(r"data|train|input|corpus|image|img|csv|source|src|text|file|root|dir", re.IGNORECASE)
_STATE = re.compile(
    r"resume|check_?point|ckpt|weight|pretrain|load|init|config|cfg|out|save|log|cache|valid|eval|test|tokenizer|embed",
    re.IGNORECASE,
)


def _of_data(action: Any, inventions: Inventions) -> bool:
    """Whether an argument may stay None, names data, and is to be given all the same."""
    kind = getattr(action.type, "__name__", "str")
    named = _DATA.search(action.dest) and not _STATE.search(action.dest)
    if action.default is not None or action.nargs is not None or kind not in ("str", "Path") or not named:
        return False
    inventions.optional = True
    return inventions.filled


def _required(action: Any, argparse: Any) -> bool:
    needed = action.required if action.option_strings else action.nargs not in ("?", "*", argparse.REMAINDER)
    return needed and action.default is not argparse.SUPPRESS and action.nargs != 0


def _made_up(action: Any, inventions: Inventions) -> None:
    value = _value(action, inventions)
    count = action.nargs if isinstance(action.nargs, int) else 1
    many = isinstance(action.nargs, int) or action.nargs in ("+", "*")
    action.required = False
    action.default = [value] * count if many else value
    if not action.option_strings:
        action.nargs = "*" if many else "?"
    name = action.option_strings[-1] if action.option_strings else action.dest
    inventions.tell(f"the argument {name}")


def _value(action: Any, inventions: Inventions) -> Any:
    if action.choices:
        return next(iter(action.choices))
    kind = getattr(action.type, "__name__", "")
    if kind in ("int", "float"):
        return inventions.argument(kind)
    text = InventedText(action.dest)
    if action.type is None or action.type is str:
        action.type = None  # which would make another text of it
        return text
    return action.type(str(text))
