"""Example inputs that the layers of a model suggest.

A model meets its layers in the order in which its constructor makes them; the first ones tell the rank of the input
(`Conv2d` takes 4 axes, `Linear` 2, `Embedding` token numbers) and the number of its channels, as far as numbers are
handed down from where the model is made. Sizes of signals and pictures are usual ones, several of them: which the model
takes is not known here (see `tracing.accepted_inputs`). The text is only read.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from analyzer.selecting.definitions import DEPTH, SourceDefinition, SourceDefinitions, last_name

LAYERS = 12  # that are looked at: the input meets the first ones
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
_TOLD = 60  # inputs at most, each of which costs a trace
_ARITHMETIC: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
}  # fmt: skip


def suggested(
    maker: SourceDefinition, made: SourceDefinition, settings: Mapping[str, int], repository: SourceDefinitions
) -> list[str]:
    """Expressions of an example input of the class `made`, which `maker` gives, likelier ones first.

    None where nothing tells the layout. `settings` are the arguments of `maker` that are numbers, where it has any.
    """
    given = {**made.defaults, **maker.defaults, **settings}
    stated = [given[n] for n in _SIZES if n in given][:1]
    layers = dict.fromkeys(islice(_layers(maker, settings, repository, DEPTH), LAYERS))
    found: dict[str, None] = {}
    for kind, rank, number in layers:
        if kind == "Embedding":
            found[f"torch.randint(0, {min(number or 10, 100)}, (1, 16))"] = None
        elif kind == "Linear":
            named = [given[n] for n in _FEATURES if n in given][:1]
            found |= {f"torch.rand(2, {n})": None for n in (*named, number) if n}
        else:
            named = [given[n] for n in _CHANNELS if n in given][:1]
            sizes = dict.fromkeys((*stated, *_USUAL[rank]))
            pairs = [(n, size) for n in dict.fromkeys((*named, number)) if n for size in sizes]
            found |= {f"torch.rand(1, {n}{f', {size}' * rank})": None for n, size in pairs}
    return list(found)[:_TOLD]


def _layers(
    made: SourceDefinition, settings: Mapping[str, int], repository: SourceDefinitions, depth: int
) -> Iterator[tuple[str, int, int | None]]:
    """Kind, rank and first number of the layers that tell the rank of an input, in the order of the text."""
    known = {**made.defaults, **settings}
    nodes = [n for n in ast.walk(made.maker or made.node) if isinstance(n, ast.Call | ast.Assign)]
    for node in sorted(nodes, key=lambda n: (n.lineno, n.col_offset)):
        if isinstance(node, ast.Assign):
            value = _number(node.value, known)
            known |= {t.id: value for t in node.targets if isinstance(t, ast.Name) and value is not None}
            continue
        name = last_name(node.func)
        part = repository.find(name, made.source)
        if part is not None and part is not made and depth:
            pairs = [
                *zip(part.parameters, node.args, strict=False),
                *((k.arg, k.value) for k in node.keywords if k.arg),
            ]
            handed = {n: number for n, value in pairs if (number := _number(value, known)) is not None}
            yield from _layers(part, handed, repository, depth - 1)
            continue
        first = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg in _CHANNELS), None)
        number = None if first is None else _number(first, known)
        match = _RANKED.match(name)
        if name in ("Linear", "Embedding"):
            yield name, 2, number
        elif match:
            yield "Conv", int(match[1]), number
        elif name.lower().replace("_", "").endswith("conv2d"):
            yield "Conv", 2, number  # a wrapper whose text is not here


def _number(value: ast.expr, known: Mapping[str, int]) -> int | None:
    """A whole number that an expression of constants and of `known` names gives."""
    if isinstance(value, ast.Constant):
        return value.value if type(value.value) is int else None
    if isinstance(value, ast.Name):
        return known.get(value.id)
    if isinstance(value, ast.BinOp) and type(value.op) in _ARITHMETIC:
        left, right = _number(value.left, known), _number(value.right, known)
        return None if left is None or right is None else _ARITHMETIC[type(value.op)](left, right)
    return None
