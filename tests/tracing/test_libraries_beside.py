"""What programs use beside their framework: trees of optree and jax, scans, plots, checks of arrays, gradients given.

Each program that is healthy runs here with the real library where that is installed; its twin differs in one number.
"""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.tracing import explore

HEAD = """import torch
import numpy as np
from typing import NamedTuple
from torch.utils import _pytree
z = torch.zeros
class State(NamedTuple):
    mean: object
    count: int
def scanned(a, b):
    x, y = a
    u, v = b
    return x @ u, (u @ y.unsqueeze(-1)).squeeze(-1) + v
"""
# A program, and the number in it whose change makes it fail.
TWINS = [
    ("import optree\nleaves, spec = optree.tree_flatten({'b': z(3), 'a': [z(4), (z(5), None)]})\n"
     "leaves[0].view(4)\nleaves[2].view(3)\nassert spec.num_leaves == 3", "view(4)", "view(5)"),
    ("import optree\nleaves, spec = optree.tree_flatten([z(3), None], none_is_leaf=True)\nassert len(leaves) == 2\n"
     "z(len(leaves)).view(2)", "view(2)", "view(3)"),
    ("import optree\nspec = optree.tree_structure((z(3), [z(4)]))\na = spec.flatten_up_to((z(5), [z(6)]))\n"
     "a[1].view(6)\nspec.unflatten(a)[1][0].view(6)", "[0].view(6)", "[0].view(4)"),
    ("import optree\nr = optree.tree_map(lambda x, y: x + y, {'a': z(3), 'b': z(4)}, {'a': z(3), 'b': z(4)})\n"
     "r['b'].view(4)", "'b': z(4)}, {", "'b': z(5)}, {"),
    ("import optree\nr = optree.tree_map(lambda x: x * 2, State(z(3), 2))\nr.mean.view(3)\nassert r.count == 4",
     "view(3)", "view(4)"),
    ("import optree\nr = optree.tree_reduce(lambda x, y: x + y, (z(3), [z(3)]))\nr.view(3)", "[z(3)]", "[z(4)]"),
    ("import jax\nl, d = jax.tree_util.tree_flatten([1, None, {'b': z(3), 'a': z(4)}])\nl[1].view(4)\n"
     "jax.tree_util.tree_unflatten(d, l)[2]['b'].view(3)", "['b'].view(3)", "['b'].view(4)"),
    ("import jax\njax.tree.map(lambda x: x.view(2), (z(2), [z(2)]))", "[z(2)]", "[z(3)]"),
    ("r = _pytree.tree_map(lambda x, y: x @ y, [z(2, 3), (z(3),)], [z(3), (z(3),)])\n"
     "r[0].view(2)", "[z(3), (", "[z(4), ("),
    ("l, d = _pytree.tree_flatten({'b': z(3), 'a': None})\nassert len(l) == 2\nl[0].view(3)", "view(3)", "view(4)"),
    ("from torch._higher_order_ops import associative_scan\n"
     "x, y = associative_scan(scanned, (z(7, 5, 4, 4), z(7, 5, 4)), dim=1, combine_mode='generic')\ny.view(7, 5, 4)",
     "z(7, 5, 4))", "z(7, 5, 3))"),
    ("from torch._higher_order_ops import associative_scan\n"
     "y = associative_scan(lambda a, b: a + b.view(4), z(1, 3), dim=0, combine_mode='generic')\ny.view(1, 3)",
     "y.view(1, 3)", "y.view(1, 4)"),
    ("import matplotlib.pyplot as plt\nfig, ax = plt.subplots(figsize=(1, 1))\n"
     "ax.plot(z(9).numpy(), z(9, 3).numpy(), 'r--', [1, 2], [3, 4])\nax.set_xlabel('x')\nplt.close(fig)",
     "z(9, 3)", "z(8, 3)"),
    ("import matplotlib.pyplot as plt\nplt.plot(z(9))\nplt.plot(z(9), z(9), '.', label='a')\nplt.plot(1, 2, 'o')\n"
     "plt.plot(z(9, 1), z(9, 4))\nplt.close('all')", "z(9, 1)", "z(9, 2)"),
    ("import matplotlib.pyplot as plt\nfig = plt.figure()\nax = fig.add_subplot(111)\n"
     "ax.scatter(z(6), z(2, 3), c='b')\nplt.close(fig)", "z(2, 3)", "z(2, 4)"),
    ("from sklearn.utils.validation import check_X_y\nX, y = check_X_y(np.ones((6, 3)), np.ones((6, 1)))\n"
     "X @ np.zeros(3)\ny @ np.zeros(6)", "np.zeros(6)", "np.zeros(5)"),
    ("from sklearn.utils import check_array\ncheck_array(np.ones((6, 3)), dtype=np.float32) @ np.zeros(3)",
     "np.zeros(3)", "np.zeros(6)"),
    ("from sklearn.cluster import KMeans\nk = KMeans(3, n_init=1)\nn = k.fit_predict(np.random.rand(20, 2))\n"
     "n @ np.zeros(20)\nk.cluster_centers_ @ np.zeros(2)", "np.zeros(2)", "np.zeros(3)"),
    ("from sklearn.cluster import KMeans\nk = KMeans(n_clusters=3, n_init=1).fit(np.random.rand(20, 2))\n"
     "k.transform(np.random.rand(5, 2)) @ np.zeros(3)", "np.zeros(3)", "np.zeros(2)"),
    ("from scipy.stats import norm, truncnorm\nd = norm(np.zeros(3), 1)\nd.pdf(np.zeros((5, 1))) @ np.zeros(3)\n"
     "truncnorm(-1.0, 1.0, loc=0.5).rvs(size=4) @ np.zeros(4)", "np.zeros(4)", "np.zeros(5)"),
    ("from scipy.stats import norm\nnorm(loc=0.0, scale=np.ones(3)).cdf(np.zeros(3))",
     "cdf(np.zeros(3", "cdf(np.zeros(4"),
    ("from types import MappingProxyType\nm = MappingProxyType({'a': z(3)})\nm['a'].view(3)", "view(3)", "view(4)"),
    ("from torch import nn\nd = nn.ModuleDict({'a': nn.Linear(2, 3)})\nd['b'] = nn.Linear(3, 3)\n"
     "if 'c' not in d and 'b' in d:\n    d['b'](d['a'](z(5, 2)))", "z(5, 2)", "z(5, 3)"),
    ("assert isinstance([1], list | range) and not isinstance(scanned, State | int) and isinstance(None, int | None)\n"
     "z(3).view(3)", "view(3)", "view(4)"),
    ("from omegaconf import OmegaConf\nc = OmegaConf.create({'a': {'n': 3, 'l': [4, 5]}, 'b': None})\n"
     "assert 'b' in c and 'q' not in c and c.b is None and c.get('q', 7) == 7\n"
     "z(c.a.n).view(c['a'].get('n', 5))\nz(5).view(OmegaConf.to_container(c)['a']['l'][1])", "z(5)", "z(6)"),
    ("v, i, n = torch.unique(z(6, 3), return_inverse=True, return_counts=True)\nn + v\ni.view(6, 3)",
     "i.view(6", "i.view(5"),
    ("torch.unique(z(6, 3), dim=0) @ z(3)", "@ z(3)", "@ z(4)"),
    ("u, i = z(6, 3).unique(dim=1, return_inverse=True)\ni.view(3)", "view(3)", "view(6)"),
    ("r = np.array([(1, 2), (3, 4), (5, 6)], dtype=np.dtype([('a', 'i4'), ('b', 'i4')]))\nr.reshape(3)\n"
     "for k in np.unique(r):\n    r[r == k]\nz(3).view(3)", "view(3)", "view(4)"),
    ("class Nothing(torch.nn.Module):\n    @staticmethod\n    def forward(x):\n        return x.view(3)\n"
     "Nothing()(z(3))", "(z(3))", "(z(4))"),
    ("from einops_exts import rearrange_many\n"
     "q, k = rearrange_many((z(2, 3, 8), z(2, 5, 8)), 'b n (h d) -> b h n d', h=2)\n"
     "q @ k.mT", "(2, 5, 8)", "(2, 5, 6)"),
    ("w = z(3, requires_grad=True)\n(w * 2).backward(torch.ones(3))", "ones(3)", "ones(1)"),
    ("w = z(3, requires_grad=True)\n(w * 2).backward(gradient=torch.ones(3))", "ones(3)", "ones(3, 1)"),
    ("w = z(3, requires_grad=True)\nw.sum().backward(torch.tensor(1.0))", "tensor(1.0)", "tensor([1.0])"),
    ("w = z(3, requires_grad=True)\ntorch.autograd.grad([w * 2, w.sum()], [w], [torch.ones(3), torch.tensor(1.0)])",
     "ones(3)", "ones(4)"),
    ("w = z(3, requires_grad=True)\ntorch.autograd.backward([w * 2], [torch.ones(3)])", "ones(3)", "ones(2)"),
    ("m = z(4, 3, 4)\nm[:, [0, 1, 2], [0, 1, 3]] = z(1, 3)", "[0, 1, 3]", "[0, 1, 4]"),
    ("m = np.zeros((4, 3))\nm[[0, -4]] = 1", "-4", "-5"),
    ("m = z(4, 3)\nm[torch.tensor([[3], [0]])]", "[[3]", "[[4]"),
    ("torch.nn.Embedding(5, 3)(torch.tensor([4, 0]))", "[4,", "[5,"),
    ("torch.nn.functional.cross_entropy(z(2, 3), torch.tensor([2, -100]))", "[2,", "[3,"),
]  # fmt: skip
ABSENT = [
    name
    for name in ("optree", "jax", "matplotlib", "sklearn", "scipy", "omegaconf", "einops_exts")
    if find_spec(name) is None
]


