"""What the exporter left -> `Graph` with layers, source lines and names a user knows."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.configuration.config import TargetConfig
from analyzer.exporting.annotate_tensorflow import graph_of_graphdef
from analyzer.exporting.inside.specialized import INDEPENDENT
from analyzer.exporting.manifest import FORMATS, Manifest
from analyzer.findings import Location
from analyzer.graph import Graph, layer_of, set_call_site, set_display_name, set_frozen, set_layer, set_location
from analyzer.graph.model import (
    BINARY,
    COLUMNS,
    DEFINITE,
    EVEN,
    FILLED,
    OF_BATCHES,
    ONE_HOT,
    ORDER,
    SHOWN,
    SPAN,
    TRUTHS,
    UNDEFINED,
    UNLIKE,
    UNTRAINED,
    WHOLE,
)
from analyzer.loading.onnx_file import map_external
from analyzer.loading.reading import load
from analyzer.problem import TargetProblem

if TYPE_CHECKING:
    import onnx_ir as ir

_TORCH = "pkg.torch.onnx."
_FRAME = re.compile(r'File "([^"\n]*)", line (\d+)')
_IN_PROJECT = re.compile(r"(?:^|/)box/project/(.+)$")
_FOREIGN = ("site-packages", "dist-packages", ".venv", "venv")
NOTES = "assay.notes"


def graph_of(folder: Path, manifest: Manifest, target: TargetConfig) -> Graph:
    """Load the exported file by parsing and annotate it. Raises `TargetProblem` if it is not what the manifest says."""
    file = folder / FORMATS[manifest.format]
    if not file.is_file():
        raise TargetProblem(f"{target.id}: the export handed back no {file.name}; its code removed it")
    if manifest.format == "graphdef":
        graph = graph_of_graphdef(file, manifest)
    else:
        graph = load(file)
        map_external(graph.model)  # the folder of an export that is not kept goes
        if manifest.recorded:  # told by the frames, which the next step reads and drops
            apart = manifest.read is not None and not any(_is_used(graph.graph, name) for name in manifest.read)
            for node in graph.nodes():
                if INDEPENDENT not in node.metadata_props.get(_TORCH + "stack_trace", ""):
                    set_frozen(node, apart=apart)
        if manifest.framework == "torch" or any(_TORCH + "name_scopes" in n.metadata_props for n in graph.nodes()):
            annotate_torch(graph.model, manifest)
        else:
            _locate_layers(graph, manifest.created)
    _note_examples(graph, manifest)
    for names, mark in ((manifest.untrained, UNTRAINED), (manifest.batches, OF_BATCHES)):
        for name in names:
            if name in graph.graph.initializers:
                graph.graph.initializers[name].metadata_props[mark] = "1"
    versions = {**graph.versions, **manifest.versions}
    graph = replace(
        graph, framework=manifest.framework, versions=versions, opened=tuple(sorted(manifest.dynamic)), ran=manifest.ran
    )
    if not graph.losses:
        graph = replace(graph, losses=scalar_outputs(graph.graph))
    if manifest.undefined is not None:
        graph.model.metadata_props[UNDEFINED] = json.dumps(asdict(manifest.undefined))
    if manifest.notes:
        graph.model.metadata_props[NOTES] = "\n".join(manifest.notes)
    return graph


def _is_used(graph: ir.Graph, name: str) -> bool:
    """Whether anything in the graph computes with an input; what is no input of it is not known."""
    given = [value for value in graph.inputs if value.name == name]
    return not given or any(value.uses() or value.is_graph_output() for value in given)


def _note_examples(graph: Graph, manifest: Manifest) -> None:
    """What the entry point's own examples show of each input."""
    for value in graph.graph.inputs:
        if value.name in manifest.truths:
            value.metadata_props[TRUTHS] = "1"
        if value.name in manifest.binary:
            value.metadata_props[BINARY] = "1"
        if value.name in manifest.onehot:
            value.metadata_props[ONE_HOT] = "1"
        span = manifest.spans.get(value.name or "")
        if span is not None:
            value.metadata_props[SPAN] = f"{span[0]!r} {span[1]!r}"
        shown = manifest.shown.get(value.name or "")
        if shown is not None:
            value.metadata_props[SHOWN] = " ".join(map(repr, shown))
        columns = manifest.columns.get(value.name or "")
        if columns:
            value.metadata_props[COLUMNS] = " ".join(f"{low!r} {high!r}" for low, high in columns)
        filled = manifest.filled.get(value.name or "")
        if filled:
            value.metadata_props[FILLED] = " ".join(map(str, filled))
        order = manifest.ordered.get(value.name or "")
        if order is not None:
            value.metadata_props[ORDER] = f"{order[0]} {order[1]}"
        even = manifest.even.get(value.name or "")
        if even is not None:
            value.metadata_props[EVEN] = f"{even[0]} {even[1]!r}"
        if value.name in manifest.unlike:
            value.metadata_props[UNLIKE] = "1"
        if value.name in manifest.definite:
            value.metadata_props[DEFINITE] = "1"
        if value.name in manifest.whole:
            value.metadata_props[WHOLE] = "1"


