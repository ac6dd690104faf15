from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.action.harness import Workbench
from tests.github_simulator import Simulator


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with Simulator() as made:
        yield made
        assert made.violations == [], "a request broke GitHub's published description"


@pytest.fixture
def bench(tmp_path: Path, simulator: Simulator) -> Workbench:
    return Workbench(tmp_path, simulator)
