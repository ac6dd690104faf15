"""Reading spaces and layer-level models from YAML. Nothing in the file is executed."""

from __future__ import annotations

import ast
import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from analyzer.configuration.yaml_lines import load_with_lines
from analyzer.findings import Location
from analyzer.problem import UsageProblem
from analyzer.validity.architecture import Architecture, Layer, Structural
from analyzer.validity.costs import limits_of
from analyzer.validity.expressions import names_in, parse
from analyzer.validity.registry import FRAMEWORKS, all_specs
from analyzer.validity.space import Hyperparameter, Space, bound_to
from analyzer.validity.space_checks import (
    check_attribute,
    check_complete,
    check_domains,
    check_name,
    check_numbers,
)
from analyzer.validity.space_import import IMPORTERS
from analyzer.validity.space_repeat import repeated
from analyzer.validity.space_text import Text, size_path
from analyzer.validity.spec import TensorType
from analyzer.validity.specs.common import NUMERIC

KEYS = ("version", "model", "hyperparameters", "derived", "conditions", "bind", "symbols", "import", "limits")
MODEL_KEYS = ("framework", "version", "inputs", "layers")
LAYER_KEYS = ("name", "op", "input", "inputs", "framework", "source", "when")
DOMAIN_KEYS = ("min", "max", "step", "values")
DTYPES = (*NUMERIC, "bool", "string", "float8_e4m3fn", "float8_e5m2")
MAX_LAYERS = 20_000
OUTPUTS = 8  # of a layer, the first of which bears its name

Lines = Mapping[tuple[str | int, ...], int]


def read_space(text: str, name: str, architecture: Architecture | None = None, folder: Path | None = None) -> Space:
    """The space in a YAML document. `architecture` is the model when the document describes none itself.

    Raises UsageProblem with file and line for anything that does not make sense.
    """
    data, lines = load_with_lines(text, name)
    return space_from(data, lines, name, architecture, folder)


def space_from(
    data: Any, lines: Lines, name: str, architecture: Architecture | None = None, folder: Path | None = None
) -> Space:
    """The space in parsed YAML (a `.assay.yml` may hold one inline)."""
    if not isinstance(data, Mapping):
        raise UsageProblem(f"{name}: a space is a mapping with `hyperparameters:` and `model:`")
    _known_keys(data, KEYS, (), lines, name)
    _format_version(data, lines, name)
    check_numbers(data, lines, name)
    for part in ("hyperparameters", "derived", "symbols"):
        for key in _mapping(data.get(part), part, lines, name):
            check_name(key, f"{name}:{lines.get((part, key), 1)}", part)
    hyperparameters = {
        key: _domain(key, value, lines.get(("hyperparameters", key)), name)
        for key, value in _mapping(data.get("hyperparameters", {}), "hyperparameters", lines, name).items()
    }
    for key, value in _mapping(data.get("import", {}), "import", lines, name).items():
        import_line = lines.get(("import", key), 1)
        if key not in IMPORTERS:
            raise UsageProblem(
                f"{name}:{import_line}: nothing can be imported from `{key}`; there are {', '.join(IMPORTERS)}"
            )
        imported, _conditions = IMPORTERS[key](_object(value, folder, f"{name}:{import_line}"), f"{name}:{import_line}")
        for one in imported:
            hyperparameters.setdefault(one.name, replace(one, line=import_line))
    derived = {
        key: Text(str(value), lines.get(("derived", key)))
        for key, value in _mapping(data.get("derived", {}), "derived", lines, name).items()
    }
    known = frozenset((*hyperparameters, *derived))
    free: dict[str, Hyperparameter] = {}
    if "model" in data:
        architecture = _model(data["model"], lines, name, known, free, hyperparameters)
    if architecture is None:
        raise UsageProblem(f"{name}: there is no model; describe one under `model:` or name a target")
    for key, bounds in _mapping(data.get("symbols", {}), "symbols", lines, name).items():
        free[key] = _symbol(key, bounds, lines.get(("symbols", key)), name)
    where = {key: f"{name}:{lines.get(('hyperparameters', key), 1)}" for key in hyperparameters}
    for key in hyperparameters:
        if "." in key or "[" in key:  # a path is bound to its own place
            architecture = bound_to(architecture, key, Text(key, lines.get(("hyperparameters", key))), where[key])
    for path, value in _mapping(data.get("bind", {}), "bind", lines, name).items():
        line = lines.get(("bind", path))
        architecture = bound_to(architecture, path, _value(value, known, line, name), f"{name}:{line}")
    try:
        limits = limits_of(_mapping(data.get("limits", {}), "limits", lines, name))
    except ValueError as error:
        line = lines.get(("limits", str(error)), lines.get(("limits",), 1))
        raise UsageProblem(
            f"{name}:{line}: `{error}` is no limit; write `parameters: 5e6`, `memory: 24 GB`, `activations` or `flops`"
        ) from None
    architecture = replace(architecture, limits=limits)
    conditions = data.get("conditions", [])
    if not isinstance(conditions, list):
        raise UsageProblem(f"{name}:{lines.get(('conditions',), 1)}: `conditions` is a list of expressions")
    texts = tuple(Text(str(c), lines.get(("conditions", i))) for i, c in enumerate(conditions))
    space = Space(name, architecture, tuple(hyperparameters.values()), texts, derived, free)
    if "model" in data:
        for layer in architecture.layers:
            check_complete(layer, name)
    check_domains(architecture, {key: one.values for key, one in space.by_name.items()}, name)
    _check_names(space)
    return space


