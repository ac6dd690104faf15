"""Entry points ``(model, example inputs)`` are traced as they are exported, and modules that nothing calls."""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import dedent

import pytest

from analyzer.findings import Level
from analyzer.frameworks.requested_versions import Versions
from analyzer.problem import UsageProblem
from analyzer.tracing import trace
from analyzer.tracing.tracing import explore

TORCH = """import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.head = nn.Linear(8 * 30 * 30, {features})

    def forward(self, x{more}):
        return self.head(self.conv(x).flatten(1))

def build():
    return Net(), {examples}

model = Net()
pair = (model, (torch.rand(2, 3, {size}, 32),))
"""


def lines(tmp_path: Path, source: str, entry: str | None) -> list[int]:
    path = tmp_path / "net.py"
    path.write_text(source)
    found = explore(tmp_path, "net.py", ast.parse(source), Versions(), entry).problems.values()
    return sorted(p.site.line for p in found if p.level == "error" and p.certain)


@pytest.mark.parametrize(
    ("examples", "expected"),
    [
        ("(torch.rand(2, 3, 32, 32),)", []),
        ("(torch.rand(2, 3, 30, 32),)", [11]),
        ("[torch.rand(2, 3, 30, 32)]", [11]),
        ("{'x': torch.rand(2, 3, 30, 32)}", [11]),
        ("{'x': torch.rand(2, 3, 32, 32)}", []),
    ],
)
def test_the_model_is_called_with_its_examples(tmp_path: Path, examples: str, expected: list[int]) -> None:
    assert lines(tmp_path, TORCH.format(features=4, more="", examples=examples, size=32), "build") == expected


def test_a_pair_at_module_level(tmp_path: Path) -> None:
    assert lines(tmp_path, TORCH.format(features=4, more="", examples="None", size=30), "pair") == [11]
    assert lines(tmp_path, TORCH.format(features=4, more="", examples="None", size=32), "pair") == []


def test_an_object_at_module_level_is_no_error(tmp_path: Path) -> None:
    assert lines(tmp_path, TORCH.format(features=4, more="", examples="None", size=32), "model") == []


def test_a_missing_entry_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=r"net\.py defines no function or class named nowhere"):
        lines(tmp_path, TORCH.format(features=4, more="", examples="None", size=32), "nowhere")


CHAIN = """import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, {middle})
        self.second = nn.Linear(16, 4)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))
"""


@pytest.mark.parametrize(("middle", "expected"), [(16, []), (8, [11])])
def test_layers_that_cannot_follow_one_another_at_any_rank(tmp_path: Path, middle: int, expected: list[int]) -> None:
    assert lines(tmp_path, CHAIN.format(middle=middle), None) == expected


OPEN = [
    # a switch of the constructor is not the bias
    """import torch.nn as nn, torch.nn.functional as F
class A(nn.Module):
    def __init__(self, width, bias):
        super().__init__()
        self.k = nn.Linear(width, width, bias=bias)
    def forward(self, x):
        return F.conv2d(x, self.k.weight[..., None, None], self.k.bias)
""",
    """import torch.nn as nn, torch.nn.functional as F
class A(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.c = nn.Conv1d(width, width, 4, groups=width, bias=False)
    def forward(self, x):
        b, c, n = x.shape
        return F.conv1d(x, self.c.weight.squeeze(1).unsqueeze(1), self.c.bias, groups=c)
""",
    # the arguments of a layer that nobody makes here are not known
    """import torch.nn as nn
class Norm(nn.GroupNorm):
    def forward(self, x):
        return super().forward(x.float()).to(x.dtype)
class Conv(nn.Conv1d):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
    def forward(self, x):
        return super().forward(x)
""",
    # a comparison of two unknowns may be a tensor
    """import torch.nn.functional as F
def same(a):
    return F.pad(a[:, 1:] == a[:, :-1], (1, 0), value=False)
""",
    # ranks beyond those usually tried
    """def fold(x, k):
    b, c, _, _, _ = x.shape
    x = x.unfold(2, k[0], 1).unfold(3, k[1], 1).unfold(4, k[2], 1)
    return x.permute(0, 2, 3, 4, 1, 5, 6, 7)
""",
    # the third of an unknown number of blocks is not the second once more
    """import torch.nn as nn
class Net(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.blocks = nn.ModuleList(
            [nn.Linear(int(config.width * 2**i), int(config.width * 2 ** (i + 1))) for i in range(len(config.depths))]
        )
    def forward(self, x):
        for index, block in enumerate(self.blocks):
            x = block(x)
        return x
""",
    # a sum of two unknowns may be a longer tuple
    """import torch.nn as nn
class Net(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.shape = config.shape
    def forward(self, w, batch):
        w = w.expand((batch,) + self.shape + w.shape[-1:])
        return w[:, :3]
""",
]


