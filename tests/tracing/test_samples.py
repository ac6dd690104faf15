"""Runs on made-up numbers: what the functions of elements compute is what torch computes, and what such runs tell."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analyzer.tracing.samples import torch_functions
from analyzer.tracing.tracing import trace

torch = pytest.importorskip("torch")

# One call or more of each function, as the source of a program has it. a, b: floats [3, 4]; c: floats [2, 3, 4] with
# ties; p: positive; m: a mask [3, 4]; i, j: integers [3, 4]; v: sorted floats [5]; s: a square matrix; k: indices [2].
CALLS = """
exp(a) log(p) log2(p) log10(p) log1p(p) expm1(a) sqrt(p) sin(a) cos(a) tan(a) asin(u) arcsin(u) acos(u) arccos(u)
atan(a) arctan(a) sinh(a) cosh(a) tanh(a) rsqrt(p) reciprocal(p) sigmoid(a) deg2rad(a) rad2deg(a) exp(i)
nn.functional.softplus(a) abs(a) neg(a) square(a) floor(a) ceil(a) round(a) trunc(a) sign(a) isnan(a) isinf(a)
isfinite(a) logical_not(m) bitwise_not(i) mul(a,b) multiply(a,2) add(a,b) add(a,b,alpha=2) sub(a,b,alpha=3)
subtract(a,1) div(a,b) div(i,j,rounding_mode='floor') div(i,j,rounding_mode='trunc') div(a,2,rounding_mode='trunc')
divide(a,b) true_divide(i,j) floor_divide(i,j) remainder(i,j) remainder(a,b) fmod(a,b) pow(a,2) pow(p,b) maximum(a,b)
minimum(a,b) eq(i,j) ne(i,j) lt(a,b) le(a,b) gt(a,b) ge(a,b) logical_and(m,n) logical_or(m,n) logical_xor(m,n)
bitwise_and(i,j) bitwise_or(i,j) bitwise_xor(i,j) atan2(a,b) isclose(a,b) relu(a) clamp(a,-1,1) clamp(a,min=0)
clamp(a,max=b) clip(a,0,1) clamp_min(a,0) clamp_max(a,0) nan_to_num(a) hypot(a,b) logaddexp(a,b) frac(a) signbit(a)
copysign(a,b) sum(a) sum(a,1) sum(c,(0,2),True) sum(m) sum(m,0) mean(a) mean(a,0) mean(c,dim=-1,keepdim=True) prod(a)
prod(a,1) amax(a,1) amin(a,(0,1)) any(m) any(m,1) all(m) all(m,0,True) nansum(a) argmax(a) argmax(a,1) argmin(a,0)
std(a) std(a,1) std(a,1,False) var(a) var(a,dim=0) var(a,dim=0,correction=0) max(a) max(a,1) max(a,b) min(a)
min(a,0,keepdim=True) median(a) median(a,1) norm(a) norm(a,1,1) linalg.vector_norm(a,dim=1) cumsum(a,1) cumsum(i,0)
cumprod(a,0) count_nonzero(m) count_nonzero(i,1) diff(v) diff(a,dim=0) logsumexp(a,1) gather(a,1,i) take(a,k)
take_along_dim(a,i,1) masked_select(a,m) masked_fill(a,m,0) masked_fill(i,m,7) index_fill(a,0,k,3.0)
index_copy(a,0,k,b[:2]) index_add(a,0,k,b[:2]) index_select(a,1,k) select(a,1,2) scatter(a,1,i,b) scatter(a,1,i,0)
scatter_add(a,1,i,b) nonzero(m) nonzero(m,as_tuple=True) argwhere(m) unique(i) unique(i,return_inverse=True)
unique(i,return_counts=True) unique(i,dim=0) unique(i,return_inverse=True,return_counts=True) sort(a) sort(a,0)
sort(a,1,descending=True) argsort(a) argsort(a,0,True) topk(a,2) topk(a,2,0) topk(a,1,1,False) bincount(k)
bincount(i.reshape(-1),minlength=9) repeat_interleave(a,2) repeat_interleave(s,i[0,:3],0) repeat_interleave(k)
repeat_interleave(a,2,1) searchsorted(v,a) searchsorted(v,a,right=True) bucketize(a,v) bucketize(a,v,right=True)
nn.functional.one_hot(i,5) nn.functional.one_hot(i) unique_consecutive(k) unique_consecutive(k,return_counts=True)
unique_consecutive(i,return_inverse=True,dim=0) combinations(k) combinations(v,3) combinations(k,2,True) histc(a,4,-2,2)
histc(a,3) quantile(a,0.5) quantile(a,0.25,1) quantile(a,0.5,dim=0,keepdim=True) cummax(a,1) cummin(a,0)
narrow(a,1,1,2) narrow(a,-1,-2,2) where(m,a,b) where(m,a,0.0) where(m) where(m,i,0) isin(i,k) outer(v,v) dot(v,v) t(a)
matmul(a,b.T) mm(a,b.T) bmm(c,c.mT) mv(s,s[0]) kron(s,s) trace(s) addmm(s,s,s) addmm(s,s,s,beta=2,alpha=3)
inverse(s) linalg.inv(s) det(s) linalg.det(s) linalg.solve(s,s) linalg.cholesky(s@s.T+eye(3)*9) linalg.matrix_rank(s)
baddbmm(d,d,d)
linalg.matrix_power(s,3) linalg.pinv(s) einsum('ij,kj->ik',a,b) einsum('bij->bji',c) cdist(a,b) cdist(a,b,1.0)
cross(s,s+1) softmax(a,1) log_softmax(a,0) nn.functional.softmax(c,dim=-1) block_diag(a,s) reshape(a,(4,3))
reshape(a,(-1,)) a.view(2,6) a.view(-1) a.reshape(6,2) flatten(c) flatten(c,1) flatten(c,0,1) ravel(a)
permute(c,(2,0,1)) c.permute(2,0,1) transpose(c,0,2) swapaxes(c,0,1) swapdims(c,1,2) movedim(c,0,2) moveaxis(c,2,0)
squeeze(e) squeeze(e,1) squeeze(a,0) unsqueeze(a,1) unsqueeze(a,-1) a[:1].expand(3,4) a[:1].expand(2,-1,-1)
a[:1].expand_as(a) a.view_as(b) broadcast_to(a[:1],(3,4)) a.reshape_as(b) a.repeat(2,1) a.repeat(2,1,3) tile(a,(2,))
cat([a,b]) cat((a,b),1) cat([a,b],dim=-1) concat([a,b]) concatenate([a,b],axis=1) stack([a,b]) stack([a,b],1)
stack([a,b],dim=-1) hstack([a,b]) vstack([a,b]) dstack([a,b]) column_stack([v,v]) chunk(a,2,1) chunk(a,3) chunk(v,4)
split(a,2) split(a,[1,3],1) split(v,2) unbind(a) unbind(a,1) meshgrid(v,v[:2]) meshgrid(v,v[:2],indexing='xy')
cartesian_prod(k,k) diag(v) diag(s) diag(v,1) diagonal(s) tril(s) triu(s,1) flip(a,(0,)) a.flip(0,1) roll(a,1)
roll(a,1,0) roll(a,(1,2),(0,1)) tril_indices(3,4) triu_indices(3,3,1) flipud(a) fliplr(a) rot90(a)
nn.functional.pad(a,(1,2)) nn.functional.pad(a,(1,0,2,1),value=3.0) nn.functional.pad(a,(-1,1))
nn.functional.pad(c,(1,1),mode='reflect') nn.functional.pad(c,(2,1),mode='replicate')
nn.functional.pad(c,(1,1),mode='circular') v.unfold(0,3,1) a.unfold(1,2,2) zeros(2,3) zeros((2,3)) ones(2) ones([2,2])
zeros(2,dtype=int64) full((2,),3) full((2,),0.5) zeros_like(i) ones_like(a) full_like(a,2) a.new_zeros(2,3)
a.new_ones((2,)) a.new_full((2,),5) i.new_tensor([1,2]) arange(5) arange(2,9,3) arange(0,1,0.25) arange(3,dtype=float32)
linspace(0,1,5) eye(3) eye(2,3) tensor([[1,2],[3,4]]) tensor([0.5,1]) tensor([True]) tensor(3) as_tensor([1.5])
asarray([1,2]) LongTensor([1,2]) Tensor([1,2]) FloatTensor([1]) IntTensor([1]) BoolTensor([True]) a.float() a.double()
a.half() a.int() a.long() a.bool() p.byte() a.short() a.to(int64) a.to(k) a.type(float64) a.type_as(k) a.cpu()
a.detach() a.contiguous() a.clone() allclose(a,a) equal(a,b) lerp(a,b,0.3)
"""
FUNCTIONS = torch_functions.FUNCTIONS
UNORDERED = ("empty", "empty_like")  # of what they hold nothing is said
ELSEWHERE = ("from_numpy", "cuda", "numpy", "copy", "data", "requires_grad_", "relu")


def _operands() -> dict[str, Any]:
    draw = torch.Generator().manual_seed(7)

    def floats(*size: int) -> Any:
        return torch.randn(*size, generator=draw)

    return {
        "a": floats(3, 4), "b": floats(3, 4), "c": floats(2, 3, 4), "d": floats(2, 3, 3), "e": floats(3, 1, 1),
        "s": floats(3, 3), "p": floats(3, 4).abs() + 0.1, "u": floats(3, 4).clamp(-0.9, 0.9),
        "v": torch.tensor([-1.5, -0.2, 0.1, 0.8, 2.0]), "m": floats(3, 4) > 0, "n": floats(3, 4) > 0.3,
        "i": torch.tensor([[0, 2, 1, 2], [1, 1, 0, 2], [2, 0, 1, 1]]), "k": torch.tensor([2, 0]),
        "j": torch.tensor([[3, -2, 1, 2], [-1, 1, 4, -2], [2, 5, -3, 1]]),
    }  # fmt: skip


class _Recorder:
    """Looks torch's names up and computes each call twice."""

    def __init__(self) -> None:
        self.seen: set[str] = set()

    def compare(self, call: str) -> None:
        names = {n: getattr(torch, n) for n in ("nn", "linalg", "int64", "float32", "float64", "eye")}
        name = call[: call.index("(")]
        owner, _, short = name.rpartition(".")
        operands = _operands()
        if owner and owner not in ("nn.functional", "linalg"):
            function, first = FUNCTIONS[short], (owner,)
            expected = eval(call, {**names, **operands, "__builtins__": {}})
        else:
            function, first = FUNCTIONS[short], ()
            expected = eval(f"torch.{call}", {"torch": torch, **names, **operands, "__builtins__": {}})
        self.seen.add(short)
        arguments = call[len(name) :]
        kinds = {n: np.dtype(n) for n in ("int64", "float32", "float64")}
        arrays = {n: v.numpy().copy() for n, v in operands.items()}
        given = {**kinds, **arrays, "eye": lambda n: np.eye(n, dtype=np.float32), "T": None, "__builtins__": {}}
        start = f"f({first[0]},{arguments[1:]}" if first else f"f{arguments}"
        source = start.replace("c.mT", "c.swapaxes(1,2)").replace(",)", ")")
        found = eval(source, {**given, "f": function})
        _agree(call, expected, found)


