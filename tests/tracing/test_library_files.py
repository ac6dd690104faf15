"""Classes that nothing calls: what fails for every size that a caller may choose, and what only a guess supports."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from analyzer.findings import Confidence, FailOn, Level
from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.problems import EVERY_CALL, UNREACHED, Diagnostic
from analyzer.tracing.tracing import explore, read_source, trace, trace_with_hints

HEAD = "import torch, torch.nn as nn\nimport somelib\n"


def problems(tmp_path: Path, source: str) -> list[Diagnostic]:
    (tmp_path / "net.py").write_text(HEAD + source)
    _, tree = read_source(tmp_path / "net.py", tmp_path)
    return list(explore(tmp_path, "net.py", tree, Versions()).problems.values())


FEED_FORWARD = """
class FeedForward(nn.Module):
    def __init__(self, dim, mult=4):
        super().__init__()
        self.first = nn.Linear(dim, dim * mult)
        self.second = nn.Linear({}, dim)
    def forward(self, x):
        return self.second(self.first(x))
"""


def test_sizes_that_contradict_each_other_for_every_width_fail(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, FEED_FORWARD.format("dim"))
    assert (found.level, found.certain, found.tier) == ("error", True, EVERY_CALL)
    assert "4·dim features but the layer takes dim" in found.message
    assert not problems(tmp_path, FEED_FORWARD.format("dim * mult"))


CONVOLUTIONS = """
class Block(nn.Module):
    def __init__(self, c: int, k: int):
        super().__init__()
        self.a = nn.Conv2d(c, c + k, 3, padding=1)
        self.b = nn.Conv2d({}, k, 1)
    def forward(self, x):
        return self.b(self.a(x))
"""


def test_a_sum_of_sizes_is_none_of_them(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, CONVOLUTIONS.format("c"))
    assert (found.level, found.certain) == ("error", True)
    assert not problems(tmp_path, CONVOLUTIONS.format("c + k"))


def test_the_input_of_a_convolution_is_a_batch_or_one_example(tmp_path: Path) -> None:
    source = """
