"""Entry points for models that no example calls: made as the repository makes them, with inputs their layers suggest.

A model that the repository makes somewhere (a training script) is made with the same arguments; a class or a function
that returns a model, every argument of which has a default, is called as it is. The rank of its
input is that of the first layer that has one (`Conv2d` takes 4 axes, `Linear` 2, `Embedding` token numbers), the number
of channels an argument's default (`in_chans=3`) or a number in the first layer. Where the source says neither, pictures
are tried. Sizes of signals and pictures are usual ones, several of them: which the model takes is not known here (see
`tracing.accepted_inputs`). The text is only read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from analyzer.selecting.constructions import constructions
from analyzer.selecting.example_calls import ExampleCall, module_of, pages_first, snake
from analyzer.selecting.model_code import (
    ModelClass,
    ModelCode,
    Source,
    required_arguments,
    runs_when_imported,
)

MODELS = 4  # proposals at once: each is exported, which takes seconds
DEPTH = 6  # how far classes are followed into those that they are made of; the first layer stands near the top
_RANKED = re.compile(r"(?:Lazy)?(?:Conv|ConvTranspose|BatchNorm|SeparableConv|DepthwiseConv)([123])[dD]$")
_CHANNELS = ("in_chans", "in_channels", "input_channels", "in_planes", "n_channels", "num_channels", "channels_in")
_FEATURES = ("in_features", "input_dim", "input_size", "in_dim", "dim_in", "n_features", "num_features", "in_channels")
_SIZES = ("img_size", "image_size", "input_resolution", "resolution", "img_dim")
# Steps of a signal, pixels of a picture, voxels of a volume: those of well-known data sets and models.
_USUAL = {
    1: (64, 128, 100, 256, 32, 187, 512, 1024, 16000),
    2: (224, 32, 28, 64, 96, 84, 128, 256, 48, 112, 227, 299, 160, 384, 512),
    3: (32, 16, 64, 28, 24, 48),
}
# Tried where no layer tells the layout. What takes the absurd one too takes anything, like an activation.
_COMMON = [f"torch.rand(1, {shape})" for shape in ("3, 224, 224", "3, 32, 32", "1, 28, 28", "3, 64, 64", "3, 256, 256")]
_ABSURD = "torch.rand(1, 97, 224, 224)"
_SKIPPED = ("test", "tests", "docs", "examples", "benchmarks", "setup")


@dataclass(frozen=True, eq=False)
class _Definition:
    """A class or function at the top of a file."""

    name: str
    node: ast.ClassDef | ast.FunctionDef
    source: Source
    framework: str | None  # of a model class

    @cached_property
    def calls(self) -> tuple[str, ...]:
        """The names that its text calls, in order."""
        return tuple(_last(n.func) for n in ast.walk(self.node) if isinstance(n, ast.Call))


@dataclass(frozen=True)
class _Repository:
    definitions: Mapping[str, tuple[_Definition, ...]]  # by name

    def find(self, name: str, near: Source) -> _Definition | None:
        """What `name` means in the file `near`: its own definition, what it imports, or the only one that there is."""
        module, name = _imported(near).get(name, ("", name))
        found = self.definitions.get(name, ())
        own = [d for d in found if d.source is near]
        nearer = own or [d for d in found if module and _lies_in(d.source.path, module)]
        return nearer[0] if nearer else found[0] if len(found) == 1 else None

    def parts(self, start: _Definition) -> list[_Definition]:
        """The model classes that `start` is made of, nearest first, itself included."""
        found: list[_Definition] = []
        pending = [(start, DEPTH)]
        while pending:
            current, left = pending.pop(0)
            if current in found:
                continue
            found.append(current)
            inner = [self.find(name, current.source) for name in current.calls] if left else []
            pending += [(d, left - 1) for d in inner if d is not None and d.framework]
        return found


def inferred_calls(code: ModelCode, called: frozenset[str], names: frozenset[str]) -> tuple[ExampleCall, ...]:
    """At most `MODELS` entry points, those made of most classes first, one a model class.

    `called` are the classes that an example calls already, `names` the entry points that exist.
    """
    repository = _read(code)
    makers = _makers(repository)
    blocks = {part.name for made in makers.values() for part in repository.parts(made) if part is not made}
    proposed: dict[str, tuple[int, ExampleCall]] = {}
    for made, way in [*_constructed(code, repository, makers), *_called_alone(makers)]:
        if made.name in called or made.name in proposed or way.maker.name in blocks or way.maker.name.startswith("_"):
            continue
        told = _inputs(way, made, repository)
        tensors = told or (_COMMON if made.calls else [])
        if not tensors:
            continue
        body, *others, control = [
            ("import torch", *way.lines, f"return {way.expression}.eval(), ({t},)") for t in (*tensors, _ABSURD)
        ]
        call = ExampleCall(
            snake(way.maker.name),
            ModelClass(way.maker.name, way.path, way.line, "torch", ()),
            way.path,
            way.line,
            body,
            inferred=True,
            others=tuple(others),
            control=() if told else control,
        )
        proposed[made.name] = (len(repository.parts(made)), call)
    ranked = sorted(proposed.values(), key=lambda p: (-p[0], p[1].path, p[1].line))
    chosen = {call.name: call for _, call in reversed(ranked) if call.name not in names}
    return tuple(reversed(chosen.values()))[:MODELS]


@dataclass(frozen=True, slots=True)
class _Way:
    """How a model is made: statements, then an expression, with what they give to parameters that are numbers."""

    maker: _Definition
    path: str
    line: int
    lines: tuple[str, ...]
    expression: str
    settings: Mapping[str, int]


def _called_alone(makers: Mapping[_Definition, _Definition]) -> Iterator[tuple[_Definition, _Way]]:
    """What needs no argument, functions before classes."""
    for maker, made in sorted(makers.items(), key=lambda item: (item[0].framework is not None, item[0].source.path)):
        if _callable_alone(maker) and _importable(maker):
            path = maker.source.path
            lines = (f"from {module_of(path)} import {maker.name}",)
            yield made, _Way(maker, path, maker.node.lineno, lines, f"{maker.name}()", {})


def _constructed(
    code: ModelCode, repository: _Repository, makers: Mapping[_Definition, _Definition]
) -> Iterator[tuple[_Definition, _Way]]:
    """What the repository itself makes, with arguments of its own."""
    names = {maker.name for maker in makers}
    for source in sorted(code.sources, key=pages_first):
        for one in constructions(source, names):
            maker = repository.find(one.maker, source)
            if one.maker == "Sequential" and maker is None:
                layers = _Definition(one.name, one.as_function(), source, "torch")
                yield layers, _Way(layers, source.path, one.line, one.lines, ast.unparse(one.call), {})
            if maker is None or maker not in makers or not _takes_one_input(makers[maker]):
                continue
            told = dict(zip(_parameters(maker), one.call.args, strict=False))
            told |= {k.arg: k.value for k in one.call.keywords if k.arg}
            numbers = {n: v.value for n, v in told.items() if isinstance(v, ast.Constant) and type(v.value) is int}
            way = _Way(maker, source.path, one.line, one.lines, ast.unparse(one.call), numbers)
            yield makers[maker], way


def _parameters(definition: _Definition) -> list[str]:
    node = definition.node
    function = _method(node, "__init__") if isinstance(node, ast.ClassDef) else node
    given = [] if function is None else [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    return given[1:] if isinstance(node, ast.ClassDef) else given


def _read(code: ModelCode) -> _Repository:
    classes = {(c.path, c.name): c.framework for c in code.classes}
    definitions: dict[str, tuple[_Definition, ...]] = {}
    for source in code.sources:
        for node in source.tree.body if source.path.endswith(".py") else ():
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                one = _Definition(node.name, node, source, classes.get((source.path, node.name)))
                definitions[node.name] = (*definitions.get(node.name, ()), one)
    return _Repository(definitions)


def _imported(source: Source) -> dict[str, tuple[str, str]]:
    """Of each name that a file imports from a module: the module, and the name there."""
    found: dict[str, tuple[str, str]] = {}
    for node in source.tree.body:
        if isinstance(node, ast.ImportFrom):
            package = source.path.split("/")[: -node.level or None] if node.level else []
            module = ".".join([*package, *([node.module] if node.module else [])])
            found |= {alias.asname or alias.name: (module, alias.name) for alias in node.names}
    return found


def _lies_in(path: str, module: str) -> bool:
    """Whether the file is the module, or one below it, from which packages hand names on."""
    own = module_of(path) or ""
    return own == module or own.startswith(f"{module}.")


def _makers(repository: _Repository) -> dict[_Definition, _Definition]:
    """Torch classes, and functions that return one, perhaps through others, with the class that each gives."""
    everything = [d for named in repository.definitions.values() for d in named]
    makers = {d: d for d in everything if d.framework == "torch"}
    functions = [d for d in everything if isinstance(d.node, ast.FunctionDef)]
    while True:
        before = len(makers)
        for one in functions:
            if one not in makers:
                names = [_last(call.func) for call in returned_calls(one.node)]
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


def _last(expression: ast.expr) -> str:
    if isinstance(expression, ast.Attribute):
        return expression.attr
    return expression.id if isinstance(expression, ast.Name) else ""


def _callable_alone(definition: _Definition) -> bool:
    node = definition.node
    if isinstance(node, ast.FunctionDef):
        return not required_parameters(node)
    return _takes_one_input(definition) and not required_arguments(node)


def _takes_one_input(definition: _Definition) -> bool:
    """Whether the model's own `forward` takes one input, besides what has a default."""
    forward = _method(definition.node, "forward") if isinstance(definition.node, ast.ClassDef) else None
    return forward is not None and len(required_parameters(forward)) == 2


