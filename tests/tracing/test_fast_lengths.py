"""SciPy's fast lengths of transforms are the numbers that it gives."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = "import scipy.fft\nimport torch\nfrom scipy.fftpack import next_fast_len\nx = torch.zeros(3, 40)\n"


@pytest.mark.parametrize(
    ("call", "wanted"),
    [("next_fast_len(97)", 100), ("next_fast_len(x.shape[1] + 9)", 50), ("next_fast_len(1)", 1),
     ("scipy.fft.next_fast_len(97)", 98), ("scipy.fft.next_fast_len(97, True)", 100),
     ("scipy.fft.next_fast_len(13, real=False)", 14), ("scipy.fft.next_fast_len(target=7, real=True)", 8)],
)  # fmt: skip
def test_the_next_length(tmp_path: Path, call: str, wanted: int) -> None:
    real = pytest.importorskip("scipy")
    names = {"scipy": real, "next_fast_len": pytest.importorskip("scipy.fftpack").next_fast_len}
    assert eval(call.replace("x.shape[1]", "40"), names) == wanted
    for size, errors in ((wanted, 0), (wanted + 1, 1)):
        text = f"{HEAD}torch.fft.fft(x, n={call}) + torch.zeros(3, {size})\n"
        shared = explore(tmp_path, "use.py", ast.parse(text), Versions())
        found = [p for p in shared.problems.values() if p.level == "error" and p.certain]
        assert len(found) == (errors if wanted > 1 else 0)
