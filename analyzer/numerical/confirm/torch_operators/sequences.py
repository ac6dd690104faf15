"""Sequences of tensors: what splits a tensor into one, and what takes it apart again. A sequence is a list."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from analyzer.numerical.confirm.torch_registry import Mode, attribute, op


@op("SplitToSequence")
def split_to_sequence(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    axis = int(attribute(node, "axis", 0))
    if len(x) < 2 or x[1] is None:
        parts = torch.split(x[0], 1, axis)
        return (list(parts) if int(attribute(node, "keepdims", 1)) else [p.squeeze(axis) for p in parts],)
    sizes = int(x[1]) if x[1].dim() == 0 else x[1].tolist()
    return (list(torch.split(x[0], sizes, axis)),)


@op("SequenceConstruct")
def sequence_construct(node: ir.Node, x: Any, mode: Mode) -> Any:
    return (list(x),)


@op("SequenceAt")
def sequence_at(node: ir.Node, x: Any, mode: Mode) -> Any:
    return x[0][int(x[1])]


@op("SequenceInsert")
def sequence_insert(node: ir.Node, x: Any, mode: Mode) -> Any:
    longer = list(x[0])
    longer.insert(int(x[2]) if len(x) > 2 and x[2] is not None else len(longer), x[1])
    return (longer,)


@op("SequenceErase")
def sequence_erase(node: ir.Node, x: Any, mode: Mode) -> Any:
    shorter = list(x[0])
    shorter.pop(int(x[1]) if len(x) > 1 and x[1] is not None else -1)
    return (shorter,)


@op("SequenceLength")
def sequence_length(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    return torch.tensor(len(x[0]))


@op("ConcatFromSequence")
def concatenate_sequence(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    joined = torch.stack if int(attribute(node, "new_axis", 0)) else torch.cat
    return joined(x[0], int(attribute(node, "axis", 0)))
