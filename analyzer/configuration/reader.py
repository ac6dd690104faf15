"""Reads `.assay.yml` into a `Config`; every mistake is refused with file, line and the mended form."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Any

import jsonschema

from analyzer.configuration.config import (
    Config,
    DriftBudget,
    Environment,
    InputSpec,
    Suppression,
    TargetConfig,
    Thresholds,
)
from analyzer.configuration.schemas import schema
from analyzer.configuration.yaml_lines import Path as KeyPath
from analyzer.configuration.yaml_lines import load_with_lines
from analyzer.findings import FailOn, Level
from analyzer.graph.ranges import ValueRange
from analyzer.problem import UsageProblem

DEFAULT_NAME = ".assay.yml"


def read_config(path: Path, *, name: str | None = None) -> Config:
    """Read the configuration file at `path`; messages call it `name`.

    Raises UsageProblem that lists every mistake, one a line.
    """
    shown = name or path.name
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageProblem(f"{shown} does not exist; create it or leave out --config.") from None
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise UsageProblem(f"{shown} cannot be read: {reason}.") from None
    return parse_config(text, name=shown)


def parse_config(text: str, *, name: str = DEFAULT_NAME) -> Config:
    """`text` as a `Config`. Raises UsageProblem that lists every mistake, one a line."""
    data, lines = load_with_lines(text, name)
    if data is None:
        raise UsageProblem(f"{name} is empty; start it with `version: 1`.")
    validator = jsonschema.Draft202012Validator(schema("config"))
    problems = {found for error in validator.iter_errors(data) for found in _violations(error, lines)}
    if not problems:
        problems = set(_contradictions(data, lines))
    if problems:
        raise UsageProblem("\n".join(f"{name}:{line}: {what}" for line, what in sorted(problems)))
    return _build(data, lines, name)


def _violations(error: Any, lines: Mapping[KeyPath, int]) -> Iterable[tuple[int, str]]:
    """Each mistake behind one schema violation, with its line."""
    path: KeyPath = tuple(error.absolute_path)
    if error.validator == "additionalProperties":
        known = list(error.schema.get("properties", {}))
        for key in error.instance:
            if key not in known:
                yield lines[(*path, key)], _unknown_key(key, _place(path), known)
        return
    yield lines[path], _explain(error)


def _place(path: Iterable[str | int]) -> str:
    """`targets[0].inputs.x`, or "the file" for its root."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".") or "the file"


def _explain(error: Any) -> str:
    """One sentence on a schema violation, with the mended form."""
    place = _place(error.absolute_path)
    value = error.instance
    match error.validator:
        case "required":
            missing = next(key for key in error.validator_value if key not in value)
            hint = ": 1" if missing == "version" else ": …"
            return f"{place} lacks `{missing}`; add `{missing}{hint}`."
        case "const":
            return f"`{place}` is {value!r}; this version of Assay reads `{place}: {error.validator_value}`."
        case "enum":
            choices = [str(choice) for choice in error.validator_value if not isinstance(choice, bool)]
            close = difflib.get_close_matches(str(value), choices, 1)
            mended = f"write `{close[0]}`" if close else f"choose one of {', '.join(choices)}"
            return f"`{place}` is {value!r}, which is not a choice; {mended}."
        case "type":
            expected = error.validator_value
            names = expected if isinstance(expected, list) else [expected]
            return (
                f"`{place}` is {_kind(value)}; it must be {' or '.join(_article(n) for n in names)}{_example(place)}."
            )
        case "oneOf":
            both = isinstance(value, dict) and "path" in value and "entry" in value
            what = (
                "has both `path` and `entry`; keep one"
                if both
                else "names no model; add `path: …` or `entry: file.py:name`"
            )
            return f"{place} {what}."
        case "pattern":
            return f"`{place}` is {value!r}, which does not have the right form{_example(place)}."
        case "minItems" | "maxItems":
            wanted = error.validator_value
            bound = "at least" if error.validator == "minItems" else "at most"
            return f"`{place}` has {len(value)} items; it needs {bound} {wanted}{_example(place)}."
        case "minimum" | "maximum" | "exclusiveMinimum":
            bound = {"minimum": "at least", "maximum": "at most", "exclusiveMinimum": "more than"}[error.validator]
            return f"`{place}` is {value}; it must be {bound} {error.validator_value}."
        case "minLength" | "maxLength":
            fault = "short" if error.validator == "minLength" else "long"
            return f"`{place}` is too {fault}; give a name of sensible length."
        case _:
            return f"`{place}`: {error.message}."


