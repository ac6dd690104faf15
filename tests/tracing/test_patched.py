"""Tests that put something else in the place of functions and attributes: what stood there is not called."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.tracing import explore

CORE = """
def helper(a, b):
    return a

class Thing:
    def run(self, a):
        return a
"""
HEAD = "import unittest\nfrom unittest import mock\nfrom unittest.mock import patch\nimport pytest\nimport core\n\n"
SILENT = {
    "a block": 'with mock.patch("core.helper"):\n    core.helper(1, 2, 3)\n',
    "an object": 'with patch.object(core.Thing, "run", autospec=True):\n    core.Thing().run(1, 2, 3)\n',
    "several": "with patch.multiple(core, helper=lambda: 3):\n    core.helper(1, 2, 3)\n",
    "a dictionary": 'with patch.dict(vars(core), {"helper": lambda: 3}):\n    core.helper(1, 2, 3)\n',
    "begun": 'mock.patch("core.helper").start()\ncore.helper(1, 2, 3)\n',
    "a decorated test": '@patch("core.helper")\ndef test_one(helper):\n    core.helper(1, 2, 3)\n',
    "a decorated method": """
class TestThing(unittest.TestCase):
    @patch.object(core, "helper", lambda *args: 3)
    def test_one(self):
        core.helper(1, 2, 3)
""",
    "a decorated class": """
@patch("core.helper", new=lambda *args: 3)
class TestThing(unittest.TestCase):
    def test_one(self):
        core.helper(1, 2, 3)
""",
    "in setUp": """
class TestThing(unittest.TestCase):
    def setUp(self):
        patcher = patch("core.helper")
        patcher.start()
        self.addCleanup(patcher.stop)

    def test_one(self):
        core.helper(1, 2, 3)
""",
    "monkeypatch": """
def test_one(monkeypatch):
    monkeypatch.setattr(core, "helper", lambda: 3)
    core.helper()
""",
    "monkeypatch with a text": """
def test_one(monkeypatch):
    monkeypatch.setattr("core.Thing.run", lambda self: 3)
    core.Thing().run()
""",
    "mocker": """
def test_one(mocker):
    mocker.patch.object(core, "helper", return_value=3)
    core.helper(1, 2, 3)
""",
    "a fixture of all tests": """
@pytest.fixture(autouse=True)
def replaced(monkeypatch):
    monkeypatch.setattr(core, "helper", lambda: 3)

def test_one():
    core.helper()
""",
    "a fixture of a class": """
class TestThing:
    @pytest.fixture(autouse=True)
    def replaced(self):
        self.size = 3
        with patch("core.helper"):
            yield

    def test_one(self):
        core.helper(self.size, 2, 3)
""",
}
WRONG = {
    "without a patch": "core.helper(1, 2, 3)\n",
    "another attribute": 'with mock.patch("core.Thing"):\n    core.helper(1, 2, 3)\n',
    "a test": "def test_one():\n    core.helper(1, 2, 3)\n",
    "another test": """
def test_one(monkeypatch):
    monkeypatch.setattr(core, "helper", lambda *args: 3)

def test_two():
    core.helper(1, 2, 3)
""",
}


def errors(tmp_path: Path, body: str) -> list[Diagnostic]:
    (tmp_path / "core.py").write_text(CORE)
    found = explore(tmp_path, "test_core.py", ast.parse(HEAD + body), Versions()).problems.values()
    return [p for p in found if p.level == "error"]


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT.keys())
def test_what_is_replaced_is_not_called(body: str, tmp_path: Path) -> None:
    assert errors(tmp_path, body) == []


@pytest.mark.parametrize("body", WRONG.values(), ids=WRONG.keys())
def test_what_is_not_replaced_is(body: str, tmp_path: Path) -> None:
    (found,) = errors(tmp_path, body)
    assert found.proved
    assert "helper" in found.message


def test_a_conftest_may_replace_it_for_all(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "import core, pytest\n\n@pytest.fixture(autouse=True)\ndef replaced(monkeypatch):\n"
        '    monkeypatch.setattr(core, "helper", lambda *args: 3)\n'
    )
    assert not any(p.proved for p in errors(tmp_path, WRONG["a test"]))


def test_an_edit_of_a_conftest_is_seen(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("import pytest\n")
    assert any(p.proved for p in errors(tmp_path, WRONG["a test"]))
    test_a_conftest_may_replace_it_for_all(tmp_path)


def test_a_conftest_that_lies_elsewhere_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").symlink_to("/dev/zero")
    assert any(p.proved for p in errors(tmp_path, WRONG["a test"]))
