"""TensorFlow -> GraphDef, with the values of variables, source lines and layer names beside it.

A ``tf.function`` trace reads its variables through captured handles. In what is written they are ``VarHandleOp`` nodes
with the variables' names, their values stand in ``weights.bin``, and captured constants are ``Const`` nodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import eager_forms, eager_run
from .entry import Built
from .examples import match
from .failure import ExportFailure, Project, describe, telling_lines
from .graph_definition import definition_of, write, write_weights
from .shown import examples_show
from .tensorflow_lines import Traced, lines, lines_of_names
from .tensorflow_signature import callable_of, examples_of, parameters, signature_of


def export(built: Built, request: Mapping[str, Any], out: str, project: Project) -> dict[str, Any]:
    """Write ``graph.pb`` and ``weights.bin`` to `out`; returns what else there is to tell."""
    if built.framework == "graph":
        return _export_graph(built, request, out, project)
    import tensorflow as tf

    signature = signature_of(built, request, tf)
    shown = examples_of(built.inputs, parameters(callable_of(built.model)), tf)
    values = ((), built.inputs) if isinstance(built.inputs, dict) else (tuple(built.inputs or ()), {})
    return export_function(callable_of(built.model), signature, values, built, request, out, project, [], shown)


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
    write(definition, out, entry)
    return {
        "format": "graphdef",
        "notes": notes,
        "versions": _versions(tf),
        "inputs": [t.op.name for t in concrete.inputs if t.dtype != tf.resource][: _count_of_inputs(concrete)],
        "outputs": [t.name for t in tf.nest.flatten(concrete.outputs) if hasattr(t, "name")],
        "axes": _axes(concrete, request),
        "lines": lines(concrete.graph, project, traced),
        "weights": write_weights(variables, out),
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
    write(recorded.definition, out, entry)
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
        "weights": write_weights(recorded.variables, out),
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
    write(definition, out, entry)
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
        "lines": lines(graph, project) if is_graph else lines_of_names(names, project),
    }


def _stated(entry: str, name: str, value: Any, built: Built) -> list[Any]:
    try:
        shape, dtype = value
        dims = [d if isinstance(d, (int, str)) else "batch" if i == 0 else f"{name}_{i}" for i, d in enumerate(shape)]
        return [dims, getattr(dtype, "name", None) or str(dtype)]
    except (TypeError, ValueError) as error:
        raise ExportFailure(
            f"{entry}: input {name!r} is described as {describe(error)}; write {{name: (shape, dtype)}}", built.place
        ) from error
