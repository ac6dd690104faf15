"""Entry points for models that no example calls: made as the repository makes them, with inputs their layers suggest.

A model that the repository makes somewhere (a training script) is made with the same arguments; a class or a function
that returns a model, every argument of which has a default, is called as it is. Its inputs are those that its layers
suggest; where these tell nothing, or none of them fits, pictures are tried. The text is only read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from analyzer.selecting.constructions import constructions
from analyzer.selecting.definitions import SourceDefinition, SourceDefinitions, last_name, method, required_parameters
from analyzer.selecting.example_calls import ExampleCall, module_of, pages_first, snake
from analyzer.selecting.model_code import ModelClass, ModelCode, required_arguments, runs_when_imported
from analyzer.selecting.suggested_inputs import suggested
from analyzer.selecting.training_steps import TrainingStep, own_step

MODELS = 4  # proposals at once: each is exported, which takes seconds
# Tried where no layer tells the layout. What takes the absurd one too takes anything, like an activation.
_COMMON = [f"torch.rand(1, {shape})" for shape in ("3, 224, 224", "3, 32, 32", "1, 28, 28", "3, 64, 64", "3, 256, 256")]
_ABSURD = "torch.rand(1, 97, 224, 224)"
_SKIPPED = ("test", "tests", "docs", "examples", "benchmarks", "setup")


@dataclass(frozen=True, slots=True)
class _Way:
    """How a model is made: statements, then an expression, with what they give to parameters that are numbers."""

    maker: SourceDefinition
    path: str
    line: int
    lines: tuple[str, ...]
    expression: str
    settings: Mapping[str, int]
    step: TrainingStep | None  # what trains it
    name: str = "model"  # of the variable that the step calls

    def body(self, tensor: str) -> tuple[str, ...]:
        return ("import torch", *self.lines, f"return {self.expression}.eval(), ({tensor},)")

    def losses(self, tensor: str) -> tuple[tuple[str, ...], ...]:
        """Bodies that give the loss of a training step, where the model takes `tensor`."""
        if self.step is None:
            return ()
        steps = [self.step.written(self.name, self.expression, batch) for batch in self.step.batches(tensor)]
        return tuple(("import torch", *self.lines, *lines) for lines in steps)

    def calling(self, tensor: str) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Those of `losses` that stand in a function, each with the body that calls it."""
        for batch, body in zip(self.step.batches(tensor) if self.step else (), self.losses(tensor), strict=False):
            lines = self.step.calling(self.expression, batch) if self.step else None
            if lines is not None:
                yield body, ("import torch", *self.lines, *lines)


def inferred_calls(code: ModelCode, called: frozenset[str], names: frozenset[str]) -> tuple[ExampleCall, ...]:
    """At most `MODELS` entry points, those made of most classes first, one a model class.

    `called` are the classes that an example calls already, `names` the entry points that exist.
    """
    repository = SourceDefinitions.of(code)
    makers = _makers(repository)
    blocks = {part.name for made in makers.values() for part in repository.parts(made) if part is not made}
    proposed: dict[str, tuple[int, ExampleCall]] = {}
    for made, way in [*_constructed(code, repository, makers), *_called_alone(makers)]:
        if made.name in called or made.name in proposed or way.maker.name in blocks or way.maker.name.startswith("_"):
            continue
        tensors = suggested(way.maker, made, way.settings, repository)
        told = [way.body(tensor) for tensor in tensors]
        tried = [way.body(tensor) for tensor in _COMMON] if made.calls else []
        if not (told or tried):
            continue
        call = ExampleCall(
            snake(way.maker.name),
            ModelClass(way.maker.name, way.path, way.line, "torch", ()),
            way.path,
            way.line,
            (told or tried)[0],
            inferred=True,
            told=tuple(told),
            tried=tuple(tried),
            loop=way.step.line if way.step is not None else 0,
            losses={way.body(tensor): way.losses(tensor) for tensor in (*tensors, *_COMMON)},
            calling=dict(pair for tensor in (*tensors, *_COMMON) for pair in way.calling(tensor)),
            control=way.body(_ABSURD),
        )
        proposed[made.name] = (len(repository.parts(made)), call)
    ranked = sorted(proposed.values(), key=lambda p: (-p[0], p[1].path, p[1].line))
    chosen = {call.name: call for _, call in reversed(ranked) if call.name not in names}
    return tuple(reversed(chosen.values()))[:MODELS]


