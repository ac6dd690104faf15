"""What a program puts into an order that nobody knows."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = "import random\nimport numpy as np\nimport torch\n"
SHUFFLES = {
    "numbers": "i = [3, 5, 5]; random.shuffle(i); n = i[0]",
    "pairs": "i = [(3, 'a'), (5, 'b')]; random.shuffle(i); n = i[0][0]",
    "tensors": "i = [torch.zeros(3), torch.zeros(5)]; random.shuffle(i); n = len(i[0])",
    "lists": "i = [[3], [5]]; random.shuffle(i); n = i[0][0]",
    "array": "i = np.array([3, 5, 5]); np.random.shuffle(i); n = int(i[0])",
    "generator": "i = np.array([3, 5, 5]); np.random.default_rng(0).shuffle(i); n = int(i[0])",
}


def _errors(folder: Path, text: str) -> list[bool]:
    """Of each error, whether it is called proved."""
    shared = explore(folder, "net.py", ast.parse(HEAD + text), Versions())
    return [p.proved for p in shared.problems.values() if p.level == "error"]


@pytest.mark.parametrize("shuffle", SHUFFLES.values(), ids=SHUFFLES)
def test_the_order_of_what_was_shuffled_is_not_known(tmp_path: Path, shuffle: str) -> None:
    for size in (3, 5):
        assert True not in _errors(tmp_path, f"{shuffle}\ntorch.zeros(2, n) @ torch.zeros({size}, 1)\n")
    assert not _errors(tmp_path, f"{shuffle}\ntorch.zeros(2, n) @ torch.zeros(n, 1)\n")


def test_elements_that_are_alike_keep_what_is_known_of_them(tmp_path: Path) -> None:
    shuffle = "i = [(torch.zeros(3), 0), (torch.zeros(3), 1)]\nrandom.shuffle(i)\nx, y = i[1]\n"
    for size, wrong in ((3, []), (4, [True])):
        assert _errors(tmp_path, f"{shuffle}x @ torch.zeros({size}, 1)\n") == wrong


def test_a_run_on_made_up_numbers_shuffles_what_is_there(tmp_path: Path) -> None:
    shuffle = "i = np.array([5, 5, 5, 3])\nnp.random.shuffle(i)\nn = int(i.max())\n"
    for size, wrong in ((5, []), (4, [False])):
        assert _errors(tmp_path, f"{shuffle}torch.zeros(2, n) @ torch.zeros({size}, 1)\n") == wrong


def test_what_no_order_changes_is_known(tmp_path: Path) -> None:
    shuffle = "i = [3, 5, 5]\nrandom.shuffle(i)\n"
    for size, told in (("sum(i)", 13), ("max(i)", 5), ("sorted(i)[0]", 3)):
        assert _errors(tmp_path, f"{shuffle}torch.zeros(2, {size}) @ torch.zeros({told}, 1)\n") == []
        assert _errors(tmp_path, f"{shuffle}torch.zeros(2, {size}) @ torch.zeros({told + 1}, 1)\n") == [True]


GOING_ON = "import somewhere\ni = [torch.zeros(3), torch.zeros(3), *somewhere.parts()]\n"


def test_of_a_list_that_goes_on_nobody_knows_what_comes_first(tmp_path: Path) -> None:
    assert _errors(tmp_path, f"{GOING_ON}i[0] @ torch.zeros(4, 1)\n") == [True]
    assert _errors(tmp_path, f"{GOING_ON}random.shuffle(i)\ni[0] @ torch.zeros(4, 1)\n") == []


def test_what_is_shuffled_twice_is_still_what_it_was(tmp_path: Path) -> None:
    text = "i = [3, 5, 5]\nrandom.shuffle(i)\nrandom.shuffle(i)\n"
    assert _errors(tmp_path, f"{text}if sum(i) != 13:\n    torch.zeros(2, 3) @ torch.zeros(4, 1)\n") == []
