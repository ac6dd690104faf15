"""What a person reads of one thing stands once: in the real review, from the files to the comment."""

from __future__ import annotations

import hashlib

import pytest

from analyzer.running import local
from tests.action.harness import Workbench


@pytest.mark.parametrize("listed", [True, False])
def test_an_lfs_pointer_that_was_not_fetched(bench: Workbench, listed: bool) -> None:
    digest = hashlib.sha256(b"weights").hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 7\n"
    targets = "targets:\n  - {id: away, path: models/away.onnx}\n" if listed else ""
    bench.base = bench.commit(
        {".assay.yml": f"version: 1\n{targets}", "models/vae.onnx": None, "models/big.onnx": None}
    )
    bench.open_pull({"models/away.onnx": pointer})
    bench.analyse = local.review
    ran = bench.run()
    assert ran.code == 0, ran.log
    (summary,) = bench.simulator.state.issue_comments.values()
    assert "**⚠️ Assay: 1 of 1 changed model could not be analysed; nothing blocks**" in summary.body
    assert summary.body.count("is a Git LFS pointer") == 1
