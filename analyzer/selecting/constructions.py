"""Where code makes a model whose inputs come from elsewhere: a training script, say, whose data a loader brings.

Settings that the command line gives are taken at their defaults. The text is only read.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from analyzer.selecting.command_line import with_defaults
from analyzer.selecting.definitions import last_name
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
    tree = with_defaults(source.tree)
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
                    yield Construction(last_name(call.func), name, call, lines, source, step)


def _made(statement: ast.stmt, makers: Collection[str], torch: frozenset[str]) -> Iterator[ast.Call]:
    if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
        for node in ast.walk(statement.value):
            if isinstance(node, ast.Call) and (last_name(node.func) in makers or is_sequential(node, torch)):
                kept = [k for k in node.keywords if not (k.arg or "").startswith(_WEIGHTS)]
                yield ast.copy_location(ast.Call(node.func, node.args, kept), node)
