"""Reading spaces and layer-level models from YAML. Nothing in the file is executed."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from analyzer.configuration.yaml_lines import load_with_lines
from analyzer.problem import UsageProblem
from analyzer.validity.architecture import Architecture, Structural
from analyzer.validity.costs import limits_of
from analyzer.validity.expressions import names_in, parse
from analyzer.validity.space import Hyperparameter, Space, bound_to
from analyzer.validity.space_checks import (
    check_complete,
    check_domains,
    check_name,
    check_numbers,
)
from analyzer.validity.space_import import IMPORTERS
from analyzer.validity.space_model import Lines, attribute_value, check_keys, input_from, mapping_at, model_from
from analyzer.validity.space_text import Text

KEYS = ("version", "model", "hyperparameters", "derived", "conditions", "bind", "symbols", "import", "limits")
DOMAIN_KEYS = ("min", "max", "step", "values")


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
    check_keys(data, KEYS, (), lines, name)
    _format_version(data, lines, name)
    check_numbers(data, lines, name)
    for part in ("hyperparameters", "derived", "symbols"):
        for key in mapping_at(data.get(part), part, lines, name):
            check_name(key, f"{name}:{lines.get((part, key), 1)}", part)
    hyperparameters = {
        key: _domain(key, value, lines.get(("hyperparameters", key)), name)
        for key, value in mapping_at(data.get("hyperparameters", {}), "hyperparameters", lines, name).items()
    }
    for key, value in mapping_at(data.get("import", {}), "import", lines, name).items():
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
        for key, value in mapping_at(data.get("derived", {}), "derived", lines, name).items()
    }
    known = frozenset((*hyperparameters, *derived))
    free: dict[str, Hyperparameter] = {}
    if "model" in data:
        architecture = model_from(data["model"], lines, name, known, free, hyperparameters)
    if architecture is None:
        raise UsageProblem(f"{name}: there is no model; describe one under `model:` or name a target")
    for key, bounds in mapping_at(data.get("symbols", {}), "symbols", lines, name).items():
        free[key] = _symbol(key, bounds, lines.get(("symbols", key)), name)
    where = {key: f"{name}:{lines.get(('hyperparameters', key), 1)}" for key in hyperparameters}
    for key in hyperparameters:
        if "." in key or "[" in key:  # a path is bound to its own place
            architecture = bound_to(architecture, key, Text(key, lines.get(("hyperparameters", key))), where[key])
    for path, value in mapping_at(data.get("bind", {}), "bind", lines, name).items():
        line = lines.get(("bind", path))
        architecture = bound_to(architecture, path, attribute_value(value, known, line, name), f"{name}:{line}")
    try:
        limits = limits_of(mapping_at(data.get("limits", {}), "limits", lines, name))
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
    check_keys(data, ("version", "hyperparameters", "inputs"), (), lines, name)
    _format_version(data, lines, name)
    check_numbers(data, lines, name)
    domains = {}
    for key, value in mapping_at(data.get("hyperparameters"), "hyperparameters", lines, name).items():
        where = f"{name}:{lines.get(('hyperparameters', key), 1)}"
        check_name(key, where, "hyperparameters")
        domains[key] = _domain(key, value, lines.get(("hyperparameters", key)), name)
        if domains[key].values is None:
            raise UsageProblem(f"{where}: `{key}` has no `max`; a model that code builds needs finite domains")
    inputs = {}
    for key, item in mapping_at(data.get("inputs"), "inputs", lines, name).items():
        tensor = input_from(key, item, lines.get(("inputs", key)), name, frozenset(domains), {})
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
