"""Shapes of torch functions, held against torch: each call is run and traced, and must give the same."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore, read_source

CALLS = """
    a.max(dim=2, keepdims=True)[0]                      | a=2,3,8
    torch.min(a, axis=1, keepdims=True)[1]              | a=2,3,8
    torch.std_mean(a, axis=1, keepdims=True)[0]         | a=2,3,8
    torch.kthvalue(a, 1, axis=1, keepdims=True)[0]      | a=2,3,8
    torch.mode(a, axis=1, keepdims=True)[0]             | a=2,3,8
    torch.matmul(input=a, other=b)                      | a=2,3,8 b=8,2
    a.median(axis=1, keepdims=True).values              | a=2,3,8
    torch.vmap(lambda x: x.sum())(a)                    | a=3,4
    torch.vmap(lambda x, y: x @ y, in_dims=(0, None))(a, b) | a=2,3,8 b=8,4
    torch.func.vmap(lambda x: x.T, in_dims=1, out_dims=-1)(a) | a=2,3,8
    torch.func.grad(lambda x: x.sum())(a)               | a=3,4
    torch.func.jacrev(lambda x: x.sum(0))(a)            | a=3,4
    torch.func.hessian(lambda x: x.sum())(a)            | a=3,4
    torch.zeros(len(torch.where(a.bool())))             | a=3,4
    torch.nn.PairwiseDistance(keepdim=True)(a, b)       | a=3,4 b=3,4
    torch.nn.LazyLinear(5)(a)                           | a=3,4
    torch.broadcast_tensors(a, b)[0]                    | a=3,1,4 b=5,4
    torch.fmax(a, b)                                    | a=3,1,4 b=5,4
    torch.clamp_min(a, b)                               | a=5,1 b=5
    torch.bitwise_and(a.int(), b.int())                 | a=2,1 b=3
    torch.addcmul(a, b, a)                              | a=3,1 b=1,4
    torch.lerp(a, b, 0.5)                               | a=3,1 b=4
    torch.normal(a, b)                                  | a=1,2,3 b=5,2,3
    torch.masked_scatter(a, b.bool(), torch.zeros(25))  | a=5 b=5,5
    torch.special.expit(a)                              | a=2,3
    torch.polygamma(1, a)                               | a=2,3
    torch.bucketize(a, b)                               | a=2,3 b=7
    torch.searchsorted(b, a)                            | a=2,3 b=7
    torch.take(a, b.long())                             | a=2,3 b=4,1
    torch.frexp(a).exponent                             | a=2,3
    torch.linalg.det(a)                                 | a=5,3,3
    torch.linalg.slogdet(a).logabsdet                   | a=5,3,3
    torch.linalg.inv(a + torch.eye(3))                  | a=5,3,3
    torch.linalg.pinv(a)                                | a=5,3,2
    torch.linalg.eigh(a).eigenvectors                   | a=5,3,3
    torch.linalg.eigvals(a)                             | a=3,3
    torch.linalg.svdvals(a)                             | a=5,3,2
    torch.linalg.svd(a)[2]                              | a=5,3,2
    torch.linalg.svd(a, full_matrices=False).U          | a=5,3,2
    torch.svd(a)[2]                                     | a=2,4
    torch.linalg.qr(a)[1]                               | a=5,3,2
    torch.linalg.qr(a, mode="complete").Q               | a=5,3,2
    torch.linalg.solve(a + torch.eye(3), b)             | a=3,3 b=3,2
    torch.linalg.matrix_norm(a, keepdim=True)           | a=5,3,2
    torch.nn.functional.affine_grid(a, (2, 1, 5, 6))    | a=2,2,3
    torch.nn.functional.affine_grid(a, (2, 1, 5, 6, 7)) | a=2,3,4
    a.expand(2, -1, 4)                                  | a=2,3,1
    a.diagonal(1)                                       | a=4,5,6
    torch.diagonal(a, -2, 0, 2)                         | a=4,5,6
    torch.diag(a)                                       | a=4
    torch.diag(a, -1)                                   | a=4,3
    torch.diag_embed(a, 1)                              | a=2,4
    torch.diagflat(a)                                   | a=2,4
    torch.addmv(a[:, 0], a, b)                          | a=3,4 b=4
    torch.addbmm(b, a, a.transpose(1, 2))               | a=2,3,4 b=3,3
    torch.addr(a, b, b)                                 | a=3,3 b=3
    torch.tensordot(a, b, dims=2)                       | a=2,3,4 b=3,4,5
    torch.hann_window(400)                              | a=1
    torch.signal.windows.gaussian(7)                    | a=1
    torch.stft(a, 16, 4, window=b, return_complex=True) | a=2,100 b=16
    torch.stft(a, n_fft=7, return_complex=True)         | a=100
    torch.stft(a, 16, center=False, return_complex=True) | a=2,100
    a.unfold(1, 3, 2)                                   | a=2,8,4
    a.unflatten(1, (2, -1))                             | a=2,8,4
    a.as_strided((2, 3, 4), (a.stride(0), 1, 1))        | a=2,8
    torch.zeros(a.stride())                             | a=2,3,4
    a.unflatten(dim=1, sizes=(4, 2))                    | a=2,8,4
    torch.rot90(a, 1, (1, 2))                           | a=2,8,4
    torch.diff(a, dim=0)                                | a=5,2
    torch.trapezoid(a, dim=1)                           | a=5,2
    torch.cumulative_trapezoid(a)                       | a=5,4
    torch.var_mean(a, dim=1, keepdim=True)[1]           | a=5,4
    torch.aminmax(a, dim=0).max                         | a=5,4
    torch.mode(a)[0]                                    | a=5,4
    torch.quantile(a, b, dim=1)                         | a=5,4 b=3
    torch.quantile(a, 0.5, dim=1, keepdim=True)         | a=5,4
    torch.cov(a)                                        | a=5,4
    torch.cov(a)                                        | a=1,4
    torch.multinomial(a + 1, 3)                         | a=5,4
    torch.nn.functional.one_hot(a.long(), 7)            | a=5,4
    torch.meshgrid(a, b, indexing="xy")[0]              | a=5 b=4
    torch.meshgrid(a, b)[1]                             | a=5 b=4
    torch.histc(a, 9)                                   | a=5
    torch.atleast_3d(a)                                 | a=5
    torch.atleast_2d(a)                                 | a=5
    torch.atleast_3d(a)                                 | a=5,4
    torch.nn.functional.grid_sample(a, b)               | a=2,3,8,8 b=2,5,6,2
    torch.nn.functional.pairwise_distance(a, b)         | a=5,4 b=5,4
    torch.nn.functional.adaptive_max_pool2d(a, 3, return_indices=True)[1] | a=2,3,8,8
    torch.nn.functional.conv_transpose2d(a, b, stride=2, padding=1)       | a=2,3,8,8 b=3,5,4,4
    torch.nn.functional.conv_transpose1d(a, b, groups=3)                  | a=2,3,8 b=3,2,4
    torch.nn.functional.softmin(a, 1)                   | a=2,3
    torch.nn.functional.scaled_dot_product_attention(a, b, b) | a=1,4,3,8 b=2,4,6,8
    torch.take_along_dim(a, b.long(), 1)                | a=5,5 b=1,2
    a.sum_to_size(1, 4)                                 | a=5,4
    torch.logdet(a + torch.eye(2))                      | a=3,2,2
    torch.fft.fftn(a)                                   | a=3,2,2
    torch.fft.rfftn(a, s=(4, 6))                        | a=3,4,6
    torch.fft.fftshift(a)                               | a=3,4
    torch.hstack((a, b))                                | a=3,4 b=3,5
    torch.hstack((a, b))                                | a=3 b=4
    torch.vstack((a, b))                                | a=4 b=3,4
    torch.dstack((a, b))                                | a=3,4 b=3,4
    torch.dstack((a, b))                                | a=3 b=3
    torch.column_stack((a, b))                          | a=3 b=3,4
    torch.block_diag(a, b)                              | a=3,4 b=2,5
    torch.kron(a, b)                                    | a=3,4 b=2,2,5
    torch.cross(a, b, dim=-1)                           | a=2,3 b=2,3
    torch.cartesian_prod(a, b)                          | a=3 b=4
    torch.arange(0, 9, 2.0)                             | a=1
    torch.arange(a.shape[-1] - 1, -1, -1.0)             | a=2,7
    torch.arange(7, 0, -2)                              | a=1
    torch.arange(0.5, 3)                                | a=1
    torch.range(0, 5)                                   | a=1
    torch.inner(a, b)                                   | a=2,4,3 b=5,3
    torch.fft.rfftfreq(9)                               | a=1
    torch.triu_indices(4, 5, 1)                         | a=1
    torch.tril_indices(3, 3)                            | a=1
    torch.nn.utils.rnn.pad_sequence([a, b])             | a=3,2 b=5,2
    torch.nn.utils.rnn.pad_sequence([a, b], True)       | a=3,2 b=5,2
    torch.nn.utils.rnn.pad_sequence([a, b])             | a=3,2 b=5,1
    torch.nn.functional.bilinear(a, a, b)               | a=2,4,6 b=7,6,6
    torch.nn.functional.affine_grid(a, (2, 3, 4, 5))    | a=2,2,3
    torch.tensor_split(a, 3, dim=-1)[1]                 | a=2,6
    torch.nn.functional.upsample(a, scale_factor=2)     | a=2,3,4,5
