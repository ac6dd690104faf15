"""TensorFlow -> GraphDef, with the values of variables, source lines and layer names beside it.

A ``tf.function`` trace reads its variables through captured handles. In what is written they are ``VarHandleOp`` nodes
with the variables' names, their values stand in ``weights.bin``, and captured constants are ``Const`` nodes.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import creation, eager_forms, eager_run
from .entry import Built
from .examples import array, check, match
from .failure import ExportFailure, Project, describe, telling_lines
from .shown import examples_show

MAX_GRAPH = (1 << 31) - 1  # bytes: protobuf writes no more


def export(built: Built, request: Mapping[str, Any], out: str, project: Project) -> dict[str, Any]:
    """Write ``graph.pb`` and ``weights.bin`` to `out`; returns what else there is to tell."""
    if built.framework == "graph":
        return _export_graph(built, request, out, project)
    import tensorflow as tf

    signature = _signature(built, request, tf)
    shown = examples_of(built.inputs, parameters(_callable(built.model)), tf)
    values = ((), built.inputs) if isinstance(built.inputs, dict) else (tuple(built.inputs or ()), {})
    return export_function(_callable(built.model), signature, values, built, request, out, project, [], shown)


def _callable(model: Any) -> Any:
    if callable(model):
        return model
    for name in ("call", "forward", "predict", "serve"):
        if callable(getattr(model, name, None)):
            return getattr(model, name)
    raise ExportFailure(f"a {type(model).__name__} that cannot be called; give it a __call__ method")


def _signature(built: Built, request: Mapping[str, Any], tf: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Positional and keyword ``TensorSpec``: from the examples, or from the configuration alone."""
    described: Mapping[str, Any] = request.get("inputs") or {}
    names = parameters(_callable(built.model))
    if built.inputs is None:
        stated = getattr(built.model, "input_signature", None)
        if not described and stated:
            return tuple(stated), {}
        if not described:
            raise ExportFailure(
                f"{request['entry']}: gives a callable without example inputs; return (callable, inputs) or describe "
                "them under `inputs:` in the configuration",
                built.place,
            )
        chosen = match(names or list(described), described)
        specs = {name: spec_of(name, None, spec, request, tf) for name, spec in chosen.items()}
        return (tuple(specs.values()), {}) if list(specs) == names[: len(specs)] or not names else ((), specs)
    if isinstance(built.inputs, dict):
        by_name = match(list(built.inputs), described)
        return (), {k: spec_of(k, v, by_name.get(k), request, tf) for k, v in built.inputs.items()}
    labels = names + [f"input_{i}" for i in range(len(names), len(built.inputs))]
    by_name = match(labels[: len(built.inputs)], described)
    return tuple(spec_of(labels[i], v, by_name.get(labels[i]), request, tf) for i, v in enumerate(built.inputs)), {}


def spec_of(name: str, example: Any, spec: Mapping[str, Any] | None, request: Mapping[str, Any], tf: Any) -> Any:
    """A ``TensorSpec`` with None where the configuration has a symbol; structures keep their form."""
    if isinstance(example, (tuple, list)) and not hasattr(example, "shape"):
        return type(example)(spec_of(f"{name}_{i}", v, None, request, tf) for i, v in enumerate(example))
    if isinstance(example, dict):
        return {k: spec_of(f"{name}_{k}", v, None, request, tf) for k, v in example.items()}
    if isinstance(example, (bool, str)) or (isinstance(example, int) and not hasattr(example, "shape")):
        return example  # a Python value shapes the trace, it is no input
    label = _label(name)
    if example is None:
        if not spec or spec.get("shape") is None:
            array(name, spec or {}, {}, {})  # says what is missing
        assert spec is not None
        dims = [d if isinstance(d, int) else None for d in spec["shape"]]
        return tf.TensorSpec(dims, tf.dtypes.as_dtype(str(spec.get("dtype") or "float32")), name=label)
    if isinstance(example, tf.TensorSpec):
        return tf.TensorSpec(example.shape, example.dtype, name=example.name or label)
    value = tf.convert_to_tensor(example)
    check(name, tuple(value.shape.as_list()), spec)
    wanted = (spec or {}).get("shape") or value.shape.as_list()
    return tf.TensorSpec([d if isinstance(d, int) else None for d in wanted], value.dtype, name=label)


def _label(name: str) -> str:
    """What TensorFlow takes as the name of a placeholder."""
    label = "".join(c if c.isalnum() or c in "._-" else "_" for c in name)
    return label if label[:1].isalpha() else "x" + label


