"""Registered children and hooks of torch modules, as the library itself keeps them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore, read_source

HEAD = "import torch, torch.nn as nn\n"
# each fails on the marked line, where the last dimension of the input has the size given
PROGRAMS = {
    "a subclass of Sequential calls what is assigned to it": (
        8,
        """
class Block(nn.Sequential):
    def __init__(self, i, o):
        super().__init__(nn.Linear(i, o), nn.ReLU())
class Net(nn.Sequential):
    def __init__(self):
        super().__init__()
        self.add_module("a", nn.Linear(4, 8))
        self.b = nn.Linear(9, 2)  # fails
y = Net()(torch.zeros(3, 4))
""",
    ),
    "an attribute called items of a subclass of Sequential": (
        8,
        """
class Net(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(4, 8), nn.Linear(7, 2))  # fails
        self.items = [1]
y = Net()(torch.zeros(3, 4))
""",
    ),
    "_modules of a subclass": (
        8,
        """
class Net(nn.Sequential):
    def forward(self, x):
        for m in self._modules.values():
            x = m(x)  # fails
        return x
Net(nn.Linear(4, 8), nn.Linear(9, 2))(torch.zeros(3, 4))
""",
    ),
    "del, and a slice of children": (
        8,
        """
net = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2), nn.Softmax(1))
del net[-1]
net = nn.Sequential(*list(net.children())[:-1])
nn.Linear(4, 2)(net(torch.zeros(3, 4)))  # fails
""",
    ),
    "named_children": (
        16,
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 8)
        self.b = nn.Linear(8, 16)
        self.k = 3
    def forward(self, x):
        for name, m in self.named_children():
            x = m(x)
        return x
nn.Linear(8, 2)(Net()(torch.zeros(3, 4)))  # fails
""",
    ),
    "a forward hook": (
        8,
        """
feats = {}
net = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2))
def hook(module, args, output):
    feats["x"] = output
net[0].register_forward_hook(hook)
net(torch.zeros(3, 4))
nn.Linear(9, 2)(feats["x"])  # fails
""",
    ),
    "children that are registered by name": (
        7,
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        for i in range(3):
            self.add_module(f"l{i}", nn.Linear(4, 4))
        self._modules["last"] = nn.Linear(4, 7)
        setattr(self, "x", nn.Linear(7, 5))
    def forward(self, x):
        for m in self.children():
            x = m(x)
        return x
n = Net()
n.x = nn.Identity()
nn.Linear(5, 2)(n(torch.zeros(3, 4)))  # fails
""",
    ),
    "append to a subclass": (
        10,
        """
class Net(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(4, 8), nn.Linear(8, 3))
    def forward(self, x):
        y = super().forward(x)
        return torch.cat([y, y], 1)
n = Net()
n.append(nn.Linear(3, 5))
nn.Linear(6, 2)(n(torch.zeros(3, 4)))  # fails
""",
    ),
    "insert, replace and pop": (
        6,
        """
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 10))
net[2] = nn.Linear(8, 5)
net.append(nn.Linear(5, 6)); net.insert(0, nn.Linear(3, 4))
n = 0
for p in net.modules(): n += 1
net.pop(0)
nn.Linear(7, 2)(net(torch.zeros(3, 4)))  # fails
""",
    ),
    "an attribute of a Sequential": (
        3,
        """
