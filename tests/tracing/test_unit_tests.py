"""Methods of `unittest` classes and parametrized functions are entries: called as a test runner calls them."""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import dedent

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.programs.unit_tests import cases_of
from analyzer.tracing.tracing import explore


def problems_of(tmp_path: Path, source: str, name: str = "test_net.py") -> list[Diagnostic]:
    text = dedent(source)
    (tmp_path / name).write_text(text)
    return list(explore(tmp_path, name, ast.parse(text), Versions()).problems.values())


UNITTEST = """
    import unittest
    import tensorflow as tf

    class ProjectionTest({base}):
        def setUp(self):
            self.weights = tf.Variable(tf.zeros([10, 3]))
        def test_fits(self):
            self.assertEqual(tf.matmul(tf.zeros([2, 10]), self.weights).shape, (2, 3))
        def test_rows(self):
            tf.matmul(tf.zeros([2, {rows}]), self.weights)
        def test_refused(self):
            with self.assertRaises(ValueError):
                tf.matmul(tf.zeros([2, 9]), self.weights)
        @unittest.skip("not yet")
        def test_skipped(self):
            tf.matmul(tf.zeros([2, 9]), self.weights)

    if __name__ == "__main__":
        unittest.main()
    """


@pytest.mark.parametrize("base", ["unittest.TestCase", "tf.test.TestCase"])
@pytest.mark.parametrize(("rows", "lines"), [(9, [11]), (10, [])])
def test_methods_of_a_test_class_are_entries(tmp_path: Path, base: str, rows: int, lines: list[int]) -> None:
    found = problems_of(tmp_path, UNITTEST.format(base=base, rows=rows))
    assert [p.site.line for p in found if p.level == "error" and p.certain] == lines


PYTEST = """
    import pytest, torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.a = nn.Linear(4, width)
            self.b = nn.Linear(8, 2)
        def forward(self, x):
            return self.b(self.a(x))

    @pytest.fixture
    def batch():
        return torch.zeros(3, {features})

    @pytest.mark.parametrize(("width", "rank"), [(8, 1), {sets}])
    def test_net(batch, width, rank):
        Net(width)(batch)

    @pytest.mark.parametrize("features", [{features}])
    class TestLinear:
        def test_one(self, features):
            nn.Linear(features, 4)(torch.zeros(2, 4))
    """


@pytest.mark.parametrize(
    ("features", "sets", "lines"),
    [
        (4, "(8, 2)", []),
        (4, "pytest.param(9, 2, id='nine')", [11]),
        (5, "(8, 2)", [11, 24]),
        (4, "(8, 2), (8, 3), (8, 4), (7, 5)", [11]),
    ],
)
def test_parameters_and_fixtures_are_those_of_the_test(
    tmp_path: Path, features: int, sets: str, lines: list[int]
) -> None:
    found = problems_of(tmp_path, PYTEST.format(features=features, sets=sets))
    assert sorted(p.site.line for p in found if p.level == "error" and p.certain) == lines


def test_a_failing_test_hides_no_other_one(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("import torch\ndef join(a, b):\n    return torch.cat([a, b], 0)\n")
    (tmp_path / "test_use.py").write_text(
        "import torch\nfrom net import join\n"
        "def test_first():\n    assert torch.zeros(2, 3) @ torch.zeros(2, 3)\n"
        "def test_second():\n    join(torch.zeros(2, 3), torch.zeros(2, 4))\n"
    )
    tree = ast.parse((tmp_path / "net.py").read_text())
    found = explore(tmp_path, "net.py", tree, Versions()).problems.values()
    assert [(p.site.path, p.site.line) for p in found if p.level == "error"] == [("net.py", 3)]


def test_sets_of_parameters_are_few() -> None:
    tree = ast.parse("import pytest\n@pytest.mark.parametrize('n', [1, 2, 3, 4, 5])\ndef test_n(n): ...\n")
    assert [c.number for c in cases_of(tree)] == [0, 1, 4]


NEEDED = """
    import pytest

    torch = pytest.importorskip("torch")
    functional = pytest.importorskip("torch.nn.functional", reason="needed")

    def test_rows():
        {early}
        functional.linear(torch.zeros(2, {rows}), torch.zeros(4, 10))

    test_rows()
    """


@pytest.mark.parametrize(
    ("rows", "early", "lines"),
    [(9, "pass", [9]), (10, "pass", []), (9, "pytest.skip('not here')", []), (9, "pytest.xfail('known')", [])],
)
def test_a_module_that_a_test_needs_is_the_module(tmp_path: Path, rows: int, early: str, lines: list[int]) -> None:
    found = problems_of(tmp_path, NEEDED.format(rows=rows, early=early))
    assert [p.site.line for p in found if p.level == "error" and p.certain] == lines


@pytest.mark.parametrize(
    ("base", "body", "lines"),
    [
        ("", "def __init__(self, layer): self.layer = layer", []),
        ("", "layer = 3", [7]),
        ("(unittest.TestCase)", "def __init__(self, name='run'): super().__init__(name)", [7]),
    ],
)
def test_a_class_with_a_constructor_is_no_group_of_tests(
    tmp_path: Path, base: str, body: str, lines: list[int]
) -> None:
    """pytest leaves it out, `unittest` does not look at it."""
    source = f"""
    import torch, unittest

    class TestOfLayer{base}:
        {body}
        def test_width(self):
            torch.zeros(2, 3) @ torch.zeros(4, 5)
    """
    found = problems_of(tmp_path, source)
    assert [p.site.line for p in found if p.level == "error"] == lines
