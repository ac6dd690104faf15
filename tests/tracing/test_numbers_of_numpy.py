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


COMPUTED = """import sys
import numpy as np
import torch
count = len(sys.argv)
narrow, wide, tensor = np.ones(3, np.float32), np.ones(3), torch.ones(3)
if {claim}:
    torch.zeros(2, 3) @ torch.zeros(4, 5)
"""


@pytest.mark.parametrize("claim", [
    "(narrow * np.sqrt(2)).dtype == np.float32", "(narrow / np.sqrt(count)).dtype != np.float64",
    "(narrow * (1 + 2 * np.sqrt(count))).dtype == np.float32", "(narrow + np.float64(1)).dtype == np.float32",
    "(np.ones(3, np.float16) * np.float32(1)).dtype == np.float16", "isinstance(np.float32(1), float)",
    "type(np.sqrt(2)) is float", "1 / np.sqrt(0) < 0", "isinstance(np.abs(-3), float)",
])  # fmt: skip
def test_a_number_is_one_of_numpy(claim: str, tmp_path: Path) -> None:
    """NumPy 1 keeps the type of an array of narrower elements beside a number of NumPy's, NumPy 2 does not."""
    if not np.__version__.startswith("1."):
        exec(COMPUTED.format(claim=claim), {})
    shared = explore(tmp_path, "main.py", ast.parse(COMPUTED.format(claim=claim)), Versions())
    taken = [any(s.startswith("The path is taken when") for s in p.sentences) for p in shared.problems.values()]
    assert all(taken)


@pytest.mark.parametrize("claim", [
    "(narrow * 2.0).dtype == np.float32", "(wide * np.sqrt(2)).dtype == np.float64", "1 / np.sqrt(0) > 0",
    "(tensor * np.sqrt(2)).dtype == torch.float32", "(narrow * np.float32(1)).dtype == np.float32",
    "isinstance(np.sqrt(2), float)", "np.sqrt(16) == 4", "-np.sqrt(16) / 2 == -2", "np.abs(-3) == 3",
    "np.round(2.567, 2) == 2.57", "np.round(2.567, decimals=1) == 2.6",
])  # fmt: skip
def test_what_holds_of_it_is_known(claim: str, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        exec(COMPUTED.format(claim=claim), {})
    shared = explore(tmp_path, "main.py", ast.parse(COMPUTED.format(claim=claim)), Versions())
    assert [p.level for p in shared.problems.values()] == ["error"]
