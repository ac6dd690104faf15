"""Element types of `torch.einsum`: matrix products take one, products of elements several, as torch has it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from analyzer.tracing.tracing import trace

EQUATIONS = (
    "i,j->ij i,i->i i,i-> ij,jk->ik ij,kj->ik i,ij->ij i,ij->j ij,ij->i ij,k->ijk ij,k->ik ij,k->k i,j->j i,j "
    "ij,jk i,i i,j,k->ijk i,ij,k->ijk ij,j->ij bi,bj->bij ...i,...j->...ij"
)


@pytest.mark.parametrize("whole", ["first", "last", "none"])
@pytest.mark.parametrize("equation", EQUATIONS.split())
def test_what_torch_refuses_is_refused(equation: str, whole: str, tmp_path: Path) -> None:
    terms = equation.partition("->")[0].replace("...", "").split(",")
    sizes = [", ".join("2" for _ in term) for term in terms]
    chosen = {"first": 0, "last": len(terms) - 1, "none": -1}[whole]
    made = [f"torch.ones({s}{', dtype=torch.int64' if n == chosen else ''})" for n, s in enumerate(sizes)]
    text = f"import torch\ny = torch.einsum({equation!r}, {', '.join(made)})\n"
    try:
        exec(text, {})
        refused = False
    except RuntimeError:
        refused = True
    (tmp_path / "program.py").write_text(text)
    found = [f for f in trace(tmp_path / "program.py", tmp_path, target="t").findings if f.level.value == "error"]
    assert bool(found) is refused, (equation, made, found)
    assert torch.einsum("i,j->ij", torch.arange(2), torch.ones(2)).dtype is torch.float32
