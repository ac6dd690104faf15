"""Spaces from code: the sandbox builds the model with recording values, and each fork becomes a space of layers."""

from __future__ import annotations

import ast
import inspect
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analyzer.findings import Location
from analyzer.operators.declaration import CONVERTS, ELEMENTWISE, FROM_SIZES, IDENTITY, SAME_SHAPE
from analyzer.operators.registry import names
from analyzer.problem import TargetProblem
from analyzer.validity.architecture import Architecture, ModelLayer
from analyzer.validity.registry import all_specs
from analyzer.validity.space import Hyperparameter, Space
from analyzer.validity.space_text import Text
from analyzer.validity.spec import TensorType
from analyzer.walls import PYTHON, ResourceLimits, Sandbox
from analyzer.walls.imports import frameworks_of
from analyzer.walls.process import importing

INSIDE = "assay_recording"
PROJECT = "project"
ANSWER = "recording.json"
REFUSAL = "code"  # the layer that stands for a `raise` of the code itself
MAX_BYTES = 64 << 20  # the answer comes from the repository's code


@dataclass(frozen=True)
class RecordingRequest:
    """What to record. `style`: ``build`` (hyperparameters by name), ``trial`` (Optuna) or ``hp`` (Keras Tuner)."""

    entry: str
    domains: Mapping[str, Hyperparameter]
    inputs: Mapping[str, tuple[tuple[int | str, ...], str]]  # shape and element type
    style: str = "build"
    forks: int = 500
    samples: int = 8
    seconds: float = 240.0
    seed: int = 0


@dataclass(frozen=True)
class Sample:
    """One vector that was really built and run."""

    vector: Mapping[str, Any]
    runs: bool
    error: str = ""


@dataclass(frozen=True)
class Fork:
    """The model for one outcome of all its branches."""

    space: Space
    conditions: Mapping[str, bool]
    sizes: Mapping[str, bool]  # branches that sizes of tensors decided, and how they went
    lost: tuple[str, ...]  # what could not be followed
    error: str | None  # why no vector of the fork could be built, if none could
    samples: tuple[Sample, ...]


@dataclass(frozen=True)
class Recording:
    """All forks. `complete` is off where time or number did not suffice for all of them."""

    entry: str
    domains: Mapping[str, Hyperparameter]
    forks: tuple[Fork, ...]
    complete: bool


def record(request: RecordingRequest, root: Path, sandbox: Sandbox, limits: ResourceLimits | None = None) -> Recording:
    """Run the function of `request` in `sandbox`. Raises TargetProblem where nothing could be recorded."""
    specs: dict[str, dict[str, list[str]]] = {"torch": {}, "keras": {}}
    for (framework, name), one in all_specs().items():
        if framework in specs:
            specs[framework][name] = _attributes(one)
    data = {
        "entry": request.entry,
        "root": PROJECT,
        "style": request.style,
        "specs": specs,
        "traits": _traits(),
        "domains": {n: _domain(h) for n, h in request.domains.items() if h.values is not None},
        "inputs": {n: {"shape": list(shape), "dtype": dtype} for n, (shape, dtype) in request.inputs.items()},
        "forks": request.forks,
        "samples": request.samples,
        "seconds": request.seconds,
        "seed": request.seed,
        "out": "out",
    }
    source = Path(__file__).parent / "inside"
    files: dict[str, bytes | Path] = {f"{INSIDE}/{p.name}": p.read_bytes() for p in sorted(source.glob("*.py"))}
    files |= {"request.json": json.dumps(data).encode(), PROJECT: root}
    with tempfile.TemporaryDirectory(prefix="assay-record-") as temporary:
        mentioned = frameworks_of([root / request.entry.partition(":")[0]])
        imports = ("torch",) if mentioned == {"torch"} else ("keras",) if mentioned and "torch" not in mentioned else ()
        done = importing(sandbox, imports).run(
            [PYTHON, "-m", INSIDE, "request.json"],
            files=files,
            output=Path(temporary),
            limits=limits or ResourceLimits(seconds=request.seconds + 120),
            environment={"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"},
        )
        path = Path(temporary) / ANSWER
        if ANSWER not in done.files or path.stat().st_size > MAX_BYTES:
            last = "".join(c for c in (done.log.strip().splitlines() or [""])[-1] if c.isprintable())[:160]
            raise TargetProblem(f"{request.entry}: its code ended before a model was handed back ({last})")
        answer = json.loads(path.read_text(encoding="utf-8"))
    if not answer.get("ok"):
        raise TargetProblem(str(answer.get("sentence", f"{request.entry}: nothing was recorded"))[:500])
    try:
        return _recording(request, answer)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise TargetProblem(f"{request.entry}: the sandbox handed back what is no recording ({error})") from None


