"""Pillow's pictures: the arrays and sizes that they have, held against Pillow, and the arrays that are none."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """import numpy as np
from PIL import Image, ImageEnhance, ImageOps
a = np.zeros((4, 5, 3), dtype=np.uint8)
p = Image.fromarray(a)
"""
PICTURES = [
    "p", "Image.fromarray(a[..., 0])", "Image.new('RGBA', (7, 6))", "p.convert('L')", "p.convert('RGBA')",
    "p.resize((8, 9))", "p.crop((1, 1, 3, 4))", "p.rotate(90)", "p.copy()", "p.transpose(Image.FLIP_LEFT_RIGHT)",
    "p.transpose(Image.Transpose.ROTATE_90)", "p.split()[1]", "ImageEnhance.Brightness(p).enhance(0.5)",
    "ImageOps.grayscale(p)", "ImageOps.mirror(p)", "Image.merge('RGB', p.split())", "Image.blend(p, p, 0.5)",
    "p.convert('F')", "p.convert('1')", "Image.fromarray(np.zeros((4, 5), dtype=np.float32))",
    "Image.fromarray(np.zeros((4, 5), dtype=bool)).convert('RGB')", "p.quantize(4)", "p.getchannel(0)",
]  # fmt: skip


@pytest.mark.parametrize("picture", PICTURES)
@pytest.mark.parametrize("wrong", [0, 1])
def test_an_array_of_a_picture(picture: str, wrong: int, tmp_path: Path) -> None:
    names: dict[str, np.ndarray] = {}
    exec(f"{HEAD}x = np.asarray({picture})\n", names)
    shape = tuple(names["x"].shape)
    text = f"{HEAD}x = np.asarray({picture})\nw, h = ({picture}).size\nnp.zeros((h, w)) + np.zeros({shape[:2]})\n"
    text += f"x + np.zeros({tuple(n + wrong for n in shape)})\n"
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert [p.site.line for p in shared.problems.values()] == [8] * wrong
    (found,) = next(tensors for (_, line, _), tensors in shared.assigned.items() if line == 5)[:1]
    assert found.dtype in (None, str(names["x"].dtype))


ARRAYS = ["(4, 5, 1), np.uint8", "(3, 4, 5), np.uint8", "(1, 4, 5, 3), np.uint8", "(4, 5, 3), np.float64"]


@pytest.mark.parametrize("given", ARRAYS)
def test_no_picture(given: str, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="Cannot handle this data type"):
        Image.fromarray(eval(f"np.zeros({given})", {"np": np}))
    text = f"import numpy as np\nfrom PIL import Image\nImage.fromarray(np.zeros({given}))\n"
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [(p.site.line, p.proved) for p in problems] == [(3, True)]


@pytest.mark.parametrize(
    "text",
    [
        "from somewhere import picture\nx = np.asarray(picture.convert('RGB'))\nx + np.zeros((3, 9))\n",
        "x = np.asarray(Image.open('a.png'))\nx.transpose(2, 0, 1)\nx + np.zeros((1, 7, 3))\n",
        "p.thumbnail((2, 2))\nnp.asarray(p) + np.zeros((2, 2, 3))\n",
        "p.putalpha(3)\nnp.asarray(p) + np.zeros((4, 5, 4))\n",
        "q = p.rotate(45, expand=True)\nnp.asarray(q) + np.zeros((9, 9, 3))\n",
        "assert isinstance(p, Image.Image)\nassert not isinstance(p, np.ndarray)\n",
        "if isinstance(p, np.ndarray):\n    np.zeros(3) + np.zeros(4)\n",
        "with Image.open('a.png') as q:\n    r, g, b = q.load()[0, 0]\n    q.convert('RGB').size[0] + 1\n",
        "Image.fromarray(np.zeros((2, 3, 3)).astype('uint8'), 'RGB').save('a.png')\n",
        "Image.fromarray(np.zeros((2, 3, 3)), 'RGB').save('a.png')\n",
    ],
)
def test_nothing_is_told(text: str, tmp_path: Path) -> None:
    assert not explore(tmp_path, "net.py", ast.parse(HEAD + text), Versions()).problems


@pytest.mark.parametrize("channels", [3, 1])
def test_a_picture_given_to_transforms(channels: int, tmp_path: Path) -> None:
    text = (
        "import torch\nfrom PIL import Image\nfrom torchvision import transforms as T\n"
        "step = T.Compose([T.Resize((8, 8)), T.ToTensor()])\n"
        f"torch.nn.Conv2d(3, 4, 3)(step(Image.open('a.png').convert({'RGB' if channels == 3 else 'L'!r}))[None])\n"
    )
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.site.line for p in problems] == ([] if channels == 3 else [5])
