"""Operators of torch that take lists of tensors: run where the list is known, refused where it is not."""

from __future__ import annotations

import onnx_ir as ir
import pytest
import torch
from onnx import helper

from analyzer.exporting.inside.opaque import _left_out
from analyzer.numerical.confirm.torch_operators import own
from analyzer.numerical.confirm.torch_registry import Mode, UnsupportedOperator, handler_of


def _node(name: str, count: int) -> ir.Node:
    return ir.Node("torch.aten", name, [ir.Value(name=f"v{i}") for i in range(count)])


def test_what_is_put_where_a_mask_of_all_axes_selects_is_run() -> None:
    x, mask, values = torch.zeros(4), torch.tensor([True, False, True, False]), torch.tensor([5.0, 6.0])
    handler = own.own_handler(_node("index_put", 3))
    assert handler is not None
    assert handler(_node("index_put", 3), [x, mask, values], Mode(surrogate=False)).tolist() == [5, 0, 6, 0]


def test_of_indices_that_leave_an_axis_out_a_node_does_not_tell_which() -> None:
    handler = own.own_handler(_node("index_put", 3))
    assert handler is not None
    given = [torch.zeros(2, 2), torch.tensor([1]), torch.ones(2, 1)]
    with pytest.raises(UnsupportedOperator):
        handler(_node("index_put", 3), given, Mode(surrogate=False))
    told = _node("index_put", 3)
    told.metadata_props["torch.left_out"] = "01"
    assert handler(told, given, Mode(surrogate=False)).tolist() == [[0, 1], [0, 1]]


def test_an_export_tells_which_axes_an_index_leaves_out() -> None:
    schema = torch.ops.aten.index_put.default._schema
    assert _left_out(schema, ("x", [None, "i"], "values")) == "01"
    assert _left_out(schema, ("x", ["i"], "values")) == "1"
    assert _left_out(torch.ops.aten.cat.default._schema, (["x", "y"], 0)) == ""


def test_the_negative_log_likelihood_is_run() -> None:
    node = ir.from_proto(helper.make_node("NegativeLogLikelihoodLoss", ["x", "t"], ["y"], ignore_index=1))
    handler = handler_of("", "NegativeLogLikelihoodLoss")
    assert handler is not None
    scores = torch.log(torch.tensor([[0.5, 0.25, 0.25], [0.1, 0.8, 0.1]]))
    found = handler(node, [scores, torch.tensor([0, 1])], Mode(surrogate=False))
    assert float(found) == pytest.approx(0.6931472)  # the second row is ignored
