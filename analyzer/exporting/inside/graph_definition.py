"""A traced TensorFlow function as a GraphDef, and how it is written with the values of its variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from .failure import ExportFailure

MAX_GRAPH = (1 << 31) - 1  # bytes: protobuf writes no more


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


def write(definition: Any, out: str, entry: str) -> None:
    if definition.ByteSize() > MAX_GRAPH:
        raise ExportFailure(f"{entry}: the graph itself is larger than 2 GiB; keep large constants in variables")
    with open(os.path.join(out, "graph.pb"), "wb") as file:
        file.write(definition.SerializeToString())


def write_weights(values: Mapping[str, Any], out: str) -> list[list[Any]]:
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
