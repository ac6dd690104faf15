"""Torch's own operators without an ONNX form: torch computes them itself."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from analyzer.numerical.confirm.torch_registry import Handler, Mode, UnsupportedOperator

INDICES = "List[Optional[Tensor]]"
SPACES = ("torch.aten", "torch.prims")  # a library's own kernels are not run here


def own_handler(node: ir.Node) -> Handler | None:
    """What runs a node that the exporter kept under its name in torch."""
    return _own if node.domain in SPACES else None


def _is_pure(schema: Any) -> bool:
    """Whether an operator takes tensors and gives tensors: a file may name any, those that open files among them."""
    taken = any(str(argument.type) == "Tensor" for argument in schema.arguments)
    given = bool(schema.returns) and all(str(result.type) == "Tensor" for result in schema.returns)
    return taken and given and not schema.is_mutable


def _indices(node: ir.Node, indexed: Any, given: list[Any]) -> list[Any]:
    """The indices of a tensor's axes, with None for an axis that is taken whole."""
    import torch

    told = node.metadata_props.get("torch.left_out", "")
    if told.count("1") == len(given) and told:
        each = iter(given)
        return [next(each) if mark == "1" else None for mark in told]
    if told or sum(i.dim() if i.dtype in (torch.bool, torch.uint8) else 1 for i in given) != indexed.dim():
        raise UnsupportedOperator(f"{node.domain}.{node.op_type}")  # a node does not tell of which axes they are
    return given


def _own(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    overload = node.metadata_props.get("torch.overload", "default")
    spaces = (torch.ops.aten, torch.ops.prims)  # those of prims have no gradients
    packet = next((p for p in (getattr(space, node.op_type, None) for space in spaces) if p is not None), None)
    found: Any = getattr(packet, overload, None)
    if found is None or not _is_pure(found._schema):
        raise UnsupportedOperator(f"{node.domain}.{node.op_type}")
    tensors, named = iter(x), {}
    arguments: list[Any] = []
    kinds = [str(argument.type) for argument in found._schema.arguments]
    listed = len(x) - kinds.count("Tensor")  # of a single list, beside what is given by itself
    for argument, kind in zip(found._schema.arguments, kinds, strict=True):
        if kind == INDICES and kinds.count(INDICES) == 1 and "Optional[Tensor]" not in kinds:
            arguments.append(_indices(node, x[0], [next(tensors) for _ in range(listed)]))
            continue
        if "List[" in kind and "Tensor" in kind:
            raise UnsupportedOperator(f"{node.domain}.{node.op_type}")
        if kind in ("Tensor", "Optional[Tensor]"):
            value = next(tensors, None)
        elif argument.name in node.attributes:
            value = node.attributes[argument.name].value
        else:
            value = argument.default_value
        if argument.kwarg_only:
            named[argument.name] = value
        else:
            arguments.append(value)
    return _as_pairs(found(*arguments, **named))


def _as_pairs(made: Any) -> Any:
    """Complex results as the graph has them: pairs of real numbers."""
    if isinstance(made, (tuple, list)):
        return tuple(_as_pairs(each) for each in made)
    import torch

    return torch.view_as_real(made) if isinstance(made, torch.Tensor) and made.is_complex() else made
