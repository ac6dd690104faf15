"""`assay trace` from end to end: what it prints and which exit code it gives, for good files and bad ones."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from analyzer.commands.cli import main
from analyzer.commands.lsp import analysed
from analyzer.problem import TargetProblem
from analyzer.tracing.paths.remembered import Memory
from analyzer.tracing.tracing import MOST_BYTES, read_source

GOOD = """
    import torch, torch.nn as nn
    net = nn.Linear(3, 4)
    y = net(torch.zeros(2, 3))
    """
BROKEN = GOOD.replace("2, 3)", "2, 5)")


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def trace(tmp_path: Path, *arguments: str) -> int:
    return main(["trace", *arguments, "--root", str(tmp_path)])


def write(tmp_path: Path, source: str | bytes, name: str = "model.py") -> str:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(source if isinstance(source, bytes) else dedent(source).encode())
    return str(path)


def test_a_sound_file_is_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert trace(tmp_path, write(tmp_path, GOOD)) == 0
    assert "no finding" in capfd.readouterr().out


def test_an_error_blocks_and_says_shapes_and_the_repair(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert trace(tmp_path, write(tmp_path, BROKEN)) == 1
    shown = capfd.readouterr().out
    assert "model.py:4" in shown
    assert "error" in shown
    assert "the input has 5 features but the layer takes 3" in shown
    assert "Replace 3 by 5. (model.py:3)" in shown


def test_a_warning_names_the_value_and_does_not_block(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = """
        import argparse, torch, torch.nn as nn
        parser = argparse.ArgumentParser()
        parser.add_argument("--width", type=int, default=64)
        y = nn.Linear(64, 10)(torch.zeros(8, parser.parse_args().width))
        """
    assert trace(tmp_path, write(tmp_path, source)) == 0
    shown = capfd.readouterr().out
    assert "tracing/forced-dimension" in shown
    assert "can only be 64" in shown
    assert "default 64: fits" in shown


def test_a_default_run_that_fails_blocks_though_another_flag_would_fit(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = """
        import argparse, torch, torch.nn as nn
        parser = argparse.ArgumentParser()
        parser.add_argument("--width", type=int, default=32)
        y = nn.Linear(64, 10)(torch.zeros(8, parser.parse_args().width))
        """
    assert trace(tmp_path, write(tmp_path, source)) == 1
    assert "the default run fails: Linear" in capfd.readouterr().out


def test_an_advisory_does_not_block(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = """
        import torch
        y = torch.zeros(8, 1).argmax(dim=1)
        """
    assert trace(tmp_path, write(tmp_path, source)) == 0
    assert "tracing/argmax-over-size-one" in capfd.readouterr().out


def test_a_python_bug_blocks(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = """
        import torch
        def forward(x):
            return torch.relu(hiden)
        forward(torch.zeros(2))
        """
    assert trace(tmp_path, write(tmp_path, source)) == 1
    assert "python/undefined-name" in capfd.readouterr().out


def test_the_version_of_the_repository_is_shown(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, "tensorflow==2.4.0\n", "requirements.txt")
    source = """
        import tensorflow as tf
        x = tf.placeholder(tf.float32, [None, 3])
        """
    assert trace(tmp_path, write(tmp_path, source)) == 1
    shown = capfd.readouterr().out
    assert "python/removed-api" in shown
    assert "2.4" in shown


def test_an_entry_starts_there(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = """
        import torch, torch.nn as nn
        def good():
            return nn.Linear(3, 4)(torch.zeros(2, 3))
        def bad():
            return nn.Linear(3, 4)(torch.zeros(2, 5))
        """
    path = write(tmp_path, source)
    assert trace(tmp_path, path, "--entry", "good") == 0
    assert trace(tmp_path, path, "--entry", "bad") == 1
    capfd.readouterr()
    assert trace(tmp_path, path, "--entry", "none") == 2
    assert "no function or class named none" in capfd.readouterr().err


def test_several_files_are_all_traced(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    bad, worse = write(tmp_path, BROKEN, "a.py"), write(tmp_path, "def f(:\n", "b.py")
    assert trace(tmp_path, bad, worse, write(tmp_path, GOOD, "c.py")) == 1
    shown = capfd.readouterr().out
    assert "a.py:4" in shown
    assert "b.py:1: syntax error" in shown
    assert "c.py: no finding" in shown


def test_a_folder_is_traced_file_by_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, BROKEN, "models/a.py")
    write(tmp_path, GOOD, "models/deep/b.py")
    write(tmp_path, BROKEN, "models/.venv/lib/c.py")
    assert trace(tmp_path, str(tmp_path / "models")) == 1
    shown = capfd.readouterr().out
    assert "a.py" in shown
    assert "b.py: no finding" in shown
    assert "c.py" not in shown


def test_a_file_that_is_named_is_run_and_one_of_a_folder_if_it_is_a_script(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, "import torch\nx = torch.zeros(2, 3)\ny = x + 1\n", "models/a.py")
    for given, run in ((path, True), (str(tmp_path / "models"), False)):
        assert trace(tmp_path, given, "--run", "--sandbox", "process") == 0
        assert ("Dry run of" in capfd.readouterr().out) == run


@pytest.mark.parametrize(
    ("name", "content", "code", "sentence"),
    [
        ("bad.py", "def f(:\n", 3, "bad.py:1: syntax error"),
        ("latin.py", "x = 'caf\xe9'\n".encode("latin-1"), 3, "save it as UTF-8"),
        ("null.py", b"x = 1\0\n", 3, "null bytes"),
        ("deep.py", "x = " + "(" * 5000 + "1" + ")" * 5000 + "\n", 3, "too deeply|too many nested"),
        ("notes.txt", "hello\n", 2, "no Python file"),
        ("codec.py", b"# -*- coding: klingon -*-\nx = 1\n", 3, "encoding"),
    ],
)
def test_bad_input_is_one_sentence(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str, content: str | bytes, code: int, sentence: str
) -> None:
    import re

    assert trace(tmp_path, write(tmp_path, content, name)) == code
    shown = capfd.readouterr()
    text = (shown.out + shown.err).strip()
    assert re.search(sentence, text), text
    assert "Traceback" not in text
    assert len(text.splitlines()) == 1


def test_a_missing_file_is_one_sentence(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert trace(tmp_path, str(tmp_path / "none.py")) == 2
    assert "does not exist" in capfd.readouterr().err


def test_a_folder_without_python_is_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    assert trace(tmp_path, str(tmp_path / "empty")) == 2
    assert "no Python file" in capfd.readouterr().err


@pytest.mark.parametrize(
    "source",
    [
        "def f(n):\n    return f(n + 1)\nf(0)\n",
        (
            "class M(type):\n    def __new__(m, *a):\n        return type.__new__(m, *a)\n"
            "class A(metaclass=M):\n    y = 1\nA().x\n"
        ),
        "exec('import torch')\nx = eval('torch.zeros(2)')\n",
        "globals()['f'] = lambda: 1\nf()\n",
        "import sys\nsys.setrecursionlimit(10**6)\nx = []\nx.append(x)\nprint(x)\n",
        "while True:\n    pass\n",
        "def g():\n    yield from g()\nlist(g())\n",
        "class A:\n    def __getattr__(self, name):\n        return A()\nA().b.c.d()\n",
    ],
)
def test_odd_programs_end_quietly(tmp_path: Path, capfd: pytest.CaptureFixture[str], source: str) -> None:
    assert trace(tmp_path, write(tmp_path, source)) in (0, 1)
    assert "Traceback" not in capfd.readouterr().out


def test_a_long_file_is_traced_to_its_end(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines = ["import torch", "x = torch.zeros(2, 3)"] + ["x = x + 1"] * 10_000 + ["y = x @ x"]
    assert trace(tmp_path, write(tmp_path, "\n".join(lines) + "\n")) == 1
    assert "model.py:10003" in capfd.readouterr().out


def test_a_spent_budget_is_told_in_every_form(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    branches = "\n".join(f"    if flags[{n}]:\n        x = x + torch.ones(1, {n + 2})[:, :1]" for n in range(120))
    (tmp_path / "net.py").write_text(f"import torch\n\n\ndef f(x, flags):\n{branches}\n    return x\n")
    told = "The budget of steps or paths is spent for `f`"
    for form in ("text", "json", "sarif", "markdown"):
        assert main(["trace", str(tmp_path / "net.py"), "--format", form]) == 0
        assert told in " ".join(capfd.readouterr().out.split()), form
    path = tmp_path / "net.py"
    assert any(told in sentence for sentence in analysed(path, path.read_text(), Memory(), {}).left_out)


def test_a_place_is_its_numbers(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Between colons 100 is the name of an emoji."""
    source = "import torch, torch.nn as nn\n" + "\n" * 98 + "y = nn.Linear(3, 4)(torch.zeros(2, 5))\n"
    assert trace(tmp_path, write(tmp_path, source)) == 1
    assert "model.py:100:" in capfd.readouterr().out


@pytest.mark.parametrize("in_editor", [False, True])
def test_a_source_that_is_too_long_is_refused_from_a_file_and_an_editor(tmp_path: Path, in_editor: bool) -> None:
    text = f"data = '{'x' * MOST_BYTES}'\n"
    path = tmp_path / "data.py"
    path.write_text("" if in_editor else text)
    with pytest.raises(TargetProblem, match="is larger than 4,000,000 bytes, so it is not traced"):
        read_source(path, tmp_path, text if in_editor else None)
    assert read_source(path, tmp_path, text[: MOST_BYTES // 2] + "'")[0]