def domains_from(text: str, name: str) -> tuple[dict[str, Hyperparameter], dict[str, tuple[tuple[Any, ...], str]]]:
    """Domains and inputs of a file that describes no model: that comes from code.

    Inputs are shapes of numbers, names and expressions, with an element type. Raises UsageProblem with file and line.
    """
    data, lines = load_with_lines(text, name)
    if not isinstance(data, Mapping):
        raise UsageProblem(f"{name}: a space is a mapping with `hyperparameters:` and `inputs:`")
    _known_keys(data, ("version", "hyperparameters", "inputs"), (), lines, name)
    _format_version(data, lines, name)
    check_numbers(data, lines, name)
    domains = {}
    for key, value in _mapping(data.get("hyperparameters"), "hyperparameters", lines, name).items():
        where = f"{name}:{lines.get(('hyperparameters', key), 1)}"
        check_name(key, where, "hyperparameters")
        domains[key] = _domain(key, value, lines.get(("hyperparameters", key)), name)
        if domains[key].values is None:
            raise UsageProblem(f"{where}: `{key}` has no `max`; a model that code builds needs finite domains")
    inputs = {}
    for key, item in _mapping(data.get("inputs"), "inputs", lines, name).items():
        tensor = _input(key, item, lines.get(("inputs", key)), name, frozenset(domains), {})
        if tensor.shape is None:
            raise UsageProblem(f"{name}:{lines.get(('inputs', key), 1)}: the input `{key}` needs a `shape`")
        shape = tuple(d.text if isinstance(d, Text) else d for d in tensor.shape)
        inputs[key] = (shape, str(tensor.dtype or "float32"))
    return domains, inputs


def _object(value: Any, folder: Path | None, where: str) -> Mapping[str, Any]:
    """An imported space: written in place, or the JSON file of that name beside the space."""
    if isinstance(value, Mapping):
        return value
    path = None if folder is None else (folder / str(value)).resolve()
    if path is None or folder is None or not path.is_relative_to(folder.resolve()) or not path.is_file():
        raise UsageProblem(f"{where}: `{value}` is not a file beside the space")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise UsageProblem(f"{where}: `{value}` is not readable JSON") from None
    if not isinstance(data, Mapping):
        raise UsageProblem(f"{where}: `{value}` holds no object")
    return data


