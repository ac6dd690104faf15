"""What is no tensor where tensors stand as well: texts in arrays, None through a layer that keeps what it is given."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

SILENT = [
    "for s in np.array(pd.DataFrame({'a': ['x|y', 'z']})['a']).ravel():\n    s.split('|')[0].upper()\n",
    "def words(x):\n    return [w for s in np.array(x) for w in s.split('|')]\nwords(pd.Series(['x|y', 'z']))\n",
    "x = torch.nn.Identity()(None)\nassert x is None\nif x is not None:\n    torch.zeros(3) + torch.zeros(4)\n",
    "x = torch.nn.Identity(5, unused=True)(torch.zeros(3))\nassert x is not None\nx + torch.zeros(3)\n",
]
HEAD = "import numpy as np\nimport pandas as pd\nimport torch\n"


@pytest.mark.parametrize("text", SILENT)
def test_nothing_is_told(text: str, tmp_path: Path) -> None:
    assert not explore(tmp_path, "net.py", ast.parse(HEAD + text), Versions()).problems


def test_what_an_identity_gives_is_what_it_takes(tmp_path: Path) -> None:
    text = HEAD + "x = torch.nn.Identity()(torch.zeros(3))\nx + torch.zeros(4)\n"
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [(p.site.line, p.proved) for p in problems] == [(5, True)]
