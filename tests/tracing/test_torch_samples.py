"""Calls of PyTorch's own samples of its operators: sizes and element types as PyTorch gives them, and its refusals."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

LINEAR = """
torch.nn.LinearCrossEntropyLoss(5, 4)(x(8, 5), x(8).long())
torch.nn.LinearCrossEntropyLoss(5, 4, out_features=(2, 3), reduction='none')(x(8, 5), x(8, 2, 3).long())
torch.nn.LinearCrossEntropyLoss(5, 4, out_features=(2, 3), reduction='none')(x(8, 5), x(8, 4, 2, 3))
torch.nn.LinearCrossEntropyLoss(5, 4, reduction='none')(x(5), x(4))
F.linear_cross_entropy(x(8, 5), x(4, 5), x(8).long(), reduction='sum')
""".strip().splitlines()  # of PyTorch 2.13
HEAD = "import torch\nimport torch.nn.functional as F\nx, c = torch.ones, torch.eye(3, dtype=torch.complex64)\n"
FITTING = """
torch.linalg.matrix_rank(x(2, 5, 5), atol=None)
torch.softmax(x(5), 0, dtype=torch.float64)
x(5).log_softmax(0, torch.float64)
F.softmax(x(5, 3), 1, dtype=torch.float16)
F.log_softmax(x(5, 3), dim=0)
x(5).short()
x(5).logical_not()
torch.logical_not(x(20))
x(5, 4, 3).mode()[1]
torch.gather(x(5), 0, x(0).byte())
F.avg_pool2d(x(1, 1, 4, 4), (2, 2), (), (0,), False, True, -2)
torch.softmax(x(5, 3).long(), 1, dtype=torch.float64)
F.log_softmax(x(5, 3).long(), 1, dtype=torch.float32)
torch.norm(c, 2)
c.norm(dim=1)
torch.linalg.norm(c)
torch.linalg.vector_norm(c, 2, 1)
torch.linalg.matrix_norm(c)
torch.linalg.cond(c)
torch.linalg.svdvals(c)
torch.linalg.svd(c)
torch.svd(c)
torch.linalg.eigh(c)
torch.linalg.eigvalsh(c)
torch.linalg.slogdet(c)
torch.var_mean(c)
c.std()
torch.var(c, 1)
torch.abs(c)
c.abs()
torch.stft(torch.ones(100, dtype=torch.complex64), n_fft=10, return_complex=True)
torch.stft(x(100), n_fft=10, return_complex=True)
F.conv_transpose1d(x(2, 3, 8).double(), x(3, 2, 3).double())
F.rms_norm(x(2, 3).double(), (3,))
F.layer_norm(x(2, 3).double(), (3,))
F.group_norm(x(2, 4).double(), 2)
torch.tensordot(x(2, 3, 4), x(4, 2, 5), dims=([0, 2], [1, 0]))
torch.tensordot(x(2, 3, 4), x(4, 3, 5), ((1,), (1,)))
torch.tensordot(x(2, 3, 4).double(), x(4, 3, 5).double(), ([-1], [0]))
torch.tensordot(x(2, 3), x(4), dims=0)
torch.tensordot(x(1, 1, 1), x(2, 1, 2), dims=([0, 1], [2, 0]))
torch.gather(x(5), 0, x(2, 0).byte())
torch.layer_norm(x(2, 3), (3,))
torch.group_norm(x(2, 4), 2)
torch.linalg.matmul(x(2, 4), x(4, 3))
F.multilabel_margin_loss(x(5, 10), x(5, 10).long(), reduction='none')
torch.nn.MultiLabelMarginLoss(reduction='none')(x(10), x(10).long())
torch.nn.MultiMarginLoss(reduction='none')(x(5, 10), x(5).long())
F.multi_margin_loss(x(10), x(()).long(), reduction='none')
torch.nn.MultiLabelSoftMarginLoss(reduction='none')(x(5, 10), x(5, 10))
torch.nn.MultiLabelSoftMarginLoss()(x(5, 10), x(5, 10))
F.multilabel_soft_margin_loss(x(5, 10), x(5, 10), reduction='none')
torch.nn.CTCLoss(reduction='none')(x(50, 3, 15), x(3, 30).int(), (50, 50, 50), (30, 25, 20))
F.ctc_loss(x(50, 15), x(30).int(), torch.tensor(50), torch.tensor(30), reduction='none')
torch.nn.CosineEmbeddingLoss(reduction='none')(x(15, 10), x(15, 10), x(15))
F.cosine_embedding_loss(x(10), x(10), x(()), reduction='none')
F.triplet_margin_loss(x(5, 10), x(5, 10), x(1, 10), reduction='none')
F.mse_loss(x(5, 10).double(), x(5, 10).double())
F.cross_entropy(x(5, 10).double(), x(5).long())
F.nll_loss(x(5, 10).half(), x(5).long(), reduction='none')
F.margin_ranking_loss(x(5).double(), x(5).double(), x(5).double())
""".strip().splitlines()


def leaves(value: Any, path: str = "y") -> list[tuple[str, Any]]:
    if isinstance(value, (tuple, list)):
        return [leaf for at, part in enumerate(value) for leaf in leaves(part, f"{path}[{at}]")]
    return [(path, value)]


@pytest.mark.parametrize("call", [*FITTING, *(LINEAR if hasattr(torch.nn, "LinearCrossEntropyLoss") else ())])
def test_sizes_and_element_types_are_those_of_a_real_call(tmp_path: Path, call: str) -> None:
    scope: dict[str, Any] = {}
    text = f"{HEAD}y = {call}\n"
    exec(text, scope)
    results = leaves(scope["y"])
    first = text.count("\n") + 1
    text += "".join(f"r{at} = {path}\n" for at, (path, _) in enumerate(results))
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    assert not [p for p in shared.problems.values() if p.level == "error"]
    for at, (_, real) in enumerate(results):
        found = [t for (_, line, _), tensors in shared.assigned.items() if line == first + at for t in tensors]
        assert isinstance(real, torch.Tensor)
        assert [(t.dims, t.dtype) for t in found] == [(tuple(real.shape), str(real.dtype).removeprefix("torch."))]


SECOND = """
absolute() | arccos() | arcsin() | arctan() | arctan2(n) | multiply(n) | subtract(n) | divide(n) | negative()
greater_equal(n) | greater(n) | less_equal(n) | less(n) | not_equal(n)
""".strip().replace("\n", " | ")


@pytest.mark.parametrize("call", SECOND.split(" | "))
@pytest.mark.parametrize("form", ["x.{0}({1})", "torch.{0}(x{2}{1})", "x.clone().{0}_({1})"])
def test_second_names_are_known_as_their_first(tmp_path: Path, call: str, form: str) -> None:
    name, _, rest = call[:-1].partition("(")
    if form.endswith("_({1})") and name.startswith(("greater", "less", "not")):
        return  # the truths are written into numbers
    text = (
        f"import torch\nx, n = torch.ones(3, 4), torch.ones(4)\ny = {form.format(name, rest, ', ' if rest else '')}\n"
    )
    scope: dict[str, Any] = {}
    exec(text, scope)
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    found = [t for (_, line, _), tensors in shared.assigned.items() if line == 3 for t in tensors]
    kinds = (str(scope["y"].dtype).removeprefix("torch."), None)
    assert not shared.unknown_calls
    assert [t.dims for t in found] == [(3, 4)]
    assert found[0].dtype in kinds
    if rest and "_(" not in form:
        wrong = text.replace("torch.ones(4)", "torch.ones(5)")
        with pytest.raises(RuntimeError):
            exec(wrong, {})
        problems = explore(tmp_path, "net.py", ast.parse(wrong), Versions()).problems.values()
        assert [p.site.line for p in problems if p.level == "error"] == [3]


WHOLE = """
div(n)
true_divide(n)
atan2(n)
logsumexp(0)
digamma()
lgamma()
expm1()
angle()
cov()
corrcoef()
""".strip().splitlines()


@pytest.mark.parametrize("call", WHOLE)
@pytest.mark.parametrize("form", ["n.{0}({1})", "torch.{0}(n{2}{1})"])
def test_whole_numbers_become_floating(tmp_path: Path, call: str, form: str) -> None:
    """Of the default type, which a program may set: it is not known."""
    name, _, rest = call[:-1].partition("(")
    text = f"import torch\nn = torch.arange(1, 5)\ny = {form.format(name, rest, ', ' if rest else '')}\n"
    scope: dict[str, Any] = {}
    exec(text, scope)
    assert scope["y"].is_floating_point()
    shared = explore(tmp_path, "net.py", ast.parse(text), Versions())
    found = [t for (_, line, _), tensors in shared.assigned.items() if line == 3 for t in tensors]
    assert [(t.dims, t.dtype in (None, "float32")) for t in found] == [(tuple(scope["y"].shape), True)]


@pytest.mark.parametrize("layer", ["conv_transpose2d({0}, {1})", "conv_transpose2d({0}, {1}, stride=2)"])
def test_whole_numbers_are_convolved(tmp_path: Path, layer: str) -> None:
    text = f"{HEAD}y = F.{layer.format('x(2, 3, 8, 8).long()', 'x(3, 2, 3, 3).long()')}\n"
    exec(text, {})
    assert not explore(tmp_path, "net.py", ast.parse(text), Versions()).problems