def required_parameters(function: ast.FunctionDef) -> list[str]:
    """The parameters of a function that have no default."""
    given = function.args
    positional = [a.arg for a in (*given.posonlyargs, *given.args)]
    keywords = [a.arg for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True) if d is None]
    return [*positional[: len(positional) - len(given.defaults)], *keywords]


def _method(node: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    return next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == name), None)


def _importable(definition: _Definition) -> bool:
    module = module_of(definition.source.path)
    if module is None or runs_when_imported(definition.source.tree):
        return False
    return not any(p in _SKIPPED or p.startswith("test_") for p in module.split("."))


def _inputs(way: _Way, made: _Definition, repository: _Repository) -> list[str]:
    """Expressions of an example input, likelier ones first; none where the source does not tell its layout."""
    # A function hands its arguments on under their names, as a rule.
    layers = (_first_layer(part.node, way.settings if part is made else {}) for part in repository.parts(made))
    layer = next((one for one in layers if one is not None), None)
    if layer is None:
        return []
    kind, rank, number = layer
    defaults = {**_defaults(made.node), **_defaults(way.maker.node), **way.settings}
    if kind == "Embedding":
        return [f"torch.randint(0, {min(number or 10, 100)}, (1, 16))"]
    if kind == "Linear":
        features = next((defaults[n] for n in _FEATURES if n in defaults), number)
        return [] if features is None else [f"torch.rand(2, {features})"]
    channels = next((defaults[n] for n in _CHANNELS if n in defaults), number)
    stated = [defaults[n] for n in _SIZES if n in defaults][:1]
    sizes = () if channels is None else dict.fromkeys((*stated, *_USUAL[rank]))
    return [f"torch.rand(1, {channels}{f', {size}' * rank})" for size in sizes]


