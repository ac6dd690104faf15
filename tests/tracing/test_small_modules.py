"""Small modules in styles that programs have, each with one defect and its repair: PyTorch says which of them run."""

from __future__ import annotations

import ast
import traceback
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

MODULES = Path(__file__).parent / "small_modules" / "torch_modules.txt"
HEAD = "import torch\nimport torch.nn.functional as F\nfrom einops import rearrange\nfrom torch import nn\n\n\n"
# Found without the program that calls them; the others fail for some sizes alone, or need what the call tells.
ALONE = frozenset((
    "vit-patches", "vit-positions", "unet-skip", "q-learning-step", "mel-front-end", "detection-head",
    "custom-gradient", "residual-stride", "squeeze-excite", "gated-tower", "axial-shift", "contrastive",
    "policy-network", "tcn", "spatial-transformer", "film",
))  # fmt: skip


def cases() -> list[tuple[str, str, str, str, str]]:
    """(name, text with a gap, what repairs it, what breaks it, the call)."""
    found = []
    for part in MODULES.read_text(encoding="utf-8").split("=== ")[1:]:
        first, _, rest = part.partition("\n")
        name, good, bad = first.split(" | ")
        body, _, call = rest.rpartition("--- ")
        found.append((name, body, good, bad, call.strip()))
    return found


CASES = pytest.mark.parametrize(("name", "body", "good", "bad", "call"), [pytest.param(*c, id=c[0]) for c in cases()])


def lines(tmp_path: Path, text: str) -> set[int]:
    problems = explore(tmp_path, "program.py", ast.parse(HEAD + text), Versions()).problems.values()
    return {p.site.line for p in problems if p.level != "note"}


def failing_line(text: str) -> int | None:
    """Where PyTorch fails."""
    try:
        exec(compile(HEAD + text, "program.py", "exec"), {"__name__": "__main__"})
    except (RuntimeError, IndexError, ValueError) as error:
        frames = traceback.extract_tb(error.__traceback__)
        return next(f.lineno for f in reversed(frames) if f.filename == "program.py")
    return None


def _made_at(body: str, bad: str) -> set[int]:
    """Lines of functions that make the layers: where those are called, no line of the program is."""
    tree = ast.parse(HEAD + body.replace("§", bad))
    return {
        n.lineno for f in tree.body if isinstance(f, ast.FunctionDef) for n in ast.walk(f) if isinstance(n, ast.Return)
    }


@CASES
def test_the_defect_is_told_on_the_line_where_pytorch_fails(
    name: str, body: str, good: str, bad: str, call: str, tmp_path: Path
) -> None:
    text = f"{body.replace('§', bad)}\n{call}\n"
    line = failing_line(text)
    assert line is not None
    gap = next(n for n, t in enumerate((HEAD + body).splitlines(), start=1) if "§" in t)
    meant = {line, gap, *_made_at(body, bad)}
    assert meant & lines(tmp_path, text)
    assert bool(meant & lines(tmp_path, body.replace("§", bad))) is (name in ALONE)


@CASES
def test_the_repaired_one_is_clean(name: str, body: str, good: str, bad: str, call: str, tmp_path: Path) -> None:
    text = f"{body.replace('§', good)}\n{call}\n"
    assert failing_line(text) is None
    assert lines(tmp_path, text) == set()
    assert lines(tmp_path, body.replace("§", good)) == set()


def test_correct_modules_are_clean(tmp_path: Path) -> None:
    """Their inputs have a rank that no line tells, or are no tensors."""
    text = (MODULES.parent / "correct_modules.txt").read_text(encoding="utf-8")
    problems = explore(tmp_path, "program.py", ast.parse(text), Versions()).problems.values()
    assert [(p.site.line, p.message) for p in problems if p.level != "note"] == []
