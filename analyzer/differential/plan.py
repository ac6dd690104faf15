"""From a graph and its source to the artefacts that engines load, and the engines that are worth running on them."""

from __future__ import annotations

import importlib.util
import mmap
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzer.configuration.config import TargetConfig
from analyzer.differential.backend import Backend, parse, parse_all
from analyzer.differential.runner import Artefact
from analyzer.graph import Graph
from analyzer.graph.model import FX_NODE
from analyzer.loading.exported_program import take_apart
from analyzer.loading.onnx_file import map_external
from analyzer.problem import TargetProblem, UsageProblem

if TYPE_CHECKING:
    from analyzer.graph import Graph

EMBED_LIMIT = 256 << 20  # bytes of weights up to which a model is one file; workers share a file beside it
UNEXPORTED = "assay.unexported"  # why, in the metadata of such a graph
IR_VERSION = 10  # the newest that the oldest supported ONNX Runtime reads

# Family -> the engine whose word counts when two others disagree, and whether it is independent of them.
ORACLES = {
    "onnx": "reference:precision=float64",
    "keras": "keras-numpy:precision=float64",
    "torch": "torch:precision=float64",
    "tensorflow": "tensorflow:mode=eager:precision=float64",
    "jax": "jax:mode=eager:precision=float64",
}

DEFAULTS: Mapping[str, tuple[str, ...]] = {
    "onnx": ("onnxruntime", "onnxruntime:opt=disable"),
    "torch": ("torch", "onnxruntime"),
    "keras": ("keras-tensorflow", "keras-jax", "keras-torch"),
    "tensorflow": ("tensorflow", "tensorflow:mode=eager"),
    "jax": ("jax", "jax:mode=eager"),
}


@dataclass(frozen=True, slots=True)
class Further:
    """An engine that runs beside the defaults where it is at hand, and what that takes: seconds, and seconds a node."""

    backend: str
    packages: tuple[str, ...]
    start: float
    node: float


# The odd ones first: those whose arithmetic has least in common with the defaults. Costs were measured on two cores.
FURTHER: Mapping[str, tuple[Further, ...]] = {
    "onnx": (Further("openvino", ("openvino",), 2.0, 0.005),),
    "torch": (
        Further("openvino", ("openvino",), 2.0, 0.005),
        Further("torch:mode=compile", ("torch",), 20.0, 0.12),  # compiles by a C++ compiler
    ),
    "keras": (
        # Start, loading and five calls: medians of 4.2 s and 4.0 s under load, no dearer with 444 nodes than with 15.
        Further("keras-tensorflow:call=plain", ("tensorflow",), 4.0, 0.002),
        Further("keras-openvino", ("openvino",), 3.5, 0.002),
    ),
    "tensorflow": (Further("tensorflow:mode=xla", ("tensorflow",), 6.0, 0.02),),
}
FURTHER_SECONDS = 8.0  # for all of them together: a person waits for the review, and the defaults take about as long


@dataclass(frozen=True)
class Family:
    """Engines that share one structure of named tensors, hence can be localized together."""

    name: str
    backends: tuple[Backend, ...]
    oracle: Backend
    further: frozenset[str] = frozenset()  # backends that nobody asked for: what they show informs


def artefacts(graph: Graph, target: TargetConfig, root: Path, folder: Path) -> dict[str, Artefact]:
    """The forms in which the model is at hand, by kind; ONNX is written below `folder`."""
    found: dict[str, Artefact] = {}
    if _is_onnx(graph):
        found["onnx"] = onnx_artefact(graph, folder)
    if target.path:
        path = root / target.path
        request = {"path": f"model{path.suffix}"}
        if path.suffix in (".keras", ".h5", ".hdf5") or graph.framework == "keras":
            found["keras"] = Artefact("keras", {request["path"]: path}, request)
        elif path.suffix == ".pt2" and graph.framework == "torch":
            found["torch-program"] = _program(path, folder / "program")
        elif graph.framework == "tensorflow":
            request = {"path": "model" if path.is_dir() else f"model{path.suffix}"}
            found["tensorflow"] = Artefact("tensorflow", {request["path"]: path}, request)
    elif target.entry and graph.framework in ("torch", "keras", "tensorflow", "jax"):
        described: dict[str, Any] = {"entry": target.entry, "root": "project"}
        kind = f"{graph.framework}-entry"
        if kind == "torch-entry" and "onnx" in found:
            inputs = [v.name for v in graph.graph.inputs]
            described |= {"names": fx_names(graph), "weights": "model.onnx", "inputs": inputs}
            found[kind] = Artefact(kind, {"project": root, **found["onnx"].files}, described)
        else:
            found[kind] = Artefact(kind, {"project": root}, described)
    return found


