"""Reading a model that YAML describes layer by layer: its inputs, its layers, and what their attributes say."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from analyzer.findings import Location
from analyzer.problem import UsageProblem
from analyzer.validity.architecture import Architecture, ModelLayer
from analyzer.validity.expressions import names_in
from analyzer.validity.registry import FRAMEWORKS, all_specs
from analyzer.validity.space import Hyperparameter
from analyzer.validity.space_checks import check_attribute, check_name
from analyzer.validity.space_repeat import repeated
from analyzer.validity.space_text import Text, size_path
from analyzer.validity.spec import TensorType
from analyzer.validity.specs.common import NUMERIC
from analyzer.validity.specs.subscripts import EVERYTHING, NEW_AXIS, SLICE

MODEL_KEYS = ("framework", "version", "inputs", "layers")
LAYER_KEYS = ("name", "op", "input", "inputs", "framework", "source", "when")
DTYPES = (*NUMERIC, "bool", "string", "float8_e4m3fn", "float8_e5m2")
MAX_LAYERS = 20_000  # of a description: a thousand are decided in seconds
OUTPUTS = 8  # of a layer, the first of which bears its name

Lines = Mapping[tuple[str | int, ...], int]


def model_from(
    data: Any,
    lines: Lines,
    name: str,
    known: frozenset[str],
    free: dict[str, Hyperparameter],
    domains: Mapping[str, Hyperparameter],
) -> Architecture:
    """The model under `model:`. Sizes that no hyperparameter names are put into `free`."""
    if not isinstance(data, Mapping):
        raise UsageProblem(f"{name}:{lines.get(('model',), 1)}: `model` is a mapping with framework, inputs and layers")
    check_keys(data, MODEL_KEYS, ("model",), lines, name)
    framework = data.get("framework", "torch")
    if framework not in FRAMEWORKS:
        line = lines.get(("model", "framework"), 1)
        raise UsageProblem(f"{name}:{line}: framework `{framework}` is none of {', '.join(FRAMEWORKS)}")
    inputs: dict[str, TensorType] = {}
    stated = mapping_at(data.get("inputs", {}), "inputs", lines, name)
    if not stated:
        line = lines.get(("model", "inputs"), lines.get(("model",), 1))
        raise UsageProblem(
            f"{name}:{line}: the model has no inputs; write `inputs: {{x: {{shape: [batch, 3, 224, 224]}}}}`"
        )
    for key, item in stated.items():
        check_name(key, f"{name}:{lines.get(('model', 'inputs', key), 1)}", "inputs")
        inputs[key] = input_from(key, item, lines.get(("model", "inputs", key)), name, known, free)
    layers = data.get("layers")
    if not isinstance(layers, list) or not layers:
        raise UsageProblem(f"{name}:{lines.get(('model',), 1)}: `model` needs a list of `layers`")
    if len(layers) > MAX_LAYERS:
        raise UsageProblem(f"{name}: {len(layers)} layers are more than the {MAX_LAYERS} that a description may have")
    built: list[ModelLayer] = []
    values = list(inputs)
    for index, item in repeated(layers, lambda text: _largest(text, domains), name, lines):
        line = lines.get(("model", "layers", index), 1)
        layer = _layer(item, line, name, framework, values, known, built)
        built.append(layer)
        values.append(layer.outputs[0])
    return Architecture(framework, inputs, tuple(built), version_of(data.get("version")))


def version_of(text: Any) -> tuple[int, ...] | None:
    """``2.4`` or ``"2.13.0+cpu"`` as numbers."""
    if text is None:
        return None
    numbers = []
    for part in str(text).split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
    return tuple(numbers) or None


def input_from(
    key: str, item: Any, line: int | None, name: str, known: frozenset[str], free: dict[str, Hyperparameter]
) -> TensorType:
    """One input of the model, a shape or a mapping with `shape` and `dtype`."""
    if isinstance(item, list):
        item = {"shape": item}
    if not isinstance(item, Mapping):
        raise UsageProblem(f"{name}:{line}: the input `{key}` needs a `shape`, as in [batch, 3, 224, 224]")
    for part in item:
        if part not in ("shape", "dtype", "format"):
            raise UsageProblem(f"{name}:{line}: the input `{key}` has the key `{part}`; it has shape, dtype and format")
    shape = item.get("shape")
    dims: list[Any] | None = None
    if shape is not None:
        if not isinstance(shape, list):
            raise UsageProblem(f"{name}:{line}: the shape of `{key}` is a list of sizes")
        dims = []
        for size in shape:
            if isinstance(size, str) and size.isidentifier() and size not in known:
                free.setdefault(size, Hyperparameter(size, None, lo=1, line=line))
                dims.append(Text(size, line))
            elif isinstance(size, bool) or not isinstance(size, (int, str)):
                raise UsageProblem(f"{name}:{line}: {size!r} in the shape of `{key}` is not a size")
            else:
                read = attribute_value(size, known, line, name)
                if isinstance(read, str):
                    raise UsageProblem(
                        f"{name}:{line}: `{size}` in the shape of `{key}` is not a size; write a number or a name"
                    )
                dims.append(read)
    dtype = attribute_value(item.get("dtype", "float32"), known, line, name)
    if isinstance(dtype, str) and dtype not in DTYPES:
        close = difflib.get_close_matches(dtype, DTYPES, 1)
        hint = f"write `dtype: {close[0]}`" if close else f"there are {', '.join(DTYPES)}"
        raise UsageProblem(f"{name}:{line}: the input `{key}` has no element type `{dtype}`; {hint}")
    layout = attribute_value(item.get("format"), known, line, name)
    return TensorType(None if dims is None else tuple(dims), dtype, layout)


def _layer(
    item: Any,
    line: int,
    name: str,
    framework: str,
    values: Sequence[str],
    known: frozenset[str],
    earlier: Sequence[ModelLayer],
) -> ModelLayer:
    if isinstance(item, Mapping) and len(item) == 1 and isinstance(next(iter(item.values())), Mapping):
        ((title, body),) = item.items()
        item = {"name": title, **body}
    if not isinstance(item, Mapping) or "op" not in item:
        raise UsageProblem(f"{name}:{line}: a layer needs an `op`, as in `- {{name: conv1, op: Conv2d, …}}`")
    operator, own = str(item["op"]), item.get("framework", framework)
    title = item.get("name", f"{operator.lower()}{len(earlier)}")
    if not isinstance(title, str) or not title.strip():
        raise UsageProblem(
            f"{name}:{line}: `name: {title}` is not a name; write it as text, as in `name: layer{title}`"
        )
    if title in values:
        raise UsageProblem(f"{name}:{line}: the name `{title}` is taken; give the layer one of its own")
    specs = all_specs()
    if (own, operator) not in specs:
        choices = [n for f, n in specs if f == own]
        close = difflib.get_close_matches(operator, choices, 1, 0.6)
        hint = f"; did you mean `{close[0]}`?" if close else ""
        raise UsageProblem(f"{name}:{line}: there is no rule for the {own} operator `{operator}`{hint}")
    stated = item.get("inputs", item.get("input"))
    operands = [values[-1]] if stated is None and values else stated if isinstance(stated, list) else [stated]
    for operand in operands:
        base = str(operand).partition(":")[0]
        if operand is not None and base not in values:
            close = difflib.get_close_matches(base, values, 1)
            hint = f"; did you mean `{close[0]}`?" if close else ""
            raise UsageProblem(f"{name}:{line}: layer `{title}` reads `{operand}`, which nothing before it makes{hint}")
    for operand in operands:
        output = str(operand).partition(":")[2]
        if output and not (output.isdigit() and 1 <= int(output) < OUTPUTS):
            raise UsageProblem(
                f"{name}:{line}: `{operand}` is no output; after `name` come `name:1` to `name:{OUTPUTS - 1}`"
            )
    read = index_value if operator == "getitem" else attribute_value  # its one attribute are its subscripts
    hyperparameters = {str(k): read(v, known, line, name) for k, v in item.items() if k not in LAYER_KEYS}
    for attribute, value in hyperparameters.items():
        check_attribute(specs[own, operator], attribute, value, f"{name}:{line}", title, known)
    return ModelLayer(
        title,
        operator,
        own,
        tuple(None if o is None else str(o) for o in operands),
        (title, *(f"{title}:{i}" for i in range(1, OUTPUTS))),
        hyperparameters,
        _location(item.get("source"), line, name),
        when=Text(str(item["when"]), line) if "when" in item else None,
    )


def _location(source: Any, line: int, name: str) -> Location:
    """Where the layer stands: its own ``source: models/net.py:12``, or the line of the description."""
    if isinstance(source, str):
        path, _, number = source.rpartition(":")
        if path and number.isdigit() and not path.startswith("/") and ".." not in path.split("/"):
            return Location(path, int(number))
        raise UsageProblem(f"{name}:{line}: `source: {source}` is not a file and line, as in models/net.py:12")
    return Location(name, line)


def attribute_value(value: Any, known: frozenset[str], line: int | None, name: str) -> Any:
    """A layer attribute: text that reads hyperparameters is an expression, any other text is itself."""
    if isinstance(value, list):
        return tuple(attribute_value(v, known, line, name) for v in value)
    if not isinstance(value, str):
        return value
    try:
        tree = ast.parse(value.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return value
    if isinstance(tree, ast.Constant) and isinstance(tree.value, int):
        return tree.value
    read = names_in(tree)
    unknown = frozenset(n for n in read - known if size_path(n) is None)
    if not unknown and (read or not isinstance(tree, ast.Name)):
        return Text(value, line)
    if isinstance(tree, (ast.BinOp, ast.IfExp)) and not _plain_option(value):
        missing = sorted(unknown)[0]
        close = difflib.get_close_matches(missing, known, 1)
        hint = f"; did you mean `{close[0]}`?" if close else ""
        raise UsageProblem(f"{name}:{line}: `{value}` reads `{missing}`, which is not a hyperparameter{hint}")
    return value


def index_value(value: Any, known: frozenset[str], line: int | None, name: str) -> Any:
    """The subscripts of `getitem` in Python's own spelling: ``index: ":, 1:k, None, ..., -1"``, brackets or not.

    Raises UsageProblem for what is no subscript.
    """
    if not isinstance(value, str):
        return attribute_value(value, known, line, name)
    text = value.strip()
    text = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    try:
        tree = ast.parse(f"x[{text}]", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    if not isinstance(tree, ast.Subscript) or not isinstance(tree.value, ast.Name):
        raise UsageProblem(
            f'{name}:{line}: `index: {value}` is no subscript; write it as in `index: ":, 1:k, ..., -1"`'
        )

    def term(part: ast.expr | None) -> Any:
        return None if part is None else attribute_value(ast.unparse(part), known, line, name)

    def subscript(part: ast.expr) -> Any:
        match part:
            case ast.Slice(lower=lower, upper=upper, step=step):
                return (SLICE, term(lower), term(upper), term(step))
            case ast.Constant(value=None):
                return NEW_AXIS
            case ast.Constant(value=value) if value is ...:
                return EVERYTHING
        read = term(part)
        if isinstance(read, str):
            raise UsageProblem(f"{name}:{line}: `index` reads `{read}`, which is not a hyperparameter")
        return read

    parts = tree.slice.elts if isinstance(tree.slice, ast.Tuple) else [tree.slice]
    return tuple(subscript(part) for part in parts)


def _plain_option(value: str) -> bool:
    """Whether text such as ``nearest-exact`` or ``bhi,ij->bhj`` is an option's own spelling."""
    return "->" in value or (value.replace("-", "").isalpha() and " " not in value)


def _largest(text: str, domains: Mapping[str, Hyperparameter]) -> Any:
    """The largest number of times that a layer is repeated: a number, or a hyperparameter's largest value."""
    if text.isdigit():
        return int(text)
    domain = domains.get(text)
    whole = domain is not None and domain.values is not None and domain.numeric
    return max(domain.values) if whole and domain is not None and domain.values is not None else None


def check_keys(
    data: Mapping[str, Any], known: Sequence[str], path: tuple[str | int, ...], lines: Lines, name: str
) -> None:
    """Raises UsageProblem for a key that is none of `known`, naming the nearest one."""
    for key in data:
        if key not in known:
            close = difflib.get_close_matches(str(key), known, 1, 0.5)
            hint = f"did you mean `{close[0]}`?" if close else f"known keys are {', '.join(known)}"
            raise UsageProblem(f"{name}:{lines.get((*path, key), 1)}: unknown key `{key}`; {hint}")


def mapping_at(value: Any, key: str, lines: Lines, name: str) -> Mapping[str, Any]:
    """`value` as a mapping, an empty one where there is none. Raises UsageProblem with the line of `key`."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise UsageProblem(f"{name}:{lines.get((key,), 1)}: `{key}` is a mapping from names to values")
    return value
