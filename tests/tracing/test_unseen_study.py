"""Which failures of a changed program count as a defect in the study of published packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.published_drivers import Outcome, examples
from benchmarks.tracing_unseen import _copied, is_defect

INSIDE = (("package/net.py", 3),)


@pytest.mark.parametrize(
    ("error", "frames", "counts"),
    [
        ("RuntimeError: mat1 and mat2 shapes cannot be multiplied", INSIDE, True),
        ("ValueError: cannot import a picture of this shape", INSIDE, True),
        ("RuntimeError: mat1 and mat2 shapes cannot be multiplied", (), False),
        ("ImportError: cannot import name '_compiled' from partially initialized module 'package'", INSIDE, False),
        ("ModuleNotFoundError: No module named 'package._compiled'", INSIDE, False),
        ("TimeoutError", INSIDE, False),
        ("OutOfMemoryError: too much", INSIDE, False),
        (None, (), False),
    ],
)
def test_what_counts_as_a_defect(error: str | None, frames: tuple[tuple[str, int], ...], counts: bool) -> None:
    assert is_defect(Outcome(error, frames)) is counts


def test_a_copy_lacks_the_compiled_parts(tmp_path: Path) -> None:
    """Why an import may fail in a changed copy that went well before."""
    (tmp_path / "root").mkdir()
    for name in ("net.py", "_compiled.so"):
        (tmp_path / "root" / name).write_text("")
    with _copied(tmp_path / "root", "net.py", "x = 1\n") as copy:
        assert [p.name for p in copy.iterdir()] == ["net.py"]


def test_examples_lie_between_an_opening_fence_and_its_closing_one(tmp_path: Path) -> None:
    """What lies between two examples is text, also where the first of them is of another language."""
    blocks = (
        "```sh\npip install it\n```\n\n## Usage\n\n```python\nimport it\n```\n\nText.\n\n```\nimport it.more\n```\n"
    )
    (tmp_path / "README.md").write_text(blocks)
    assert list(examples(tmp_path)) == ["import it\n", "import it.more\n"]