""".strip().splitlines()  # fmt: skip
CASES = [tuple(part.strip() for part in line.split("|")) for line in CALLS]


def made(sizes: str) -> str:
    pairs = (pair.partition("=") for pair in sizes.split())
    return "\n".join(f"{name} = torch.zeros({size.replace(',', ', ')})" for name, _, size in pairs)


@pytest.mark.parametrize(("call", "sizes"), CASES, ids=[f"{call} of {sizes}" for call, sizes in CASES])
def test_a_function_has_the_shape_that_torch_gives(call: str, sizes: str, tmp_path: Path) -> None:
    import torch

    text = f"import torch\n{made(sizes)}\ny = {call}\n"
    scope: dict[str, object] = {}
    exec(text, scope)
    y = scope["y"]
    assert isinstance(y, torch.Tensor)
    path = tmp_path / "program.py"
    path.write_text(text)
    _, tree = read_source(path, tmp_path)
    shared = explore(tmp_path, path.name, tree, Versions())
    assert not shared.problems
    last = text.count("\n")
    found = [t.dims for (_, line, _), tensors in shared.assigned.items() if line == last for t in tensors]
    assert found == [tuple(y.shape)]


REFUSED = [
    "",
    "    torch.linalg.inv(torch.zeros(2, 3))",
    "    torch.linalg.det(torch.zeros(3))",
    "    torch.tensordot(torch.zeros(2, 3), torch.zeros(4, 5), dims=1)",
    "    torch.nn.functional.grid_sample(torch.zeros(2, 3, 8, 8), torch.zeros(3, 5, 6, 2))",
    "    torch.linalg.solve(torch.eye(3), torch.zeros(2, 2))",
    "    torch.zeros(2, 3).unfold(1, 4, 1)",
    "    torch.zeros(2, 1).expand(2, -2)",
    "    torch.nn.functional.affine_grid(torch.zeros(2, 3, 1), (1, 1, 2, 2))",
    "    torch.nn.functional.affine_grid(torch.zeros(3, 2, 3), (1, 1, 2, 2))",
    "    torch.nn.functional.affine_grid(torch.zeros(2, 3), (2, 1, 2, 2))",
    "    torch.zeros(2, 3, 1).expand(2, -1, -3)",
    "    torch.nn.functional.conv_transpose2d(torch.zeros(2, 4, 8, 8), torch.zeros(3, 5, 4, 4))",
    "    torch.addmv(torch.zeros(3), torch.zeros(3, 4), torch.zeros(5))",
    "    torch.nn.utils.rnn.pad_sequence([torch.zeros(3, 2), torch.zeros(4, 5)])",
    "    torch.nn.utils.rnn.pad_sequence([torch.zeros(3), torch.zeros(4, 1)], batch_first=True)",
    "",
][1:-1]


@pytest.mark.parametrize("call", REFUSED)
def test_what_torch_refuses_is_an_error(call: str, tmp_path: Path) -> None:
    import torch

    with pytest.raises((RuntimeError, ValueError)):
        exec(call.strip(), {"torch": torch})
    path = tmp_path / "program.py"
    path.write_text(f"import torch\n{call.strip()}\n")
    _, tree = read_source(path, tmp_path)
    problems = explore(tmp_path, path.name, tree, Versions()).problems.values()
    assert [p.level for p in problems if p.certain] == ["error"]


IN_PLACE = [
    "unsqueeze_(1)", "unsqueeze_(dim=-1)", "squeeze_(0)", "squeeze_()", "t_()", "transpose_(0, 1)", "swapaxes_(0, 1)",
    "resize_(2, 2)", "unsqueeze_(0).unsqueeze_(0)",
]  # fmt: skip


@pytest.mark.parametrize("call", IN_PLACE)
@pytest.mark.parametrize(
    "body", ["x.{call}", "y = x\n    y.{call}", "if len(data) > 3:\n        x = x + 1\n    x.{call}"]
)
def test_what_changes_sizes_in_place_changes_the_tensor_of_every_name(call: str, body: str, tmp_path: Path) -> None:
    import torch

    text = (
        f"import torch\nimport data_of\n\ndata = data_of.all()\n\ndef change(x):\n    {body.format(call=call)}\n\n"
        "a = torch.zeros(1, 4)\nsame = a.clone()\nview = a.view(4)\nchange(a)\nb = a + 0\nc = same + 0\nd = view + 0\n"
    )
    scope: dict[str, object] = {}
    exec(text.replace("import data_of\n", "").replace("data_of.all()", "[1, 2]"), scope)
    path = tmp_path / "program.py"
    path.write_text(text)
    _, tree = read_source(path, tmp_path)
    shared = explore(tmp_path, path.name, tree, Versions())
    assert not shared.problems
    for at, name in enumerate("bcd", start=text.count("\n") - 2):
        made = scope[name]
        assert isinstance(made, torch.Tensor)
        found = {t.dims for (_, line, _), tensors in shared.assigned.items() if line == at for t in tensors}
        other = {(1, 4)} if name == "b" and "if" in body else set()  # where the data are more than this run's
        assert found == {tuple(made.shape)} | other


# Calls by keyword, under the names that PyTorch gives the parameters.
@pytest.mark.parametrize(
    ("call", "size"),
    [
        ("torch.chunk(input=x, chunks=3, dim=1)[0]", 2), ("x.chunk(chunks=3, dim=1)[0]", 2),
        ("torch.split(x, split_size_or_sections=2, dim=1)[0]", 2), ("torch.stack(torch.unbind(input=x, dim=1))", 4),
        ("torch.outer(input=x[0], vec2=x[1])", 6), ("torch.swapaxes(x, axis0=0, axis1=1)", 4),
        ("torch.complex(real=x, imag=x).real", 6), ("torch.lerp(x, end=x, weight=0.5)", 6),
        ("torch.addcmul(x, tensor1=x, tensor2=x)", 6), ("torch.tensor_split(x, sections=2, dim=1)[0]", 3),
        ("torch.split(x, split_size_or_sections=[1, 5], dim=1)[1]", 5),
    ],
)  # fmt: skip
def test_parameters_by_their_names(tmp_path: Path, call: str, size: int) -> None:
    text = f"import torch\nx = torch.ones(4, 6)\ny = {call} @ torch.ones(SIZE, 2)\n"
    exec(text.replace("SIZE", str(size)), {})
    for width, lines in ((size, []), (size + 1, [3])):
        shared = explore(tmp_path, "main.py", ast.parse(text.replace("SIZE", str(width))), Versions())
        assert [p.site.line for p in shared.problems.values() if p.level == "error"] == lines


@pytest.mark.parametrize(("size", "wrong"), [(8, False), (7, True)])
@pytest.mark.parametrize(
    "classes", ["max(x.max() + 1, 8)", "max(int(x.max()), 3, 8)", "max(8, x.max().item())", "max(8, unread(x))"]
)
def test_a_bound_of_a_number_that_is_not_known(tmp_path: Path, classes: str, size: int, wrong: bool) -> None:
    head = "import torch\nfrom somelib import unread\nx = torch.randint(0, 5, (3, 4))\n"
    text = f"{head}y = torch.nn.functional.one_hot(x, {classes})[..., :8] + torch.zeros({size})\n"
    found = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.site.line for p in found if p.level == "error"] == ([4] if wrong else [])


@pytest.mark.parametrize(("size", "wrong"), [(4, False), (7, True)])
def test_a_contraction_in_the_best_order(tmp_path: Path, size: int, wrong: bool) -> None:
    text = f"""
import torch
from opt_einsum import contract
a, b, c = torch.zeros(2, 3, 4), torch.zeros(5, 6), torch.zeros(2, {size}, 5, 6)
x = contract("... o i, m f, ... i m f -> ... o m", a, b, c)
assert x.shape == (2, 3, 5)
"""
    found = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.site.line for p in found if p.level == "error"] == ([5] if wrong else [])


@pytest.mark.parametrize(("shape", "wrong"), [("-1, 3", False), ("-2, 3", True), ("-1, -1", True), ("2, -3", True)])
@pytest.mark.parametrize("call", ["torch.relu(x).view({})", "torch.reshape(torch.relu(x), ({}))"])
def test_a_shape_that_no_tensor_is_given(tmp_path: Path, call: str, shape: str, wrong: bool) -> None:
    text = f"import torch\ndef f(x: torch.Tensor):\n    return {call.format(shape)}\n"
    found = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.site.line for p in found if p.level == "error"] == ([3] if wrong else [])
