"""A loop over a progress bar is one over what the bar is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.tracing import trace

BARS = [
    "from tqdm import tqdm\nfor i in tqdm(range(3, 4)):", "from tqdm.autonotebook import tqdm\nfor i in tqdm([3]):",
    "from tqdm import tqdm_notebook as tqdm\nfor i in tqdm([3], total=1):",
    "from tqdm import trange\nfor i in trange(3, 4, desc='rounds'):",
    "import tqdm.auto\nfor i in tqdm.auto.trange(3, 4):",
    "from tqdm.contrib import tenumerate\nfor _, i in tenumerate([3]):",
    "from tqdm.contrib import tzip\nfor i, _ in tzip([3], [4]):",
    "from fastprogress import master_bar, progress_bar\nfor i in progress_bar([3], parent=master_bar([0])):",
    "from rich.progress import track\nfor i in track([3], description='rounds'):",
    "from alive_progress import alive_it\nfor i in alive_it([3]):",
]  # fmt: skip


@pytest.mark.parametrize("bar", BARS)
@pytest.mark.parametrize(("size", "fails"), [(2, True), (6, False)])
def test_what_a_bar_goes_through(tmp_path: Path, bar: str, size: int, fails: bool) -> None:
    (tmp_path / "net.py").write_text(f"import torch\n{bar}\n    torch.zeros({size}, 4).view(i, 8)\n")
    found = trace(tmp_path / "net.py", tmp_path, target="net.py").findings
    assert any(f.rule == "tracing/incompatible-shape" for f in found) is fails
