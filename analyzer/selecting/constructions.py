"""Where code makes a model whose inputs come from elsewhere: a training script, say, whose data a loader brings.

Settings that the command line gives are taken at their defaults. The text is only read.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from analyzer.selecting.example_calls import DOWNLOADS, assigned, is_sequential, statements_behind, straight_line
from analyzer.selecting.model_code import Source, framework_names, runs_when_imported
from analyzer.selecting.training_steps import TrainingStep, training_step

_WEIGHTS = ("pretrained", "weights")  # arguments that fetch weights, without which a model is as large


@dataclass(frozen=True, slots=True)
class Construction:
    """A call that gives a model. `lines` are the statements that it rests on."""

    maker: str  # the class or function that is called
    name: str  # of the variable that holds the model
    call: ast.Call
    lines: tuple[str, ...]
    source: Source
    step: TrainingStep | None  # of a loop that trains it

    @property
    def line(self) -> int:
        return self.source.line + self.call.lineno - 1

    def as_function(self) -> ast.FunctionDef:
        """A function without arguments that returns the call."""
        function = ast.parse(f"def {self.name}(): pass").body[0]
        assert isinstance(function, ast.FunctionDef)
        function.body = [ast.Return(self.call)]
        return function


def constructions(source: Source, makers: Collection[str]) -> Iterator[Construction]:
    """The calls of `makers`, names of classes and functions, and of ``Sequential`` in straight-line code."""
    defaults = _Defaults.of(source.tree)
    tree = defaults.visit(copy.deepcopy(source.tree)) if defaults.values else source.tree
    defined = {n.name for n in tree.body if isinstance(n, ast.ClassDef | ast.FunctionDef)}
    local = set() if runs_when_imported(tree) else defined
    torch = framework_names(tree, ("torch",))
    for before, block in straight_line(tree, []):
        for at, statement in enumerate(block):
            for call in _made(statement, makers, torch):
                needed = {n.id for n in ast.walk(call) if isinstance(n, ast.Name)}
                lines = statements_behind([*before, *block[:at]], needed, local, source)
                if DOWNLOADS.search(ast.unparse(call)):
                    continue
                if lines is not None and not any("parse_args" in line for line in lines):  # nobody types anything here
                    name = assigned(statement) or "model"
                    rest = [*before, *block[:at], *block[at + 1 :]]
                    step = training_step(tree, name, rest, local, source)
                    yield Construction(_last(call.func), name, call, lines, source, step)


def _made(statement: ast.stmt, makers: Collection[str], torch: frozenset[str]) -> Iterator[ast.Call]:
    if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
        for node in ast.walk(statement.value):
            if isinstance(node, ast.Call) and (_last(node.func) in makers or is_sequential(node, torch)):
                kept = [k for k in node.keywords if not (k.arg or "").startswith(_WEIGHTS)]
                yield ast.copy_location(ast.Call(node.func, node.args, kept), node)


def _last(expression: ast.expr) -> str:
    return ast.unparse(expression).rpartition(".")[2]


@dataclass
class _Defaults(ast.NodeTransformer):
    """Puts in place of ``args.width`` what the parser of a script gives where nobody says otherwise."""

    holders: frozenset[str]  # variables that hold what was typed
    values: Mapping[str, ast.expr]

    @classmethod
    def of(cls, tree: ast.Module) -> _Defaults:
        values: dict[str, ast.expr] = {}
        holders = {"args"}  # and what it is handed on as, most often
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and "parse_args" in ast.unparse(node.value):
                holders |= {target.id for target in node.targets if isinstance(target, ast.Name)}
            if isinstance(node, ast.Call) and _last(node.func) == "add_argument":
                values |= _declared(node)
        return cls(frozenset(holders), values)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        held = isinstance(node.value, ast.Name) and node.value.id in self.holders
        return copy.deepcopy(self.values[node.attr]) if held and node.attr in self.values else node


def _declared(call: ast.Call) -> dict[str, ast.expr]:
    """The name and the default of an argument of ``argparse``, where it has one."""
    given = {k.arg: k.value for k in call.keywords if k.arg}
    flags = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    named = given.get("dest")
    longest = max(flags, key=len, default="").lstrip("-").replace("-", "_")
    name = named.value if isinstance(named, ast.Constant) and isinstance(named.value, str) else longest
    switch = given.get("action")
    stored = switch.value if isinstance(switch, ast.Constant) else None
    if stored in ("store_true", "store_false"):
        given.setdefault("default", ast.Constant(stored == "store_false"))
    default = given.get("default")
    return {name: default} if isinstance(default, ast.Constant) else {}
