"""Rewriting a source line for a proved change, and leaving alone what is ambiguous."""

from __future__ import annotations

from pathlib import Path

import onnx_ir as ir
import pytest

from analyzer.findings import Location
from analyzer.numerical.repair.source import rewrite


def changed(
    tmp_path: Path, line: str, kind: str, op: str = "Log", number: float = 1e-12, head: str = "import torch"
) -> str | None:
    (tmp_path / "m.py").write_text(f"{head}\ndef f(x, y, z):\n    {line}\n    return x\n")
    suggestion = rewrite(tmp_path, Location("m.py", 3), kind, 1e-12, ir.Node("", op, []))
    if suggestion is None:
        return None
    assert (suggestion.line, suggestion.end_line) == (3, 3)
    assert suggestion.replacement is not None
    return suggestion.replacement.strip()


@pytest.mark.parametrize(
    ("line", "kind", "op", "expected"),
    [
        ("return torch.log(x)", "clamp-below", "Log", "return torch.log(x.clamp(min=1e-12))"),
        ("return (1 - x).log()", "clamp-below", "Log", "return ((1 - x).clamp(min=1e-12)).log()"),
        ("return torch.log(1 - x)", "epsilon", "Log", "return torch.log((1 - x + 1e-12))"),
        ("return x / y.sum()", "clamp-below", "Div", "return x / y.sum().clamp(min=1e-12)"),
        ("return torch.softmax(x, 1).log()", "log-softmax", "Log", "return torch.log_softmax(x, 1)"),
        ("return x.softmax(dim=-1).log()", "log-softmax", "Log", "return x.log_softmax(dim=-1)"),
        ("return torch.log(torch.sigmoid(x))", "log-sigmoid", "Log", "return torch.nn.functional.logsigmoid(x)"),
        ("return torch.log(1 + 1e-9 - x.sigmoid())", "log-one-minus-sigmoid", "Log",
         "return torch.nn.functional.logsigmoid(-x)"),
        ("return torch.log(1 + torch.exp(x))", "softplus", "Log", "return torch.nn.functional.softplus(x)"),
        ("return torch.log(torch.exp(x).sum(1))", "logsumexp", "Log", "return torch.logsumexp(x, 1)"),
        ("return torch.exp(x) / torch.exp(x).sum(1, keepdim=True)", "max-subtraction", "Div",
         "return torch.softmax(x, dim=1)"),
        ("return torch.sqrt(torch.exp(x + y))", "sqrt-of-exp", "Sqrt", "return torch.exp((x + y) / 2)"),
        ('return x.masked_fill(y, float("-inf"))', "finite-mask", "Where", "return x.masked_fill(y, 1e-12)"),
    ],
)  # fmt: skip
def test_torch_lines(tmp_path: Path, line: str, kind: str, op: str, expected: str) -> None:
    assert changed(tmp_path, line, kind, op) == expected


def test_tensorflow_and_keras_use_their_own_functions(tmp_path: Path) -> None:
    tf = "import tensorflow as tf"
    assert (
        changed(tmp_path, "return tf.math.log(x)", "clamp-below", head=tf) == "return tf.math.log(tf.maximum(x, 1e-12))"
    )
    assert changed(tmp_path, "return tf.log(tf.nn.softmax(x))", "log-softmax", head=tf) == "return tf.nn.log_softmax(x)"
    keras = "import keras"
    expected = "return keras.ops.log(keras.ops.maximum(x, 1e-12))"
    assert changed(tmp_path, "return keras.ops.log(x)", "clamp-below", head=keras) == expected


@pytest.mark.parametrize(
    ("line", "head"),
    [
        ("return torch.log(x) + torch.log(y)", "import torch"),  # which one?
        ("return helper(x)", "import torch"),  # no call of that name
        ("return torch.log(x)", "import numpy"),  # unknown framework
        ("return tf.log(x)", "from tensorflow import keras"),  # `tf` is not bound
    ],
)
def test_what_is_not_certain_is_left_alone(tmp_path: Path, line: str, head: str) -> None:
    assert changed(tmp_path, line, "clamp-below", head=head) is None


def test_files_outside_the_repository_and_broken_files_are_left_alone(tmp_path: Path) -> None:
    node = ir.Node("", "Log", [])
    (tmp_path / "inside").mkdir()
    (tmp_path / "secret.py").write_text("import torch\ntorch.log(x)\n")
    assert rewrite(tmp_path / "inside", Location("../secret.py", 2), "clamp-below", 1e-12, node) is None
    (tmp_path / "broken.py").write_text("import torch\ntorch.log(x\n")
    assert rewrite(tmp_path, Location("broken.py", 2), "clamp-below", 1e-12, node) is None