def _called_alone(makers: Mapping[SourceDefinition, SourceDefinition]) -> Iterator[tuple[SourceDefinition, _Way]]:
    """What needs no argument, functions before classes."""
    for maker, made in sorted(makers.items(), key=lambda item: (item[0].framework is not None, item[0].source.path)):
        if _callable_alone(maker) and _importable(maker):
            path = maker.source.path
            lines = (f"from {module_of(path)} import {maker.name}",)
            yield made, _Way(maker, path, maker.node.lineno, lines, f"{maker.name}()", {}, _own_step(made))


def _constructed(
    code: ModelCode, repository: SourceDefinitions, makers: Mapping[SourceDefinition, SourceDefinition]
) -> Iterator[tuple[SourceDefinition, _Way]]:
    """What the repository itself makes, with arguments of its own."""
    names = {maker.name for maker in makers}
    for source in sorted(code.sources, key=pages_first):
        for one in constructions(source, names):
            maker = repository.find(one.maker, source)
            if one.maker == "Sequential" and maker is None:
                layers = SourceDefinition(one.name, one.as_function(), source, "torch")
                yield (
                    layers,
                    _Way(layers, source.path, one.line, one.lines, ast.unparse(one.call), {}, one.step, one.name),
                )
            if maker is None or maker not in makers or not _takes_one_input(makers[maker]):
                continue
            told = dict(zip(maker.parameters, one.call.args, strict=False))
            told |= {k.arg: k.value for k in one.call.keywords if k.arg}
            numbers = {n: v.value for n, v in told.items() if isinstance(v, ast.Constant) and type(v.value) is int}
            made, step = makers[maker], _own_step(makers[maker])
            step, name = (step, "model") if step is not None else (one.step, one.name)
            yield made, _Way(maker, source.path, one.line, one.lines, ast.unparse(one.call), numbers, step, name)


def _own_step(made: SourceDefinition) -> TrainingStep | None:
    return own_step(made.node) if isinstance(made.node, ast.ClassDef) else None


def _makers(repository: SourceDefinitions) -> dict[SourceDefinition, SourceDefinition]:
    """Torch classes, and functions that return one, perhaps through others, with the class that each gives."""
    everything = [d for named in repository.definitions.values() for d in named]
    makers = {d: d for d in everything if d.framework == "torch"}
    functions = [d for d in everything if isinstance(d.node, ast.FunctionDef)]
    while True:
        before = len(makers)
        for one in functions:
            if one not in makers:
                names = [last_name(call.func) for call in returned_calls(one.node)]
                found = [repository.find(name, one.source) for name in names]
                made = next((makers[d] for d in found if d in makers), None)
                if made is not None:
                    makers[one] = made
        if len(makers) == before:
            return makers


def returned_calls(function: ast.AST) -> Iterator[ast.Call]:
    """The calls whose result the function returns, directly or through a variable."""
    held: dict[str, list[ast.Call]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    held.setdefault(target.id, []).append(node.value)
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Call):
            yield node.value
        elif isinstance(node, ast.Return) and isinstance(node.value, ast.Name):
            yield from held.get(node.value.id, ())


def _callable_alone(definition: SourceDefinition) -> bool:
    node = definition.node
    if isinstance(node, ast.FunctionDef):
        return not required_parameters(node)
    return _takes_one_input(definition) and not required_arguments(node)


def _takes_one_input(definition: SourceDefinition) -> bool:
    """Whether the model's own `forward` takes one input, besides what has a default."""
    forward = method(definition.node, "forward") if isinstance(definition.node, ast.ClassDef) else None
    return forward is not None and len(required_parameters(forward)) == 2


def _importable(definition: SourceDefinition) -> bool:
    module = module_of(definition.source.path)
    if module is None or runs_when_imported(definition.source.tree):
        return False
    return not any(p in _SKIPPED or p.startswith("test_") for p in module.split("."))