def told(folder: Path, text: str) -> list[Diagnostic]:
    found = explore(folder, "run.py", ast.parse(HEAD + text), Versions()).problems.values()
    return [p for p in found if p.level == "error"]


@pytest.mark.parametrize(("text", "right", "wrong"), TWINS)
def test_a_healthy_program_and_its_twin(tmp_path: Path, text: str, right: str, wrong: str) -> None:
    assert text.count(right) == 1
    twin = text.replace(right, wrong)
    if not any(f"import {name}" in text or f"from {name}" in text for name in ABSENT):
        exec(HEAD + text, {})
        with pytest.raises((RuntimeError, ValueError, IndexError)):
            exec(HEAD + twin, {})
    assert not told(tmp_path, text)
    assert told(tmp_path, twin)


@pytest.mark.parametrize(
    "text",
    [
        "import optree\noptree.tree_map(lambda x: x.view(3), [z(3), unknown])",
        "import optree\noptree.tree_leaves(([z(3)], z(4)), is_leaf=lambda x: isinstance(x, list))[1].view(4)",
        "w = z(3, requires_grad=True)\ntorch.autograd.grad(w * 2, w, torch.eye(3), is_grads_batched=True)",
        "m = z(3)\nm[torch.tensor([True, False, True])]",
        "i = torch.tensor([0, 1])\ni += 5\nz(7)[i]",
        "import matplotlib.pyplot as plt\nfig, ax = plt.subplots(2, 2)\nax[0, 1].plot(z(3), z(3))",
        "import matplotlib.pyplot as plt\nplt.plot('a', 'b', data={'a': z(3), 'b': z(3)})",
    ],
)
def test_what_is_not_known_is_no_error(tmp_path: Path, text: str) -> None:
    assert not told(tmp_path, f"from absent_package import unknown\n{text}")