class Net(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.a = nn.Conv2d(3, c, 3)
    def forward(self, x):
        x = self.a(x)
        {} = x.shape
        return x
"""
    assert not problems(tmp_path, source.format("b, c, h, w"))
    (one,) = problems(tmp_path, source.format("c, h, w"))
    assert not one.certain
    assert any("one example alone" in s for s in one.sentences)
    (never,) = problems(tmp_path, source.format("h, w"))
    assert never.certain


def test_nothing_that_rests_on_an_unknown_call_is_proved(tmp_path: Path) -> None:
    wrong = "nn.Linear(4, 2)(torch.zeros(3, 5))\n"
    for condition in ("somelib.is_wide()", "somelib.WIDE", "somelib.load().wide", "len(somelib.names()) > 3"):
        (found,) = problems(tmp_path, f"if {condition}:\n    {wrong}")
        assert not found.certain, condition
    source = "x = somelib.load()\nnn.Linear(4, 2)(x)\nnn.Linear(5, 2)(x)\n"
    assert not [p for p in problems(tmp_path, source) if p.certain]
    (found,) = problems(tmp_path, wrong)
    assert found.certain


def test_a_package_does_not_hide_the_standard_library(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    for name in ("__init__", "math", "logging"):
        (package / f"{name}.py").write_text("")
    (package / "net.py").write_text("import math, logging\nlogging.getLogger('x')\nmath.floor(2.5)\n")
    _, tree = read_source(package / "net.py", tmp_path)
    assert not explore(tmp_path, "package/net.py", tree, Versions()).problems
    (tmp_path / "logging.py").write_text("")  # beside a script it does
    (tmp_path / "train.py").write_text("import logging\nlogging.getLogger('x')\n")
    _, tree = read_source(tmp_path / "train.py", tmp_path)
    (found,) = explore(tmp_path, "train.py", tree, Versions()).problems.values()
    assert found.rule == "python/missing-attribute"


SENTINEL = """
class Norm(nn.Module):
    def __init__(self, bias: bool = True, width: int = -1, axis: int = -1):
        super().__init__()
        self.axis = axis
        self.weight = nn.Parameter(torch.zeros(width))
    def forward(self, x):
        return x.mean(self.axis, keepdim=True) * self.weight{}
"""


def test_a_default_of_minus_one_is_no_size(tmp_path: Path) -> None:
    assert not problems(tmp_path, SENTINEL.format(""))
    assert problems(tmp_path, SENTINEL.format(".view(-1, 0)[1, 2, 3]"))


EMPTY = """
class Joined(nn.Module):
    def __init__(self, masks={}, scale=1.0):
        super().__init__()
        self.masks = masks
    def forward(self, x):
        return torch.cat([x[:, m] for m in self.masks], dim=1){}
"""


@pytest.mark.parametrize("default", ["[]", "()", "{}"])
def test_an_empty_default_stands_for_what_callers_give(tmp_path: Path, default: str) -> None:
    assert not problems(tmp_path, EMPTY.format(default, ""))
    assert problems(tmp_path, EMPTY.format(default, " + torch.zeros(2, 3) @ torch.zeros(2, 3)"))


def test_a_dictionary_that_was_sorted_by_unknown_keys_may_hold_what_is_asked(tmp_path: Path) -> None:
    source = """
def group(prefix, d):
    found = ({}, {})
    for key in d.keys():
        rest = int(not key.startswith(prefix))
        found[rest][key] = d[key]
    return found

class Inner(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.f = nn.Linear(width, width)

def make(depth, **more):
    inside, rest = group("in_", dict(in_depth=depth, **more))
    return Inner(**rest)
"""
    assert not problems(tmp_path, source)
    (found,) = problems(tmp_path, source.replace(", **more", "").replace("(**rest)", "(**inside)"))
    assert found.operator == "Inner.__init__"


def test_a_package_does_not_hide_the_libraries_it_wraps(tmp_path: Path) -> None:
    package = tmp_path / "net"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from .version import VERSION\n\ndef backend():\n    import keras\n    return keras.backend\n"
    )
    (package / "version.py").write_text("VERSION = 1\n")
    (package / "keras.py").write_text("from . import backend\n\nBACKEND = backend()\n")
    assert not [p for p in _traced(tmp_path, "net/keras.py") if p.level == "error"]
    (package / "helper.py").write_text("import losses\nfrom . import backend\nlosses.missing\n")
    (package / "losses.py").write_text("")
    assert not [p for p in _traced(tmp_path, "net/helper.py") if p.level == "error"]


def test_a_folder_of_a_namespace_package_is_no_library(tmp_path: Path) -> None:
    folder = tmp_path / "towers" / "keras" / "layers"  # `towers` has no `__init__.py`
    folder.mkdir(parents=True)
    for package in (folder.parent, folder):
        (package / "__init__.py").write_text("")
    (folder / "dense.py").write_text("from keras import ops\nfrom towers.keras.layers import other\nops.zeros(3)\n")
    (folder / "other.py").write_text("")
    assert not _traced(tmp_path, "towers/keras/layers/dense.py")


@pytest.mark.parametrize("call", ["list(zip(*f()))", "list(map(*f()))", "tuple(zip(*f(), [1]))"])
def test_a_builtin_of_an_unknown_number_of_arguments_is_unknown(tmp_path: Path, call: str) -> None:
    (tmp_path / "box.py").write_text(
        f"import numpy as np\nfrom shapes import f\npoints = np.array({call})[:-1]\nprint(points[:, 0])\n"
    )
    assert not [p for p in _traced(tmp_path, "box.py") if p.level == "error"]


def test_optional_parts_that_are_all_left_out_are_the_callers_choice(tmp_path: Path) -> None:
    source = """
class Tabular(nn.Module):
    def __init__(self, columns=None, categories=None):
        super().__init__()
        self.columns, self.categories = columns, categories
        if categories is not None:
            self.embed = nn.Embedding(categories, 8)
    def forward(self, x):
        parts = []
        if self.categories is not None:
            parts.append(self.embed(x))
        if self.columns is not None:
            parts.append(x[:, self.columns])
        return torch.cat(parts, 1)
"""
    assert not [p for p in problems(tmp_path, source) if p.certain]
    assert [p for p in problems(tmp_path, source + "Tabular()(torch.zeros(2, 3))\n") if p.certain]


@pytest.mark.parametrize(
    "call", ["view(size=(6, 4))", "expand(size=(5, 2, 3, 4))", "new_zeros(size=(2, 3))", "repeat(repeats=(2, 1, 1))"]
)
def test_sizes_that_are_given_by_name(tmp_path: Path, call: str) -> None:
    source = f"x = torch.zeros(2, 3, 4)\ny = x.{call}\n"
    shape = tuple(eval(f"torch.zeros(2, 3, 4).{call}", {"torch": torch}).shape)
    assert not problems(tmp_path, source + f"y + torch.zeros({shape})\n")
    (found,) = problems(tmp_path, source + f"y + torch.zeros({(*shape[:-1], 7)})\n")
    assert found.certain


@pytest.mark.parametrize("kind", ["FloatTensor", "LongTensor"])
def test_an_old_constructor_takes_a_size_or_elements(tmp_path: Path, kind: str) -> None:
    source = f"x = torch.zeros(5, 4)\ny = torch.{kind}({{}}).copy_(x)\n"
    assert not problems(tmp_path, source.format("x.size()"))
    assert not problems(tmp_path, f"def copy(x):\n    return torch.{kind}(x.size()).copy_(x)\n")
    (found,) = problems(tmp_path, source.format("(5, 4)"))
    assert found.certain


KERAS_ATTENTION = """
import keras
from keras import ops

class Attention(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.inner = keras.layers.Dense(12)
    def call(self, x):
        batch, height, width = ops.shape(x)[:3]
        resized = height % 2 != 0 or width % 2 != 0
        if resized:
            x = x[:, :2]
        q = ops.transpose(ops.reshape(self.inner(x), newshape=(batch, -1, 4, 3)), axes=(0, 2, 1, 3))
        if resized:
            q = q[:, :, :0]
        return ops.matmul(q, ops.transpose(q, axes=(0, {})))

inputs = keras.Input((6, 8, 5))
keras.Model(inputs, Attention()(inputs))
"""


def test_parameters_that_keras_names_in_its_own_way(tmp_path: Path) -> None:
    assert not problems(tmp_path, KERAS_ATTENTION.format("1, 3, 2"))
    (found,) = problems(tmp_path, KERAS_ATTENTION.format("1, 2, 3"))
    assert found.certain
    assert found.operator == "keras.ops.matmul"


def test_a_keyword_that_a_rule_does_not_know_proves_nothing(tmp_path: Path) -> None:
    source = "import tensorflow as tf\nx = tf.transpose(tf.zeros((2, 3)), dims=(0, 1))\nx + tf.zeros((2, 3))\n"
    assert not [p for p in problems(tmp_path, source) if p.certain]
    assert [p for p in problems(tmp_path, source.replace(", dims=(0, 1)", "")) if p.certain]


@pytest.mark.parametrize("given", ["tf.float32", "dtype=tf.float32", "tf.float32, 'ones'"])
def test_ones_of_another_type(tmp_path: Path, given: str) -> None:
    source = "import tensorflow as tf\nv = tf.zeros((2, 3)) > 0\ntf.ones_like(v{}) * tf.zeros(3)\n"
    assert not problems(tmp_path, source.format(f", {given}"))
    assert [p.proved for p in problems(tmp_path, source.format(""))] == [True]


SAMPLING = """
def draw(weights):
    r = torch.rand(1)
    for i in range(3):
        if weights[i] >= r:
            return i
    return -1

x = torch.zeros(6)
m = draw(torch.rand(3))
x[2 * m : 2 * m + 2] + torch.zeros({})
"""


def test_several_choices_of_data_may_exclude_each_other(tmp_path: Path) -> None:
    assert not [p for p in problems(tmp_path, SAMPLING.format(2)) if p.certain]
    assert [p for p in problems(tmp_path, SAMPLING.format(3)) if p.certain]


LAYERS = """
import keras
def build(count, per_step, units):
    x = keras.Input((5, 8))
    for i in range(count):
        last = i == count - 1 and not per_step
        x = keras.layers.LSTM(units, return_sequences={})(x)
    return x
"""


def test_several_choices_of_callers_may_exclude_each_other(tmp_path: Path) -> None:
    assert not [p for p in problems(tmp_path, LAYERS.format("True if not last else False")) if p.certain]
    assert [p for p in problems(tmp_path, LAYERS.format("False")) if p.level == "error"]


def test_a_tensor_that_was_decided_keeps_its_truth(tmp_path: Path) -> None:
    source = """
changed = torch.rand(1) > 0.5
x = torch.zeros(2, 3)
if changed:
    x = torch.zeros(3, 2)
y = torch.zeros(2, 3) if not changed else torch.zeros(3, 2)
x + y
"""
    assert not problems(tmp_path, source)
    assert problems(tmp_path, source.replace("not changed", "changed"))


def _traced(root: Path, name: str) -> list[Diagnostic]:
    _, tree = read_source(root / name, root)
    return list(explore(root, name, tree, Versions()).problems.values())


# ------------------------------------------------------------------------------------- proved, or possible

JOINED = """
class Net(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.first, self.second = nn.Linear(dim, 2 * dim), nn.Linear(dim, dim)
    def forward(self, x):
        {}
"""
CALLED = "\nNet(8)(torch.zeros(2, 8))\n"


@pytest.mark.parametrize(
    ("body", "alone"),
    [
        ("return self.second(self.first(x))", True),  # what one layer gives is not what the other takes
        ("return self.second(torch.relu(self.first(x)))", True),
        ("return torch.cat([self.first(x), torch.zeros(3, 3, 3)[0, 0, 0]])", False),  # a rank: of `x`
        ("return torch.zeros(4, 5) + torch.zeros(4, 6)", False),  # no layer
        ("return self.first(x) + torch.zeros(2, 16, 1)[:, :5]", False),
        ("return self.first(torch.zeros(3, 9))", False),  # no layer has made the 9
        ("if x.mean() > 0:\n            x = x + 1\n        return self.second(self.first(x))", False),  # a branch
    ],
)
def test_what_no_program_reaches_is_possible_unless_a_class_contradicts_itself(
    tmp_path: Path, body: str, alone: bool
) -> None:
    for source, proved in ((JOINED.format(body), alone), (JOINED.format(body) + CALLED, True)):
        errors = [p for p in problems(tmp_path, source) if p.level == "error"]
        if errors or proved:
            (found,) = errors
            assert (found.proved, found.unreached) == (proved, not proved), source


def test_a_possible_error_says_that_no_program_reaches_it_and_does_not_block(tmp_path: Path) -> None:
    source = HEAD.replace("import somelib\n", "") + JOINED.format("return torch.zeros(4, 5) + torch.zeros(4, 6)")
    for text, confidence in ((source, Confidence.POSSIBLE), (source + CALLED, Confidence.PROVED)):
        (tmp_path / "net.py").write_text(text)
        (found,) = trace(tmp_path / "net.py", tmp_path, target="t").findings
        assert found.confidence is confidence
        assert found.level is (Level.WARNING if confidence is Confidence.POSSIBLE else Level.ERROR)
        assert found.blocks(FailOn.CONFIRMED) is (confidence is Confidence.PROVED)
        assert (UNREACHED in found.evidence.sentences) is (confidence is Confidence.POSSIBLE)


@pytest.mark.parametrize(("signature", "proved"), [("", True), ("width", False), ("width=3", False), ("*more", False)])
def test_a_function_without_parameters_can_be_called_in_one_way(tmp_path: Path, signature: str, proved: bool) -> None:
    (found,) = problems(tmp_path, f"def main({signature}):\n    nn.Linear(4, 2)(torch.zeros(3, 5))\n")
    assert found.proved is proved


def test_a_test_is_a_program_where_its_fixtures_are_known(tmp_path: Path) -> None:
    source = "def test_net({}):\n    nn.Linear(4, 2)(torch.zeros(3, 5))\n"
    (found,) = problems(tmp_path, source.format(""))
    assert found.proved
    (found,) = problems(tmp_path, source.format("monkeypatch"))
    assert not found.proved


PARTS = """
class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.qkv, self.out = nn.Linear(dim, 6 * dim), nn.Linear({} * dim, dim)
    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return self.out(q)
"""


def test_parts_of_the_last_axis_of_a_tensor_of_unknown_rank(tmp_path: Path) -> None:
    assert not problems(tmp_path, PARTS.format(2))
    (found,) = problems(tmp_path, PARTS.format(3))
    assert (found.level, found.certain) == ("error", True)
    assert "2·dim features but the layer takes 3·dim" in found.message


BUILD = 'from setuptools import Extension, setup\nsetup(ext_modules=[Extension("{}", ["a.pyx"])])\n'


@pytest.mark.parametrize(
    ("place", "text", "wrong"),
    [
        ("setup.py", BUILD.format("pkg.packed"), False),
        ("setup.py", BUILD.format("pkg.other"), True),
        ("pkg/setup.py", BUILD.format("packed"), False),
        ("other/setup.py", BUILD.format("packed"), True),
        ("pkg/src/packed.cu", "", False),
        ("pkg/src/packed.txt", "", True),
    ],
)
def test_a_module_that_the_build_compiles_is_there(tmp_path: Path, place: str, text: str, wrong: bool) -> None:
    files = {
        place: text,
        "pkg/__init__.py": "from .base import f\n",
        "pkg/base.py": "from . import packed\ndef f():\n    return packed.x()\n",
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    _, tree = read_source(tmp_path / "pkg/base.py", tmp_path)
    found = explore(tmp_path, "pkg/base.py", tree, Versions()).problems.values()
    assert bool([p for p in found if p.rule == "python/missing-attribute"]) == wrong


def test_a_package_is_no_library_to_its_own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed, root = tmp_path / "site", tmp_path / "repository"
    for folder, files in (
        (installed, {"__init__.py": "import torch\n", "common.py": "import torch\nSIZE = 3\n"}),
        (root, {"run.py": "import torch\nfrom .common import WIDTH\ntorch.zeros(WIDTH)\n"}),
    ):
        (folder / "own_checks").mkdir(parents=True)
        for name, text in files.items():
            (folder / "own_checks" / name).write_text(text)
    monkeypatch.syspath_prepend(str(installed))
    _, tree = read_source(root / "own_checks/run.py", root)
    found = explore(root, "own_checks/run.py", tree, Versions()).problems.values()
    assert [p for p in found if p.level == "error"] == []


@pytest.mark.parametrize("beside", [True, False])
def test_a_module_beside_a_script_may_be_meant(tmp_path: Path, beside: bool) -> None:
    (tmp_path / "Net").mkdir()
    (tmp_path / "Net/__init__.py").write_text("VERSION = 1\n")
    if beside:
        (tmp_path / "Net/Net.py").write_text("import torch\nclass Block(torch.nn.Module):\n    pass\n")
    (tmp_path / "Net/Test.py").write_text("import torch\nimport Net\nNet.Block()\n")
    _, tree = read_source(tmp_path / "Net/Test.py", tmp_path)
    found = explore(tmp_path, "Net/Test.py", tree, Versions()).problems.values()
    assert bool([p for p in found if p.level == "error"]) is not beside


def test_beside_a_name_of_many_shapes_stand_those_that_programs_give_it(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(
        "import torch.nn as nn\nclass Net(nn.Module):\n    def __init__(self, n=8):\n        super().__init__()\n"
        "        self.conv = nn.Conv1d(n, 6, 3)\n    def forward(self, x):\n"
        "        x = self.conv(x)\n        return x\n"
    )
    (tmp_path / "train.py").write_text("import torch\nfrom net import Net\nNet()(torch.zeros(4, 8, 12))\n")
    _, found = trace_with_hints(tmp_path / "net.py", tmp_path, target="net")
    assert [(h.line, h.shape) for h in found] == [(7, "[4, 6, 10]")]


def test_a_shape_of_sizes_without_a_name_gives_way_to_those_that_programs_give(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(
        "import torch.nn as nn\nclass Net(nn.Module):\n    def __init__(self, n=8):\n        super().__init__()\n"
        "        self.conv = nn.Conv1d(n, 6, 3)\n    def forward(self, x):\n"
        "        y = self.conv(x.transpose(1, 2)).transpose(1, 2)\n        return y\n"
    )
    _, alone = trace_with_hints(tmp_path / "net.py", tmp_path, target="net")
    (tmp_path / "train.py").write_text("import torch\nfrom net import Net\nNet()(torch.zeros(4, 12, 8))\n")
    _, found = trace_with_hints(tmp_path / "net.py", tmp_path, target="net")
    assert [(h.line, h.shape) for h in found] == [(7, "[4, 10, 6]")]
    assert [h.line for h in alone] == [7]
