"""Rewriting source lines for a proved change, and leaving alone what is ambiguous."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from analyzer.findings import Location
from analyzer.numerical.repair.source import Place, rewrite

TORCH, TF, TF1 = "import torch", "import tensorflow as tf", "import tensorflow.compat.v1 as tf"
KERAS, FUNCTIONAL = "from keras import ops", "import torch\nimport torch.nn.functional as F"


def changed(
    root: Path,
    body: str,
    kind: str,
    op: str = "Log",
    *,
    head: str = TORCH,
    line: int = -1,
    number: float = 1e-12,
    ordinal: int = 0,
    count: int = 1,
) -> str | None:
    """The function's body after the change at its line `line` (from 1; the last by default)."""
    rows = textwrap.dedent(body).strip("\n").split("\n")
    first = head.count("\n") + 3
    text = f"{head}\ndef f(self, x, y, z):\n" + "".join(f"    {row}\n" for row in rows)
    (root / "m.py").write_text(text)
    at = first + (line - 1 if line > 0 else len(rows) - 1)
    found = rewrite(root, Place(Location("m.py", at), op, ordinal, count), kind, number)
    if found is None:
        return None
    assert found.replacement is not None
    assert found.line is not None
    assert found.end_line is not None
    lines = text.split("\n")
    lines[found.line - 1 : found.end_line] = found.replacement.split("\n")
    ast.parse("\n".join(lines))
    return textwrap.dedent("\n".join(lines[first - 1 :])).strip("\n")


