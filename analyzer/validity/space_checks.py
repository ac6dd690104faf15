"""What a described space may not hold: numbers that are none, attributes that no operator has, names that are numbers.

Each is told with its place and with what to write instead.
"""

from __future__ import annotations

import difflib
import inspect
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analyzer.problem import UsageProblem
from analyzer.validity.architecture import Architecture, ModelLayer
from analyzer.validity.registry import spec as find_spec
from analyzer.validity.space_text import Text
from analyzer.validity.spec import Spec

LARGEST = 2**53  # beyond it a number of floating point, as YAML reads 1e30, is no whole number any more
WHOLE = frozenset({
    "kernel_size", "stride", "strides", "dilation", "dilation_rate", "groups", "pool_size", "in_channels",
    "out_channels", "in_features", "out_features", "filters", "units", "output_padding", "num_heads", "embed_dim",
    "hidden_size", "input_size", "num_layers", "proj_size", "kdim", "vdim", "key_dim", "value_dim", "dims", "dim",
    "axis", "axes", "shape", "target_shape", "cropping", "num_embeddings", "embedding_dim", "normalized_shape",
})  # fmt: skip
_NAME = re.compile(r"[^\W\d]\w*(\[\d+\])?([.:/][^\s]+)*$")


def check_name(key: str, where: str, part: str) -> None:
    """A name starts with a letter, so that an expression can read it."""
    if not _NAME.match(key):
        mended = re.sub(r"\W", "_", key)
        raise UsageProblem(f"{where}: `{key}` in `{part}` is not a name; start it with a letter, as in `p{mended}`")


def check_numbers(data: Any, lines: Mapping[tuple[str | int, ...], int], name: str) -> None:
    """No number anywhere in the document may be infinite, not a number, or beyond every size."""
    pending: list[tuple[tuple[str | int, ...], Any]] = [((), data)]
    while pending:
        path, item = pending.pop()
        if isinstance(item, Mapping):
            pending.extend(((*path, k), v) for k, v in item.items())
        elif isinstance(item, list):
            pending.extend(((*path, i), v) for i, v in enumerate(item))
        elif isinstance(item, (int, float)) and not isinstance(item, bool):
            place = f"{name}:{lines.get(path, 1)}"
            if isinstance(item, float) and not math.isfinite(item):
                raise UsageProblem(f"{place}: {item} is not a number that a model can have; write a finite number")
            if abs(item) > LARGEST:
                raise UsageProblem(f"{place}: {item:g} is larger than any size; the largest is 2^53")


def check_attribute(found: Spec, attribute: str, value: Any, where: str, layer: str, known: frozenset[str]) -> None:
    """The attribute must be one of the operator, and a literal of the kind that its type takes."""
    parameters = found.parameters
    names = [n for n, p in parameters.items() if p.kind is inspect.Parameter.KEYWORD_ONLY]
    if attribute not in parameters:
        if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()):
            return
        close = difflib.get_close_matches(attribute, names, 1, 0.5)
        hint = f"write `{close[0]}: {_yaml(value)}`" if close else f"it has {', '.join(names) or 'none'}"
        raise UsageProblem(f"{where}: `{layer}` ({found.name}) has no attribute `{attribute}`; {hint}")
    if isinstance(value, Mapping):
        raise UsageProblem(f"{where}: `{attribute}` of `{layer}` is a mapping; an attribute is a value or a list")
    annotation = str(parameters[attribute].annotation)
    for part in _parts(value):
        _check_part(annotation, attribute, part, where, f"of `{layer}`", known)


def check_domains(architecture: Architecture, domains: Mapping[str, Sequence[Any] | None], name: str) -> None:
    """A hyperparameter that an attribute or a size reads must have values of the kind that it takes.

    `domains` are the values of each hyperparameter, None for an unbounded one.
    """
    for tensor in architecture.inputs.values():
        for size in tensor.shape or ():
            if isinstance(size, Text) and domains.get(size.text) is not None:
                for value in domains[size.text] or ():
                    if type(value) is not int:
                        where = f"{name}:{size.line}" if size.line else name
                        raise UsageProblem(
                            f"{where}: `{size.text}` is a size and may not be {value!r}; write whole numbers"
                        )
    for layer in architecture.layers:
        found = find_spec(layer.operator, layer.framework)
        parameters = found.parameters if found is not None else {}
        for attribute, stated in layer.hyperparameters.items():
            if attribute not in parameters:
                continue
            for part in _parts(stated):
                values = domains.get(part.text) if isinstance(part, Text) else None
                for value in values if values is not None and not isinstance(values, range) else ():
                    for item in _parts(value):
                        annotation = str(parameters[attribute].annotation)
                        if item is None and (annotation == "Term" or attribute == "kernel_size"):
                            item = "null"
                        where = f"{name}:{part.line}" if part.line else name
                        _check_part(
                            annotation,
                            attribute,
                            item,
                            where,
                            f"of `{layer.name}`, through `{part.text}`,",
                            frozenset(),
                        )


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for part in value:
            yield from _parts(part)
    else:
        yield value


def _check_part(annotation: str, attribute: str, part: Any, where: str, owner: str, known: frozenset[str]) -> None:
    whole = annotation in ("Term", "int") or attribute in WHOLE
    numeric = annotation == "float"
    if isinstance(part, (Text, bool)) or part is None or (not whole and not numeric):
        return
    if isinstance(part, str):
        if annotation == "Any" and attribute not in WHOLE:
            return
        close = difflib.get_close_matches(part, known, 1)
        hint = f"; did you mean `{close[0]}`?" if close else "; write a number, or name it under `hyperparameters:`"
        raise UsageProblem(f"{where}: `{attribute}: {part[:60]}` {owner} is text where a number is needed{hint}")
    if isinstance(part, float) and whole:
        if part.is_integer():
            raise UsageProblem(f"{where}: `{attribute}: {part}` {owner} must be whole; write `{int(part)}`")
        low, high = math.floor(part), math.ceil(part)
        raise UsageProblem(f"{where}: `{attribute}: {part}` {owner} must be whole; write `{low}` or `{high}`")


def check_complete(layer: ModelLayer, name: str) -> None:
    """Every attribute without a default must be given, and as many operands as the operator takes."""
    found = find_spec(layer.operator, layer.framework)
    if found is None:
        return
    where = f"{name}:{layer.location.line}" if layer.location is not None else name
    missing = [k for k, d in found.defaults.items() if d is inspect.Parameter.empty and k not in layer.hyperparameters]
    if missing:
        mended = ", ".join(f"{m}: …" for m in missing)
        raise UsageProblem(f"{where}: `{layer.name}` ({layer.operator}) needs `{missing[0]}`; add `{mended}`")
    parameters = list(found.parameters.values())[1:]
    operands = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.POSITIONAL_ONLY)]
    needed = sum(p.default is inspect.Parameter.empty for p in operands)
    many = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters)
    count = len(layer.inputs)
    if count < needed or (count > len(operands) and not many):
        takes = f"{needed}" if needed == len(operands) and not many else f"{needed} or more"
        raise UsageProblem(
            f"{where}: `{layer.name}` ({layer.operator}) takes {takes} inputs and has {count}; list them: `inputs: […]`"
        )


def _yaml(value: Any) -> str:
    if isinstance(value, Text):
        return value.text
    return f"[{', '.join(map(_yaml, value))}]" if isinstance(value, tuple) else str(value)
