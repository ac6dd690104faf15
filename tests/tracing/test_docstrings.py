"""Docstrings that name shapes, and configurations with defaults: what they assume, and what they are held to."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.contracts.docstrings import shapes_in
from analyzer.tracing.paths.problems import DOCUMENTED_CALL, Diagnostic
from analyzer.tracing.tracing import explore


def problems_of(folder: Path, source: str) -> list[Diagnostic]:
    (folder / "net.py").write_text(source)
    return list(explore(folder, "net.py", ast.parse(source), Versions()).problems.values())


@pytest.mark.parametrize(
    ("docstring", "shapes"),
    [
        ("A layer.\n\nShape:\n    - Input: (N, C, H, W)\n    - Output: (N, D)\n",
         {"input": "(N, C, H, W)", "return": "(N, D)"}),
        ("Shape:\n    - Input: :math:`(N, C_{in}, L)` where :math:`N` is the batch\n    - Output: :math:`(N, *)`\n",
         {"input": "(N, C_in, L)", "return": "(N, *)"}),
        ("Shape:\n    - Input: (N, C, H, W) or (C, H, W)\n    - Output: same as the input\n", {}),
        ("Joins.\n\nArgs:\n    x (Tensor): features of shape (B, T, 8)\n    mask (Tensor): shape [B, T]\n\n"
         "Returns:\n    Tensor: of shape `(B, 8)`\n", {"x": "(B, T, 8)", "mask": "[B, T]", "return": "(B, 8)"}),
        ("Args\n----\nwavs : Tensor, shape (B, T)\n    Signals.\nlengths : list\n    Of shape (B, 2) if any.\n\n"
         "Returns\n-------\nout : torch.Tensor\n    Features, shape (B, T, 4).\n",
         {"wavs": "(B, T)", "return": "(B, T, 4)"}),
        ("Arguments\n---------\nx : int, shape of (3, 4) or (4, 5)\n", {}),
        ("The shape (3, 4) is not in a section.", {}),
        ("Weights.\n\n:param batch: [batch size, number of clusters] Tensor of dtype float\n"
         ":param int steps: how many (at most, 3)\n:return: FloatTensor of [batch size, 4]\n",
         {"batch": "[batch size, number of clusters]", "return": "[batch size, 4]"}),
        ("Pads.\n\ngrid: torch.Tensor\n    `(..., w)` array of values.\n\nReturns\n-------\npadded: torch.Tensor\n"
         "    `(..., w + 2)` padded array.\n", {"grid": "(..., w)"}),
        ("Parameters\n----------\nu: torch.Tensor\n    `(b, 2)` values in the range `[0, 1]`.\nk: Tensor\n"
         "    At most (3, 4) of it.\nn: int\n    (1, 2) or so.\n", {"u": "(b, 2)"}),
        ("x: (N, D) → gives (P, N, D)\nsize: (H, W)\n", {"x": "(N, D)"}),
        ("Args:\n    x: (B, width, T)\n    kernel: (height, width)\n    padding: (int, int, int)\n",
         {"x": "(B, width, T)"}),
        ("Eigenvalues of a matrix whose blocks have shape [1 1 H W].\n\nReturns a tensor of shape [1 2 H W].\n",
         {"every": "[1 1 H W]"}),
        ("Args:\n    low: limits, a tensor of shape [batch, n]\n    high: Same shape and dtype as `low`.\n",
         {"low": "[batch, n]", "high": "[batch, n]"}),
        ("Saves.\n\nArgs:\n    images (List[torch.ByteTensor[3, H, W]]): list of images (each a\n"
         "        torch.ByteTensor of shape(3, H, W)).\n    rows: tuple of tensors, shape (3, H)\n"
         "    words: input sequence of shape (B, T)\n", {"words": "(B, T)"}),
    ],
)  # fmt: skip
def test_the_forms_in_which_shapes_are_written(docstring: str, shapes: dict[str, str]) -> None:
    assert {name: declared.text for name, declared in shapes_in(docstring).items()} == shapes


LAYER = '''import torch
from torch import nn

class Pool(nn.Module):
    """Means over time.

    Shape:
        - Input: {given}
        - Output: (B, 4)
    """
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, {out})
    def forward(self, x):
        return self.out(x.mean(1))
'''


def test_a_documented_argument_finds_what_symbols_do_not(tmp_path: Path) -> None:
    (found,) = (p for p in problems_of(tmp_path, LAYER.format(given="(B, T, 7)", out=4)) if p.level == "error")
    assert (found.site.line, found.tier, found.certain) == (15, DOCUMENTED_CALL, False)
    assert not problems_of(tmp_path, LAYER.format(given="(B, T, 8)", out=4))


def test_a_result_that_is_not_the_documented_one_is_advice(tmp_path: Path) -> None:
    (found,) = problems_of(tmp_path, LAYER.format(given="(B, T, 8)", out=5))
    assert (found.rule, found.level, found.site.line) == ("tracing/shape-comment", "note", 9)
    assert "(B, 4) for the result, but `4` is 5" in found.message


def test_an_argument_that_is_not_the_documented_one_is_advice(tmp_path: Path) -> None:
    call = "print(Pool()(torch.zeros(2, 3, {}, 8)))\n"
    source = LAYER.format(given="(B, T, 8)", out=4).replace("- Output: (B, 4)", "") + call.format(5)
    (found,) = problems_of(tmp_path, source)
    assert (found.rule, found.level, found.site.line) == ("tracing/shape-comment", "note", 8)
    assert "for `x`, but it has 4 dimensions" in found.message


WEIGHTS = '''import torch
def weights(batch: torch.Tensor) -> torch.Tensor:
    """Weights of clusters.

    :param batch: [{}] tensor of frequencies
    """
    weight = batch ** 2 / torch.sum(batch, {})
    return (weight.t() / torch.sum(weight, {})).t()
'''


@pytest.mark.parametrize(
    ("axes", "first", "second", "found"),
    [
        ("batch size, clusters", 1, 1, [7]),  # the batch would have to be as large as there are clusters
        ("batch size, clusters", 0, 2, [8]),
        ("batch size, clusters", 0, 1, []),
        ("height, width", 1, 1, []),  # an image may well be a square
        ("n, n", 1, 1, []),
    ],
)
def test_sizes_that_a_docstring_tells_apart(
    axes: str, first: int, second: int, found: list[int], tmp_path: Path
) -> None:
    problems = [p for p in problems_of(tmp_path, WEIGHTS.format(axes, first, second)) if p.level != "note"]
    assert [(p.site.line, p.tier, p.certain) for p in problems] == [(n, DOCUMENTED_CALL, False) for n in found]


CENTERS = '''import torch
from torch import nn

class Centers(nn.Module):
    def __init__(self, clusters: int, width: int):
        super().__init__()
        self.centers = nn.Parameter(torch.zeros(clusters, width{}))
    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        """:param batch: FloatTensor of [batch size, width]"""
        return (batch.unsqueeze({}) - self.centers).pow(2).sum(2)
'''


@pytest.mark.parametrize(("more", "axis", "told"), [("", 0, 1), (" + 1", 1, 1), (" * 2", 1, 1), ("", 1, 0)])
def test_a_size_of_the_constructor_that_the_docstring_names(more: str, axis: int, told: int, tmp_path: Path) -> None:
    problems = [p for p in problems_of(tmp_path, CENTERS.format(more, axis)) if p.level != "note"]
    assert [p.site.line for p in problems] == [10] * told
    assert not any(p.proved for p in problems)


USED = '''import torch
def both(a: torch.Tensor) -> torch.Tensor:
    return roots(*a.split(1, dim=1))

def roots(ii: torch.Tensor, jj: torch.Tensor) -> torch.Tensor:
    """Roots of a matrix whose blocks have shape [1 1 H W]."""
    return (ii + jj) / torch.concat([-ii, jj], dim={})
'''


@pytest.mark.parametrize(("axis", "found"), [(1, []), (2, [7])])
def test_a_function_that_another_has_called_blindly_is_looked_at_too(
    axis: int, found: list[int], tmp_path: Path
) -> None:
    assert [p.site.line for p in problems_of(tmp_path, USED.format(axis)) if p.level != "note"] == found


CONFIGURED = """import torch
from dataclasses import dataclass, field
from torch import nn

