"""Operators that write elements at places given by index, as torch calls."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from analyzer.numerical.confirm.torch_registry import Mode, UnsupportedOperator, attribute, op

REDUCTIONS = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}


@op("NonZero")
def nonzero(node: ir.Node, x: Any, mode: Mode) -> Any:
    return x[0].nonzero().T


@op("ScatterND")
def scatter_nd(node: ir.Node, x: Any, mode: Mode) -> Any:
    reduction = attribute(node, "reduction", "none")
    if reduction not in ("none", "add"):
        raise UnsupportedOperator(f"ScatterND by {reduction}")
    data, index, updates = x
    return data.index_put(tuple(index.long().unbind(-1)), updates, accumulate=reduction == "add")


@op(("ScatterElements", "Scatter"))
def scatter_elements(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    axis, reduction = int(attribute(node, "axis", 0)), attribute(node, "reduction", "none")
    data, index, updates = x
    index = torch.where(index < 0, index + data.shape[axis], index).long()
    if reduction == "none":
        return data.scatter(axis, index, updates)
    if reduction == "add":
        return data.scatter_add(axis, index, updates)
    return data.scatter_reduce(axis, index, updates, REDUCTIONS[reduction])
