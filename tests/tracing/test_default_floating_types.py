"""The floating type of new weights and tensors where the program sets one; each program runs."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """import keras
import tensorflow as tf
{before}
class Shifted(keras.layers.Layer):
    def __init__(self, **settings):
        super().__init__({given})
        self.tau = self.add_weight(shape=(2,), initializer="uniform"{asked})
shifted = Shifted({made})
total = tf.zeros((3, 2), tf.float64) + {used}
"""
SETTINGS = [
    ({"before": "keras.backend.set_floatx('float64')"}, False),
    ({"before": "tf.keras.backend.set_floatx('float64')"}, False),
    ({"before": "keras.config.set_dtype_policy('float64')"}, False),
    ({"before": "keras.mixed_precision.set_global_policy('float64')"}, False),
    ({"asked": ", dtype='float64'"}, False),
    ({"asked": ", dtype=tf.float64"}, False),
    ({"given": "dtype='float64'"}, False),
    ({"given": "**settings", "made": "dtype='float64'"}, False),
    ({}, True),
    ({"asked": ", dtype='float32'"}, True),
]
USED = ("shifted.tau", "tf.identity(shifted.tau)")


@pytest.mark.parametrize("used", USED)
@pytest.mark.parametrize(("settings", "refused"), SETTINGS)
def test_weights_have_the_type_that_is_set(
    tmp_path: Path, settings: dict[str, str], refused: bool, used: str
) -> None:  # fmt: skip
    text = PROGRAM.format(**{"before": "", "given": "", "asked": "", "made": "", "used": used, **settings})
    shared = explore(tmp_path, "main.py", ast.parse(text), Versions())
    told = [(p.rule, p.proved) for p in shared.problems.values() if p.level == "error"]
    assert told == [("tracing/incompatible-element-type", True)] * refused


TORCH = """import torch
from torch import nn
{before}
one = torch.zeros(2, 3, dtype=torch.float64)
two = {made}
one @ two
"""
MADE = (
    "torch.zeros(3, 2)", "torch.randn(3, 2)", "torch.eye(3)", "torch.linspace(0, 1, 3)", "torch.Tensor(3, 2)",
    "torch.tensor([[0.5, 1], [-1, 2], [3, 4]])", "torch.as_tensor(((1.5,), (2.5,), (3.5,)))",
    "torch.zeros(3, 2, dtype=torch.get_default_dtype())", "nn.Linear(2, 3).weight",
    "nn.Parameter(torch.ones(3, 2))", "torch.distributions.Normal(0, 1).sample((3, 2))",
)  # fmt: skip


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("setting", ["default_dtype(torch.float64)", "default_tensor_type(torch.DoubleTensor)", ""])
def test_tensors_have_the_type_that_is_set(tmp_path: Path, setting: str, made: str) -> None:
    text = TORCH.format(before=setting and f"torch.set_{setting}", made=made)
    shared = explore(tmp_path, "main.py", ast.parse(text), Versions())
    told = [(p.rule, p.proved) for p in shared.problems.values() if p.level == "error"]
    assert told == ([] if setting else [("tracing/incompatible-element-type", True)])


def test_a_tensor_of_doubles_is_one(tmp_path: Path) -> None:
    text = "import torch\ntorch.DoubleTensor(2, 3) @ torch.zeros(3, 2, dtype=torch.{})\n"
    for kind, refused in (("float64", False), ("float32", True)):
        shared = explore(tmp_path, "main.py", ast.parse(text.format(kind)), Versions())
        assert any(p.level == "error" for p in shared.problems.values()) is refused


KERAS = """import keras
import tensorflow as tf
{before}
one = {made}
one + tf.zeros((2, 3), tf.float64)
"""


@pytest.mark.parametrize("setting", ["keras.config.set_floatx('float64')", ""])
@pytest.mark.parametrize(
    "made", ["keras.ops.zeros((2, 3))", "keras.layers.LSTM(3)(tf.zeros((2, 4, 5), tf.float64))",
             "keras.layers.Dense(3)(tf.zeros((2, 5), tf.float64))"],
)  # fmt: skip
def test_what_keras_makes_has_the_type_that_is_set(tmp_path: Path, setting: str, made: str) -> None:
    shared = explore(tmp_path, "main.py", ast.parse(KERAS.format(before=setting, made=made)), Versions())
    assert not [p for p in shared.problems.values() if p.level == "error" and setting]


@pytest.mark.parametrize(
    ("layer", "refused"),
    [
        ("nn.Linear(3, 4, dtype=torch.complex64)", False),
        ("nn.Linear(3, 4, **{'device': None, 'dtype': torch.complex64})", False),
        ("nn.Linear(3, 4).to(torch.complex64)", False),
        ("nn.Linear(3, 4, dtype=torch.complex128)", True),
        ("nn.Linear(3, 4)", True),
    ],
)
def test_a_layer_may_be_of_complex_numbers(tmp_path: Path, layer: str, refused: bool) -> None:
    text = f"import torch\nfrom torch import nn\n{layer}(torch.zeros(2, 3, dtype=torch.complex64))\n"
    shared = explore(tmp_path, "main.py", ast.parse(text), Versions())
    assert any(p.level == "error" for p in shared.problems.values()) is refused


MIXED = (
    "torch.stack([torch.zeros(2), torch.zeros(2).double()])",
    "torch.cat([torch.zeros(1, 2), torch.zeros(1, 2).double()])",
    "torch.distributions.Normal(torch.zeros(2, 2).double(), 1.0).sample()",
    "torch.maximum(torch.zeros(2, 2), torch.zeros(2, 2).double())",
)  # fmt: skip


@pytest.mark.parametrize("made", MIXED)
def test_the_larger_floating_type_wins(tmp_path: Path, made: str) -> None:
    for other, refused in ((made, False), (made.replace(".double()", ""), True)):
        text = f"import torch\n{other} @ torch.zeros(2, 2).double()\n"
        shared = explore(tmp_path, "main.py", ast.parse(text), Versions())
        assert any(p.level == "error" for p in shared.problems.values()) is refused, other


DOUBLES = (
    "tf.math.abs(tf.zeros((2, 2), tf.complex128))", "keras.layers.LSTM(2, dtype='float64')(tf.zeros((2, 3, 4), D))",
    "keras.layers.GRU(2, dtype='float64')(tf.zeros((2, 3, 4), D))",
    "keras.layers.Embedding(5, 2, dtype='float64')(tf.zeros((2,), tf.int32))",
    "keras.losses.mse(tf.zeros((2, 2), D), tf.zeros((2, 2), D))",
    "tf.nn.softmax_cross_entropy_with_logits(tf.zeros((2, 2), D), tf.zeros((2, 2), D))",
    "tf.nn.sigmoid_cross_entropy_with_logits(tf.zeros((2, 2), D), tf.zeros((2, 2), D))",
    "tf.nn.sparse_softmax_cross_entropy_with_logits(tf.zeros((2,), tf.int32), tf.zeros((2, 2), D))",
)  # fmt: skip


@pytest.mark.parametrize("made", DOUBLES)
def test_results_of_doubles_are_doubles(tmp_path: Path, made: str) -> None:
    text = f"import keras\nimport tensorflow as tf\nD = tf.float64\n{made} + tf.zeros((2, 2), D)\n"
    plain = text.replace(", D)", ")").replace("complex128", "complex64").replace(", dtype='float64'", "")
    for program in (text, plain):
        shared = explore(tmp_path, "main.py", ast.parse(program), Versions())
        assert not [p for p in shared.problems.values() if p.level == "error"]


@pytest.mark.parametrize(("moved", "refused"), [(".double()", False), (".to(torch.float64)", False), ("", True)])
def test_a_table_may_have_been_converted(tmp_path: Path, moved: str, refused: bool) -> None:
    table = f"torch.nn.Embedding(3, 2){moved}(torch.zeros(2, dtype=torch.long))"
    text = f"import torch\n{table} @ torch.zeros(2, 2, dtype=torch.float64)\n"
    shared = explore(tmp_path, "main.py", ast.parse(text), Versions())
    assert any(p.level == "error" for p in shared.problems.values()) is refused


@pytest.mark.parametrize("data", ["[np.float64(1), 0.5]", "[np.sqrt(2.0), 0.5]", "numbers", "np.sqrt(2.0)"])
def test_what_numpy_computed_may_be_of_doubles(tmp_path: Path, data: str) -> None:
    text = f"import torch\nimport numpy as np\nnumbers = [np.exp(0.5), 2.0]\nx = torch.tensor({data}).reshape(-1)\n"
    text += "x @ torch.zeros(x.shape[0]).double()\n"
    exec(text.replace("numbers = [np.exp(0.5), 2.0]", "numbers = [np.exp(0.5), np.exp(0.2)]"), {})
    assert not explore(tmp_path, "main.py", ast.parse(text), Versions()).problems


@pytest.mark.parametrize("setting", ["", "torch.set_default_dtype(torch.float64)\n"])
def test_the_default_type_is_asked_for(tmp_path: Path, setting: str) -> None:
    text = "import torch\n{}if torch.get_default_dtype() == torch.float64:\n    torch.zeros(3) + torch.zeros(4)\n"
    shared = explore(tmp_path, "main.py", ast.parse(text.format(setting)), Versions())
    assert [p.proved for p in shared.problems.values()] == [False] * bool(setting)