def _check_names(space: Space) -> None:
    """Every name in every expression must be known, and derived values must not be circular."""
    resolve = space.resolver({})
    for text in (*space.conditions, *space.derived.values()):
        try:
            tree = parse(text.text)
        except UsageProblem as problem:
            raise UsageProblem(f"{space.name}{f':{text.line}' if text.line else ''}: {problem}") from None
        for read in names_in(tree):
            try:
                resolve(read)
            except UsageProblem as problem:
                sentence = str(problem)
                if "neither" in sentence:
                    close = difflib.get_close_matches(read, [*space.by_name, *space.derived], 1)
                    hint = f"; did you mean `{close[0]}`?" if close else ""
                    line = f":{text.line}" if text.line else ""
                    sentence = f"{space.name}{line}: `{text.text}` reads `{read}`, which is not a hyperparameter{hint}"
                raise UsageProblem(sentence) from None
            except Structural:  # arithmetic of floating point: computed once values are put in
                continue
            except TypeError:  # a categorical hyperparameter as a number: told when values are put in
                continue


def _format_version(data: Mapping[str, Any], lines: Lines, name: str) -> None:
    version = data.get("version", 1)
    if version != 1 or isinstance(version, bool):
        raise UsageProblem(
            f"{name}:{lines.get(('version',), 1)}: `version: {version}` is not known; this format is `version: 1`"
        )


def _known_keys(
    data: Mapping[str, Any], known: Sequence[str], path: tuple[str | int, ...], lines: Lines, name: str
) -> None:
    for key in data:
        if key not in known:
            close = difflib.get_close_matches(str(key), known, 1, 0.5)
            hint = f"did you mean `{close[0]}`?" if close else f"known keys are {', '.join(known)}"
            raise UsageProblem(f"{name}:{lines.get((*path, key), 1)}: unknown key `{key}`; {hint}")


