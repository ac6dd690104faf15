"""Hyperparameters that are given as arrays or tensors count by their numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from analyzer.validity.registry import spec
from analyzer.validity.spec import TensorType, check

STRIDES = [
    np.array([2, 1]), torch.tensor([2, 1]), np.array([2]), torch.tensor([2]), torch.tensor(2), np.int64(2), np.array(2),
]  # fmt: skip


@pytest.mark.parametrize("name", ["MaxPool2d", "AvgPool2d", "Conv2d"])
@pytest.mark.parametrize("stride", STRIDES, ids=repr)
def test_a_stride_that_is_an_array(name: str, stride: Any) -> None:
    found = spec(name, "torch")
    assert found is not None
    given = {"in_channels": 3, "out_channels": 4} if name == "Conv2d" else {}
    layer = getattr(torch.nn, name)(**given, kernel_size=2, stride=tuple(np.ravel(stride).tolist() * 2)[:2])
    expected = tuple(layer(torch.zeros(1, 3, 9, 8)).shape)
    outcome = check(found, [TensorType((1, 3, 9, 8), "float32")], {**given, "kernel_size": 2, "stride": stride})
    shapes = [t.shape for t in outcome.outputs if t]
    assert shapes == [expected]
    assert all(type(size) is int for size in shapes[0] or ())
