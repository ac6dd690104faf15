"""einx by its patterns; the shapes are those that einx 0.4.3 gives."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.tracing import explore

HEAD = "import torch, einx\nz = torch.zeros\n"
SHAPES = {
    "einx.add('i, j -> i j', z(3), z(4))": (3, 4),
    "einx.multiply('b n d, b n', z(2, 3, 4), z(2, 3))": (2, 3, 4),
    "einx.multiply('b fb n, n fb', z(2, 3, 4), z(4, 3))": (2, 3, 4),
    "einx.where('b n, b n d, -> b n d', z(2, 3) > 0, z(2, 3, 4), 0.)": (2, 3, 4),
    "einx.where('..., ... l,', z(2) > 0, z(2, 3), 0.)": (2, 3),
    "einx.get_at('h [c] d, h b n -> h b n d', z(2, 5, 4), z(2, 3, 6).long())": (2, 3, 6, 4),
    "einx.mean('b [n] d', z(2, 3, 4))": (2, 4),
    "einx.sum('... c -> ...', z(2, 3, 4))": (2, 3),
    "einx.softmax('b [n]', z(2, 3))": (2, 3),
    "einx.less('j, i -> 1 i j', z(3), z(4))": (1, 4, 3),
    "einx.dot('... d, m d -> (...) m', z(2, 3, 4), z(5, 4))": (6, 5),
    "einx.add('... i, ... j -> ... (i j)', z(2, 3), z(2, 4))": (2, 12),
    "einx.divide('d b ..., d b -> (d b) ...', z(2, 3, 4), z(2, 3))": (6, 4),
}
REFUSED = (
    "einx.add('i, i -> i', z(3), z(4))",
    "einx.multiply('b n d, b n -> b n d', z(2, 3, 4), z(3, 2))",
    "einx.add('... i, ... j -> ... i j', z(2, 3), z(5, 4))",
    "einx.add('i, j -> i j k', z(3), z(4))",
    "einx.sum('b n -> b', z(2, 3, 4))",
)


def errors(source: str) -> list[Diagnostic]:
    found = explore(Path("/nonexistent"), "net.py", ast.parse(HEAD + source), Versions()).problems.values()
    return [p for p in found if p.level == "error"]


@pytest.mark.parametrize("call", SHAPES)
def test_a_pattern_gives_the_shape_that_einx_gives(call: str) -> None:
    shape = SHAPES[call]
    assert not errors(f"{call}.reshape(-1).view({shape})[{', '.join('0' * len(shape))}].float() + z(1)\n")
    wrong = (*shape[:-1], shape[-1] + 1)
    assert [p.proved for p in errors(f"torch.cat([{call}.float(), z({shape})]) + z({wrong})\n")] == [True]


@pytest.mark.parametrize("call", REFUSED)
def test_sizes_that_contradict_the_pattern_are_refused(call: str) -> None:
    assert [p.proved for p in errors(call)] == [True]