def _defaults(node: ast.ClassDef | ast.FunctionDef) -> dict[str, int]:
    """The arguments that are a positive number by default."""
    function = _method(node, "__init__") if isinstance(node, ast.ClassDef) else node
    if function is None:
        return {}
    given = function.args
    pairs = list(zip((*given.posonlyargs, *given.args)[::-1], given.defaults[::-1], strict=False))
    pairs += [(a, d) for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True) if d is not None]
    numbers = {a.arg: d.value for a, d in pairs if isinstance(d, ast.Constant)}
    return {name: value for name, value in numbers.items() if type(value) is int and value > 0}


def _first_layer(
    node: ast.ClassDef | ast.FunctionDef, settings: Mapping[str, int]
) -> tuple[str, int, int | None] | None:
    """Kind, rank and first number of the first layer, by line, that tells the rank of its input.

    `settings` are what the class is made with instead of its defaults.
    """
    function = (_method(node, "__init__") if isinstance(node, ast.ClassDef) else node) or node
    defaults = {**_defaults(node), **settings}
    calls = sorted((n for n in ast.walk(function) if isinstance(n, ast.Call)), key=lambda n: (n.lineno, n.col_offset))
    for call in calls:
        name = _last(call.func)
        first = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg in _CHANNELS), None)
        number = first.value if isinstance(first, ast.Constant) and type(first.value) is int else None
        if isinstance(first, ast.Name):
            number = defaults.get(first.id)
        match = _RANKED.match(name)
        if name in ("Linear", "Embedding"):
            return name, 2, number
        if match:
            return "Conv", int(match[1]), number
        if name.lower().replace("_", "").endswith("conv2d"):
            return "Conv", 2, number  # a wrapper of the repository's own
    return None