def _program(path: Path, folder: Path) -> Artefact:
    """An exported program taken apart below `folder`, so that no engine reads the file itself."""
    try:
        take_apart(path, folder)
    except TargetProblem as problem:
        return Artefact("torch-program", {}, {"path": "program", "refused": str(problem)})
    return Artefact("torch-program", {"program": folder}, {"path": "program"})


def onnx_artefact(graph: Graph, folder: Path) -> Artefact:
    """Write `graph` as ONNX, readable by old engines; large weights stand in a file beside it."""
    import onnx_ir as ir

    model = graph.model
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "model.onnx"
    size = weights_of(graph)
    version = model.ir_version
    model.ir_version = min(model.ir_version, IR_VERSION)
    try:
        if size > EMBED_LIMIT:
            ir.save(model, path, external_data="model.onnx.data")
            for value in graph.graph.initializers.values():
                mapped = getattr(value.const_value, "raw", None)
                if isinstance(mapped, mmap.mmap):
                    mapped.madvise(mmap.MADV_DONTNEED)  # read again from its file when it is asked for
            beside = folder / "model.onnx.data"
            return Artefact("onnx", {path.name: path, beside.name: beside}, {"path": path.name})
        map_external(model)  # what stays beside its own file is not found from here
        ir.save(model, path)
        return Artefact("onnx", {path.name: path}, {"path": path.name})
    finally:
        model.ir_version = version


def weights_of(graph: Graph) -> int:
    """Bytes of the model's weights."""
    return sum(v.const_value.nbytes for v in graph.graph.initializers.values() if v.const_value is not None)


def unexported(framework: str, why: str = "") -> Graph:
    """A graph without nodes, for a framework whose own engine reads the entry point: it has no form in ONNX."""
    import onnx_ir as ir

    model = ir.Model(ir.Graph([], [], nodes=[], opset_imports={"": 18}), ir_version=IR_VERSION)
    if why:
        model.metadata_props[UNEXPORTED] = why
    return Graph(model, framework)


def traced_by_engine(target: TargetConfig) -> Graph | None:
    """The graph of an entry point whose configured engines all trace the function themselves, so that nothing is
    exported; None for every other target."""
    engines = {parse(name).engine.name for name in target.backends or ()}
    return unexported("jax") if target.entry and engines == {"jax"} else None


def families(
    chosen: Sequence[str] | None, kinds: Mapping[str, Artefact], versions: Sequence[str] = (), nodes: int | None = None
) -> tuple[Family, ...]:
    """Group the backends by the structure they share; those that take none of the artefacts are left out.

    `chosen` None: the defaults for the kinds at hand, and what else fits the budget for a model of `nodes` operators
    (None: nothing else). Raises `UsageProblem` for a version of an engine that takes none of the artefacts.
    """
    names = list(chosen) if chosen is not None else default_backends(kinds)
    more = further_backends(kinds, nodes) if chosen is None and nodes is not None and not versions else []
    names += more
    grouped: dict[str, list[Backend]] = {}
    for backend in parse_all(names, versions):
        kind = kind_for(backend, kinds)
        if kind is not None:
            grouped.setdefault(_family_of(backend, kinds), []).append(backend)
        elif backend.version and any("==" in v for v in versions):
            raise UsageProblem(f"--versions: {backend.engine.title} takes no model of this kind ({', '.join(kinds)}).")
    return tuple(
        Family(name, tuple(backends), parse(ORACLES[name]), frozenset(b.name for b in backends if b.name in more))
        for name, backends in grouped.items()
    )


