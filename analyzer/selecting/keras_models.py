"""Entry points for Keras models, which know their own inputs: nobody has to call one to tell them.

A function without required arguments that returns a model is called as it is; of straight-line code that makes one (a
README, a test, a script, however it goes on to train it) the statements that the model rests on are kept. A model whose
text states no shape of an input has none yet, and is left out; so is one that downloads weights. The text is only read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from analyzer.selecting.example_calls import (
    DOWNLOADS,
    ExampleCall,
    assigned,
    module_of,
    snake,
    statements_behind,
    straight_line,
)
from analyzer.selecting.inferred_inputs import required_parameters, returned_calls
from analyzer.selecting.model_code import ModelClass, ModelCode, Source, framework_names

MODELS = 8  # at once: as many examples as become targets
_MADE = ("Sequential", "Model")
_SHAPED = re.compile(r"\bInput(Layer)?\(|\b(batch_)?(input_)?shape\s*=|\binput_dim\s*=|\.build\(")
_WEIGHTS = re.compile(r"imagenet|\bapplications\b|from_preset|" + DOWNLOADS.pattern)


@dataclass(frozen=True, eq=False)
class _Maker:
    """A function at the top of a file that returns a Keras model."""

    node: ast.FunctionDef
    source: Source


def keras_models(code: ModelCode, names: frozenset[str]) -> tuple[ExampleCall, ...]:
    """One entry point a function that makes a model, then one a variable that holds one in straight-line code.

    `names` are the entry points that exist.
    """
    makers = _makers(code)
    taken = set(names)
    found: list[ExampleCall] = []
    shown: set[str] = set()
    for call in [*_functions(makers), *_examples(code, makers)]:
        text = "\n".join(call.body)
        if text in shown or len(found) == MODELS:
            continue
        shown.add(text)
        name, number = call.name, 2
        while name in taken:
            name, number = f"{call.name}_{number}", number + 1
        taken.add(name)
        found.append(replace(call, name=name))
    return tuple(found)


def _makers(code: ModelCode) -> Mapping[str, _Maker]:
    functions = [
        _Maker(node, source)
        for source in code.sources
        if source.path.endswith(".py") and source.file is None
        for node in source.tree.body
        if isinstance(node, ast.FunctionDef)
    ]
    makers: dict[str, _Maker] = {}
    while True:
        before = len(makers)
        for one in functions:
            keras = framework_names(one.source.tree, ("keras", "tensorflow"))
            if one.node.name not in makers and any(
                _is_made(call, keras) or _name(call.func) in makers for call in returned_calls(one.node)
            ):
                makers[one.node.name] = one
        if len(makers) == before:
            return makers


def _functions(makers: Mapping[str, _Maker]) -> Iterator[ExampleCall]:
    for name, maker in makers.items():
        path, text = maker.source.path, ast.unparse(maker.node)
        module = module_of(path)
        if module is None or name.startswith(("_", "test_")) or required_parameters(maker.node) or _runs(maker.source):
            continue
        if _SHAPED.search(text) and not _WEIGHTS.search(text):
            body = (f"from {module} import {name}", f"return {name}()")
            model = ModelClass(name, path, maker.node.lineno, "keras", ())
            yield ExampleCall(snake(name), model, path, maker.node.lineno, body)


def _examples(code: ModelCode, makers: Mapping[str, _Maker]) -> Iterator[ExampleCall]:
    for source in sorted(code.sources, key=lambda s: (not s.path.endswith((".md", ".rst")), s.path.count("/"), s.path)):
        local = {n.name for n in source.tree.body if isinstance(n, ast.ClassDef | ast.FunctionDef)}
        for before, block in straight_line(source.tree, []):
            keras = framework_names(source.tree, ("keras", "tensorflow"))
            for at, statement in enumerate(block):
                made = getattr(statement, "value", None)
                name = assigned(statement)
                if name is None or not isinstance(made, ast.Call):
                    continue
                maker = makers.get(_name(made.func))
                if not (_is_made(made, keras) or maker is not None):
                    continue
                if maker is not None and not required_parameters(maker.node):
                    continue  # called as it is above
                if local and _runs(source) and source.path.endswith(".py"):
                    local_here: set[str] = set()  # importing the file would run it
                else:
                    local_here = local
                after = _until_bound_again(block[at:], name)
                lines = statements_behind([*before, *block[:at], *after], {name}, local_here, source)
                text = "\n".join([*(lines or ()), *([ast.unparse(maker.node)] if maker else [])])
                if lines is None or _WEIGHTS.search(text) or (not _SHAPED.search(text) and maker is None):
                    continue
                model = ModelClass(maker.node.name if maker else name, source.path, statement.lineno, "keras", ())
                line = source.line + statement.lineno - 1
                title = snake(model.name) if maker or name != "model" else snake(_stem(source.path))
                yield ExampleCall(title, model, source.path, line, (*lines, f"return {name}"))


def _until_bound_again(statements: list[ast.stmt], name: str) -> list[ast.stmt]:
    """The statement that makes a model and those that add to it, before the variable holds another."""
    others = (at for at, statement in enumerate(statements[1:], 1) if assigned(statement) == name)
    return statements[: next(others, len(statements))]


def _is_made(call: ast.Call, keras: frozenset[str]) -> bool:
    """``keras.Sequential(…)``, ``Model(inputs, outputs)``: by a name that is the framework's in this file."""
    dotted = ast.unparse(call.func)
    return dotted.rpartition(".")[2] in _MADE and dotted.partition(".")[0] in keras


def _name(expression: ast.expr) -> str:
    return ast.unparse(expression).rpartition(".")[2]


def _stem(path: str) -> str:
    return re.sub(r"\W", "_", path.rpartition("/")[2].rpartition(".")[0]) or "model"


def _runs(source: Source) -> bool:
    """Whether importing the file does more than define names: training at its top level, say."""
    return any(
        isinstance(node, ast.For | ast.While | ast.With)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
        for node in source.tree.body
    )
