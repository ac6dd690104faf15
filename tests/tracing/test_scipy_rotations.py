"""SciPy's rotations: shapes of what they give, and parts that they refuse; enumerations called with a member."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

CALLS = [
    "Rotation.from_quat(np.ones((5, 4))).as_matrix()", "Rotation.from_quat(np.ones(4)).as_matrix()",
    "Rotation.from_matrix(np.stack([np.eye(3)] * 2)).as_quat()", "Rotation.from_rotvec(np.ones(3)).as_euler('zyx')",
    "Rotation.from_euler('zyx', np.ones((5, 3))).as_rotvec()", "Rotation.from_euler('zyx', np.ones(3)).as_mrp()",
    "Rotation.random(4).apply(np.ones(3))", "Rotation.random(4).apply(np.ones((4, 3)))",
    "Rotation.random(4).apply(np.ones((1, 3)))", "Rotation.identity(1).apply(np.ones((5, 3)))",
    "Rotation.random().inv().apply(np.ones((5, 3)))", "Rotation.random(4).magnitude()",
]  # fmt: skip
REFUSED = [
    "Rotation.from_quat(np.ones((5, 3)))", "Rotation.from_matrix(np.ones((3, 4)))",
    "Rotation.from_euler('zyx', np.ones((5, 2)))", "Rotation.random(4).apply(np.ones((5, 3)))",
    "Rotation.random().apply(np.ones(4))", "Rotation.from_matrix(np.ones(3))",
]  # fmt: skip
HEAD = "import numpy as np\nfrom scipy.spatial.transform import Rotation\n"
MEMBER = """
import torch
from enum import Enum

class Kind(str, Enum):
    ROWS = "rows"
    COLUMNS = "columns"

SIZES = {{Kind.ROWS: 3, Kind.COLUMNS: 4}}

def made(kind):
    return torch.zeros(SIZES.get(Kind(kind)))

made({kind}).view(3)
"""


def errors(tmp_path: Path, program: str) -> list[int]:
    (tmp_path / "run.py").write_text(program)
    found = explore(tmp_path, "run.py", ast.parse(program), Versions()).problems.values()
    return [p.site.line for p in found if p.level == "error"]


@pytest.mark.parametrize("call", CALLS)
def test_shapes_are_those_of_scipy(call: str, tmp_path: Path) -> None:
    size = np.asarray(eval(call, {"np": np, "Rotation": Rotation})).size
    assert errors(tmp_path, f"{HEAD}({call}).reshape({size})\n") == []
    assert errors(tmp_path, f"{HEAD}({call}).reshape({size + 1})\n") == [3]


@pytest.mark.parametrize("call", REFUSED)
def test_what_scipy_refuses(call: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"shape|broadcast|dimension"):
        eval(call, {"np": np, "Rotation": Rotation})
    assert errors(tmp_path, f"{HEAD}{call}\n") == [3]


@pytest.mark.parametrize("kind", ["Kind.ROWS", "'rows'", "Kind(Kind.ROWS)"])
def test_an_enumeration_gives_a_member_for_itself(kind: str, tmp_path: Path) -> None:
    assert errors(tmp_path, MEMBER.format(kind=kind)) == []
    assert errors(tmp_path, MEMBER.format(kind=kind.replace("ROWS", "COLUMNS").replace("rows", "columns"))) == [14]
