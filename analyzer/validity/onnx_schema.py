"""What the ONNX standard itself says of an operator: number of operands, element types, attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analyzer.validity.spec import Category, Requirement, Rule, TensorType

OPERANDS = Rule("operands", Category.INCOMPATIBLE_SHAPE, "{operator} takes {expected} operands and has {actual}")
MISSING = Rule("operands", Category.INCOMPATIBLE_SHAPE, "{operator} needs its operand `{name}`")
ELEMENT_TYPE = Rule(
    "element-type",
    Category.INCOMPATIBLE_ELEMENT_TYPE,
    "`{name}` has elements of type {dtype}; {operator} takes {allowed}",
)
SAME_ELEMENT_TYPE = Rule(
    "same-element-type",
    Category.INCOMPATIBLE_ELEMENT_TYPE,
    "`{name}` is {dtype} but `{other}` is {expected}; {operator} needs one type for both",
)
UNKNOWN_ATTRIBUTE = Rule("attribute", Category.IMPROPER_VALUE, "{operator} has no attribute `{name}` in opset {opset}")
MISSING_ATTRIBUTE = Rule("attribute", Category.IMPROPER_VALUE, "{operator} needs the attribute `{name}`")

_NAMES = {"float": "float32", "double": "float64"}


def schema_of(operator: str, opset: int) -> Any | None:
    """The schema that is in force, or None for an operator the standard does not have."""
    import onnx

    try:
        return onnx.defs.get_schema(operator, opset, "")
    except onnx.defs.SchemaError:
        return None


def violations(
    operator: str, opset: int, operands: Sequence[TensorType | None], attributes: Mapping[str, Any]
) -> Iterator[Requirement]:
    """Where an application breaks its schema; unknown element types break nothing."""
    schema = schema_of(operator, opset)
    if schema is None:
        return
    count = len(operands)
    if not schema.min_input <= count <= schema.max_input:
        expected = (
            f"{schema.min_input} to {schema.max_input}" if schema.min_input != schema.max_input else schema.min_input
        )
        yield Requirement(OPERANDS, False, {"operator": operator, "expected": expected, "actual": count})
        return
    yield from _attributes(schema, operator, opset, attributes)
    yield from _element_types(schema, operator, operands)


def _attributes(schema: Any, operator: str, opset: int, attributes: Mapping[str, Any]) -> Iterator[Requirement]:
    import onnx

    for name in attributes:
        if name not in schema.attributes:
            yield Requirement(UNKNOWN_ATTRIBUTE, False, {"operator": operator, "name": name, "opset": opset})
    for name, attribute in schema.attributes.items():
        is_graph = attribute.type == onnx.defs.OpSchema.AttrType.GRAPH  # graphs are not among plain attributes
        if attribute.required and name not in attributes and not is_graph:
            yield Requirement(MISSING_ATTRIBUTE, False, {"operator": operator, "name": name})


def _element_types(schema: Any, operator: str, operands: Sequence[TensorType | None]) -> Iterator[Requirement]:
    import onnx

    option = onnx.defs.OpSchema.FormalParameterOption
    allowed = {c.type_param_str: set(c.allowed_type_strs) for c in schema.type_constraints}
    bound: dict[str, tuple[str, str]] = {}
    for index, operand in enumerate(operands):
        formal = schema.inputs[min(index, len(schema.inputs) - 1)]
        if operand is None:
            if formal.option == option.Single:
                yield Requirement(MISSING, False, {"operator": operator, "name": formal.name})
            continue
        if operand.dtype is None:
            continue
        spelled = f"tensor({_spelled(operand.dtype)})"
        choices = allowed.get(formal.type_str, {formal.type_str})
        if not any(c.startswith("tensor(") for c in choices):
            continue  # sequences, optionals and maps are not followed
        if spelled not in choices:
            plain = sorted(_plain(c) for c in choices if c.startswith("tensor("))
            facts = {"name": formal.name, "dtype": operand.dtype, "operator": operator, "allowed": ", ".join(plain)}
            yield Requirement(ELEMENT_TYPE, False, facts)
            continue
        if formal.type_str in allowed and (formal.is_homogeneous or formal.option != option.Variadic):
            first, dtype = bound.setdefault(formal.type_str, (formal.name, operand.dtype))
            if dtype != operand.dtype:
                facts = {
                    "name": formal.name,
                    "dtype": operand.dtype,
                    "other": first,
                    "expected": dtype,
                    "operator": operator,
                }
                yield Requirement(SAME_ELEMENT_TYPE, False, facts)


def _spelled(dtype: str) -> str:
    return {new: old for old, new in _NAMES.items()}.get(dtype, dtype)


def _plain(type_string: str) -> str:
    inner = type_string.removeprefix("tensor(").removesuffix(")")
    return _NAMES.get(inner, inner)