net = nn.Sequential()
net.add_module("a", nn.Linear(4, 8))
net.b = nn.Linear(8, 3)
m = nn.Module()
m.f = nn.Linear(4, 5)
x = m.f(torch.zeros(1, 4))
print(len(net), net.b, net.a.out_features)
nn.Linear(8, 2)(net(torch.zeros(3, 4)))  # fails
""",
    ),
    "a deleted child and get_submodule": (
        3,
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 8)
        del self.a
        self.a = nn.Linear(4, 6)
        self.register_module("b", nn.Linear(6, 3))
    def forward(self, x):
        return self.get_submodule("b")(getattr(self, "a")(x))
nn.Linear(8, 2)(Net()(torch.zeros(3, 4)))  # fails
""",
    ),
    "a hook that is removed and one that changes the result": (
        5,
        """
net = nn.Sequential(nn.Linear(4, 8))
handle = net.register_forward_hook(lambda module, args, output: output[:, :3])
handle.remove()
net.register_forward_pre_hook(lambda module, args: (args[0][:, :4],))
net.register_forward_hook(lambda module, args, output: output[:, :5])
nn.Linear(6, 2)(net(torch.zeros(3, 9)))  # fails
""",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_children_and_hooks_are_the_modules_own(tmp_path: Path, name: str) -> None:
    size, source = PROGRAMS[name]
    text = HEAD + source.lstrip()
    (tmp_path / "net.py").write_text(text)
    _, tree = read_source(tmp_path / "net.py", tmp_path)
    (found,) = explore(tmp_path, "net.py", tree, Versions()).problems.values()
    assert (found.level, found.certain) == ("error", True)
    assert f"has {size} features but the layer takes" in found.message
    assert "# fails" in text.splitlines()[found.site.line - 1]


@pytest.mark.parametrize(
    ("made", "size"),
    [
        ("nn.Conv2d(8, 6, 3, stride=2, groups=2)", "m.weight.shape == (6, 4, 3, 3) and m.stride == (2, 2)"),
        ("nn.ConvTranspose1d(8, 6, (5,), groups=2)", "m.weight.shape == (8, 3, 5) and m.bias.shape == (6,)"),
        ("nn.Conv1d(8, 6, 1, padding='same')", "m.padding == 'same' and m.dilation == (1,) and m.groups == 1"),
    ],
)
def test_a_convolution_keeps_its_sizes_as_torch_does(tmp_path: Path, made: str, size: str) -> None:
    import torch

    text = f"import torch\nfrom torch import nn\nclass C({made.partition('(')[0]}):\n    pass\n"
    for maker in (made, "C" + made[made.index("(") :]):
        program = f"{text}m = {maker}\nassert {size}\ntorch.zeros(2, 3) @ torch.zeros(2, 3)\n"
        with pytest.raises(RuntimeError, match="mat1"):
            exec(program, {})
        shared = explore(tmp_path, "main.py", ast.parse(program), Versions())
        assert [p.site.line for p in shared.problems.values() if p.certain] == [7], torch.__version__


def test_a_number_with_a_point_makes_integers_floating(tmp_path: Path) -> None:
    text = "import torch\nfrom torch import nn\nx = torch.arange(4) * 0.5\nnn.Linear(4, 2)(x.sin())\n"
    assert not explore(tmp_path, "main.py", ast.parse(text), Versions()).problems
    whole = text.replace("0.5", "2")
    assert explore(tmp_path, "main.py", ast.parse(whole.replace(".sin()", "")), Versions()).problems


@pytest.mark.parametrize(
    "made", ["x.exp()", "x.sigmoid()", "torch.tanh(x)", "x.pow(0.5)", "x.expm1()", "x.sqrt().log()"]
)
def test_functions_of_integers_are_floating(tmp_path: Path, made: str) -> None:
    text = f"import torch\nfrom torch import nn\nx = torch.arange(4)\nnn.Linear(4, 2)({made})\n"
    exec(text, {})
    assert not explore(tmp_path, "main.py", ast.parse(text), Versions()).problems
    assert explore(tmp_path, "main.py", ast.parse(text.replace(made, "x.abs()")), Versions()).problems


@pytest.mark.parametrize(("size", "wrong"), [(4, False), (5, True)])
def test_statistics_and_modules_below_a_sequence(tmp_path: Path, size: int, wrong: bool) -> None:
    """What folds normalisations into convolutions goes through all modules and takes their statistics."""
    text = f"""import torch
from torch import nn
net = nn.Sequential(nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)), nn.ReLU())
found = [m for m in net.modules() if isinstance(m, nn.BatchNorm2d)]
scale = found[0].weight / (found[0].running_var + found[0].eps).sqrt()
torch.zeros({size}, 3) * scale.reshape(-1, 1)
"""
    path = tmp_path / "program.py"
    path.write_text(text)
    _, tree = read_source(path, tmp_path)
    found = explore(tmp_path, "program.py", tree, Versions()).problems.values()
    assert [p.site.line for p in found if p.level == "error"] == ([6] if wrong else [])


def test_which_layers_are_of_which_class() -> None:
    """Against PyTorch: what is answered of two public layers is so."""
    import torch

    from analyzer.tracing.language.builtins.kinds import _is_layer

    public = {n: k for n, k in vars(torch.nn).items() if isinstance(k, type) and issubclass(k, torch.nn.Module)}
    for name, layer in public.items():
        for other, kind in public.items():
            if layer is not kind:
                said = _is_layer(f"torch.nn.{name}", f"torch.nn.{other}")
                assert said in (None, issubclass(layer, kind)), (name, other)
