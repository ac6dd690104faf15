"""Functions of libraries that few programs call, each with a program that fits and its twin that does not."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAMS = [
    ("x = torch.zeros(3)\ntorch.stack([x] * np.gcd(8, 4)).view({})", "12", "9"),
    ("x = torch.zeros(3)\ntorch.stack([x] * np.lcm(2, 3)).view({})", "18", "12"),
    ("np.array(2) * [1, 2] + np.zeros({})", "2", "4"),
    ("tf.ones(tf.shape(tf.zeros((2, 3)))[1] * 2) + tf.zeros({})", "6", "3"),
    ("tf.zeros(3) + np.zeros(np.int64({}))", "3", "4"),
    ("tf.scalar_mul(2.0, tf.zeros((2, 3))) + tf.zeros({})", "3", "4"),
    ("tf.math.top_k(tf.zeros((2, 5)), k=3).indices + tf.zeros({}, tf.int32)", "3", "5"),
    ("torch.rand(3, generator=torch.Generator().manual_seed(0)) + torch.zeros({})", "3", "4"),
    ("x = torch.zeros(5, 4)\nx.index_put_((torch.tensor([0, 2]),), torch.ones({}))", "2, 4", "3, 4"),
    ("x = torch.zeros(5, 4)\nx.index_put(indices=[torch.tensor([0, 2])], values=torch.ones({}))", "4", "3"),
    ("x = np.zeros((2, 3))\nx[0] = [1, 2, {}]", "3", "3, 4"),
    ("b, a = butter(3, 0.1)\nb + np.zeros({})", "4", "3"),
    ("b, a = butter(3, [0.1, 0.2], btype='bandpass')\na + np.zeros({})", "7", "4"),
    ("nn.Sequential(*[nn.Linear(a, b) for a, b in sliding_window(2, [8, 4, 2])])(torch.zeros(3, {}))", "8", "4"),
    ("nn.Sequential(*concat([nn.Linear(8, n), nn.ReLU()] for n in [8, 8]))(torch.zeros(3, {}))", "8", "4"),
    ("torch.add(torch.zeros(3)[0].item(), torch.zeros(3), alpha=torch.zeros(1).item()) + torch.zeros({})", "3", "4"),
    ("k = torch.zeros(9)\nk[torch.searchsorted(k, torch.zeros(4, 3))] + torch.zeros({})", "3", "9"),
    ("k = torch.zeros(9)\nk[torch.bucketize(torch.zeros(4, 3), k) - 1] + torch.zeros({})", "3", "9"),
    ("x = torch.zeros(4, 3)\nx.addcmul_(torch.zeros({}), torch.zeros(4, 3))", "3", "2, 4, 3"),
    ("x = torch.zeros(4, 1)\nx.lerp_(torch.zeros({}), 0.5)", "4, 1", "4, 3"),
    ("tf.gather(tf.zeros((2, 16)), tf.zeros((2, 3), tf.int32), batch_dims=-1) + tf.zeros({})", "3", "16"),
    ("tf.gather(tf.zeros((2, 5, 7)), tf.zeros({}, tf.int32), batch_dims=1)", "(2, 3)", "(3, 5)"),
    ("tf.gather(tf.zeros((2, 5, 7)), tf.zeros((2, 3), tf.int32), batch_dims=1, axis=2) + tf.zeros({})", "3", "7"),
    ("torch.tensor([[1, 2], [{}]])", "3, 4", "3"),
    ("torch.FloatTensor([[[1, 2]], [[{}]]])", "3, 4", "3"),
    ("tf.constant([[1, 2], [{}]])", "3, 4", "3"),
    ("a, b = tf.unstack(tf.shape(tf.zeros((2, 3))))\ntf.reshape(tf.zeros(12), (a, b * {}))", "2", "3"),
    ("tf.reshape(tf.zeros({}), (tf.reduce_prod(tf.shape(tf.zeros((2, 3, 4)))[1:]),))", "12", "24"),
    ("x = torch.zeros(2, 5)\nx.view(np.max(x.shape), {})", "2", "5"),
    ("np.zeros(4) + np.zeros(np.minimum(4, {}))", "7", "3"),
    ("np.zeros(4) + np.zeros(np.array([1, {}]).max())", "4", "5"),
    (
        "tf.nn.conv1d(tf.zeros((1, 9, 1)), tf.reshape(tf.constant(pywt.Wavelet('{}').dec_lo), (4, 1, 1)), 1, 'VALID')",
        "db2",
        "haar",
    ),
    (
        "w = pywt.Wavelet('{}')\ntorch.zeros(4) + torch.zeros(3 if isinstance(w, (str, tuple)) else len(w))",
        "db2",
        "haar",
    ),
    (
        "cell, x = tf.keras.layers.LSTMCell(4), tf.zeros((2, 4))\nout, (h, c) = cell(tf.zeros((2, 3)), [x, x])\n"
        "out + c + tf.zeros({})",
        "4",
        "3",
    ),
    ("tf.keras.layers.GRUCell(4)(tf.zeros((2, 3)), [tf.zeros((2, {}))])", "4", "5"),
    ("sizes = OrderedDict[int, None]([(3, None)])\ntorch.zeros(*sizes.__iter__()) + torch.zeros({})", "3", "4"),
    ("x = torch.zeros(4)\nx.view(2, {} if torch.overrides.is_tensor_like(x) else 7)", "2", "3"),
    ("torch.zeros(4).view(2, 7 if torch.overrides.is_tensor_like([1, 2]) else {})", "2", "3"),
    ("len(list(partition_all(2, [1, 2, 3]))) == 2 or 1 / 0\ntorch.zeros(*first([({},)])) + torch.zeros(3)", "3", "2"),
]


@pytest.mark.parametrize(("program", "right", "wrong"), PROGRAMS)
def test_it_fits_or_not(tmp_path: Path, program: str, right: str, wrong: str) -> None:
    head = (
        "from collections import OrderedDict\nimport numpy as np\nimport pywt\nimport tensorflow as tf\nimport torch\n"
        "from cytoolz.itertoolz import sliding_window\n"
        "from scipy.signal import butter\nfrom toolz import concat, first, partition_all\nfrom torch import nn\n"
    )
    for size, fails in ((right, False), (wrong, True)):
        shared = explore(tmp_path, "program.py", ast.parse(head + program.format(size)), Versions())
        found = [p for p in shared.problems.values() if p.level == "error" and p.proved]
        assert bool(found) is fails, (size, shared.problems)


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("[[1, 2], [3]]", True),
        ("[np.zeros((2, 3)), np.zeros((2, 4))]", True),
        ("[(1, 2), 3]", True),
        ("[np.zeros(3), [1, 2, 3]]", False),
        ("[[1, 2], [3]], dtype=object", False),
        ("[[1, 2], [3]], kind", False),
        ("[[1, 2], read()]", False),
    ],
)
def test_rows_of_which_numpy_makes_no_array(tmp_path: Path, made: str, told: bool) -> None:
    """An older version makes one of lists, so nothing is proved; one that is pinned decides."""
    text = f"import numpy as np\nfrom somewhere import kind, read\nnp.array({made})\n"
    for versions, proved in ((Versions(), False), (Versions(low={"numpy": (1, 26)}), True)):
        shared = explore(tmp_path, "program.py", ast.parse(text), versions)
        assert [p.proved for p in shared.problems.values()] == ([proved] if told else [])
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions(exact={"numpy": (1, 21)}))
    assert not shared.problems


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("torch.full([4], 1.5)", True),
        ("torch.full([4], 0.5)", False),
        ("torch.rand(4) - 5", False),  # what numbers are drawn is not known
        ("torch.full([4], 1.5) * torch.rand(1)", False),
    ],
)
@pytest.mark.parametrize(
    "question", ["assert torch.all((x > 0) & (x < 1))", "if not ((x > 0) & (x < 1)).all():\n    raise ValueError('no')"]
)
def test_numbers_that_a_program_asserts(tmp_path: Path, made: str, told: bool, question: str) -> None:
    shared = explore(tmp_path, "program.py", ast.parse(f"import torch\nx = {made}\n{question}\n"), Versions())
    assert [p.rule for p in shared.problems.values()] == (["tracing/uncaught-exception"] if told else [])
    assert not any(p.proved for p in shared.problems.values())


def test_the_last_digits_of_numbers_decide_nothing(tmp_path: Path) -> None:
    text = "import torch\nx = torch.full([4], 0.1)\nassert torch.all(x * 3 == 0.3)\nassert x.eq(0.1).all()\n"
    assert not explore(tmp_path, "program.py", ast.parse(text), Versions()).problems


def test_a_tensor_of_one_element_stands_for_a_number(tmp_path: Path) -> None:
    text = "import torch\ntorch.tensor([torch.zeros(1), 2.0])\ntorch.tensor([torch.zeros(1), torch.zeros(())])\n"
    assert not explore(tmp_path, "program.py", ast.parse(text), Versions()).problems


@pytest.mark.parametrize(
    ("value", "kind", "is_one"),
    [
        ("'a'", "six.string_types", True),
        ("'a'", "(int, six.text_type)", True),
        ("3", "six.integer_types", True),
        ("3", "six.string_types", False),
        ("None", "six.string_types", False),
        ("b'a'", "six.binary_type", True),
    ],
)
def test_types_that_six_names(tmp_path: Path, value: str, kind: str, is_one: bool) -> None:
    text = f"import six, torch\nn = 2 if isinstance({value}, {kind}) else 3\ntorch.zeros(n) + torch.zeros(2)\n"
    shared = explore(tmp_path, "program.py", ast.parse(text), Versions())
    assert [p.proved for p in shared.problems.values()] == ([] if is_one else [True])