def _unknown_key(key: str, place: str, known: list[str]) -> str:
    close = difflib.get_close_matches(key, known, 1, 0.5)
    mended = f"did you mean `{close[0]}`?" if close else f"known keys are {', '.join(known)}."
    return f"unknown key `{key}` in {place}; {mended}"


def _kind(value: Any) -> str:
    names = {
        dict: "a mapping",
        list: "a list",
        str: "text",
        bool: "true or false",
        int: "a whole number",
        float: "a number",
    }
    shown = f" ({value!r})" if isinstance(value, (str, int, float)) else ""
    return ("empty" if value is None else names.get(type(value), type(value).__name__)) + shown


def _article(name: str) -> str:
    return {
        "object": "a mapping",
        "array": "a list",
        "string": "text",
        "number": "a number",
        "integer": "a whole number",
        "null": "null",
        "boolean": "true or false",
    }[name]


def _example(place: str) -> str:
    examples = {
        "shape": "[batch, 3, 224, 224]",
        "range": "[0, 1]",
        "parameters": '{"decoder.*weight": [-2, 2]}',
        "symbols": "{batch: [2, 512]}",
        "entry": "models/vae.py:build",
        "until": "2027-01-31",
        "backends": "[onnxruntime, torch]",
        "targets": "a list of `- path: model.onnx`",
        "only": "[numerical, validity]",
        "fingerprint": "3f2a9c01d4e5b677",
    }
    for part in reversed(place.replace("[", ".").split(".")):
        if part in examples:
            return f", as in `{examples[part]}`" if part != "targets" else f": {examples[part]}"
    return ""


def _contradictions(data: Mapping[str, Any], lines: Mapping[KeyPath, int]) -> Iterable[tuple[int, str]]:
    """What a schema cannot see: empty ranges, duplicate ids, paths that leave the repository, impossible dates."""
    seen: dict[str, int] = {}
    for index, target in enumerate(data.get("targets", [])):
        here: KeyPath = ("targets", index)
        identity = target.get("id") or target.get("path") or target.get("entry")
        if identity in seen:
            yield (
                lines[here],
                f"the id `{identity}` is taken by the target on line {seen[identity]}; give one an `id` of its own.",
            )
        seen[identity] = lines[here]
        for name, spec in target.get("inputs", {}).items():
            yield from _empty_range(spec.get("range"), (*here, "inputs", name, "range"), lines)
        for name, bounds in target.get("parameters", {}).items():
            yield from _empty_range(bounds, (*here, "parameters", name), lines)
        for name, (low, high) in target.get("symbols", {}).items():
            if high is not None and low > high:
                yield (
                    lines[(*here, "symbols", name)],
                    f"`{name}: [{low}, {high}]` holds no size; write `{name}: [{high}, {low}]`.",
                )
        for key in ("path", "entry", "checkpoint", "validation", "space"):
            yield from _outside(target.get(key), (*here, key), lines)
        yield from _environment_problems(target.get("environment"), (*here, "environment"), lines)
    yield from _environment_problems(data.get("environment"), ("environment",), lines)
    for index, item in enumerate(data.get("suppressions", [])):
        if "until" in item:
            try:
                date.fromisoformat(item["until"])
            except ValueError:
                yield (
                    lines[("suppressions", index, "until")],
                    f"`until: {item['until']}` is not a day of the calendar; write it as 2027-01-31.",
                )
        if not set(item) - {"reason", "until"}:
            yield (
                lines[("suppressions", index)],
                "this suppression would silence everything; add `rule:`, `target:`, `layer:` or `fingerprint:`.",
            )


def _empty_range(bounds: Any, path: KeyPath, lines: Mapping[KeyPath, int]) -> Iterable[tuple[int, str]]:
    if bounds is None:
        return
    low, high = _bounds(bounds)
    if low > high:
        yield lines[path], f"the range [{low:g}, {high:g}] of `{path[-1]}` is empty; write [{high:g}, {low:g}]."
    elif low == math.inf or high == -math.inf:
        yield (
            lines[path],
            f"the range [{low:g}, {high:g}] of `{path[-1]}` holds no finite number; write null for an open side.",
        )


