"""Files that a package keeps beside its modules are read where a module asks for them by its own place or name."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

WAYS = {
    "resources": """
from importlib.resources import files
conf = yaml.safe_load(files("pack").joinpath("data", "net.yaml").read_text(encoding="utf-8"))
""",
    "resources by a slash": """
from importlib import resources
conf = json.loads((resources.files("pack") / "data" / "net.json").read_text())
""",
    "resources as a file": """
from importlib import resources
with resources.as_file(resources.files("pack") / "data" / "net.json") as path:
    with open(path) as f:
        conf = json.load(f)
""",
    "read_text": """
from importlib import resources
conf = yaml.safe_load(resources.read_text("pack.data", "net.yaml"))
""",
    "a path": """
from pathlib import Path
with open(Path(__file__).parent / "data" / "net.yaml", "r") as f:
    conf = yaml.safe_load(f)
""",
    "opened": """
from pathlib import Path
with (Path(__file__).parent / "data" / "net.json").open() as f:
    conf = json.load(f)
""",
    "joined": """
import os
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "net.json")) as f:
    conf = json.load(f)
""",
    "the package's path": """
import os
from collections import OrderedDict
import pack
with open(os.path.join(pack.__path__[0], "data/net.json"), "r") as f:
    conf = json.load(f, object_pairs_hook=OrderedDict)
""",
}
USE = "\n\ndef width():\n    return conf['width']\n"


def certain(folder: Path, way: str, width: int, padding: int = 0) -> list[int]:
    (folder / "pack" / "data").mkdir(parents=True)
    for home in ("pack", "pack/data"):
        (folder / home / "__init__.py").write_text("")
    more = {f"key {i}": "text" for i in range(padding)}
    (folder / "pack" / "data" / "net.json").write_text(json.dumps({"width": width, **more}))
    (folder / "pack" / "data" / "net.yaml").write_text(
        f"width: {width}\n" + "".join(f"{k}: {v}\n" for k, v in more.items())
    )
    (folder / "pack" / "conf.py").write_text("import json\nimport yaml\n" + way + USE)
    text = "import torch\nfrom pack.conf import width\ntorch.zeros(2, width()) @ torch.zeros(3, 4)\n"
    (folder / "use.py").write_text(text)
    shared = explore(folder, "use.py", ast.parse(text), Versions())
    return [p.site.line for p in shared.problems.values() if p.level == "error" and p.certain]


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_they_are_read(tmp_path: Path, way: str) -> None:
    assert certain(tmp_path / "right", way, 3) == []
    assert certain(tmp_path / "wrong", way, 5) == [3]


def test_long_ones_too(tmp_path: Path) -> None:
    assert certain(tmp_path, WAYS["resources"], 5, 2000) == [3]


def test_what_the_program_writes_is_not_what_stands_there(tmp_path: Path) -> None:
    writing = 'from pathlib import Path\nopen(Path(__file__).parent / "data" / "net.json", "w").write("{}")\n'
    assert certain(tmp_path, writing + WAYS["joined"], 5) == []


def test_no_file_outside_is_read(tmp_path: Path) -> None:
    (tmp_path / "net.json").write_text('{"width": 5}')
    way = WAYS["opened"].replace('"data"', '".." / ".."')
    assert certain(tmp_path / "inside", way, 5) == []
