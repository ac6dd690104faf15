"""Forms in place of the exporter's own, which contradict themselves: they are valid and compute what torch computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnxruntime
import pytest
import torch
import torch.nn.functional as F

from analyzer.exporting.inside import corrected_forms


class Net(torch.nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *given: torch.Tensor) -> torch.Tensor:
        return self.function(*given)


def agrees(function: Callable[..., Any], *given: torch.Tensor) -> None:
    net = Net(function)
    program = torch.onnx.export(
        torch.export.export(net, given),
        dynamo=True,
        optimize=False,
        verbose=False,
        custom_translation_table=corrected_forms.table(torch),
    )
    assert program is not None
    session = onnxruntime.InferenceSession(program.model_proto.SerializeToString())
    feeds = {i.name: x.numpy() for i, x in zip(session.get_inputs(), given, strict=True)}
    (made,) = session.run(None, feeds)
    expected = net(*given).numpy()
    assert made.dtype == expected.dtype
    np.testing.assert_allclose(made, expected, rtol=1e-3 if made.dtype == np.float16 else 1e-5, atol=1e-6)


WHOLE, REAL, SCALAR = torch.arange(1, 5), torch.tensor([0.5, 2.0, 1.5, 3.0]), torch.tensor(2)


@pytest.mark.parametrize(
    ("base", "exponent"),
    [(WHOLE, REAL), (REAL, WHOLE), (REAL.half(), REAL), (WHOLE.int(), WHOLE), (SCALAR, REAL), (REAL, SCALAR)],
)
def test_powers_of_two_element_types(base: torch.Tensor, exponent: torch.Tensor) -> None:
    agrees(torch.pow, base, exponent)


@pytest.mark.parametrize(
    ("equation", "given"),
    [
        ("i,j->ij", (WHOLE, REAL[:3])),
        ("bi,i->bi", (torch.ones(2, 4).half(), REAL)),
        ("bi,bj,k->bijk", (torch.ones(2, 4), torch.ones(2, 3).double(), WHOLE)),
    ],
)
def test_products_of_several_element_types(equation: str, given: tuple[torch.Tensor, ...]) -> None:
    agrees(lambda *factors: torch.einsum(equation, *factors), *given)


@pytest.mark.parametrize("batch", [(), (2,)])
@pytest.mark.parametrize("groups", [1, 2])
def test_convolutions_over_three_axes_without_a_bias(batch: tuple[int, ...], groups: int) -> None:
    torch.manual_seed(0)
    x, weight = torch.rand(*batch, 4, 5, 5, 5), torch.rand(6, 4 // groups, 3, 3, 3)
    agrees(lambda x, weight: F.conv3d(x, weight, groups=groups), x, weight)


@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
@pytest.mark.parametrize("mask", ["none", "causal", "truths", "numbers", "of each"])
def test_attention_of_fewer_than_four_axes(batch: tuple[int, ...], mask: str) -> None:
    torch.manual_seed(0)
    query, key, value = torch.rand(*batch, 4, 8), torch.rand(*batch, 5, 8), torch.rand(*batch, 5, 6)
    masks = {
        "truths": torch.ones(4, 5, dtype=torch.bool).tril(),
        "numbers": torch.rand(4, 5),
        "of each": torch.rand(*batch, 4, 5),
    }
    if mask in masks:
        agrees(lambda *given: F.scaled_dot_product_attention(*given), query, key, value, masks[mask])
    else:
        causal = mask == "causal"
        agrees(lambda *given: F.scaled_dot_product_attention(*given, is_causal=causal), query, key, value)


BAGS = torch.tensor([2, 0, 5, 5, 1, 3]), torch.tensor([0, 2, 2, 5])  # the second of four bags is empty


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding", [None, 5])
@pytest.mark.parametrize("last", [False, True])
def test_bags_of_rows_are_those_of_torch_and_0_where_they_are_empty(mode: str, padding: int | None, last: bool) -> None:
    torch.manual_seed(0)
    indices, offsets = BAGS
    offsets = torch.cat([offsets, torch.tensor([6])]) if last else offsets
    how: dict[str, Any] = {"mode": mode, "padding_idx": padding, "include_last_offset": last}
    agrees(lambda w, i, o: F.embedding_bag(i, w, o, **how), torch.randn(6, 3), indices, offsets)


def test_weighed_bags_of_rows() -> None:
    torch.manual_seed(0)
    indices, offsets = BAGS

    def weighed(table: torch.Tensor, indices: torch.Tensor, offsets: torch.Tensor, each: torch.Tensor) -> torch.Tensor:
        return F.embedding_bag(indices, table, offsets, mode="sum", per_sample_weights=each)

    agrees(weighed, torch.randn(6, 3), indices, offsets, torch.rand(6))
