from pathlib import Path

import pytest

from analyzer.walls import memory


@pytest.mark.parametrize(("limit", "free", "half"), [("1000\n", 300, 500), ("max\n", None, None)])
def test_memory_is_what_the_container_has(
    limit: str, free: int | None, half: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "limit").write_text(limit)
    (tmp_path / "used").write_text("700\n")
    before = memory.free_memory(), memory.half_of_memory()
    monkeypatch.setattr(memory, "LIMITED", ((str(tmp_path / "limit"), str(tmp_path / "used")),))
    assert (memory.free_memory() == free) if free is not None else memory.free_memory() > before[0] // 2 > 0
    assert memory.half_of_memory() == (half if half is not None else before[1]) > 0
