"""Numbers that NumPy's functions give, in the element type that a program asks for: held against NumPy."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

NUMBERS = [
    "np.ceil(7 / 2).astype(int)", "np.floor(7 / 2).astype(np.int32)", "np.sqrt(16).astype('int')",
    "np.trunc(3.7).astype('int64')", "int(np.rint(3.7))", "int(np.rint(2.5))", "int(np.fix(-3.7)) + 9",
    "np.log2(16).astype(np.uint8)", "int(np.ceil(3.2).astype('float32'))",
]  # fmt: skip


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("fits", [True, False])
def test_a_size(number: str, fits: bool, tmp_path: Path) -> None:
    size = int(eval(number, {"np": np})) + (not fits)
    text = f"import numpy as np\nimport torch\ntorch.zeros(2, {number}) @ torch.zeros({size}, 3)\n"
    shared = explore(tmp_path, "main.py", ast.parse(text), Versions())
    assert [p.level for p in shared.problems.values()] == ([] if fits else ["error"])


def test_another_type_tells_no_size(tmp_path: Path) -> None:
    text = (
        "import numpy as np\nimport torch\nfrom somewhere import kind\n"
        "torch.zeros(2, np.ceil(3.2).astype(kind)) @ torch.zeros(7, 3)\n"
    )
    assert not explore(tmp_path, "main.py", ast.parse(text), Versions()).problems


SIZES = ["np.array([3, 4])[0]", "np.int64(3)", "np.prod([2, 3])", "np.array(3)", "torch.tensor(3)", "np.array([3])"]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("made", ["torch.Tensor", "torch.LongTensor"])
@pytest.mark.parametrize("fits", [True, False])
def test_a_tensor_of_a_size(size: str, made: str, fits: bool, tmp_path: Path) -> None:
    shape = tuple(eval(f"{made}({size})", {"np": np, "torch": torch}).shape)
    text = f"import numpy as np\nimport torch\n{made}({size}).reshape({(*shape, 1 if fits else 2)})\n"
    shared = explore(tmp_path, "main.py", ast.parse(text), Versions())
    assert [p.level for p in shared.problems.values()] == ([] if fits else ["error"])
