"""Entry points for Keras models, which know their own inputs: nobody has to call one to tell them.

A function without required arguments that returns a model is called as it is; of straight-line code that makes one (a
README, a test, a script, however it goes on to train it) the statements that the model rests on are kept. A model whose
text states no shape of an input has none yet, and is left out; so is one that downloads weights. The text is only read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from analyzer.selecting.command_line import with_defaults
from analyzer.selecting.definitions import required_parameters
from analyzer.selecting.example_calls import (
    DOWNLOADS,
    ExampleCall,
    assigned,
    module_of,
    pages_first,
    snake,
    statements_behind,
    straight_line,
    with_own_name,
)
from analyzer.selecting.inferred_inputs import returned_calls
from analyzer.selecting.keras_losses import CompiledLoss, compiled_loss, home_of, returned_names
from analyzer.selecting.model_code import ModelClass, ModelCode, Source, framework_names, runs_when_imported

MODELS = 6  # proposals at once: each is exported, which takes seconds
_HOMES = ("keras", "tensorflow", "tf_keras")
_MADE = ("Sequential", "Model")
_SHAPED = re.compile(r"\bInput(Layer)?\(|\b(batch_)?(input_)?shape\s*=|\binput_dim\s*=|\.build\(")
_WEIGHTS = re.compile(r"imagenet|\bapplications\b|from_preset|" + DOWNLOADS.pattern)


@dataclass(frozen=True, eq=False)
class _Scanned:
    """A source, with what each of its statements is asked about."""

    source: Source
    keras: frozenset[str]  # names that imports of the framework bind
    importable: bool  # importing the file does no more than define names: it does not train at its top level, say

    @classmethod
    def of(cls, written: Source) -> _Scanned:
        source = replace(written, tree=with_defaults(written.tree))
        return cls(source, framework_names(source.tree, _HOMES), not runs_when_imported(source.tree))


@dataclass(frozen=True, eq=False)
class _Maker:
    """A function at the top of a file that returns a Keras model."""

    node: ast.FunctionDef
    file: _Scanned


def keras_models(code: ModelCode, names: frozenset[str]) -> tuple[ExampleCall, ...]:
    """One entry point a function that makes a model, then the first model of each file's straight-line code.

    `names` are the entry points that exist.
    """
    sources = [_Scanned.of(source) for source in code.sources]
    makers = _makers(sources)
    taken = set(names)
    examples: dict[str, ExampleCall] = {}
    for call in _examples(sources, makers):
        examples.setdefault(call.path, call)
    return tuple(with_own_name(call, taken) for call in [*_functions(makers), *examples.values()][:MODELS])


def _makers(sources: Sequence[_Scanned]) -> Mapping[str, _Maker]:
    functions = [
        _Maker(node, file)
        for file in sources
        if file.source.path.endswith(".py") and file.source.file is None
        for node in file.source.tree.body
        if isinstance(node, ast.FunctionDef)
    ]
    makers: dict[str, _Maker] = {}
    while True:
        before = len(makers)
        for one in functions:
            if one.node.name not in makers and any(
                _is_made(call, one.file.keras) or _name(call.func) in makers for call in returned_calls(one.node)
            ):
                makers[one.node.name] = one
        if len(makers) == before:
            return makers


def _functions(makers: Mapping[str, _Maker]) -> Iterator[ExampleCall]:
    for name, maker in makers.items():
        path, text = maker.file.source.path, ast.unparse(maker.node)
        module = module_of(path)
        if module is None or name.startswith(("_", "test_")) or required_parameters(maker.node):
            continue
        if not maker.file.importable:
            continue
        if _SHAPED.search(text) and not _WEIGHTS.search(text):
            body = (f"from {module} import {name}", f"return {name}()")
            model = ModelClass(name, path, maker.node.lineno, "keras", ())
            call = ExampleCall(snake(name), model, path, maker.node.lineno, body)
            loss = _inner_loss(maker)
            if loss is not None:
                losses = loss.bodies(body[:-1], f"{name}()", "model.loss", home_of(maker.file.source.tree))
                call = replace(call, losses={body: losses}, loop=loss.line)
            yield call


def _examples(sources: Sequence[_Scanned], makers: Mapping[str, _Maker]) -> Iterator[ExampleCall]:
    of_makers = {id(maker.node.body) for maker in makers.values()}
    for file in sorted(sources, key=lambda file: pages_first(file.source)):
        for before, block in straight_line(file.source.tree, []):
            for at in range(len(block)) if id(block) not in of_makers else ():
                call = _example(before, block, at, file, makers)
                if call is not None:
                    yield call


def _example(
    before: list[ast.stmt], block: list[ast.stmt], at: int, file: _Scanned, makers: Mapping[str, _Maker]
) -> ExampleCall | None:
    """An entry point for the model that the statement `at` of `block` makes, if it makes one that is complete here."""
    source = file.source
    name, made = assigned(block[at]), getattr(block[at], "value", None)
    if name is None or not isinstance(made, ast.Call):
        return None
    maker = makers.get(_name(made.func))
    if not (maker or _is_made(made, file.keras)):
        return None
    if maker and not required_parameters(maker.node):
        return None  # it is called as it is
    defined = {n.name for n in source.tree.body if isinstance(n, ast.ClassDef | ast.FunctionDef)}
    local = defined if file.importable else set()
    there = [*before, *block[:at], *_until_bound_again(block[at:], name)]
    lines = statements_behind(there, {name}, local, source)
    text = "\n".join([*(lines or ()), ast.unparse(maker.node) if maker else ""])
    if lines is None or _WEIGHTS.search(text) or not _SHAPED.search(text):
        return None
    model = ModelClass(maker.node.name if maker else name, source.path, block[at].lineno, "keras", ())
    title = model.name if maker or name != "model" else _stem(source.path)
    body, line = (*lines, f"return {name}"), 0
    losses: tuple[tuple[str, ...], ...] = ()
    own = compiled_loss(there, name, file.keras)
    loss = own or (_inner_loss(maker) if maker else None)
    behind = statements_behind(there, {name, *own.needed}, local, source) if own else lines
    if loss is not None and behind is not None:
        text = "model.loss" if own is None else own.text
        losses, line = loss.bodies(behind, name, text, home_of(source.tree)), source.line + loss.line - 1
    place = source.line + block[at].lineno - 1
    return ExampleCall(snake(title), model, source.path, place, body, losses={body: losses}, loop=line)


def _inner_loss(maker: _Maker) -> CompiledLoss | None:
    """The loss that a function gives to the model which it makes."""
    found = (compiled_loss(maker.node.body, name, maker.file.keras) for name in sorted(returned_names(maker.node)))
    return next((loss for loss in found if loss is not None), None)


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