@pytest.mark.parametrize(
    ("line", "kind", "op", "expected"),
    [
        ("return torch.log(x)", "clamp-below", "Log", "return torch.log(x.clamp(min=1e-12))"),
        ("return (1 - x).log()", "clamp-below", "Log", "return ((1 - x).clamp(min=1e-12)).log()"),
        ("return torch.log(1 - x)", "epsilon", "Log", "return torch.log((1 - x + 1e-12))"),
        ("return x / y.sum()", "clamp-below", "Div", "return x / y.sum().clamp(min=1e-12)"),
        ("return torch.div(x, y)", "clamp-below", "Div", "return torch.div(x, y.clamp(min=1e-12))"),
        ("return x.div(y)", "clamp-below", "Div", "return x.div(y.clamp(min=1e-12))"),
        ("x /= y", "clamp-below", "Div", "x /= y.clamp(min=1e-12)"),
        ("return 1 / x", "clamp-below", "Reciprocal", "return 1 / x.clamp(min=1e-12)"),
        ("return x ** 0.5", "clamp-below", "Sqrt", "return x.clamp(min=1e-12) ** 0.5"),
        ("return x / y", "guard", "Div",
         "return x / torch.where(y.abs() < 1e-12, torch.full_like(y, 1e-12), y)"),
        ("return x / self.net(y)", "guard", "Div",
         "denominator = self.net(y)\n"
         "return x / torch.where(denominator.abs() < 1e-12, torch.full_like(denominator, 1e-12), denominator)"),
        ("return (lambda t: t / t.sin())(x)", "guard", "Div",
         "return (lambda t: t / torch.where((denominator := t.sin()).abs() < 1e-12, "
         "torch.full_like(denominator, 1e-12), denominator))(x)"),
        ("return x / self.net(y) if z else x", "guard", "Div",
         "return x / torch.where((denominator := self.net(y)).abs() < 1e-12, "
         "torch.full_like(denominator, 1e-12), denominator) if z else x"),
        ("return torch.softmax(x, 1).log()", "log-softmax", "Log", "return torch.log_softmax(x, 1)"),
        ("return x.softmax(dim=-1).log()", "log-softmax", "Log", "return x.log_softmax(dim=-1)"),
        ("return torch.log(torch.sigmoid(x))", "log-sigmoid", "Log", "return torch.nn.functional.logsigmoid(x)"),
        ("return torch.log(1 + 1e-9 - x.sigmoid())", "log-one-minus-sigmoid", "Log",
         "return torch.nn.functional.logsigmoid(-x)"),
        ("return torch.log(1 + torch.exp(x))", "softplus", "Log", "return torch.nn.functional.softplus(x)"),
        ("return torch.log1p(torch.exp(x))", "softplus", "Log1p", "return torch.nn.functional.softplus(x)"),
        ("return torch.log(torch.exp(x).sum(1))", "logsumexp", "Log", "return torch.logsumexp(x, 1)"),
        ("return torch.exp(x) / torch.exp(x).sum(1, keepdim=True)", "softmax", "Div",
         "return torch.softmax(x, dim=1)"),
        ("return torch.sqrt(torch.exp(x + y))", "sqrt-of-exp", "Sqrt", "return torch.exp((x + y) / 2)"),
        ('return x.masked_fill(y, float("-inf"))', "finite-mask", "Where", "return x.masked_fill(y, 1e-12)"),
        ("return (x.half() * y.half()).float()", "widen", "Cast", "return (x.half().float() * y.half().float())"),
        ("return (x.half() / 0.001).float()", "widen", "Cast", "return (x.half().float() / 0.001)"),
        ("return torch.mm(x, y).float()", "widen", "Cast", "return torch.mm(x.float(), y.float())"),
        ("return x.std(1)", "biased", "Div", "return x.std(1, correction=0)"),
        ("return torch.std(x, dim=1, unbiased=True)", "biased", "Div", "return torch.std(x, dim=1, correction=0)"),
        ("return x.std(1, correction=0)", "deviation", "Sqrt", "return torch.sqrt(x.var(1, correction=0) + 1e-12)"),
        ("return 3 * torch.rsqrt(x.pow(2).mean(1))", "root-epsilon", "Reciprocal",
         "return 3 * torch.rsqrt((x.pow(2).mean(1) + 1e-12))"),
        ("return torch.rsqrt(x.pow(2).mean(1))", "clamp-below", "Sqrt",
         "return torch.rsqrt(x.pow(2).mean(1).clamp(min=1e-12))"),
        ("return x.pow(2) * y ** 0.5", "clamp-below", "Sqrt", "return x.pow(2) * y.clamp(min=1e-12) ** 0.5"),
        ("return x // y", "clamp-below", "Mod", "return x // y.clamp(min=1e-12)"),
        ("return torch.cosh(x)", "clamp-both", "Cosh", "return torch.cosh(x.clamp(-1e-12, 1e-12))"),
        ("return x.norm(dim=1, keepdim=True)", "norm", "ReduceL2",
         "return torch.sqrt((x ** 2).sum(dim=1, keepdim=True) + 1e-12)"),
    ],
)  # fmt: skip
def test_torch_lines(tmp_path: Path, line: str, kind: str, op: str, expected: str) -> None:
    assert changed(tmp_path, line, kind, op) == expected


@pytest.mark.parametrize("call", ["self.net(x.half())", "self.nets.first(x)", "helper(x)"])
def test_what_a_call_runs_is_not_known_from_its_name(tmp_path: Path, call: str) -> None:
    assert changed(tmp_path, f"return {call}.float()", "widen", "Cast") is None


