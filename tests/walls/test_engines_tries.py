"""An image with the engines that cannot be had is tried again once, not once a target."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from analyzer.problem import TargetProblem
from analyzer.walls import engines
from analyzer.walls.engines import EnginesImage


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was built, where nothing is at hand; ``break`` in it breaks the next build off."""
    made: list[str] = []

    def build(_self: EnginesImage, _client: object) -> str:
        made.append("built")
        if made[0] == "break":
            made.pop(0)
            raise TargetProblem("the network is gone")
        return "assay/engines"

    monkeypatch.setattr(engines, "connect", io.BytesIO)
    monkeypatch.setattr(EnginesImage, "at_hand", lambda self: self._found)
    monkeypatch.setattr(EnginesImage, "_built", build)
    return made


def test_a_build_that_fails_is_not_repeated_for_each_target(tried: list[str], tmp_path: Path) -> None:
    tried[:] = ["break"] * 5
    image = EnginesImage({}, requirements=tmp_path)
    for _target in range(5):
        with pytest.raises(TargetProblem, match="the network is gone"):
            image.name()
    assert tried.count("built") == engines.TRIES


def test_one_that_broke_off_is_made_by_the_next_target(tried: list[str], tmp_path: Path) -> None:
    tried[:] = ["break"]
    image = EnginesImage({}, requirements=tmp_path)
    with pytest.raises(TargetProblem):
        image.name()
    assert image.name() == image.name() == "assay/engines"
    assert tried.count("built") == 2
