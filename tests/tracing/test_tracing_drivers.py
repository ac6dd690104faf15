"""Library files are traced with the arguments that READMEs, tests and examples of the repository give them."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.imports import libraries
from analyzer.tracing.imports.repository_files import python_files
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.programs.driver_runs import SEARCH_STEPS
from analyzer.tracing.programs.drivers import drivers_of
from analyzer.tracing.programs.package_callers import CALLER_STEPS
from analyzer.tracing.tracing import explore, read_source

NET = """
import torch, torch.nn as nn

class Patches(nn.Module):
    def __init__(self, image, patch, dim):
        super().__init__()
        self.steps = (image // patch) ** 2
        self.embed = nn.Conv2d(3, dim, patch, patch)
        self.place = nn.Parameter(torch.zeros(1, {}, dim))
    def forward(self, x):
        return self.embed(x).flatten(2).transpose(1, 2) + self.place
"""
RIGHT, WRONG = NET.format("self.steps"), NET.format("self.steps + 2")
README = """# Patches

```bash
pip install patches
```

```python
import torch
from patches.net import Patches

model = Patches(image=32, patch=8, dim=16)
y = model(torch.zeros(2, 3, 32, 32))
```
"""
TEST = """
import pytest, torch
from patches.net import Patches

def test_shape():
    assert Patches(32, 8, 16)(torch.zeros(2, 3, 32, 32)).shape == (2, 16, 16)
{}
def test_refused():
    with pytest.raises(RuntimeError):
        Patches(32, 8, 16)(torch.zeros(2, 4, 32, 32))
"""


def traced(root: Path, source: str, **others: str) -> list[Diagnostic]:
    (root / "patches").mkdir(exist_ok=True)
    (root / "patches" / "__init__.py").write_text("")
    (root / "patches" / "net.py").write_text(source)
    for name, text in others.items():
        file = root / name.replace("__", "/")
        file = file.with_suffix(".md" if name == "README" else ".py")
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    _, tree = read_source(root / "patches" / "net.py", root)
    return [p for p in explore(root, "patches/net.py", tree, Versions()).problems.values() if p.level == "error"]


@pytest.mark.parametrize("others", [{"README": README}, {"tests__test_net": TEST.format("")}, {}])
def test_a_program_of_the_repository_shows_what_symbols_do_not(tmp_path: Path, others: dict[str, str]) -> None:
    found = traced(tmp_path, WRONG, **others)
    if not others:
        assert not found or all(not p.tier.startswith("The program") for p in found)
        return
    (problem,) = (p for p in found if p.site.path == "patches/net.py")
    assert problem.certain
    assert (
        problem.site.line
        == WRONG.splitlines().index("        return self.embed(x).flatten(2).transpose(1, 2) + self.place") + 1
    )
    assert not traced(tmp_path, RIGHT, **others)


@pytest.mark.parametrize(("guard", "proved"), [("if __name__ == '__main__':", True), ("def serve():", False)])
def test_a_program_of_any_name_is_a_caller(tmp_path: Path, guard: str, proved: bool) -> None:
    serve = (
        f"import torch\nfrom patches.net import Patches\n{guard}\n    Patches(32, 8, 16)(torch.zeros(2, 3, 32, 32))\n"
    )
    assert [p.proved for p in traced(tmp_path, WRONG, serve=serve)] == [True] * proved
    assert not traced(tmp_path, RIGHT, serve=serve)


DOCSTRING = '''"""Patches of an image.

    >>> model = Patches(image=32, patch=8, dim=16)
    >>> y = model(
    ...     torch.zeros(2, 3, 32, 32))
    >>> y.shape{}
    torch.Size([2, 16, 16])
    """
    def __init__(self'''


@pytest.mark.parametrize(
    ("end", "found"), [("", 1), ("  # doctest: +SKIP", 0), ("\n    Traceback (most recent call last):\n    Error", 0)]
)
def test_an_example_of_a_docstring_is_a_program_that_may_be_old(tmp_path: Path, end: str, found: int) -> None:
    wrong, right = (net.replace("def __init__(self", DOCSTRING.format(end)) for net in (WRONG, RIGHT))
    told = [p for p in traced(tmp_path, wrong) if "docstring of Patches" in p.tier]
    assert [(p.site.path, p.proved) for p in told] == [("patches/net.py", False)] * found
    assert not traced(tmp_path, right)


def test_the_program_is_named_with_its_line(tmp_path: Path) -> None:
    (problem,) = traced(tmp_path, WRONG, README=README)
    assert "README.md:8" in problem.tier


def test_a_test_that_is_skipped_or_an_example_of_something_else_is_no_driver(tmp_path: Path) -> None:
    skipped = TEST.format("").replace("def test_shape", "@pytest.mark.skip\ndef test_shape")
    assert not traced(tmp_path, WRONG, tests__test_net=skipped)
    assert not traced(
        tmp_path, WRONG, tests__test_net="import os\n", README="```python\nimport json\njson.dumps(1)\n```\n"
    )


def test_prompts_and_indentation_of_examples_are_read(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("  ```python\n  >>> import net\n  >>> net.f(\n  ...     3)\n  9\n  ```\n")
    (tmp_path / "net.py").write_text("def f(x): ...\n")
    _, tree = read_source(tmp_path / "net.py", tmp_path)
    (driver,) = drivers_of(tmp_path, "net.py", tree)
    assert str(driver) == "README.md:2"


PARTS = (
    "Make it:\n\n{0}\nfrom patches.net import Patches\nmodel = Patches(image=32, patch=8, dim=16)\n{1}\n\nUse it:\n\n"
)
CALLED = "{0}\ny = model(torch.zeros(2, 3, 32, 32)){2}\n{1}\n"


@pytest.mark.parametrize("language", ["", "python", "py", "Python title=use.py", "{.python .input}"])
@pytest.mark.parametrize(("end", "found"), [("", 1), (" if False else 0", 0)])
def test_an_example_goes_on_with_the_names_of_those_above_it(
    tmp_path: Path, language: str, end: str, found: int
) -> None:
    """And with those that everybody imports; a block without a language is one where it imports something."""
    imports = "import patches\n" if not language else ""
    text = (PARTS + CALLED.replace("\ny", f"\n{imports}y")).format(f"```{language}", "```", end)
    assert len(traced(tmp_path, WRONG, README=f"```sh\nls\n```\n{text}")) == found
    assert not traced(tmp_path, RIGHT, README=text)


@pytest.mark.parametrize("language", ["bash", "python-repl-of-old", "json", "text"])
def test_a_block_of_another_language_is_no_program(tmp_path: Path, language: str) -> None:
    assert not traced(tmp_path, WRONG, README=(PARTS + CALLED).format(f"```{language}", "```", ""))


def test_a_directive_of_a_document_is_an_example(tmp_path: Path) -> None:
    body = README.partition("```python\n")[2].partition("```")[0]
    indented = "".join(f"    {line}\n" if line else "\n" for line in body.splitlines())
    (tmp_path / "README.rst").write_text(f"Use\n===\n\n.. code-block:: python\n   :linenos:\n\n{indented}\nThe end.\n")
    assert len(traced(tmp_path, WRONG)) == 1
    assert not traced(tmp_path, RIGHT)


def test_a_small_library_is_followed_and_the_calling_line_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    (site / "tinyattn").mkdir(parents=True)
    (site / "tinyattn" / "__init__.py").write_text("from tinyattn.core import turn\n")
    (site / "tinyattn" / "core.py").write_text("import torch\ndef turn(q, width):\n    return q + torch.zeros(width)\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(site)])
    libraries._library.cache_clear()
    root = tmp_path / "root"
    root.mkdir()
    (root / "net.py").write_text(
        "import torch\nfrom tinyattn import turn\n\nx = turn(torch.zeros(2, 8), 8)\nturn(x, 9)\n"
    )
    _, tree = read_source(root / "net.py", root)
    (problem,) = explore(root, "net.py", tree, Versions()).problems.values()
    assert (problem.site.path, problem.site.line, problem.certain) == ("net.py", 5, True)
    assert any("tinyattn/core.py:3" in s for s in problem.sentences)
    libraries._library.cache_clear()


CHECKING = """
import re
import torch

def checked(pattern):
    def decorate(fn):
        def inner(*args, **kwargs):
            if pattern == "b n":
                raise TypeError("no such shape")
            return fn(*args, **kwargs)
        return inner
    return decorate

def measure(x):
    raise ValueError(x)
"""
USING = """
import torch
from tinycheck import checked, measure

@checked("b n")
def turn(q, width):
    return q + torch.zeros(width)

turn(torch.zeros(2, 8), 9)
"""


def test_what_a_library_raises_by_what_is_not_understood_ends_no_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    (site / "tinycheck").mkdir(parents=True)
    (site / "tinycheck" / "__init__.py").write_text(CHECKING)
    monkeypatch.setattr(sys, "path", [*sys.path, str(site)])
    libraries._library.cache_clear()
    root = tmp_path / "root"
    root.mkdir()
    measured = "\nmeasure(input())\ntorch.zeros(3) + torch.zeros(4)\n"
    for text, line, proved in ((USING, 7, True), (USING.replace("9)", "8)") + measured, 12, False)):
        (root / "net.py").write_text(text)
        _, tree = read_source(root / "net.py", root)
        (problem,) = explore(root, "net.py", tree, Versions()).problems.values()
        assert (problem.site.path, problem.site.line, problem.proved) == ("net.py", line, proved)
    libraries._library.cache_clear()


ROTATE = """
import torch

x = torch.zeros(2, 8, 31, 32, 2)
first, second = x.unbind(dim=-1)
torch.stack((-second, first), dim=-1).view(2, 8, 31, 64)
torch.unbind(x, -1)[0] + torch.zeros({})
"""


@pytest.mark.parametrize(("last", "fails"), [(32, False), (31, True)])
def test_unbind_takes_its_axis_by_name(tmp_path: Path, last: int, fails: bool) -> None:
    (tmp_path / "net.py").write_text(ROTATE.format(last))
    _, tree = read_source(tmp_path / "net.py", tmp_path)
    assert bool(explore(tmp_path, "net.py", tree, Versions()).problems) is fails


def test_a_folder_that_may_not_be_looked_at_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside a file in a folder of everybody stand what others closed, and sockets."""
    (tmp_path / "closed").mkdir()
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "net.py").write_text("")
    stat = Path.stat

    def refused(path: Path, **options: Any) -> os.stat_result:
        if path.name == "closed":
            raise PermissionError(13, "Permission denied")
        return stat(path, **options)

    monkeypatch.setattr(Path, "stat", refused)
    assert list(python_files(tmp_path)) == [tmp_path / "open" / "net.py"]


