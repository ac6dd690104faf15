"""Bodies of the operators that ONNX itself defines as functions of simpler ones (`onnx.defs`)."""

from __future__ import annotations

from functools import lru_cache

import onnx_ir as ir


def body_of(node: ir.Node, opset: int, types: tuple[str, ...]) -> ir.Function | None:
    """The body that the ONNX standard gives for `node`; None if the operator is primitive or unknown.

    `types` are the dtypes of the inputs, for operators whose body depends on them.
    """
    if node.domain not in ("", "ai.onnx", "ai.onnx.ml", "ai.onnx.preview"):
        return None
    names = tuple(i.name or f"i{n}" if i is not None else "" for n, i in enumerate(node.inputs))
    proto = ir.to_proto(node)
    proto.ClearField("metadata_props")
    return _body(proto.SerializeToString(), node.domain, node.op_type, opset, types, names)


@lru_cache(maxsize=512)
def _body(
    serialized: bytes, domain: str, op: str, opset: int, types: tuple[str, ...], names: tuple[str, ...]
) -> ir.Function | None:
    import onnx
    from onnx import defs, helper

    try:
        version = opset if domain in ("", "ai.onnx") else defs.onnx_ml_opset_version() if hasattr(defs, "onnx_ml_opset_version") else 5
        schema = defs.get_schema(op, version, "" if domain == "ai.onnx" else domain)
    except Exception:  # onnx.defs.SchemaError: no such operator
        return None
    function = onnx.FunctionProto()
    if schema.has_function:
        function.CopyFrom(schema.function_body)
    elif schema.has_context_dependent_function:
        protos = []
        for name in types:
            data_type = ir.DataType.FLOAT
            for candidate in ir.DataType:
                if candidate.name.lower() == {"float32": "float", "float64": "double"}.get(name, name):
                    data_type = candidate
            protos.append(helper.make_tensor_type_proto(int(data_type), None).SerializeToString())
        text = schema.get_context_dependent_function(serialized, protos)
        if not text:
            return None
        function.ParseFromString(text)
    else:
        return None
    return ir.from_proto(function)