@pytest.mark.parametrize(
    ("head", "line", "kind", "op", "expected"),
    [
        (TF, "return tf.math.log(x)", "clamp-below", "Log", "return tf.math.log(tf.maximum(x, 1e-12))"),
        (TF1, "return tf.log(x)", "clamp-below", "Log", "return tf.log(tf.maximum(x, 1e-12))"),
        (TF, "return tf.math.log(tf.nn.softmax(x))", "log-softmax", "Log", "return tf.nn.log_softmax(x)"),
        (TF, "return tf.math.log(1 - tf.sigmoid(x))", "log-one-minus-sigmoid", "Log",
         "return tf.math.log_sigmoid(-x)"),
        (TF, "return tf.math.log(1.0 + tf.exp(x))", "softplus", "Log", "return tf.nn.softplus(x)"),
        (TF, "return tf.math.log(tf.reduce_sum(tf.exp(x), axis=1))", "logsumexp", "Log",
         "return tf.reduce_logsumexp(x, axis=1)"),
        (TF, "return tf.cast(x * y, tf.float32)", "widen", "Cast",
         "return (tf.cast(x, tf.float32) * tf.cast(y, tf.float32))"),
        (TF, "return tf.norm(x, axis=1)", "norm", "EuclideanNorm",
         "return tf.sqrt(tf.reduce_sum(tf.square(x), axis=1) + 1e-12)"),
        (TF, "return tf.math.reduce_std(x, axis=1)", "deviation", "Sqrt",
         "return tf.sqrt(tf.math.reduce_variance(x, axis=1) + 1e-12)"),
        (KERAS, "return ops.std(x, axis=1)", "deviation", "Sqrt", "return ops.sqrt(ops.var(x, axis=1) + 1e-12)"),
        (KERAS, "return ops.log(x)", "clamp-below", "Log", "return ops.log(ops.maximum(x, 1e-12))"),
        ("import keras", "return keras.ops.log(x)", "clamp-below", "Log",
         "return keras.ops.log(keras.ops.maximum(x, 1e-12))"),
        (KERAS, "return ops.log(ops.softmax(x))", "log-softmax", "Log", "return ops.log_softmax(x)"),
        ("import keras\nfrom keras import ops", "return ops.log(keras.activations.softmax(x))", "log-softmax", "Log",
         "return ops.log_softmax(x)"),
        (KERAS, "return ops.log(1 + ops.exp(x))", "softplus", "Log", "return ops.softplus(x)"),
        (KERAS, "return ops.exp(x) / ops.sum(ops.exp(x), axis=-1, keepdims=True)", "softmax", "Div",
         "return ops.softmax(x, axis=-1)"),
        ("from keras import backend as K", "return K.log(x)", "clamp-below", "Log",
         "return K.log(K.maximum(x, 1e-12))"),
        (FUNCTIONAL, "return torch.log(F.softmax(x, dim=1))", "log-softmax", "Log", "return F.log_softmax(x, dim=1)"),
        (FUNCTIONAL, "return torch.log(1 + torch.exp(x))", "softplus", "Log", "return F.softplus(x)"),
        ("import torch\nfrom torch.nn.functional import softmax", "return softmax(x, 1).log()", "log-softmax", "Log",
         "return torch.nn.functional.log_softmax(x, 1)"),
        # Of two frameworks, the one that the expression is written in.
        ("import torch\nimport tensorflow as tf", "return tf.math.log(x)", "clamp-below", "Log",
         "return tf.math.log(tf.maximum(x, 1e-12))"),
    ],
)  # fmt: skip
def test_each_framework_and_import_has_its_own_spelling(
    tmp_path: Path, head: str, line: str, kind: str, op: str, expected: str
) -> None:
    assert changed(tmp_path, line, kind, op, head=head) == expected