PART = """
import torch, torch.nn as nn

class Patches(nn.Module):
    def forward(self, x):
        return x @ torch.zeros(3, 3)
"""
WHOLE = """
import torch, torch.nn as nn
from patches.net import Patches

class Whole(nn.Module):
    def __init__(self, used):
        super().__init__()
        self.part = Patches() if used else nn.Identity()
    def forward(self, x):
        for i in range(45):
            for j in range(45):
                x = torch.cat([torch.relu(x), torch.zeros(2, 1)], 1)
        return self.part(x)
"""
PROGRAM = """
import torch
from patches.whole import Whole
print(Whole(used={})(torch.zeros(2, 4)))
"""


@pytest.mark.parametrize("used", [True, False])
def test_a_program_that_does_not_name_the_file_is_followed_if_it_comes_to_it(tmp_path: Path, used: bool) -> None:
    (tmp_path / "patches").mkdir()
    (tmp_path / "patches" / "whole.py").write_text(WHOLE)
    (tmp_path / "example.py").write_text(PROGRAM.format(used))
    (tmp_path / "patches" / "__init__.py").write_text("")
    (tmp_path / "patches" / "net.py").write_text(PART)
    _, tree = read_source(tmp_path / "patches" / "net.py", tmp_path)
    shared = explore(tmp_path, "patches/net.py", tree, Versions())
    assert [p.site.path for p in shared.problems.values()] == ["patches/net.py"] * used
    assert used or shared.steps < 2 * SEARCH_STEPS + CALLER_STEPS
    assert used or not any("budget" in note for note in shared.notes)


@pytest.mark.parametrize("used", [True, False])
def test_the_budget_of_tests_is_told_if_they_come_to_the_file(tmp_path: Path, used: bool) -> None:
    (tmp_path / "patches").mkdir()
    (tmp_path / "patches" / "whole.py").write_text(WHOLE)
    (tmp_path / "patches" / "__init__.py").write_text("")
    (tmp_path / "patches" / "net.py").write_text(PART)
    model = f"from patches.whole import Whole\ndef test_whole():\n    model = Whole({used})\n"
    rounds = (
        f"    for i in range(99):\n        for j in range({999 if used else 99}):\n            i * j + j * i + i - j\n"
    )
    call = "    model(torch.zeros(2, 4))\n"
    (tmp_path / "test_whole.py").write_text(f"import torch\n{model}{call if used else ''}{rounds}{call}")
    _, tree = read_source(tmp_path / "patches" / "net.py", tmp_path)
    shared = explore(tmp_path, "patches/net.py", tree, Versions())
    assert any("`test_whole`" in note for note in shared.notes) is used