def _agree(call: str, expected: Any, found: Any) -> None:
    if isinstance(expected, (tuple, list)):
        assert len(expected) == len(found), call
        for one, other in zip(expected, found, strict=True):
            _agree(call, one, other)
        return
    wanted, got = np.asarray(expected), np.asarray(found)
    assert got.shape == wanted.shape, (call, got.shape, wanted.shape)
    assert (got.dtype.kind in "iu") == (wanted.dtype.kind in "iu"), (call, got.dtype, wanted.dtype)
    assert (got.dtype.kind == "b") == (wanted.dtype.kind == "b"), (call, got.dtype, wanted.dtype)
    np.testing.assert_allclose(got.astype(np.float64), wanted.astype(np.float64), rtol=1e-3, atol=1e-4, err_msg=call)


def test_each_function_computes_what_torch_computes() -> None:
    recorder = _Recorder()
    wrong = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in CALLS.split():
            try:
                recorder.compare(call)
            except Exception as error:
                wrong.append(f"{call}: {type(error).__name__}: {str(error)[:200]}")
    assert not wrong, "\n".join(wrong)
    left = set(FUNCTIONS) - recorder.seen - {*UNORDERED, *ELSEWHERE}
    assert not left, f"no call of {sorted(left)}"


PROGRAMS = {  # a program, the number that fits and one that does not
    "a mask": ("x = torch.arange(10)\nx = x[x % 3 == 0]\nx + torch.zeros({0})", 4, 5),
    "a count": ("n = int((torch.arange(10) > 5).sum())\ntorch.zeros(3, n) @ torch.zeros({0}, 2)", 4, 5),
    "a branch": ("x = torch.full((2,), 3.0)\nif x.mean() > 2:\n    torch.zeros(3, 4) @ torch.zeros({0}, 2)", 4, 7),
    "repeats": (
        "x = torch.repeat_interleave(torch.arange(3), torch.tensor([2, 3, 1]))\ntorch.nn.Linear({0}, 2)(x.float())",
        6,
        3,
    ),
    "a list": ("s = torch.tensor([[2, 3], [4, 5]]).sum(0).tolist()\ntorch.zeros(*s).view(2, {0})", 24, 23),
    "written": (
        "x = torch.zeros(5)\nx[1:4] = 1\nv = x.view(5, 1)\nv.mul_(2)\ntorch.zeros(int(x.sum())) + torch.zeros({0})",
        6,
        3,
    ),
    "rows": ("for i, n in enumerate(torch.tensor([3, 4])):\n    torch.zeros(int(n)) + torch.zeros(i + {0})", 3, 2),
    "chance": (
        "import random\nn = random.randint(6, 6)\nm = torch.randint(4, 5, (3,))\n"
        "torch.zeros(n) + torch.zeros(int(m[0]) + {0})",
        2,
        3,
    ),
    "a table": ("torch.nn.Embedding({0}, 4)(torch.randint(0, 12, (50,)))", 12, 9),
    "classes": ("torch.nn.functional.cross_entropy(torch.randn(64, {0}), torch.randint(0, 5, (64,)))", 5, 4),
    "one hot": ("torch.nn.functional.one_hot(torch.arange(6) % 4, {0})", 4, 3),
    "an index": ("x = torch.zeros(4)\nx[torch.arange({0})]", 4, 5),
    "numpy": (
        "import numpy as np\na = np.arange(12).reshape(3, 4)\nk = np.flatnonzero(a[0] > 1)\n"
        "np.zeros((2, len(k))) @ np.zeros(({0}, 3))",
        2,
        3,
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_values_decide_is_told(name: str, tmp_path: Path) -> None:
    text, right, wrong = PROGRAMS[name]
    for number, told in ((wrong, True), (right, False)):
        file = tmp_path / f"program_{number}.py"
        file.write_text("import torch\n" + text.format(number) + "\n")
        namespace: dict[str, Any] = {"__name__": "__main__"}
        if told:
            with pytest.raises((RuntimeError, ValueError, IndexError)):
                exec(file.read_text(), namespace)
        else:
            exec(file.read_text(), namespace)
        found = [f for f in trace(file, tmp_path, target="t").findings if f.level.value != "note"]
        assert bool(found) is told, found


def test_integers_without_a_meaning_tell_nothing(tmp_path: Path) -> None:
    """Labels that a file holds may be any: what rests on those that were drawn for them is not told."""
    file = tmp_path / "program.py"
    file.write_text(
        "import torch\nx = torch.load('labels.pt').long().view(8)\nn = int(x.max())\n"
        "torch.zeros(3, n) @ torch.zeros(7, 2)\ntorch.nn.Embedding(1, 2)(x)\n"
    )
    assert not [f for f in trace(file, tmp_path, target="t").findings if f.level.value != "note"]


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("F.interpolate(torch.randint(0, 3, (1, 1, 8, 8)).float(), size=(4, 4)).long()", False),
        ("F.interpolate(torch.randint(0, 3, (1, 1, 8, 8)).float(), size=(4, 4)).round().long().squeeze(1) + 1", False),
        ("(torch.rand(50) * 9).long()", True),
        ("F.interpolate(torch.rand(1, 9, 64, 64), size=(40, 40)).argmax(1)", True),
    ],
)
def test_integers_made_of_floats_that_are_not_computed_tell_nothing(made: str, told: bool, tmp_path: Path) -> None:
    """Places in them are in range whatever they are."""
    file = tmp_path / "program.py"
    file.write_text(f"import torch\nimport torch.nn.functional as F\nF.one_hot({made}, 5)\n")
    found = [f for f in trace(file, tmp_path, target="t").findings if f.level.value != "note"]
    assert bool(found) is told, found


