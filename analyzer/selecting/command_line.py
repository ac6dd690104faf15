"""What a script gets from its command line where nobody says otherwise: the defaults of ``argparse``, absl and click.

The text is only read.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping
from dataclasses import dataclass

from analyzer.selecting.definitions import last_name
from analyzer.selecting.model_code import framework_names


def with_defaults(tree: ast.Module) -> ast.Module:
    """The module with the default of each argument that has one in place of ``args.width`` and ``FLAGS.width``.

    A function whose arguments click fills gets their defaults as its own.
    """
    defaults = _Defaults.of(tree)
    found = defaults.visit(copy.deepcopy(tree)) if defaults.values or framework_names(tree, ("click",)) else tree
    assert isinstance(found, ast.Module)
    return found


@dataclass
class _Defaults(ast.NodeTransformer):
    """Puts in place of ``args.width`` what the parser of a script gives where nobody says otherwise."""

    holders: frozenset[str]  # variables that hold what was typed
    values: Mapping[str, ast.expr]

    @classmethod
    def of(cls, tree: ast.Module) -> _Defaults:
        values: dict[str, ast.expr] = {}
        holders = {"args", "FLAGS"}  # and what it is handed on as, most often
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and "parse_args" in ast.unparse(node.value):
                holders |= {target.id for target in node.targets if isinstance(target, ast.Name)}
            if isinstance(node, ast.Call) and last_name(node.func) == "add_argument":
                values |= _declared(node)
            if isinstance(node, ast.Call) and last_name(node.func).startswith("DEFINE_"):
                values |= _flag(node)
        return cls(frozenset(holders), values)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        held = isinstance(node.value, ast.Name) and node.value.id in self.holders
        return copy.deepcopy(self.values[node.attr]) if held and node.attr in self.values else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        options = [d for d in node.decorator_list if isinstance(d, ast.Call) and last_name(d.func) == "option"]
        found = {name: value for option in options for name, value in _declared(option).items()}
        given = node.args
        if options and not (given.defaults or given.kwonlyargs) and {a.arg for a in given.args} <= {*found}:
            given.defaults = [found[a.arg] for a in given.args]
        return node


def _flag(call: ast.Call) -> dict[str, ast.expr]:
    """The name and the default of ``flags.DEFINE_integer("width", 32, "…")``."""
    given = [*call.args, *(k.value for k in call.keywords if k.arg == "default")]
    name, default = (*given, None, None)[:2]
    if isinstance(name, ast.Constant) and isinstance(name.value, str) and isinstance(default, ast.Constant):
        return {name.value: default}
    return {}


def _declared(call: ast.Call) -> dict[str, ast.expr]:
    """The name and the default of an argument of ``argparse`` or an option of click, where it has one."""
    given = {k.arg: k.value for k in call.keywords if k.arg}
    flags = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    named = given.get("dest")
    longest = max(flags, key=len, default="").lstrip("-").replace("-", "_")
    name = named.value if isinstance(named, ast.Constant) and isinstance(named.value, str) else longest
    switch = given.get("action")
    stored = switch.value if isinstance(switch, ast.Constant) else None
    if stored in ("store_true", "store_false"):
        given.setdefault("default", ast.Constant(stored == "store_false"))
    if "is_flag" in given:
        given.setdefault("default", ast.Constant(False))
    default = given.get("default")
    return {name: default} if isinstance(default, ast.Constant) else {}