@pytest.mark.parametrize("source", OPEN)
def test_what_callers_may_give_is_no_certain_error(tmp_path: Path, source: str) -> None:
    assert lines(tmp_path, source, None) == []


def test_a_call_that_goes_through_the_library(tmp_path: Path) -> None:
    source = """import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 3)
    def __call__(self, *args, **kwargs):
        return super().__call__(*args, **kwargs)
    def forward(self, x):
        return self.head(x)
y = Net()(torch.zeros(2, 4)) @ torch.zeros(4, 2)
"""
    assert lines(tmp_path, source, None) == [11]
    assert lines(tmp_path, source.replace("zeros(4, 2)", "zeros(3, 2)"), None) == []


def test_a_refusal_in_a_class_that_nothing_calls(tmp_path: Path) -> None:
    broken = OPEN[0].replace("self.k.weight[..., None, None]", "self.k.weight[..., None]")
    assert lines(tmp_path, broken, None) == [7]


def test_a_test_that_is_expected_to_fail_is_no_error(tmp_path: Path) -> None:
    source = """
        import pytest, torch, torch.nn as nn

        @pytest.mark.xfail
        def test_wrong():
            nn.Linear(3, 4)(torch.zeros(2, 5))

        def test_refused():
            with pytest.raises(RuntimeError):
                nn.Linear(3, 4)(torch.zeros(2, 6))
        """
    path = tmp_path / "test_model.py"
    path.write_text(dedent(source))
    assert trace(path, tmp_path, target="test_model.py").findings == ()


MODULE = """
    import torch
    from torch import nn

    class {name}(nn.Module):
        {more}
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, 4)
            {set}

        def forward(self, x):
            return self.fc(x) * self.scale
    """


@pytest.mark.parametrize(
    ("name", "more", "sets", "reported"),
    [
        ("Net", "", "", True),
        ("Net", "", "self.scale = 2", False),
        ("Net", "", "self.register_buffer('scale', torch.ones(4))", False),
        ("Net", "", "self.register_buffer('scales', torch.ones(4))", True),
        ("Net", "", "setattr(self, 'sca' + 'le', 2)", False),
        ("Net", "scale: int", "", False),
        ("Net", "scale = 2", "", False),
        ("_Net", "", "", False),
        ("BaseNet", "", "", False),
    ],
)
def test_a_missing_attribute_of_a_module(tmp_path: Path, name: str, more: str, sets: str, reported: bool) -> None:
    path = tmp_path / "net.py"
    path.write_text(dedent(MODULE).format(name=name, more=more, set=sets))
    found = [f for f in trace(path, tmp_path, target="net.py").findings if f.rule == "python/missing-attribute"]
    assert bool(found) is reported
    assert all(f.level is Level.WARNING for f in found), "it does not block"


def test_what_a_subclass_sets_is_not_missing_in_its_base(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    sub = "class Wide(Net):\n    def __init__(self):\n        super().__init__()\n        self.scale = 2\n"
    path.write_text(dedent(MODULE).format(name="Net", more="", set="") + sub)
    assert trace(path, tmp_path, target="net.py").findings == ()


def test_a_layer_without_features_is_legal(tmp_path: Path) -> None:
    """PyTorch warns of it and goes on; a number of features below zero it refuses."""
    source = """
    import torch
    from torch import nn

    def build(features=0):
        layer = nn.Linear(4, features)
        return layer, (torch.zeros(2, 4),)
    """
    assert lines(tmp_path, dedent(source), "build") == []
    assert lines(tmp_path, dedent(source).replace("features=0", "features=-1"), "build") != []


def test_what_another_file_sets_is_not_missing(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(dedent(MODULE).format(name="Net", more="", set=""))
    other = "def prepared(owner):\n    for part in owner.parts:\n        part.scale{} 2\n"
    for sign, told in (("=", 0), (" =", 0), (": int =", 0), (" ==", 1)):
        (tmp_path / "user.py").write_text(other.format(sign))
        assert len(trace(path, tmp_path, target="net.py").findings) == told