{config}

class Net(nn.Module):
    def __init__(self, config{annotation}):
        super().__init__()
        self.a = nn.Linear(config.width, config.heads * 16)
        self.b = nn.Linear(64, config.width)
    def forward(self, x):
        return self.b(self.a(x))
"""
DATACLASS = "@dataclass\nclass NetConfig:\n    width: int = 32\n    heads: int = field(default={})\n"
PLAIN = "class NetConfig:\n    def __init__(self, width=32, heads={}):\n        self.width, self.heads = width, heads\n"


@pytest.mark.parametrize("annotation", ["", ": NetConfig", ": 'NetConfig'"])
@pytest.mark.parametrize("config", [DATACLASS, PLAIN])
def test_a_configuration_is_made_with_its_defaults(tmp_path: Path, config: str, annotation: str) -> None:
    found = problems_of(tmp_path, CONFIGURED.format(config=config.format(6), annotation=annotation))
    (error,) = (p for p in found if p.level == "error")
    assert error.site.line == CONFIGURED.format(config=config.format(6), annotation="").splitlines().index(
        "        return self.b(self.a(x))"
    ) + 1  # fmt: skip
    assert error.certain
    assert "`NetConfig()`" in error.tier
    again = problems_of(tmp_path, CONFIGURED.format(config=config.format(4), annotation=annotation))
    assert not [p for p in again if p.level == "error"]


@pytest.mark.parametrize("config", [DATACLASS, PLAIN])
def test_a_configuration_with_sizes_to_be_given_is_none(tmp_path: Path, config: str) -> None:
    source = CONFIGURED.format(config=config.format(6).replace("32", "-1"), annotation=": NetConfig")
    assert not [p for p in problems_of(tmp_path, source) if p.level == "error"]


@pytest.mark.parametrize(("axis", "notes"), [(1, 1), (2, 0)])
def test_a_result_whose_documented_sizes_are_exchanged_is_advice(tmp_path: Path, axis: int, notes: int) -> None:
    source = f"""import torch.nn as nn
