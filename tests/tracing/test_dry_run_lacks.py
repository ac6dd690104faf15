"""What a machine lacks, and what is wrong with a program: told by the exception that a script ended with."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from textwrap import dedent

import pytest

from analyzer.tracing.inside.lacks import lack
from analyzer.tracing.inside.loops import compiled


def told(folder: Path, source: str, *, nothing_left_out: bool = False) -> str | None:
    script = folder / "train.py"
    script.write_text(dedent(source))
    try:
        exec(compile(dedent(source), str(script), "exec"), {"__name__": "__main__"})
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        own = [f for f in frames if f.filename == str(script)]
        return lack(error, own, frames[-1], nothing_left_out=nothing_left_out)
    raise AssertionError("it does not fail")


@pytest.mark.parametrize(
    "source",
    [
        """
        import numpy as np
        def net(x, size=3):
            rows, columns = x.shape
            if (
                columns != size
            ):
                raise ValueError(
                    "wrong"
                )
        net(np.zeros((2, 4)))
        """,
        """
        class Net:
            def __init__(self, dim, heads, head):
                self.dim, self.heads, self.head = dim, heads, head
                assert self.heads * self.head == self.dim, "wrong"
        Net(64, 5, 8)
        """,
        """
        import numpy as np
        try:
            np.zeros((2, 3)) @ np.zeros((4, 5))
        except ValueError as error:
            raise RuntimeError("the network fails") from error
        """,
    ],
)
def test_a_refusal_of_sizes_is_a_program_s_own_failure(tmp_path: Path, source: str) -> None:
    assert told(tmp_path, source) is None


@pytest.mark.parametrize(
    "source",
    [
        "files = []\nif len(files) == 0:\n    raise ValueError('no data')",
        "name = 'x'\nif name != 'y':\n    raise ValueError('unknown data set')",
        "gpus = 0\nassert gpus > 0, 'needs a processor of another kind'",
        "def f(a):\n    raise NotImplementedError\nf(3)",
        "try:\n    open('/nowhere/data.csv')\nexcept OSError:\n    raise RuntimeError('download it')",
        "ready, asked = True, False\nassert ready == asked",
    ],
)
def test_a_refusal_of_anything_else_is_none(tmp_path: Path, source: str) -> None:
    assert "it refuses to go on by itself" in (told(tmp_path, source) or "")


RESULTS = [
    "import numpy as np\nweights = int(np.zeros((3, 4)).size)\nassert weights == 13",
    "import numpy as np\ndef test():\n    for net in [np.ones]:\n        count = net(3).sum()\n"
    "        assert net != np.ones or count == 4\ntest()",
    "import numpy as np\ndef close(a, b):\n    assert np.allclose(a, b)\nclose(np.ones(3), np.zeros(3))",
    "import numpy as np\ndef other(rows, count=3):\n    net = rows\n    count = net\ndef test():\n"
    "    net = np.ones(3)\n    count = net.sum()\n    assert count == 4\ntest()",
    "import math\nops = [hex(math.floor(x)) for x in (1.5, 2.5)]\nassert ops == ['0x1', '0x3'], 'another graph'",
]
MACHINES = [
    "gpus = 0\nassert gpus > 0, 'needs a processor of another kind'",
    "import os\ncount = len(os.listdir('.'))\nassert count == -1",
    "import sys\nassert len(sys.argv) == -1",
    "import glob\nfound = sorted(glob.glob('*.png'))\nrows = len(found)\nassert rows > 10 ** 6",
    "import argparse\nargs = argparse.Namespace(size=3)\nwidth = abs(args.size)\nassert width == 4",
    "import time\nstart = time.monotonic()\nassert time.monotonic() - start < 0",
    "def f(rows):\n    assert rows > 10\nf(3)",
    "def load_rows():\n    return 0\nrows = load_rows()\nassert rows > 0",
    "import math\nkind = math.__name__\nassert kind == 'cmath'",
    "import math\ndef f(x):\n    if math.floor(x) == 1:\n        raise ValueError('no')\nf(1.5)",
]


@pytest.mark.parametrize("source", RESULTS)
def test_an_assertion_about_results_counts_where_nothing_was_left_out(tmp_path: Path, source: str) -> None:
    assert told(tmp_path, source, nothing_left_out=True) is None
    assert "it refuses to go on by itself" in (told(tmp_path, source) or "")


@pytest.mark.parametrize("source", MACHINES)
def test_an_assertion_about_the_machine_never_counts(tmp_path: Path, source: str) -> None:
    assert "it refuses to go on by itself" in (told(tmp_path, source, nothing_left_out=True) or "")


def test_what_a_library_stumbles_over_counts_where_nothing_was_left_out(tmp_path: Path) -> None:
    source = "import json\njson.JSONEncoder.iterencode(None, 3)"
    assert "without what was left out" in (told(tmp_path, source) or "")
    assert told(tmp_path, source, nothing_left_out=True) is None


@pytest.mark.parametrize(
    ("text", "device"),
    [
        ("Torch not compiled with CUDA enabled", True),
        ("needs a GPU", True),
        ("the relationship of 3 and 4 is wrong", False),
        ("torch.cuda.FloatTensor", True),
    ],
)
def test_devices_are_words(tmp_path: Path, text: str, device: bool) -> None:
    source = f"def f():\n    yield\ng = f()\nnext(g)\ng.throw(RuntimeError({text!r}))"
    found = told(tmp_path, source)
    assert ("a device" in (found or "")) is device


def test_a_folder_that_cannot_be_written_is_no_defect(tmp_path: Path) -> None:
    source = "def f():\n    yield\ng = f()\nnext(g)\ng.throw(RuntimeError('open file failed: Permission denied'))"
    assert "a file or the network" in (told(tmp_path, source) or "")


def test_an_environment_variable_that_nobody_set_is_no_defect(tmp_path: Path) -> None:
    assert told(tmp_path, "import os\nos.environ['NOBODY_SETS_ME']") == "the environment variable 'NOBODY_SETS_ME'"


def test_what_a_compiler_would_read_keeps_its_loops(tmp_path: Path) -> None:
    source = "@{}\ndef f(rows):\n    for row in rows:\n        print(row)\n"
    plain = compiled(source.format("torch.no_grad()").encode(), "net.py")
    kept = compiled(source.format("numba.njit").encode(), "net.py")
    functions = [[c for c in code.co_consts if hasattr(c, "co_names")] for code in (plain, kept)]
    assert ["__assay_few__" in found[0].co_names for found in functions] == [True, False]


def test_an_error_about_what_replaces_loops_is_no_defect(tmp_path: Path) -> None:
    source = "def f():\n    yield\ng = f()\nnext(g)\ng.throw(RuntimeError('Untyped global name __assay_few__'))"
    assert "left out" in (told(tmp_path, source) or "")


@pytest.mark.parametrize(
    ("library", "line", "lacking"),
    [
        ("raise RuntimeError('its operators are not here')", "import broken_library", True),
        ("def load():\n    try:\n        import absent_library\n    except ImportError as e:\n"
         "        raise RuntimeError('cannot load') from e", "from broken_library import load; load()", True),
        ("def load():\n    try:\n        import absent_library\n    except ImportError:\n"
         "        raise RuntimeError('sizes 3 and 4 differ')", "import broken_library\nbroken_library.load()", False),
    ],
)  # fmt: skip
def test_a_library_that_cannot_be_imported_is_no_mistake_of_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str, line: str, lacking: bool
) -> None:
    (tmp_path / "broken_library.py").write_text(library)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "broken_library", raising=False)
    assert (told(tmp_path, line, nothing_left_out=True) is not None) == lacking
