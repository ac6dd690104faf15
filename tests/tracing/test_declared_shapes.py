"""Annotations and comments that name shapes: every form that people write, each with a violation and a correct twin."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.tracing import explore, read_source

HEAD = """import torch, torch.nn as nn
from torch import Tensor
from dataclasses import dataclass
from typing import Optional
from jaxtyping import Bool, Float, Int, Shaped, jaxtyped
"""
# (wrong, right): what differs makes the declared shape wrong on the line that is marked
FORMS = {
    "name": (
        "x.transpose(1, 2)", "x",
        'def f(x: Float[Tensor, "b n d"]) -> Float[Tensor, "b n d"]:\n    return {}  # here',
    ),
    "literal": ("torch.zeros(2, 4)", "torch.zeros(2, 3)", 'def f() -> Float[Tensor, "2 3"]:\n    return {}  # here'),
    "scalar": ("x", "x.sum()", 'def f(x: Float[Tensor, "n"]) -> Float[Tensor, ""]:\n    return {}  # here'),
    "rank": ("x[0]", "x", 'def f(x: Float[Tensor, "b n"]) -> Float[Tensor, "b n"]:\n    return {}  # here'),
    "variadic": (
        "(2, 3, 4, 6)", "(2, 3, 4, 5)",
        'def f(x: Float[Tensor, "*batch 5"]):\n    return x\nf(torch.zeros{})  # here',
    ),
    "variadic twice": (
        "(2, 4)", "(2, 3)",
        'def f(x: Float[Tensor, "*batch 5"], y: Float[Tensor, "*batch"]):\n    return x\n'
        "f(torch.zeros(2, 3, 5), torch.zeros{})  # here",
    ),
    "variadic result": (
        "x.sum(0)", "x.sum(-1)",
        'def f(x: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch"]:\n    return {}  # here\n'
        "f(torch.zeros(2, 3, 4))",
    ),
    "variadic rank": (
        "(2, 3, 1)", "(2, 3)",
        'def f(x: Float[Tensor, "*batch 5"], y: Float[Tensor, "*batch"]):\n    return x\n'
        "f(torch.zeros(2, 3, 5), torch.zeros{})  # here",
    ),
    "ellipsis": ("(7, 6)", "(7, 5)", 'def f(x: Float[Tensor, "... 5"]):\n    return x\nf(torch.zeros{})  # here'),
    "expression": (
        "x.reshape(-1)[:3]", "x.reshape(-1)",
        'def f(x: Float[Tensor, "h w"]) -> Float[Tensor, "h*w"]:\n    return {}  # here\nf(torch.zeros(2, 3))',
    ),
    "solver": (
        "torch.zeros(size, 16 * (size // 4) ** 2)", "torch.zeros(size, 32 * (size // 4) ** 2)",
        'def f(size: int) -> Float[Tensor, "size 32*(size//4)**2"]:\n    return {}  # here\nf(8)',
    ),
    "question mark": ("(3, 4)", "(3, 3)", 'def f(x: Float[Tensor, "?n ?n"]):\n    pass\nf(torch.zeros{})  # here'),
    "named literal": ("(4, 2)", "(3, 2)", 'def f(x: Float[Tensor, "rows=3 c"]):\n    pass\nf(torch.zeros{})  # here'),
    "broadcast": (
        "torch.zeros(3)", "torch.zeros(1)",
        'def f(x: Float[Tensor, "n"], y: Float[Tensor, "#n"]):\n    pass\nf(torch.zeros(4), {})  # here',
    ),
    "anonymous": ("(4, 5)", "(4, 5, 6)", 'def f(x: Float[Tensor, "_ _ _c"]):\n    pass\nf(torch.zeros{})  # here'),
    "local": ("x.T", "x", 'def f(x: Float[Tensor, "n d"]):\n    y: Float[Tensor, "n d"] = {}  # here\n    return y'),
    "caller": ("(3, 4)", "(3, 3)", 'def f(x: Float[Tensor, "n n"]):\n    return x\nf(torch.zeros{})  # here'),
    "field": (
        "torch.zeros(4)", "torch.zeros(3)",
        '@dataclass\nclass A:\n    x: Float[Tensor, "n"]\n    y: Int[Tensor, "n"]\n'
        "def g():\n    return A(torch.zeros(3), {})  # here\ng()",
    ),
    "alias": (
        "(4, 8, 8)", "(3, 8, 8)",
        'Image = Float[Tensor, "3 h w"]\ndef f(x: Image):\n    return x\nf(torch.zeros{})  # here',
    ),
    "optional": (
        "(4,)", "(3,)",
        'def f(x: Optional[Float[Tensor, "3"]] = None):\n    return x\nf(torch.zeros{})  # here',
    ),
    "or None": ("(4,)", "(3,)", 'def f(x: Float[Tensor, "3"] | None = None):\n    return x\nf(torch.zeros{})  # here'),
    "quoted": ("(4,)", "(3,)", "def f(x: \"Float[Tensor, '3']\"):\n    return x\nf(torch.zeros{})  # here"),
    "one argument": (
        "x.transpose(1, 2)", "x.clone()", 'def f(x: Float["b n d"]) -> Float["b n d"]:\n    return {}  # here'
    ),
    "constructor": (
        "64", "width",
        "class A(nn.Module):\n    def __init__(self, width):\n        super().__init__()\n"
        "        self.layer = nn.Linear(width, {})\n"
        '    def forward(self, x: Float[Tensor, "b width"]) -> Float[Tensor, "b width"]:\n'
        "        return self.layer(x)  # here\nA(32)(torch.zeros(2, 32))",
    ),
    "constructor nobody calls": (
        ".T", "",
        "class A(nn.Module):\n    def __init__(self, width, out):\n        super().__init__()\n"
        "        self.layer = nn.Linear(width, out)\n"
        '    def forward(self, x: Float[Tensor, "b width"]) -> Float[Tensor, "b out"]:\n'
        "        return self.layer(x){}  # here",
    ),
    "tuple": (
        "x, y", "y, x",
        'def f(x: Float[Tensor, "n"], y: Float[Tensor, "m"]) -> tuple[Float[Tensor, "m"], Float[Tensor, "n"]]:\n'
        "    return {}  # here",
    ),
}  # fmt: skip


def problems(tmp_path: Path, source: str) -> tuple[list[Diagnostic], int]:
    (tmp_path / "net.py").write_text(HEAD + source + "\n")
    text, tree = read_source(tmp_path / "net.py", tmp_path)
    line = next((i for i, row in enumerate(text.splitlines(), 1) if "# here" in row), 0)
    return list(explore(tmp_path, "net.py", tree, Versions()).problems.values()), line


@pytest.mark.parametrize("form", FORMS)
def test_a_violation_is_found_on_its_line(tmp_path: Path, form: str) -> None:
    wrong, _, source = FORMS[form]
    found, line = problems(tmp_path, source.format(wrong))
    assert [(p.rule, p.level, p.site.line) for p in found] == [("tracing/annotation-mismatch", "warning", line)], found


@pytest.mark.parametrize("form", FORMS)
def test_the_correct_twin_is_silent(tmp_path: Path, form: str) -> None:
    _, right, source = FORMS[form]
    found, _ = problems(tmp_path, source.format(right))
    assert not found, [(p.rule, p.site.line, p.message) for p in found]


def test_a_type_checker_makes_it_an_error(tmp_path: Path) -> None:
    wrong, _, source = FORMS["literal"]
    found, _ = problems(tmp_path, "@jaxtyped(typechecker=None)\n" + source.format(wrong))
    assert [p.level for p in found] == ["error"]


def test_an_annotation_is_an_assumption_that_finds_wrong_layers(tmp_path: Path) -> None:
    source = 'def f(x: Float[Tensor, "b 12"]):\n    return nn.Linear(10, 2)(x)  # here'
    found, line = problems(tmp_path, source)
    assert [(p.rule, p.level, p.site.line) for p in found] == [("tracing/incompatible-shape", "error", line)]


@pytest.mark.parametrize(
    ("comment", "wrong"),
    [
        ("(2, 10, 64)", False), ("(B, N, 64)", False), ("[batch, tokens, dim]", False), ("shape: (b, n, d)", False),
        ("(..., 64)", False), ("(b, n, h*d)", False), ("(see above)", False), ("(B, C, H, W)", True),
        ("(2, 10, 32)", True), ("(n, n, d)", True),
    ],
)  # fmt: skip
def test_a_comment_that_is_wrong_is_advice(tmp_path: Path, comment: str, wrong: bool) -> None:
    found, _ = problems(tmp_path, f"x = torch.zeros(2, 10, 64)  # {comment}")
    assert [(p.rule, p.level) for p in found] == ([("tracing/shape-comment", "note")] if wrong else [])


@pytest.mark.parametrize(
    ("result", "returned", "wrong"),
    [
        ("*batch c", "x.sum(-1)", True),
        ("*batch c", "x.reshape(-1, x.shape[-1])", True),
        ("*batch 4", "x[..., :3]", True),
        ("*batch", "x.sum(-1)", False),
        ("*batch c", "x.reshape(-1, x.shape[-1]).reshape(x.shape)", False),
        ("*other c", "x[None]", False),
        ("... c", "x[None]", False),
    ],
)
def test_a_row_of_sizes_of_what_nothing_calls(tmp_path: Path, result: str, returned: str, wrong: bool) -> None:
    path = tmp_path / "net.py"
    path.write_text(
        "from jaxtyping import Float\nfrom torch import Tensor\n\n\n"
        f'def f(x: Float[Tensor, "*batch c"]) -> Float[Tensor, "{result}"]:\n    return {returned}\n'
    )
    _, tree = read_source(path, tmp_path)
    told = explore(tmp_path, path.name, tree, Versions()).problems.values()
    assert [(p.rule, p.level, p.site.line) for p in told] == [("tracing/annotation-mismatch", "warning", 6)] * wrong