def _traits() -> dict[str, list[str]]:
    """What a recorder of PyTorch asks of a function, with the names of those that have it."""
    keeping = names("torch", SAME_SHAPE)
    return {
        "same": list(names("torch", IDENTITY | CONVERTS)),
        "made": list(names("torch", FROM_SIZES)),
        "broadcast": [n for n in names("torch", ELEMENTWISE) if n not in keeping],
    }


def _attributes(found: Any) -> list[str]:
    parameters = found.parameters.values()
    return [p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]


def _domain(one: Hyperparameter) -> Mapping[str, Any]:
    if isinstance(one.values, range):
        return {"min": one.values[0], "max": one.values[-1], "step": one.values.step}
    return {"values": list(one.values or ())}


def _recording(request: RecordingRequest, answer: Mapping[str, Any]) -> Recording:
    domains = dict(request.domains)
    for name, item in answer["domains"].items():
        if name not in domains:
            values = range(item["min"], item["max"] + 1, item["step"]) if "min" in item else tuple(item["values"])
            domains[name] = Hyperparameter(str(name), values)
    forks = tuple(_fork(request, fork, domains, str(answer["framework"])) for fork in answer["forks"])
    return Recording(request.entry, domains, forks, not answer["left"])


def _fork(
    request: RecordingRequest, data: Mapping[str, Any], domains: Mapping[str, Hyperparameter], framework: str
) -> Fork:
    fixed: dict[str, Any] = {}
    texts: list[Text] = []
    for text, outcome in data["conditions"].items():
        name, equals, value = text.partition(" == ")
        if outcome and equals and name in domains and (literal := _literal(value)) is not NOTHING:
            fixed[name] = literal
        else:
            texts.append(Text(text if outcome else f"not ({text})"))
    free: dict[str, Hyperparameter] = {}
    inputs = {}
    for name, item in data["inputs"].items():
        shape = tuple(_value(d) for d in item["shape"])
        for size in shape:
            if isinstance(size, Text) and size.text.isidentifier() and size.text not in domains:
                free[size.text] = Hyperparameter(size.text, None, lo=1)
        inputs[str(name)] = TensorType(shape, str(item["dtype"]))
    layers = tuple(
        ModelLayer(
            str(one["name"]),
            str(one["op"]),
            framework,
            tuple(str(i) for i in one["inputs"]),
            (str(one["name"]), *(f"{one['name']}:{i}" for i in range(1, 8))),
            {str(k): _value(v) for k, v in one["attributes"].items()},
        )
        for one in data["layers"]
    )
    hyperparameters = tuple(
        Hyperparameter(n, (fixed[n],), line=h.line) if n in fixed else h for n, h in domains.items()
    )
    error = data["error"]["sentence"][:300] if data["error"] else None
    samples = tuple(Sample(s["vector"], bool(s["ok"]), str(s.get("error", ""))[:300]) for s in data["samples"])
    if error is not None and data["error"]["own"] and samples and not any(s.runs for s in samples):
        outputs = (REFUSAL, *(f"{REFUSAL}:{i}" for i in range(1, 8)))
        layers = (
            ModelLayer(REFUSAL, "raise", framework, tuple(inputs)[:1], outputs, {"sentence": error}, _place(data)),
        )
    space = Space(request.entry, Architecture(framework, inputs, layers), hyperparameters, tuple(texts), {}, free)
    return Fork(space, data["conditions"], data["sizes"], tuple(map(str, data["lost"])), error, samples)


def _place(data: Mapping[str, Any]) -> Location | None:
    place = data["error"]["place"]
    return None if place is None else Location(str(place["path"]), int(place["line"]))


NOTHING = object()


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return NOTHING


def _value(item: Any) -> Any:
    if isinstance(item, Mapping):
        return Text(str(item["text"]))
    return tuple(_value(i) for i in item) if isinstance(item, Sequence) and not isinstance(item, str) else item
