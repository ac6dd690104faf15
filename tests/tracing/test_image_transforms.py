"""torchvision's transforms take one image, or batches of them with any axes in front."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.tracing import explore

HEAD = """import torch, torch.nn as nn
from torchvision import transforms as T
crop = T.RandomResizedCrop((8, 8), scale=(0.1, 1.0))
both = nn.Sequential(T.ColorJitter(0.8), T.Normalize((0.5,), (0.5,)), T.CenterCrop(8))
"""


def errors(folder: Path, text: str) -> list[Diagnostic]:
    found = explore(folder, "net.py", ast.parse(HEAD + text), Versions()).problems.values()
    return [p for p in found if p.level in ("error", "warning")]


@pytest.mark.parametrize("use", ["crop(x)", "both(x)", "T.Compose([crop, T.RandomHorizontalFlip()])(x)"])
@pytest.mark.parametrize(("shape", "rows"), [("3, 20, 30", 24), ("5, 3, 20, 30", 120), ("2, 5, 3, 20, 30", 240)])
def test_axes_in_front_are_kept(tmp_path: Path, use: str, shape: str, rows: int) -> None:
    for wrong in (0, 1):
        text = f"x = torch.rand({shape})\ny = {use}\ny.reshape({rows + wrong}, 8)\n"
        assert [p.site.line for p in errors(tmp_path, text)] == [7] * wrong


def test_what_nobody_knows_may_be_a_batch(tmp_path: Path) -> None:
    assert not errors(tmp_path, "from elsewhere import images\nnn.Conv2d(3, 4, 3)(crop(images())).flatten(2, 3)\n")


def test_what_is_made_a_tensor_is_one_image(tmp_path: Path) -> None:
    text = (
        "from PIL import Image\nstep = T.Compose([crop, T.ToTensor()])\n"
        "x = step(Image.open('a.png').convert('RGB'))\nx.reshape({}, 8)\n"
    )
    assert [p.site.line for p in errors(tmp_path, text.format(25))] == [8]
    assert not errors(tmp_path, text.format(24))