def _locate_layers(graph: Graph, created: Mapping[str, Location]) -> None:
    """Nodes of a saved architecture stand where their layer was created."""
    for node in graph.nodes():
        layer = layer_of(node)
        place = created.get(layer) or created.get(layer.rpartition("/")[2])
        if place is not None:
            set_location(node, place)


def scalar_outputs(graph: ir.Graph) -> tuple[str, ...]:
    """Outputs that are single floating-point numbers: what a loss module returns."""
    return tuple(
        value.name
        for value in graph.outputs
        if value.name and value.shape is not None and len(value.shape) == 0 and value.dtype is not None
        and value.dtype.is_floating_point()
    )  # fmt: skip


def annotate_torch(model: ir.Model, manifest: Manifest) -> None:
    """Module scope, class, source line and display name of each node, from the Torch exporter's metadata."""
    _name_symbols(model, manifest)
    seen: Counter[tuple[str, str]] = Counter()
    names: dict[str, str] = {}
    used: Counter[str] = Counter()
    for node in model.graph:
        properties = node.metadata_props
        trace = properties.pop(_TORCH + "stack_trace", "")  # names folders of this run: read here, and not handed on
        scopes = _strings(properties.get(_TORCH + "name_scopes"))
        classes = _strings(properties.get(_TORCH + "class_hierarchy"))
        if not scopes or len(scopes) != len(classes):
            continue
        layer, operator = _layer(scopes), _operator(classes[-1])
        owner = classes[-2] if len(classes) > 1 else ""
        set_layer(node, layer, owner.rpartition(".")[2], of_framework=owner.startswith("torch.nn."))
        identity = "/".join(scopes)
        if identity not in names:
            ordinal = seen[layer, operator]
            seen[layer, operator] += 1
            names[identity] = f"{layer}/{operator}".lstrip("/") + (f"_{ordinal}" if ordinal else "")
        name = names[identity]
        used[name] += 1
        set_display_name(node, name)
        place = _place(trace, scopes, classes, manifest.created)
        if place is not None:
            set_location(node, place)
        called = _called(trace, place)
        if called is not None:
            set_call_site(node, called)


def _strings(text: str | None) -> list[str]:
    try:
        value = ast.literal_eval(text or "[]")
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return []
    return [str(item) for item in value] if isinstance(value, list) else []


def _layer(scopes: list[str]) -> str:
    """The path of the innermost module; traced helpers of torch itself are no modules."""
    return next((s for s in reversed(scopes[:-1]) if s and not s.startswith("_empty_nn_module_stack")), "")


def _operator(target: str) -> str:
    """``aten.conv2d.default`` -> ``conv2d``."""
    parts = target.split(".")
    return parts[1] if len(parts) > 1 and parts[0] in ("aten", "prims", "higher_order", "_operator") else parts[-1]


def _place(trace: str, scopes: list[str], classes: list[str], created: Mapping[str, Location]) -> Location | None:
    """The innermost line of the project, but for a module called by a container of torch where it was created."""
    called_by_torch = len(classes) > 2 and classes[-3].startswith("torch.nn.") and classes[-2].startswith("torch.nn.")
    if called_by_torch and scopes[-2] in created:
        return created[scopes[-2]]
    lines = _project_lines(trace)
    if lines:
        return lines[-1]
    for scope in reversed(scopes[:-1]):
        if scope in created:
            return created[scope]
    return None


def _project_lines(trace: str) -> list[Location]:
    """The lines of the project that a stack passes, outermost first."""
    found = ((_IN_PROJECT.search(name), line) for name, line in _FRAME.findall(trace))
    return [
        Location(match.group(1), int(line))
        for match, line in found
        if match and not any(part in _FOREIGN for part in match.group(1).split("/"))
    ]


def _called(trace: str, place: Location | None) -> Location | None:
    """The line from which the line `place` was reached, where the stack shows it."""
    lines = _project_lines(trace)
    return lines[-2] if len(lines) > 1 and lines[-1] == place else None


def _name_symbols(model: ir.Model, manifest: Manifest) -> None:
    """Give the exporter's symbols (``s77``) the names the configuration uses, everywhere they occur."""
    import onnx_ir as ir

    renamed: dict[str, str] = {}
    for position, value in enumerate(model.graph.inputs):
        name = value.name if value.name in manifest.axes else None
        if name is None and position < len(manifest.inputs):
            name = manifest.inputs[position]
        for axis, symbol in manifest.axes.get(name or "", {}).items():
            if value.shape is not None and axis < len(value.shape):
                dim = value.shape[axis]
                if isinstance(dim, ir.SymbolicDim) and dim.value is not None:
                    renamed.setdefault(str(dim.value), symbol)
    if not renamed:
        return
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, renamed)) + r")\b")
    for value in [*model.graph.inputs, *(output for node in model.graph for output in node.outputs)]:
        if value.shape is None:
            continue
        dims = [
            pattern.sub(lambda m: renamed[m.group()], str(d.value)) if isinstance(d, ir.SymbolicDim) and d.value else d
            for d in value.shape
        ]
        value.shape = ir.Shape(dims)