def examples_of(inputs: Any, names: Sequence[str], tf: Any) -> dict[str, Any]:
    """Example tensors by the names that `spec_of` gives their placeholders; none for a name that occurs twice."""
    items = inputs.items() if isinstance(inputs, dict) else enumerate(inputs or ())
    stack = [(k if isinstance(k, str) else names[k] if k < len(names) else f"input_{k}", v) for k, v in items]
    found: dict[str, list[Any]] = {}
    while stack:
        name, value = stack.pop()
        if isinstance(value, dict):
            stack += [(f"{name}_{k}", v) for k, v in value.items()]
        elif isinstance(value, (tuple, list)) and not hasattr(value, "shape"):
            stack += [(f"{name}_{i}", v) for i, v in enumerate(value)]
        elif not isinstance(value, (bool, str, tf.TensorSpec)) and value is not None:
            found.setdefault(_label(name), []).append(value)
    return {label: values[0] for label, values in found.items() if len(values) == 1}


def parameters(function: Any) -> list[str]:
    """Names of the positional parameters of a callable, `self` left out."""
    target = getattr(function, "python_function", function)
    if not inspect.isroutine(target) and not inspect.isclass(target):
        target = type(target).__call__ if callable(target) else target
    try:
        found = inspect.signature(target).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.name != "self"]


def export_function(
    function: Any,
    signature: tuple[tuple[Any, ...], dict[str, Any]],
    values: tuple[Any, dict[str, Any]],
    built: Built,
    request: Mapping[str, Any],
    out: str,
    project: Project,
    notes: list[str],
    examples: Mapping[str, Any],
) -> dict[str, Any]:
    """Trace `function` and write its graph; `values` are its arguments, `examples` by the names of their placeholders.

    What cannot be traced but runs on its example is recorded as it runs.
    """
    import tensorflow as tf

    entry = request["entry"]
    wrapped = function if hasattr(function, "get_concrete_function") else tf.function(function)
    traced = Traced()
    try:
        with traced, eager_forms.allowed(tf):
            concrete = wrapped.get_concrete_function(*signature[0], **signature[1])
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, MemoryError)):
            raise
        place = project.of_traceback(error) or _in_user_code(str(error), project)
        recorded = _recorded(function, signature, values, project, tf)
        if recorded is None:
            raise ExportFailure(
                f"{entry}: the model failed while it was traced: {_cause(error)}", place or built.place
            ) from error
        where = "" if place is None else f" at {place[0]}:{place[1]}"
        return _of_record(recorded, [*notes, eager_run.note(recorded, _cause(error) + where)], examples, out, entry, tf)
    definition, variables = definition_of(concrete, tf)
    _write(definition, out, entry)
    return {
        "format": "graphdef",
        "notes": notes,
        "versions": _versions(tf),
        "inputs": [t.op.name for t in concrete.inputs if t.dtype != tf.resource][: _count_of_inputs(concrete)],
        "outputs": [t.name for t in tf.nest.flatten(concrete.outputs) if hasattr(t, "name")],
        "axes": _axes(concrete, request),
        "lines": _lines(concrete.graph, project, traced),
        "weights": _write_weights(variables, out),
        **examples_show(_of_placeholders(examples, concrete, tf)),
    }


def _recorded(function: Any, signature: Any, values: Any, project: Project, tf: Any) -> eager_run.EagerRun | None:
    """One run on the example inputs, or None where it fails too or cannot be written as a graph."""
    function = getattr(function, "python_function", function)
    try:
        return eager_run.record(function, signature, values, project.innermost, tf)
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, MemoryError)):
            raise
        return None


def _of_record(
    recorded: eager_run.EagerRun, notes: list[str], examples: Mapping[str, Any], out: str, entry: str, tf: Any
) -> dict[str, Any]:
    _write(recorded.definition, out, entry)
    shown = {name: tf.convert_to_tensor(examples[name]) for name in recorded.inputs if name in examples}
    return {
        "format": "graphdef",
        "notes": notes,
        "versions": _versions(tf),
        "inputs": recorded.inputs,
        "outputs": [name if ":" in name else name + ":0" for name in recorded.outputs],
        "axes": {},
        "lines": recorded.lines,
        "frozen": eager_run.frozen(recorded),
        "weights": _write_weights(recorded.variables, out),
        **examples_show(shown),
    }


def _of_placeholders(examples: Mapping[str, Any], concrete: Any, tf: Any) -> dict[str, Any]:
    """The examples of which there is a placeholder of their type and shape."""
    found = {}
    for tensor in concrete.inputs[: _count_of_inputs(concrete)]:
        if tensor.op.name in examples:
            value = tf.convert_to_tensor(examples[tensor.op.name])
            if value.dtype == tensor.dtype and tensor.shape.is_compatible_with(value.shape):
                found[tensor.op.name] = value
    return found


