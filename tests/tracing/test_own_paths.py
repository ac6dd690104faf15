"""Files of the repository that a module finds beside itself: their sizes are known."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

ROWS = "".join(f"{i}.5 {i} 1\n" for i in range(7))
WAYS = {
    "a path": """
from pathlib import Path
_DATA = Path(__file__).resolve().parent / "data"
def load(name):
    return np.loadtxt(_DATA / f"{name}.txt")
""",
    "joined": """
import os
HERE = os.path.dirname(os.path.abspath(__file__))
def load(name):
    return np.loadtxt(os.path.join(HERE, "data", name + ".txt"))
""",
    "a text": """
import pathlib
FOLDER = pathlib.Path(__file__).parent.absolute()
def load(name):
    return np.genfromtxt(str(FOLDER.joinpath("data", f"{name}.txt")))
""",
    "from above": """
import os
def load(name):
    return np.loadtxt(os.path.join(os.path.dirname(__file__), "..", "pack", "data", f"{name}.txt"), ndmin=2)
""",
}


def told(folder: Path, way: str, use: str) -> list[tuple[str, bool, int]]:
    (folder / "pack" / "data").mkdir(parents=True)
    (folder / "pack" / "data" / "fish.txt").write_text("# x y z\n" + ROWS)
    (folder / "pack" / "__init__.py").write_text("")
    (folder / "pack" / "sets.py").write_text("import numpy as np\n" + way)
    text = f"import torch\nfrom pack.sets import load\nx = load('fish')\n{use}\n"
    (folder / "use.py").write_text(text)
    shared = explore(folder, "use.py", ast.parse(text), Versions())
    return [(p.level, p.certain, p.site.line) for p in shared.problems.values() if p.level == "error"]


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_table_beside_the_module_has_its_size(tmp_path: Path, way: str) -> None:
    assert told(tmp_path, way, "x.mean(axis=-3)") == [("error", True, 4)]


@pytest.mark.parametrize("use", ["x @ torch.zeros(4, 2).numpy()", "torch.from_numpy(x).view(3, 8)", "x.max(axis=2)"])
def test_its_sizes_are_held_against_operators(tmp_path: Path, use: str) -> None:
    assert told(tmp_path, WAYS["a path"], use) == [("error", True, 4)]


@pytest.mark.parametrize("use", ["x @ torch.zeros(3, 2).numpy()", "torch.from_numpy(x).view(3, 7)", "x.max(axis=1)"])
def test_fitting_uses_are_silent(tmp_path: Path, use: str) -> None:
    assert not told(tmp_path, WAYS["a path"], use)


@pytest.mark.parametrize(
    "way",
    [
        WAYS["a path"].replace("_DATA /", "_DATA.parent.parent.parent /"),  # outside the repository
        WAYS["a path"].replace('f"{name}.txt"', "'absent.txt'"),
        WAYS["a path"].replace('.txt")', '.txt", converters=str)'),  # by a function of the program
        WAYS["a path"].replace('_DATA / f"{name}.txt"', "str(_DATA) + 'x'"),
        "def load(name):\n    return np.loadtxt('elsewhere/' + name)\n",
        WAYS["a path"].replace("return", "np.savetxt(_DATA / 'fish.txt', make())\n    return"),
    ],
)
def test_what_is_not_known_to_be_there_is_any_array(tmp_path: Path, way: str) -> None:
    assert not told(tmp_path, way, "x.mean(axis=-3)")


def test_the_arguments_of_the_reader_count(tmp_path: Path) -> None:
    few = WAYS["a path"].replace('.txt")', '.txt", usecols=(0, 2), skiprows=3, unpack=True)')
    assert told(tmp_path / "a", few, "x @ torch.zeros(5, 2).numpy()") == []
    assert told(tmp_path / "b", few, "x @ torch.zeros(7, 2).numpy()") == [("error", True, 4)]


QUESTIONS = {
    "os.path.exists(os.path.join(HERE, 'data'))": True,
    "os.path.isdir(os.path.join(HERE, '..', 'pack', 'data'))": True,
    "os.path.isfile(os.path.join(HERE, 'data', 'fish.txt'))": True,
    "(Path(__file__).parent / 'data').is_dir()": True,
    "(Path(__file__).parent / 'data' / 'fish.txt').exists()": True,
    "Path(__file__).resolve().parent.joinpath('data', 'fish.txt').is_file()": True,
    "os.path.exists(os.path.join(HERE, 'fetched'))": False,
    "(Path(__file__).parent / 'data' / 'bird.txt').exists()": False,
    "os.path.isfile(os.path.join(HERE, 'data'))": False,
}


@pytest.mark.parametrize(("question", "known"), QUESTIONS.items())
def test_what_stands_in_the_repository_is_there(tmp_path: Path, question: str, known: bool) -> None:
    """What does not may be there when the program runs: no error behind either answer is proved."""
    head = "import os\nfrom pathlib import Path\nHERE = os.path.dirname(__file__)\n"
    way = f"{head}def load(name):\n    return {question}\n"
    use = "if not x:\n    torch.zeros(2) + torch.zeros(3)\ntorch.zeros(2) + torch.zeros(5)"
    assert sorted(told(tmp_path, way, use)) == [*([("error", False, 5)] * (not known)), ("error", known, 6)]
