"""``export.json``: what the exporter says of its work. Written next to hostile code, so every field is checked."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from analyzer.findings import Location
from analyzer.problem import NotAllowedProblem, TargetProblem

MAX_SIZE = 64 << 20  # bytes: the manifest is written by the repository's code
DEFECTS = ("building", "running", "described")
FORMATS = {"onnx": "model.onnx", "pt2": "program.pt2", "graphdef": "graph.pb", "keras": "model.keras"}


class ExportProblem(TargetProblem):
    """The project's code could not be exported; `location` is the line of the project where it failed, if any.

    `defect` says when the model itself was at fault: ``building``, ``running`` (on its example inputs), ``described``
    (on inputs made from the configuration); empty when its export or its surroundings were.
    """

    def __init__(self, sentence: str, location: Location | None = None, defect: str = "") -> None:
        super().__init__(sentence)
        self.location = location
        self.defect = defect


class NotExported(ExportProblem, NotAllowedProblem):
    """Its code may not run here, and no export was handed over."""


@dataclass(frozen=True, slots=True)
class StoredVariable:
    """The value of a variable: where it stands in ``weights.bin``."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    offset: int
    trainable: bool


@dataclass(frozen=True, slots=True)
class UndefinedGradient:
    """The backward function of PyTorch that makes NaN of finite numbers, the line of its forward call, and how many
    `weights` of all get one."""

    function: str
    place: Location
    weights: int
    of: int


@dataclass(frozen=True, slots=True)
class UndefinedLoss:
    """The function of PyTorch that makes a loss NaN or infinite (`loss`, in words), and the line of its call."""

    function: str
    place: Location
    loss: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """`failure`, `place` and `defect` are set when the export failed, all else when it did not.

    `axes` names symbolic dimensions: input -> axis -> symbol. `created` says where layers were created.
    `scopes` maps TensorFlow name scopes to Keras layers, `classes` those to their classes; `lines` holds the source
    line of each TensorFlow node. `truths` are floating-point inputs of which the example shows zeros and ones alone,
    `binary` those of fewer numbers, `onehot` the former of which each row holds a single one.
    `spans` holds the numbers between which examples lie that tell something of others, `shown` those of all examples
    and how many numbers they have, `ordered` the axis along which each row of one rises (1) or falls (-1), `even` the
    axis along which its steps are equal, and the step, `columns` the ends of features of different size, `filled` which
    of 0 and 1 each row of zeros and ones holds; the rows of those that are `unlike` all differ along the first axis;
    `whole` are floating-point inputs that hold whole numbers, `definite` those that hold covariances.
    `untrained` are weights that training leaves as they are, `batches` running means that it replaces by those of each
    batch.
    `undefined` is a gradient, or a loss, that PyTorch finds to be no number on the example.
    `ran`: PyTorch ran the module itself on its example. `recorded`: numbers that the model read from its own values are
    fixed in it; `read` are the inputs that alone decide these numbers, None where others may; `frozen` are the nodes of
    a recorded TensorFlow run that rest on such numbers.
    `loss` and `targets` are a result and inputs of the graph beside the model's own that has the compiled loss.
    """

    failure: str | None = None
    place: Location | None = None
    defect: str = ""
    format: str = "onnx"
    framework: str = "torch"
    versions: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    recorded: bool = False
    read: tuple[str, ...] | None = None
    frozen: tuple[str, ...] = ()
    ran: bool = False
    files: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    truths: tuple[str, ...] = ()
    binary: tuple[str, ...] = ()
    onehot: tuple[str, ...] = ()
    spans: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    shown: Mapping[str, tuple[float, float, int]] = field(default_factory=dict)
    ordered: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    even: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    unlike: tuple[str, ...] = ()
    untrained: tuple[str, ...] = ()
    batches: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    definite: tuple[str, ...] = ()
    columns: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    filled: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    undefined: UndefinedGradient | UndefinedLoss | None = None
    outputs: tuple[str, ...] = ()
    loss: str = ""
    targets: tuple[str, ...] = ()
    axes: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    shapes: Mapping[str, tuple[tuple[int | str, ...], str]] = field(default_factory=dict)
    created: Mapping[str, Location] = field(default_factory=dict)
    scopes: Mapping[str, str] = field(default_factory=dict)
    classes: Mapping[str, str] = field(default_factory=dict)
    lines: Mapping[str, Location] = field(default_factory=dict)
    weights: tuple[StoredVariable, ...] = ()
    identity: str = ""
    dynamic: Mapping[str, str] = field(default_factory=dict)