def _cause(error: BaseException) -> str:
    """TensorFlow prefixes the message with the source of the traced function; the error stands at its end."""
    telling = [
        line
        for line in telling_lines(error)
        if not line.startswith(("File ", "in user code", "Call arguments", "•", "*", "^"))
    ]
    kinds = [
        line
        for line in telling
        if ": " in line and line.split(":")[0].replace("Error", "").isalnum() and "Error" in line
    ]
    text = (kinds or telling[:1] or [""])[0]
    return text[:300] if kinds else f"{type(error).__name__}: {text[:300]}"


def _in_user_code(text: str, project: Project) -> Any:
    import re

    found = re.findall(r'File "([^"\n]+)", line (\d+)', text)
    return project.innermost((name, int(line)) for name, line in reversed(found))


def _count_of_inputs(concrete: Any) -> int:
    return len(concrete.inputs) - len(concrete.captured_inputs)


def definition_of(concrete: Any, tf: Any) -> tuple[Any, dict[str, Any]]:
    """The GraphDef with captures made explicit, and variable node name -> value (NumPy)."""
    definition = concrete.graph.as_graph_def(add_shapes=True)
    variables = {id(v.handle): v for v in concrete.graph.variables}
    taken = {node.name for node in definition.node}
    nodes = {node.name: node for node in definition.node}
    renamed: dict[str, str] = {}
    values: dict[str, Any] = {}
    for captured, placeholder in zip(concrete.captured_inputs, concrete.graph.internal_captures):  # noqa: B905
        node = nodes[placeholder.op.name]
        variable = variables.get(id(captured))
        if variable is not None:
            name = _free(variable.name.split(":")[0], taken)
            renamed[node.name] = name
            values[name] = (variable, bool(getattr(variable, "trainable", True)))
            _become(node, "VarHandleOp", name)
            node.attr["dtype"].type = variable.dtype.as_datatype_enum
            node.attr["shape"].shape.CopyFrom(variable.shape.as_proto())
        elif captured.dtype not in (tf.resource, tf.variant):
            _become(node, "Const", node.name)
            node.attr["dtype"].type = captured.dtype.as_datatype_enum
            node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(captured.numpy()))
    for node in definition.node:
        for position, reference in enumerate(node.input):
            control, bare = ("^", reference[1:]) if reference.startswith("^") else ("", reference)
            name, colon, index = bare.partition(":")
            if name in renamed:
                node.input[position] = control + renamed[name] + colon + index
    return definition, values


def _free(name: str, taken: set[str]) -> str:
    candidate, number = name, 0
    while candidate in taken:
        number += 1
        candidate = f"{name}_{number}"
    taken.add(candidate)
    return candidate


def _become(node: Any, op: str, name: str) -> None:
    node.op = op
    node.name = name
    for key in list(node.attr):
        del node.attr[key]
    del node.input[:]


def _write(definition: Any, out: str, entry: str) -> None:
    if definition.ByteSize() > MAX_GRAPH:
        raise ExportFailure(f"{entry}: the graph itself is larger than 2 GiB; keep large constants in variables")
    with open(os.path.join(out, "graph.pb"), "wb") as file:
        file.write(definition.SerializeToString())


def _write_weights(values: Mapping[str, Any], out: str) -> list[list[Any]]:
    """All values in one file, little-endian; [name, dtype, shape, offset, trainable] of each."""
    import numpy

    index: list[list[Any]] = []
    offset = 0
    with open(os.path.join(out, "weights.bin"), "wb") as file:
        for name, (variable, trainable) in values.items():
            value = numpy.asarray(variable.numpy(), order="C")
            if value.dtype.kind in "OSU":
                continue
            data = value.tobytes()
            file.write(data)
            index.append([name, value.dtype.name, list(value.shape), offset, trainable])
            offset += len(data)
    return index


