"""Bodies of operators that ONNX itself defines as functions of simpler ones (`onnx.defs`), and of contributed ones."""

from __future__ import annotations

from functools import lru_cache

import onnx_ir as ir

from analyzer.numerical.contributed import BODIES, DOMAIN, ContributedCall, body_text

InputType = tuple[str, tuple[int | None, ...] | None]  # dtype and shape; ("", None) for an absent input


def body_of(node: ir.Node, opset: int, types: tuple[InputType, ...]) -> ir.Function | None:
    """The body that the ONNX standard gives for `node`, or what ONNX Runtime states of its own operator; None if the
    operator is primitive or unknown.

    `types` describes the inputs, for operators whose body depends on them.
    """
    if node.domain == DOMAIN and node.op_type in BODIES:
        attributes = {name: a.value for name, a in node.attributes.items() if isinstance(a, ir.Attr)}
        given = tuple(dtype != "" for dtype, _ in types)
        call = ContributedCall(
            attributes, given, tuple(shape for _, shape in types), tuple(bool(o.name) for o in node.outputs)
        )
        text = body_text(node.op_type, call)
        return None if text is None else _parsed(text)
    if node.domain not in ("", "ai.onnx", "ai.onnx.ml", "ai.onnx.preview"):
        return None
    proto = ir.to_proto(node)
    proto.ClearField("metadata_props")
    return _body(proto.SerializeToString(), node.domain, node.op_type, opset, types)


@lru_cache(maxsize=512)
def _parsed(text: str) -> ir.Function:
    import onnx.parser

    function: ir.Function = ir.from_proto(onnx.parser.parse_function(text))
    return function


@lru_cache(maxsize=512)
def _body(serialized: bytes, domain: str, op: str, opset: int, types: tuple[InputType, ...]) -> ir.Function | None:
    import onnx
    from onnx import defs, helper

    try:
        version = opset if domain in ("", "ai.onnx") else defs.onnx_ml_opset_version()
        schema = defs.get_schema(op, version, "" if domain == "ai.onnx" else domain)
    except defs.SchemaError:  # no such operator in this version of the standard
        return None
    function = onnx.FunctionProto()
    if schema.has_function:
        function.CopyFrom(schema.function_body)
    elif schema.has_context_dependent_function:
        names = {"float32": "float", "float64": "double"}
        by_name = {d.name.lower(): d for d in ir.DataType}
        protos = []
        for name, shape in types:
            dtype = by_name.get(names.get(name, name), ir.DataType.FLOAT)
            protos.append(helper.make_tensor_type_proto(int(dtype), shape).SerializeToString())
        text = schema.get_context_dependent_function(serialized, protos)
        if not text:
            return None
        function.ParseFromString(text)
    else:
        return None
    body: ir.Function = ir.from_proto(function)
    return body