THROUGH_NAMES = {
    "the name is read here only: the argument takes its place": (
        "p = torch.softmax(self.score(x), dim=1)\nreturn torch.log(p).sum()", "log-softmax", "Log",
        "logits = self.score(x)\nreturn torch.log_softmax(logits, dim=1).sum()",
    ),
    "a cheap argument needs no name": (
        "p = torch.sigmoid(x)\nz = x * 2\nreturn torch.log(1 - p)", "log-one-minus-sigmoid", "Log",
        "z = x * 2\nreturn torch.nn.functional.logsigmoid(-x)",
    ),
    "the name is read elsewhere too and stays": (
        "p = torch.softmax(x, 1)\nreturn (p * torch.log(p)).sum()", "log-softmax", "Log",
        "p = torch.softmax(x, 1)\nreturn (p * torch.log_softmax(x, 1)).sum()",
    ),
    "an argument that calls something gets a name of its own": (
        "p = torch.sigmoid(self.net(x))\na = torch.log(1e-6 + p)\nreturn a + torch.log(1e-10 + 1 - p)",
        "log-one-minus-sigmoid", "Log",
        "logits = self.net(x)\np = torch.sigmoid(logits)\na = torch.log(1e-6 + p)\n"
        "return a + torch.nn.functional.logsigmoid(-logits)",
    ),
    "a name that was bound again is not looked through": (
        "p = torch.softmax(y, 1)\nif z:\n    p = x\nreturn torch.log(p)", "log-softmax", "Log", None,
    ),
    "an argument that was bound again gets a name of its own": (
        "p = torch.softmax(y, 1)\ny = y + 1\nreturn torch.log(p) + y", "log-softmax", "Log",
        "logits = y\ny = y + 1\nreturn torch.log_softmax(logits, 1) + y",
    ),
    "every part of a softmax by hand has a name": (
        "e = torch.exp(x)\ntotal = e.sum(1, keepdim=True)\nreturn e / total", "softmax", "Div",
        "return torch.softmax(x, dim=1)",
    ),
    "the exponential is read elsewhere": (
        "e = torch.exp(self.net(x))\nshare = e / e.sum(1, keepdim=True)\nreturn share, e", "softmax", "Div",
        None,  # decided below: the line is the second
    ),
    "the logarithm of a softmax by hand": (
        "e = torch.exp(x)\np = e / e.sum(1, keepdim=True)\nreturn y * torch.log(p)", "log-softmax", "Log",
        "return y * torch.log_softmax(x, dim=1)",
    ),
    "sqrt of exp": (
        "variance = torch.exp(self.net(x))\nreturn y + torch.sqrt(variance) * z", "sqrt-of-exp", "Sqrt",
        "log_variance = self.net(x)\nreturn y + torch.exp(log_variance / 2) * z",
    ),
    "the sum is over all elements": ("e = torch.exp(x)\nreturn e / e.sum()", "softmax", "Div", None),
    "the sum drops its axis": ("e = torch.exp(x)\nreturn e / e.sum(1)", "softmax", "Div", None),
    "a loop may bind it again": (
        "p = torch.softmax(x, 1)\nfor i in z:\n    y = torch.log(p)\n    p = y\nreturn y", "log-softmax", "Log", None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", THROUGH_NAMES)
def test_formulas_are_read_through_local_names(tmp_path: Path, name: str) -> None:
    body, kind, op, expected = THROUGH_NAMES[name]
    if name == "the exponential is read elsewhere":
        assert changed(tmp_path, body, kind, op, line=2) == (
            "log_e = self.net(x)\ne = torch.exp(log_e)\nshare = torch.softmax(log_e, dim=1)\nreturn share, e"
        )
        return
    line = 3 if "for i in z" in body else -1
    assert changed(tmp_path, body, kind, op, line=line) == expected


def test_the_definition_of_a_module_level_name_is_followed(tmp_path: Path) -> None:
    text = (
        "import tensorflow.compat.v1 as tf\np = tf.nn.softmax(tf.matmul(x, w))\nloss = -tf.reduce_sum(y * tf.log(p))\n"
    )
    (tmp_path / "m.py").write_text(text)
    found = rewrite(tmp_path, Place(Location("m.py", 3), "Log"), "log-softmax", 0.0)
    assert found is not None
    assert (found.line, found.end_line) == (2, 3)
    assert found.replacement == "logits = tf.matmul(x, w)\nloss = -tf.reduce_sum(y * tf.nn.log_softmax(logits))"


@pytest.mark.parametrize("head", [TORCH, TF, TF1, KERAS])
@pytest.mark.parametrize("size", ["x.shape[1] - 1", "len(y) - 1", "float(y)", "n - 1", "int(z) * 2 - n"])
def test_a_python_number_is_bounded_by_python(tmp_path: Path, head: str, size: str) -> None:
    """`tf.maximum(n - 1, 1)` is an int32 tensor, by which no float is divided; a Python number has no `clamp`."""
    body = (
        f"n = x.shape[0]\nreturn torch.sum(x) / ({size})" if head == TORCH else f"n = x.shape[0]\nreturn x / ({size})"
    )
    if head in (TF, TF1):
        body = body.replace("return x /", "return tf.exp(x) /")
    if head == KERAS:
        body = body.replace("return x /", "return ops.exp(x) /")
    made = changed(tmp_path, body, "clamp-below", "Div", head=head, number=1)
    assert made is not None
    assert made.endswith(f"(max({size}, 1))")


def test_the_operators_of_a_line_are_told_apart_by_their_order(tmp_path: Path) -> None:
    line = "return torch.sqrt(x + torch.sqrt(y)) * torch.sqrt(z)"
    expected = [
        "return torch.sqrt(x + torch.sqrt(y.clamp(min=1e-12))) * torch.sqrt(z)",
        "return torch.sqrt((x + torch.sqrt(y)).clamp(min=1e-12)) * torch.sqrt(z)",
        "return torch.sqrt(x + torch.sqrt(y)) * torch.sqrt(z.clamp(min=1e-12))",
    ]
    found = [changed(tmp_path, line, "clamp-below", "Sqrt", ordinal=i, count=3) for i in range(3)]
    assert found == expected
    # The line runs twice: its operators come again in the same order.
    assert [changed(tmp_path, line, "clamp-below", "Sqrt", ordinal=i, count=6) for i in range(3, 6)] == expected


@pytest.mark.parametrize(
    ("line", "head", "op"),
    [
        ("return torch.log(x) + torch.log(y)", TORCH, "Log"),  # which one?
        ("return helper(x)", TORCH, "Log"),  # no call of that name
        ("return self.log(x)", TORCH, "Log"),  # a method of the project
        ("return torch.log(x)", "import numpy", "Log"),  # unknown framework
        ("return tf.log(x)", "from tensorflow import keras", "Log"),  # `tf` is not bound
        ("return x / y / z", TORCH, "Div"),
    ],
)
def test_what_is_not_certain_is_left_alone(tmp_path: Path, line: str, head: str, op: str) -> None:
    assert changed(tmp_path, line, "clamp-below", op, head=head) is None


def test_a_name_that_a_comprehension_binds_is_not_the_one_outside(tmp_path: Path) -> None:
    body = "t = torch.softmax(y, 1)\nreturn sum(torch.log(t) for t in x), t"
    assert changed(tmp_path, body, "log-softmax") is None


def test_files_outside_the_repository_and_broken_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "secret.py").write_text("import torch\ntorch.log(x)\n")
    outside = Place(Location("../secret.py", 2), "Log")
    assert rewrite(tmp_path / "inside", outside, "clamp-below", 1e-12) is None
    (tmp_path / "broken.py").write_text("import torch\ntorch.log(x\n")
    assert rewrite(tmp_path, Place(Location("broken.py", 2), "Log"), "clamp-below", 1e-12) is None


def test_what_stands_beside_other_statements_is_left_alone(tmp_path: Path) -> None:
    body = "p = torch.softmax(self.net(x), 1); q = y\nreturn torch.log(p) + q"
    assert changed(tmp_path, body, "log-softmax") is None


def test_a_line_without_the_operator_is_left_alone(tmp_path: Path) -> None:
    assert changed(tmp_path, "return x.pow(2) / torch.rsqrt(y)", "clamp-below", "Reciprocal") is None
    assert changed(tmp_path, "return x.pow(2)", "clamp-below", "Sqrt") is None


def test_a_bound_is_written_with_all_the_digits_that_it_needs(tmp_path: Path) -> None:
    assert changed(tmp_path, "return torch.acosh(x)", "clamp-below", "Acosh", number=1.0000002) == (
        "return torch.acosh(x.clamp(min=1.0000002))"
    )


def test_an_operator_inside_a_function_of_the_framework_is_not_taken_for_the_lines_own(tmp_path: Path) -> None:
    """Two logarithms from one ``log``: the other one belongs to ``entr``."""
    head = TORCH + "\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x, y):\n        "
    (tmp_path / "m.py").write_text(head + "return torch.log(x) + torch.special.entr(y)\n")
    line = head.count("\n") + 1
    assert (tmp_path / "m.py").read_text().splitlines()[line - 1].strip().startswith("return")
    for ordinal in range(2):
        place = Place(Location("m.py", line), "Log", ordinal, 2)
        assert rewrite(tmp_path, place, "clamp-below", 1e-12) is None
    assert rewrite(tmp_path, Place(Location("m.py", line), "Log"), "clamp-below", 1e-12) is not None
