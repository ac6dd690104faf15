"""A `Graph` as bytes (an ONNX model with Assay's facts in its metadata) and back, so that it can cross processes."""

from __future__ import annotations

import json

import onnx
import onnx_ir as ir
from google.protobuf.message import DecodeError

from analyzer.graph.model import Graph
from analyzer.problem import TargetProblem

FACTS = "assay.graph"  # JSON: framework, versions, losses


def to_bytes(graph: Graph) -> bytes:
    """The whole graph, external tensors included.

    Raises:
        TargetProblem: with its weights it is larger than protobuf's 2 GiB.
    """
    proto = ir.to_proto(graph.model)
    facts = {"framework": graph.framework, "versions": graph.versions, "losses": list(graph.losses)}
    proto.metadata_props.add(key=FACTS, value=json.dumps(facts))
    for tensor in proto.graph.initializer:
        if tensor.external_data:
            value = graph.model.graph.initializers[tensor.name].const_value
            if value is not None:
                tensor.ClearField("external_data")
                tensor.ClearField("data_location")
                tensor.raw_data = value.tobytes()
    try:
        data: bytes = proto.SerializeToString()
    except (ValueError, onnx.checker.ValidationError):
        raise TargetProblem("the model is larger than 2 GiB with its weights and cannot be passed on.") from None
    return data


def from_bytes(data: bytes) -> Graph:
    """The inverse of `to_bytes`.

    Raises:
        TargetProblem: `data` is no ONNX model.
    """
    proto = onnx.ModelProto()
    try:
        proto.ParseFromString(data)
        model = ir.from_proto(proto)
        facts = json.loads(model.metadata_props.pop(FACTS, "{}"))
        graph = Graph(
            model,
            str(facts.get("framework", "onnx")),
            {str(k): str(v) for k, v in facts.get("versions", {}).items()},
            tuple(map(str, facts.get("losses", ()))),
        )
    except DecodeError:
        raise TargetProblem("the exported model cannot be read: it is damaged or cut off.") from None
    except Exception as error:
        raise TargetProblem(f"the exported model cannot be read: {' '.join(str(error).split())[:200]}.") from None
    restore_constants(graph)
    return graph


def restore_constants(graph: Graph) -> None:
    """Give the outputs of Constant and Const nodes their tensors, which the serialised form does not repeat."""
    for node in graph.nodes():
        if node.op_type in ("Constant", "Const") and "value" in node.attributes and node.outputs:
            attribute = node.attributes["value"]
            if attribute.type is ir.AttributeType.TENSOR:
                tensor = attribute.as_tensor()
                output = node.outputs[0]
                output.const_value = tensor
                output.shape = ir.Shape(tensor.shape.numpy())
                output.type = ir.TensorType(tensor.dtype)