@pytest.mark.parametrize(
    ("fails", "told"),
    [
        ("torch.zeros(3, n) @ torch.zeros(5, 2)", "possible"),  # as where the sizes are written down
        ("int('five')", ""),
        ("raise ValueError(n)", ""),
    ],
)
def test_what_is_told_behind_a_branch_that_no_number_decides(fails: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(
        f"import torch, somelib\nn = int((torch.arange(10) > 5).sum())\nif somelib.is_wide():\n    {fails}\n"
    )
    found = [f.confidence.value for f in trace(file, tmp_path, target="t").findings if f.level.value != "note"]
    assert found == [told] * bool(told)


EXCEPTIONS = {  # a program that ends with one, and its twin
    "unpacking": ("a, b = 'i->j'.split({0})", "'->'", "','"),
    "an index": ("x = [1, 2, 3]\nprint(x[{0}])", "2", "3"),
    "an assertion": ("x = torch.arange(6)\nassert x.sum() == {0}", "15", "14"),
    "a refusal": ("n = int(torch.arange(6).max())\nif n > {0}:\n    raise ValueError('too large')", "5", "4"),
    "a sum": ("size = (2, 3)\nmore = {0}\nprint(size + more)", "(1,)", "1"),
    "None": ("x = {0}\nx.sum()", "torch.ones(2)", "None"),
}


@pytest.mark.parametrize("name", EXCEPTIONS)
def test_an_exception_that_ends_the_program_is_told(name: str, tmp_path: Path) -> None:
    text, right, wrong = EXCEPTIONS[name]
    for value, told in ((wrong, True), (right, False)):
        file = tmp_path / "program.py"
        file.write_text("import torch\nn = int((torch.arange(10) > 5).sum())\n" + text.format(value) + "\n")
        found = [f for f in trace(file, tmp_path, target="t").findings if f.level.value != "note"]
        assert [f.rule for f in found] == ["tracing/uncaught-exception"] * told, found


@pytest.mark.parametrize(
    "text",
    [
        "net = torch.nn.Linear(3, 3)\nx = torch.ones(2, 3)\nassert torch.allclose(net(x), net(x))",
        "x = torch.rand(5)\nassert (x.sum() - x.sum()).abs() < 1e-30",
        "try:\n    a, b = 'x'.split(',')\nexcept ValueError:\n    pass",
        "import sys\nsys.exit(1)",
        "raise SystemExit('use: …')",
        "open('missing.txt').read()",
        "import somelib\na, b = somelib.load(), somelib.load()\nassert len({a.shape[0], b.shape[0]}) == 1",
        "import nowhere.at_all",
    ],
)
def test_no_exception_is_told(text: str, tmp_path: Path) -> None:
    """What rests on numbers that are only near to the program's, what is caught, and how a program ends itself."""
    file = tmp_path / "program.py"
    file.write_text(f"import torch\nn = int((torch.arange(10) > 5).sum())\n{text}\n")
    assert not [f for f in trace(file, tmp_path, target="t").findings if f.level.value != "note"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = torch.zeros(3, 2)\nif x.sum(1) > 0:\n    print(x)", True),
        ("x = torch.zeros(3, 1)\nif x.sum() > 0:\n    print(x)", False),
        ("x = torch.zeros(3, 2)\nprint(x.mean(0).item())", True),
        ("x = torch.zeros(3, 2)\nprint(x.mean().item())", False),
        ("x = torch.zeros(3)\nprint(float(x[:1]), int(x[0]))", False),
        ("x = torch.zeros(3)\nprint(float(x))", True),
    ],
)
def test_only_one_element_is_a_number(text: str, told: bool, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(f"import torch\n{text}\n")
    found = [f for f in trace(file, tmp_path, target="t").findings if f.level.value != "note"]
    assert bool(found) is told, found
    assert all(f.confidence.value == "proved" for f in found), found


@pytest.mark.parametrize(
    "text",
    [
        "x = torch.arange(4)\nfor _ in range(20):\n    x = x + 1\nassert x[0] == 20",
        "y = torch.zeros(3)\nfor i in range(300):\n    y += 1\ntorch.zeros(int(y[0])) + torch.zeros(300)",
        "z, n = torch.zeros(3), 0\nwhile n < 400:\n    z = z + 1\n    n += 1\ntorch.ones(int(z[0])) + torch.ones(400)",
        "import os\nw = torch.ones(2) if os.getpid() < 0 else torch.zeros(2)\nassert w.sum() == 0",
    ],
)
def test_rounds_that_are_left_out_and_sides_that_are_not_known_tell_nothing(text: str, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(f"import torch\n{text}\n")
    exec(file.read_text(), {"__name__": "__main__"})
    assert not [f for f in trace(file, tmp_path, target="t").findings if f.level.value != "note"]
