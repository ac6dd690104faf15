"""Padding layers take what `torch.nn.functional.pad` takes, whatever number of axes their name says."""

from __future__ import annotations

import pytest
import torch

from analyzer.validity.registry import spec
from analyzer.validity.spec import TensorType, TypeStatus, check

LAYERS = [f"{kind}Pad{n}d" for kind in ("Zero", "Constant", "Reflection", "Replication", "Circular") for n in (1, 2, 3)]


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_pads_what_torch_pads(name: str) -> None:
    found = spec(name, "torch")
    assert found is not None
    more = (0.0,) if name.startswith("Constant") else ()
    for padding in (1, *((1,) * pads for pads in range(9)), (1, 2, 0, 2), (0, 1, 2, 3, 1, 0), (-1, 2), (-4, 0)):
        for rank in range(1, 6):
            dims = (3, 4, 5, 4, 6)[:rank]
            try:
                expected = tuple(getattr(torch.nn, name)(padding, *more)(torch.zeros(dims)).shape)
            except (RuntimeError, ValueError, NotImplementedError):
                expected = None
            outcome = check(found, [TensorType(dims, "float32")], {"padding": padding})
            if expected is None:
                assert outcome.status is TypeStatus.INVALID, (padding, dims)
            else:
                assert [t.shape for t in outcome.outputs if t] == [expected], (padding, dims)