def read_manifest(path: Path, entry: str) -> Manifest:
    """Raises `ExportProblem` for anything but a well-formed manifest."""
    try:
        if path.stat().st_size > MAX_SIZE:
            raise ValueError("too large")
        return _manifest(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ExportProblem(
            f"{entry}: what the export handed back makes no sense ({type(error).__name__}); its code wrote over it"
        ) from error


def _manifest(data: Any) -> Manifest:
    versions = _texts(data.get("versions", {}))
    if data["ok"] is not True:
        defect = data.get("defect", "")
        return Manifest(
            failure=_text(data["sentence"], 1200),
            place=_place(data.get("place")),
            defect=defect if defect in DEFECTS else "",
            versions=versions,
        )
    if data["format"] not in FORMATS:
        raise ValueError("format")
    return Manifest(
        format=data["format"],
        framework={"graph": "tensorflow"}.get(data["framework"], _text(data["framework"])),
        versions=versions,
        notes=_list(data.get("notes", [])),
        recorded=data.get("recorded", False) is not False,
        read=None if data.get("read") is None else _list(data["read"]),
        frozen=_list(data.get("frozen", [])),
        ran=data.get("ran", False) is True,
        files=tuple(name for name in _list(data.get("files", [])) if _inside(name)),
        inputs=_list(data.get("inputs", [])),
        truths=_list(data.get("truths", [])),
        binary=_list(data.get("binary", [])),
        onehot=_list(data.get("onehot", [])),
        spans={_text(k): _span(v) for k, v in data.get("spans", {}).items()},
        shown={_text(k): (*_span(v[:2]), int(v[2])) for k, v in data.get("shown", {}).items()},
        ordered={_text(k): (int(v[0]), 1 if int(v[1]) > 0 else -1) for k, v in data.get("ordered", {}).items()},
        even={_text(k): (int(v[0]), float(v[1])) for k, v in data.get("even", {}).items()},
        unlike=_list(data.get("unlike", [])),
        untrained=_list(data.get("untrained", [])),
        batches=_list(data.get("batches", [])),
        whole=_list(data.get("whole", [])),
        definite=_list(data.get("definite", [])),
        columns={
            _text(k): tuple(_span(ends) for ends in zip(*v, strict=True)) for k, v in data.get("columns", {}).items()
        },
        filled={_text(k): tuple(1 if int(n) > 0 else 0 for n in v[:2]) for k, v in data.get("filled", {}).items()},
        undefined=_undefined(data.get("undefined")),
        outputs=_list(data.get("outputs", [])),
        loss=_text(data.get("loss", "")),
        targets=_list(data.get("targets", [])),
        axes={
            _text(k): {int(axis): _text(symbol) for axis, symbol in v.items()} for k, v in data.get("axes", {}).items()
        },
        shapes={_text(k): _shape(v) for k, v in data.get("shapes", {}).items()},
        created=_places(data.get("created", {})),
        scopes=_texts(data.get("scopes", {})),
        classes=_texts(data.get("classes", {})),
        lines=_places(data.get("lines", {})),
        weights=tuple(_weight(item) for item in data.get("weights", [])),
        identity=_text(data.get("identity", "")),
        dynamic={k: v for k, v in _texts(data.get("dynamic", {})).items() if _inside(k)},
    )


def _span(value: Any) -> tuple[float, float]:
    low, high = value
    if not -math.inf < float(low) <= float(high) < math.inf:
        raise ValueError("span")
    return float(low), float(high)


def _text(value: Any, limit: int = 1024) -> str:
    if not isinstance(value, str):
        raise ValueError("text expected")
    return "".join(c if c.isprintable() else " " for c in value[:limit])


def _texts(value: Any) -> dict[str, str]:
    return {_text(k): _text(v) for k, v in value.items()}


def _list(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError("list expected")
    return tuple(_text(item) for item in value)


def _inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and "\\" not in name


def _place(value: Any) -> Location | None:
    if value is None:
        return None
    path, line = value
    if not _inside(_text(path)) or not isinstance(line, int) or not 0 < line < 10_000_000:
        raise ValueError("place")
    return Location(_text(path), line)


def _undefined(value: Any) -> UndefinedGradient | UndefinedLoss | None:
    place = _place(value["place"]) if value else None
    if place is None:
        return None
    if "loss" in value:
        return UndefinedLoss(_text(value["function"], 80), place, _text(value["loss"], 20))
    return UndefinedGradient(_text(value["function"], 80), place, int(value["weights"]), int(value["of"]))


def _places(value: Any) -> dict[str, Location]:
    places = {_text(k): _place(v) for k, v in value.items()}
    return {k: v for k, v in places.items() if v is not None}


def _shape(value: Any) -> tuple[tuple[int | str, ...], str]:
    dims, dtype = value
    return tuple(d if isinstance(d, int) else _text(d) for d in dims), _text(dtype)


def _weight(value: Any) -> StoredVariable:
    name, dtype, shape, offset, trainable = value
    numbers = [*shape, offset]
    if not all(isinstance(n, int) and 0 <= n < 1 << 48 for n in numbers) or not isinstance(trainable, bool):
        raise ValueError("weight")
    return StoredVariable(_text(name), _text(dtype), tuple(shape), offset, trainable)