def _axes(concrete: Any, request: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Symbols of unknown dimensions: the configuration's names, else ``batch`` for the first axis."""
    count = _count_of_inputs(concrete)
    names = [t.op.name for t in concrete.inputs[:count]]
    described = match(names, request.get("inputs") or {})
    found: dict[str, dict[str, str]] = {}
    for tensor in concrete.inputs[:count]:
        name = tensor.op.name
        if tensor.shape.rank is None:
            continue
        stated = (described.get(name) or {}).get("shape") or []
        axes = {}
        for axis, size in enumerate(tensor.shape.as_list()):
            symbol = stated[axis] if axis < len(stated) and isinstance(stated[axis], str) else None
            if size is None:
                axes[str(axis)] = symbol or ("batch" if axis == 0 else f"{name}_{axis}")
        found[name] = axes
    return found


class Traced:
    """Watches TensorFlow trace: the graphs of functions that call each other, with the lines that made their nodes.

    A graph only refers to its functions by name, and what TensorFlow keeps of them there has lost their lines.
    """

    def __init__(self) -> None:
        self.graphs: list[Any] = []
        self._undo: Any = None

    def __enter__(self) -> Traced:
        try:
            from tensorflow.python.framework.func_graph import FuncGraph
        except ImportError:
            return self
        original, graphs = FuncGraph.__init__, self.graphs

        def watched(graph: Any, *positional: Any, **named: Any) -> None:
            original(graph, *positional, **named)
            graphs.append(graph)

        FuncGraph.__init__ = watched
        self._undo = lambda: setattr(FuncGraph, "__init__", original)
        return self

    def __exit__(self, *_: object) -> None:
        if self._undo is not None:
            self._undo()

    def called(self, name: str) -> Any:
        """The graph of the function that a node calls by `name` (``__inference_step_12`` for ``step``)."""
        middle = name.removeprefix("__inference_").rpartition("_")[0] if name.startswith("__inference_") else name
        return next((g for g in reversed(self.graphs) if g.name in (name, middle)), None)


def _lines(graph: Any, project: Project, traced: Traced | None = None) -> dict[str, list[Any]]:
    """Node name -> [file, line] of the innermost line of the project that made it.

    Nodes of called functions stand under their own name, where that is free, and below the name of the call.
    """
    found: dict[str, list[Any]] = {}
    seen: set[int] = set()
    stack: list[tuple[Any, str]] = [(graph, "")]
    while stack:
        current, prefix = stack.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        for operation in current.get_operations():
            for attribute in operation.node_def.attr.values() if traced is not None else ():
                called = traced.called(attribute.func.name) if traced is not None and attribute.func.name else None
                if called is not None:
                    stack.append((called, operation.name))
            try:
                frames: Iterable[Any] = operation.traceback
            except Exception:
                continue
            place = project.innermost((frame[0], frame[1]) for frame in reversed(list(frames or ())))
            if place is not None:
                found.setdefault(operation.name, list(place))
                found.setdefault(f"{prefix}/{operation.name}".lstrip("/"), list(place))
    return found


def _versions(tf: Any) -> dict[str, str]:
    versions = {"tensorflow": str(tf.__version__)}
    keras = __import__("sys").modules.get("keras")
    if isinstance(getattr(keras, "__version__", None), str):
        versions["keras"] = keras.__version__
    return versions


def _export_graph(built: Built, request: Mapping[str, Any], out: str, project: Project) -> dict[str, Any]:
    """TensorFlow 1 style: a ``tf.Graph`` or a ``GraphDef``."""
    graph = built.model
    entry = request["entry"]
    is_graph = hasattr(graph, "as_graph_def")
    definition = graph.as_graph_def(add_shapes=True) if is_graph else graph
    names = {node.name for node in definition.node}
    inputs = built.inputs if isinstance(built.inputs, dict) else {}
    outputs = [str(name) for name in built.outputs or []]
    for name in [*inputs, *outputs]:
        if str(name).split(":")[0] not in names:
            raise ExportFailure(f"{entry}: the graph has no node {str(name).split(':')[0]!r}", built.place)
    _write(definition, out, entry)
    try:
        import tensorflow as tf

        versions = _versions(tf)
    except ImportError:
        versions = {}
    return {
        "format": "graphdef",
        "versions": versions,
        "inputs": [str(name).split(":")[0] for name in inputs],
        "outputs": [name if ":" in name else name + ":0" for name in outputs],
        "shapes": {str(k).split(":")[0]: _stated(entry, k, v, built) for k, v in inputs.items()},
        "lines": _lines(graph, project) if is_graph else _lines_of_names(names, project),
    }


def _lines_of_names(names: set[str], project: Project) -> dict[str, list[Any]]:
    """The same for the nodes of a GraphDef, by the graphs that were made on the way to it."""
    found: dict[str, list[Any]] = {}
    for graph in creation.graphs():
        found = {**{n: place for n, place in _lines(graph, project).items() if n in names}, **found}
    return found


def _stated(entry: str, name: str, value: Any, built: Built) -> list[Any]:
    try:
        shape, dtype = value
        dims = [d if isinstance(d, (int, str)) else "batch" if i == 0 else f"{name}_{i}" for i, d in enumerate(shape)]
        return [dims, getattr(dtype, "name", None) or str(dtype)]
    except (TypeError, ValueError) as error:
        raise ExportFailure(
            f"{entry}: input {name!r} is described as {describe(error)}; write {{name: (shape, dtype)}}", built.place
        ) from error