def _outside(value: Any, path: KeyPath, lines: Mapping[KeyPath, int]) -> Iterable[tuple[int, str]]:
    if not isinstance(value, str):
        return
    pure = PurePosixPath(value.replace("\\", "/"))
    if pure.is_absolute() or ".." in pure.parts or "\0" in value:
        yield lines[path], f"`{path[-1]}: {value}` leaves the repository; give a path below its root."


def _environment_problems(value: Any, path: KeyPath, lines: Mapping[KeyPath, int]) -> Iterable[tuple[int, str]]:
    if isinstance(value, dict):
        if "image" in value and "requirements" in value:
            yield (
                lines[path],
                "`environment` has both `image` and `requirements`; install them in the image and keep `image`.",
            )
        yield from _outside(value.get("requirements"), (*path, "requirements"), lines)


def _bounds(value: list[float | None]) -> tuple[float, float]:
    low, high = value
    return (-math.inf if low is None else float(low)), (math.inf if high is None else float(high))


def _range(value: list[float | None] | None, reason: str) -> ValueRange | None:
    return None if value is None else ValueRange(*_bounds(value), reason=reason)


def _drift(data: Mapping[str, Any]) -> DriftBudget:
    """Numbers; `top1` may be written with its per cent sign."""
    names = {"class": "d_class", "d-mad": "d_mad"}
    return DriftBudget(**{names.get(k, k): float(str(v).rstrip("% ")) for k, v in data.items()})


def _environment(value: Mapping[str, str] | None) -> Environment | None:
    return None if value is None else Environment(value.get("image"), value.get("requirements"))


def _build(data: Mapping[str, Any], lines: Mapping[KeyPath, int], name: str) -> Config:
    def target(index: int, item: Mapping[str, Any]) -> TargetConfig:
        line = lines[("targets", index)]
        declared = f"declared in {name}:{line}"
        return TargetConfig(
            id=item.get("id") or item.get("path") or item["entry"],
            path=item.get("path"),
            entry=item.get("entry"),
            inputs={
                key: InputSpec(
                    shape=tuple(spec["shape"]) if "shape" in spec else None,
                    dtype=spec.get("dtype"),
                    range=_range(spec.get("range"), declared),
                )
                for key, spec in item.get("inputs", {}).items()
            },
            parameters={key: ValueRange(*_bounds(v), reason=declared) for key, v in item.get("parameters", {}).items()},
            symbols={key: (low, high) for key, (low, high) in item.get("symbols", {}).items()},
            unbounded=tuple(item.get("unbounded", ())),
            backends=tuple(item["backends"]) if "backends" in item else None,
            checkpoint=item.get("checkpoint"),
            weights=item.get("weights", "range"),
            validation=item.get("validation"),
            space=item.get("space"),
            environment=_environment(item.get("environment")),
            line=line,
        )

    thresholds = data.get("thresholds", {})
    defaults = Thresholds()
    return Config(
        version=1,
        targets=tuple(target(index, item) for index, item in enumerate(data.get("targets", []))),
        exclude=tuple(data.get("exclude", ())),
        rules={
            rule: None if level in ("off", False) else Level(level) for rule, level in data.get("rules", {}).items()
        },
        suppressions=tuple(
            Suppression(
                reason=item["reason"],
                rule=item.get("rule", "*"),
                target=item.get("target", "*"),
                layer=item.get("layer", "*"),
                fingerprint=item.get("fingerprint", "*"),
                until=date.fromisoformat(item["until"]) if "until" in item else None,
            )
            for item in data.get("suppressions", [])
        ),
        fail_on=FailOn(data.get("fail-on", FailOn.CONFIRMED)),
        only=tuple(data.get("only", Config().only)),
        environment=_environment(data.get("environment")) or Environment(),
        thresholds=Thresholds(
            t_class=thresholds.get("class", defaults.t_class),
            t_mad=thresholds.get("mad", defaults.t_mad),
            p=thresholds.get("percent", defaults.p),
        ),
        drift=_drift(data.get("drift", {})),
        timeout=float(data.get("timeout", Config().timeout)),
        discover=data.get("discover", "on") not in ("off", False),
        locked=data.get("policy") == "locked",
        lines=lines,
        path=name,
    )