def further_backends(kinds: Mapping[str, Artefact], nodes: int) -> list[str]:
    """The engines beside the defaults that are installed here and whose expected cost fits the budget, in order."""
    name = next((n for n in ("keras", "tensorflow", "torch") if any(k.startswith(n) for k in kinds)), "onnx")
    left, found = FURTHER_SECONDS, []
    for each in FURTHER.get(name, ()):
        backend, cost = parse(each.backend), each.start + each.node * nodes
        inside = (kind_for(backend, kinds) or "").endswith("-entry")  # runs in the project's environment
        here = inside or all(importlib.util.find_spec(p) is not None for p in each.packages)
        if kind_for(backend, kinds) is not None and here and can_compile(backend) and cost <= left:
            left -= cost
            found.append(backend.name)
    return found


def can_compile(backend: Backend) -> bool:
    """Whether what a compiling mode needs besides its packages is here: Inductor calls a C++ compiler."""
    return backend.knobs.get("mode") != "compile" or any(shutil.which(c) for c in ("g++", "c++", "clang++"))


def default_backends(kinds: Mapping[str, Artefact]) -> list[str]:
    """What runs when the configuration names no engines."""
    if any(k.startswith("keras") for k in kinds):
        return list(DEFAULTS["keras"])
    if any(k.startswith("tensorflow") for k in kinds):
        return list(DEFAULTS["tensorflow"])
    if "jax-entry" in kinds:
        return list(DEFAULTS["jax"])
    if any(k.startswith("torch") for k in kinds):
        return list(DEFAULTS["torch"]) if "onnx" in kinds else ["torch", "torch:mode=export"]
    return list(DEFAULTS["onnx"]) if "onnx" in kinds else []


def awaited(named: Sequence[str] | None, framework: str, kind: str) -> list[Backend]:
    """The engines that will be asked for `kind` of a model of `framework` whatever its size turns out to be."""
    chosen = [*DEFAULTS[framework], *(f.backend for f in FURTHER[framework][:1])] if named is None else named
    return [b for b in map(parse, chosen) if b.engine.artefacts[:1] == (kind,)]


def kind_for(backend: Backend, kinds: Mapping[str, Artefact]) -> str | None:
    """The kind of artefact this backend loads, if it is at hand."""
    return next((k for k in backend.engine.artefacts if k in kinds), None)


def _family_of(backend: Backend, kinds: Mapping[str, Artefact]) -> str:
    name = backend.engine.name
    if name.startswith("keras"):
        return "keras"
    if name == "torch":
        return "onnx" if "onnx" in kinds else "torch"
    return name if name in ("tensorflow", "jax") else "onnx"


def fx_names(graph: Graph) -> dict[str, str]:
    """Output name -> the traced node it was translated from, as the exporter noted it; the last of several nodes."""
    names = {}
    for node in graph.graph:
        text = node.metadata_props.get(FX_NODE)
        if text:
            for output in node.outputs:
                if output.name:
                    names[output.name] = text
    return names


def _is_onnx(graph: Graph) -> bool:
    if not graph.graph.outputs:
        return False  # `unexported`
    return graph.framework in ("onnx", "torch", "keras") and not foreign_operators(graph)


def foreign_operators(graph: Graph) -> list[str]:
    """Operators of domains that no engine here has, and that are no functions of the model."""
    import onnx_ir as ir

    functions = {domain for domain, _, _ in graph.model.functions}
    known = {"", "ai.onnx", "ai.onnx.ml", "com.microsoft", *functions}
    bodies: tuple[ir.Graph | ir.Function, ...] = (graph.model.graph, *graph.model.functions.values())
    nodes = (node for body in bodies for node in ir.traversal.RecursiveGraphIterator(body))
    return list(dict.fromkeys(f"{n.domain}::{n.op_type}" for n in nodes if n.domain not in known))