def _mapping(value: Any, key: str, lines: Lines, name: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise UsageProblem(f"{name}:{lines.get((key,), 1)}: `{key}` is a mapping from names to values")
    return value


def _domain(key: str, value: Any, line: int | None, name: str) -> Hyperparameter:
    """``[1, 2, 4]``, ``{min: 1, max: 9, step: 2}``, ``{min: 1}`` (unbounded) or a single value."""
    where = f"{name}:{line}" if line else name
    if isinstance(value, list):
        values = tuple(tuple(v) if isinstance(v, list) else v for v in value)
        if not values:
            raise UsageProblem(f"{where}: `{key}` has no values; give at least one")
        if len(set(map(repr, values))) != len(values):
            raise UsageProblem(f"{where}: `{key}` lists a value twice")
        return Hyperparameter(key, values, line=line)
    if isinstance(value, Mapping):
        for part in value:
            if part not in DOMAIN_KEYS:
                raise UsageProblem(f"{where}: `{key}` has the key `{part}`; a domain has {', '.join(DOMAIN_KEYS)}")
        if "values" in value:
            return _domain(key, value["values"], line, name)
        low, high, step = value.get("min", 1), value.get("max"), value.get("step", 1)
        for part, number in (("min", low), ("max", high), ("step", step)):
            if type(number) is not int and (number is not None or part != "max"):
                raise UsageProblem(f"{where}: `{part}` of `{key}` is {number!r}; it must be a whole number")
        if step < 1:
            raise UsageProblem(f"{where}: the step of `{key}` is {step}; it must be at least 1")
        if high is None:
            if step != 1:
                raise UsageProblem(f"{where}: `{key}` has a step but no `max`; give a `max` or drop the step")
            return Hyperparameter(key, None, lo=low, line=line)
        if high < low:
            raise UsageProblem(f"{where}: the domain of `{key}` is empty: min {low} is larger than max {high}")
        return Hyperparameter(key, range(low, high + 1, step), line=line)
    if isinstance(value, (int, str, float, bool)):
        return Hyperparameter(key, (value,), line=line)
    raise UsageProblem(f"{where}: `{key}` needs a list of values or `{{min: …, max: …, step: …}}`")


def _symbol(key: str, bounds: Any, line: int | None, name: str) -> Hyperparameter:
    if not (isinstance(bounds, list) and len(bounds) == 2 and type(bounds[0]) is int):
        raise UsageProblem(f"{name}:{line}: `{key}` needs its smallest and largest size, as in [1, 512] or [1, null]")
    low, high = bounds
    if high is None:
        return Hyperparameter(key, None, lo=low, line=line)
    if high < low:
        raise UsageProblem(f"{name}:{line}: `{key}: [{low}, {high}]` holds no size")
    return Hyperparameter(key, range(low, high + 1), line=line)


def _value(value: Any, known: frozenset[str], line: int | None, name: str) -> Any:
    """A layer attribute: text that reads hyperparameters is an expression, any other text is itself."""
    if isinstance(value, list):
        return tuple(_value(v, known, line, name) for v in value)
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


def _model(
    data: Any,
    lines: Lines,
    name: str,
    known: frozenset[str],
    free: dict[str, Hyperparameter],
    domains: Mapping[str, Hyperparameter],
) -> Architecture:
    if not isinstance(data, Mapping):
        raise UsageProblem(f"{name}:{lines.get(('model',), 1)}: `model` is a mapping with framework, inputs and layers")
    _known_keys(data, MODEL_KEYS, ("model",), lines, name)
    framework = data.get("framework", "torch")
    if framework not in FRAMEWORKS:
        line = lines.get(("model", "framework"), 1)
        raise UsageProblem(f"{name}:{line}: framework `{framework}` is none of {', '.join(FRAMEWORKS)}")
    inputs: dict[str, TensorType] = {}
    stated = _mapping(data.get("inputs", {}), "inputs", lines, name)
    if not stated:
        line = lines.get(("model", "inputs"), lines.get(("model",), 1))
        raise UsageProblem(
            f"{name}:{line}: the model has no inputs; write `inputs: {{x: {{shape: [batch, 3, 224, 224]}}}}`"
        )
    for key, item in stated.items():
        check_name(key, f"{name}:{lines.get(('model', 'inputs', key), 1)}", "inputs")
        inputs[key] = _input(key, item, lines.get(("model", "inputs", key)), name, known, free)
    layers = data.get("layers")
    if not isinstance(layers, list) or not layers:
        raise UsageProblem(f"{name}:{lines.get(('model',), 1)}: `model` needs a list of `layers`")
    if len(layers) > MAX_LAYERS:
        raise UsageProblem(f"{name}: {len(layers)} layers are more than the {MAX_LAYERS} that a description may have")
    built: list[Layer] = []
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


def _input(
    key: str, item: Any, line: int | None, name: str, known: frozenset[str], free: dict[str, Hyperparameter]
) -> TensorType:
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
                read = _value(size, known, line, name)
                if isinstance(read, str):
                    raise UsageProblem(
                        f"{name}:{line}: `{size}` in the shape of `{key}` is not a size; write a number or a name"
                    )
                dims.append(read)
    dtype = _value(item.get("dtype", "float32"), known, line, name)
    if isinstance(dtype, str) and dtype not in DTYPES:
        close = difflib.get_close_matches(dtype, DTYPES, 1)
        hint = f"write `dtype: {close[0]}`" if close else f"there are {', '.join(DTYPES)}"
        raise UsageProblem(f"{name}:{line}: the input `{key}` has no element type `{dtype}`; {hint}")
    layout = _value(item.get("format"), known, line, name)
    return TensorType(None if dims is None else tuple(dims), dtype, layout)


def _layer(
    item: Any,
    line: int,
    name: str,
    framework: str,
    values: Sequence[str],
    known: frozenset[str],
    earlier: Sequence[Layer],
) -> Layer:
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
    hyperparameters = {str(k): _value(v, known, line, name) for k, v in item.items() if k not in LAYER_KEYS}
    for attribute, value in hyperparameters.items():
        check_attribute(specs[own, operator], attribute, value, f"{name}:{line}", title, known)
    return Layer(
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