class Pool(nn.Module):
    '''Shape:
        - Input: (N, C, L)
        - Output: (N, C)
    '''
    def forward(self, x):
        return x.mean({axis})
"""
    assert [p.site.line for p in problems_of(tmp_path, source)] == [5] * notes


ROTATIONS = '''import torch
def cross(points):
    """The matrices of the products with them.

    {}
    """
    zero = torch.zeros_like(points[..., 0])
    first = torch.stack([zero, -points[..., 2], points[..., 1]], dim=-1)
    second = torch.stack([points[..., 2], zero, -points[..., 0]], dim=-1)
    third = torch.stack([-points[..., 1], points[..., 0], zero], dim={})
    return torch.stack([first, second, third], dim=-2)
'''


@pytest.mark.parametrize(
    "sentence",
    ["points shape (..., 3).", "``points`` has shape ``(..., 3)``", "Args:\n        points: of shape (..., 3)"],
)
def test_axes_of_any_number_may_be_of_any_size(tmp_path: Path, sentence: str) -> None:
    (found,) = problems_of(tmp_path, ROTATIONS.format(sentence, 0))
    assert (found.level, found.certain, found.tier, found.operator) == (
        "warning",
        False,
        DOCUMENTED_CALL,
        "torch.stack",
    )
    assert not problems_of(tmp_path, ROTATIONS.format(sentence, -1))


def test_a_sentence_of_two_shapes_says_nothing(tmp_path: Path) -> None:
    assert not problems_of(tmp_path, ROTATIONS.format("points shape (3,) or points shape (..., 3)", 0))
    assert not problems_of(tmp_path, ROTATIONS.format("The shape (..., 3) is that of most points.", 0))


def test_a_parameter_in_capitals_is_the_one_that_is_described(tmp_path: Path) -> None:
    source = '''import torch
def projected(M, P):
    """Args:
        M (torch.Tensor): matrices of size (..., N, N)
        P (torch.Tensor): projectors of size (..., N, K)
    """
    return P.transpose(-1, {}) @ M @ P
'''
    (found,) = problems_of(tmp_path, source.format(-3))
    assert (found.level, found.tier, found.site.line) == ("warning", DOCUMENTED_CALL, 7)
    assert not problems_of(tmp_path, source.format(-2))


EXAMPLE = '''import torch.nn as nn
class Shared(nn.Module):
    """One mask for a sequence.

    >>> x = torch.ones(1, 3, 5)
    >>> Shared()(x)
    """
    def forward(self, x):
        mask = x.new_ones(x[:, 0].shape).unsqueeze({})
        return x * mask
'''


def test_an_example_takes_the_library_to_be_imported(tmp_path: Path) -> None:
    (found,) = problems_of(tmp_path, EXAMPLE.format(2))
    assert (found.site.line, found.proved) == (10, False)
    assert not problems_of(tmp_path, EXAMPLE.format(1))


def test_a_batch_is_as_large_as_that_of_another_argument(tmp_path: Path) -> None:
    source = '''import torch
def masked(xs: torch.FloatTensor, n: torch.LongTensor):
    """Args:
        xs: A tensor of size (batch_size, list_size, 1) or (batch_size, list_size).
        n: How long each list is.
    """
    mask = torch.repeat_interleave(torch.arange(xs.shape[1]).reshape((1, xs.shape[1])), xs.shape[0], dim=0)
    return mask >= torch.repeat_interleave(n.reshape((n.shape[0], 1)), xs.shape[1], dim=1)
'''
    assert not problems_of(tmp_path, source)
    assert not problems_of(tmp_path, source.replace(" or (batch_size, list_size)", ""))


RAYS = '''import torch
def marched(densities, floor):
    """Args:
        densities: of shape (..., n, 1)
    """
    first = densities[..., 0].cumsum(dim=3)
    return first.unsqueeze(-1) @ torch.ones({}, 1)
'''


def test_axes_of_any_number_may_be_more_than_one(tmp_path: Path) -> None:
    assert not problems_of(tmp_path, RAYS.format(1))
    (found,) = problems_of(tmp_path, RAYS.format(2))  # which fails with any number of axes
    assert (found.site.line, found.proved) == (7, False)


SCORES = '''import torch
def split(x):
    return x.permute(0, 2, 1)
def scores(hidden: torch.Tensor, keys: torch.Tensor, mask):
    """Args:
        mask: of shape [batch_size, n]
    """
    found = split(hidden + 1) @ split(keys + 1)
    return found + mask[:, {}]
'''


def test_a_batch_may_be_called_after_an_inner_name(tmp_path: Path) -> None:
    assert not problems_of(tmp_path, SCORES.format("None"))
