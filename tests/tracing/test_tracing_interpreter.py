"""The interpreter: Python's constructs, paths, flags, verdicts, bad input."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from analyzer.findings import AnalysisResult, Confidence, FailOn, Finding, Level
from analyzer.frameworks.requested_versions import Versions, read_versions
from analyzer.problem import TargetProblem, UsageProblem
from analyzer.tracing import trace
from analyzer.tracing.checkers.python_bugs import check_python  # noqa: F401  (imported so that a missing module shows here)
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.tracing import explore, read_source


def problems(tmp_path: Path, source: str, **others: str) -> list[Diagnostic]:
    path = tmp_path / "model.py"
    path.write_text(textwrap.dedent(source))
    for name, text in others.items():
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
    _, tree = read_source(path, tmp_path)
    shared = explore(tmp_path, "model.py", tree, read_versions(tmp_path))
    return sorted(shared.problems.values(), key=lambda p: p.site.line)


def errors(tmp_path: Path, source: str, **others: str) -> list[int]:
    return [p.site.line for p in problems(tmp_path, source, **others) if p.level == "error" and p.certain]


HEAD = "import torch\nimport torch.nn as nn\n"

CONSTRUCTS = {
    "complex rotation": (
        "x = torch.view_as_complex(torch.zeros(2, {}, 2))\n"
        "phase = torch.polar(torch.ones(2, 4), torch.zeros(2, 4))\n"
        "y = torch.view_as_real(x * phase).flatten(1).type_as(phase)\n"
        "nn.Linear(8, 2)(y)",
        3,
    ),
    "complex pairs": ("torch.view_as_complex(torch.zeros(3, {} - 2))", 1),
    "written in place": ("x = torch.zeros(4)\nx += torch.zeros({})", 2),
    "grown in place": ("x = torch.zeros(3, 4)\nx.mul_(torch.zeros({}))", 2),
    "mask": ("torch.zeros(2, 4).masked_fill(torch.zeros({}) > 0, 0.0)", 1),
    "half spectrum": (
        "x = torch.fft.irfft(torch.fft.rfft(torch.zeros(2, {})))\nnn.Linear(4, 2)(x + torch.zeros(4))",
        2,
    ),
    "random generator": (
        "import numpy as np\nrng = np.random.default_rng(0)\nrng.normal(size=(3, {})) + np.zeros(4)",
        3,
    ),
    "named tuple": (
        "from collections import namedtuple\n"
        "Size = namedtuple('Size', 'rows columns')\n"
        "size = Size(2, columns={})\n"
        "rows, columns = size\n"
        "nn.Linear(4, 4)(torch.zeros(size[0], columns))",
        5,
    ),
    "wrapped method": (
        "import functools\n"
        "def logged(fn):\n"
        "    @functools.wraps(fn)\n"
        "    def wrapper(*args, **kwargs):\n"
        "        return fn(*args, **kwargs)\n"
        "    return wrapper\n"
        "class Net(nn.Module):\n"
        "    @logged\n"
        "    def forward(self, x):\n"
        "        return nn.Linear(4, 2)(x)\n"
        "Net()(torch.zeros(2, {}))",
        10,
    ),
    "distribution": ("x = torch.distributions.Normal(0.0, 1.0).sample((2, {}))\nnn.Linear(4, 2)(x)", 2),
    "comprehension": (
        "layers = nn.Sequential(*[nn.Linear(4, 4) for _ in range(3)])\nlayers(torch.zeros(2, {}))",
        1,
    ),
    "closure": (
        "def make(n):\n    def run(x):\n        return nn.Linear(n, 2)(x)\n    return run\nmake(4)(torch.zeros(2, {}))",
        3,
    ),
    "generator": (
        "def widths():\n"
        "    for w in (4, 8):\n"
        "        yield w\n"
        "x = torch.zeros(2, {})\n"
        "for w in widths():\n"
        "    x = nn.Linear(w, w * 2)(x)",
        6,
    ),
    "unpacking": (
        "a, *b = [4, 5, 6]\nx = nn.Linear(a, b[-1])(torch.zeros(2, {}))",
        2,
    ),
    "star arguments": (
        "def f(*args, **kw):\n    return nn.Linear(*args, **kw)(torch.zeros(2, {}))\nf(4, out_features=3)",
        2,
    ),
    "walrus and f-string": (
        "d = {{f'k{{1}}': 4}}\nif (n := d['k1']) == 4:\n    nn.Linear(n, 2)(torch.zeros(2, {}))",
        3,
    ),
    "property": (
        "class A:\n    @property\n    def n(self):\n        return 4\nnn.Linear(A().n, 2)(torch.zeros(2, {}))",
        5,
    ),
    "inheritance": (
        "class A(nn.Module):\n"
        "    def __init__(self, n=4):\n"
        "        super().__init__()\n"
        "        self.f = nn.Linear(n, 2)\n"
        "class B(A):\n"
        "    def forward(self, x):\n"
        "        return self.f(x)\n"
        "B()(torch.zeros(2, {}))",
        7,
    ),
    "dataclass": (
        "from dataclasses import dataclass\n"
        "@dataclass\n"
        "class C:\n"
        "    n: int = 4\n"
        "    m: int = 2\n"
        "c = C(m=3)\n"
        "nn.Linear(c.n, c.m)(torch.zeros(2, {}))",
        7,
    ),
    "match": (
        "mode = 'a'\n"
        "match mode:\n"
        "    case 'b':\n"
        "        n = 9\n"
        "    case 'a' | 'c':\n"
        "        n = 4\n"
        "nn.Linear(n, 2)(torch.zeros(2, {}))",
        7,
    ),
    "with and try": (
        "try:\n    n = 4\nfinally:\n    pass\nwith torch.no_grad():\n    nn.Linear(n, 2)(torch.zeros(2, {}))",
        6,
    ),
    "while": (
        "n, k = 1, 0\nwhile k < 2:\n    n, k = n * 2, k + 1\nnn.Linear(n, 2)(torch.zeros(2, {}))",
        4,
    ),
    "decorator": (
        "def twice(f):\n"
        "    def run(x):\n"
        "        return f(f(x))\n"
        "    return run\n"
        "@twice\n"
        "def g(x):\n"
        "    return nn.Linear(4, 4)(x)\n"
        "g(torch.zeros(2, {}))",
        7,
    ),
    "partial and lambda": (
        "from functools import partial\n"
        "make = partial(nn.Linear, 4)\n"
        "run = lambda x: make(2)(x)\n"
        "run(torch.zeros(2, {}))",
        3,
    ),
    "context manager": (
        "from contextlib import contextmanager\n"
        "@contextmanager\n"
        "def size():\n"
        "    yield 4\n"
        "with size() as n:\n"
        "    nn.Linear(n, 2)(torch.zeros(2, {}))",
        6,
    ),
}


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_construct_is_followed(tmp_path: Path, name: str) -> None:
    body, line = CONSTRUCTS[name]
    assert errors(tmp_path, HEAD + body.format(4)) == []
    assert errors(tmp_path, HEAD + body.format(7)) == [line + 2]


def test_modules_of_the_repository_are_followed(tmp_path: Path) -> None:
    layers = "import torch.nn as nn\ndef head(n):\n    return nn.Linear(n, 2)\n"
    source = "import torch\nfrom layers import head\nhead({})(torch.zeros(3, 8))\n"
    assert errors(tmp_path, source.format(8), layers=layers) == []
    assert errors(tmp_path, source.format(9), layers=layers) == [3]


@pytest.mark.parametrize(
    ("source", "module", "expected"),
    [
        ("from net import Net", "class Network: pass", [1]),
        ("import net\nprint(net.Net)", "class Network: pass", [2]),
        ("from net import Net", "if unknown():\n    Net = 1", []),
        ("from net import Net", "from elsewhere import *", []),
        ("from net import Net", "def __getattr__(name): return 1", []),
        ("from net import Net", "globals()['Net'] = 1", []),
        ("try:\n    from net import Net\nexcept ImportError:\n    Net = None", "x = 1", []),
        ("from contextlib import suppress\nwith suppress(ImportError):\n    from net import Net", "x = 1", []),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from net import Net", "x = 1", []),
        ("from net import helper", "from helpers import helper as other", []),
    ],
)
def test_names_that_a_module_of_the_repository_lacks(
    tmp_path: Path, source: str, module: str, expected: list[int]
) -> None:
    found = problems(tmp_path, source + "\n", net=module + "\n")
    assert [p.site.line for p in found if p.rule == "python/missing-attribute" and p.certain] == expected


def test_an_attribute_that_is_tried_for_is_no_finding(tmp_path: Path) -> None:
    source = """
    class Net:
        def size(self):
            return self.width
    try:
        Net().size()
    except AttributeError:
        pass
    """
    assert problems(tmp_path, source) == []


def test_unknown_calls_are_unknown_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(HEAD + "from elsewhere import mystery\nx = mystery(torch.zeros(3))\nnn.Linear(4, 2)(x)\n")
    result = trace(path, tmp_path, target="model.py")
    assert result.findings == ()
    assert result.unknown_operators.get("elsewhere.mystery") == 1


def test_unknown_rank_is_linked_across_uses(tmp_path: Path) -> None:
    source = HEAD + "def f(x):\n    a = nn.LSTM(4, 8)(x)\n    b, c, h, w = x.shape\n    return a\n"
    found = problems(tmp_path, source)
    assert all(p.level != "error" or p.site.line in (4, 5) for p in found)


def test_slices_of_one_batch_have_one_length(tmp_path: Path) -> None:
    source = """
        import argparse, torch, torch.nn as nn
        p = argparse.ArgumentParser()
        p.add_argument("--batch", type=int, default=8)
        a = p.parse_args()
        x, y = torch.randn(1000, 4), torch.randint(0, 3, (1000,))
        for i in range(0, 1000, a.batch):
            bx, by = x[i:i + a.batch], y[i:i + a.batch]
            nn.CrossEntropyLoss()(nn.Linear(4, 3)(bx), by)
    """
    assert problems(tmp_path, source) == []


def test_flag_forced_to_one_value_is_a_warning_that_names_it(tmp_path: Path) -> None:
    source = """
        import argparse, torch, torch.nn as nn
        p = argparse.ArgumentParser()
        p.add_argument("--width", type=int, default=100)
        a = p.parse_args()
        nn.Linear(a.width, 2)(torch.zeros(3, 128))
    """
    (found,) = problems(tmp_path, source)
    assert (found.rule, found.level, found.site.line) == ("tracing/incompatible-shape", "error", 6)
    assert any("can only be 128" in s and "default 100: does not fit" in s for s in found.sentences)
    (found,) = problems(tmp_path, source.replace("100", "128"))
    assert (found.rule, found.level, found.site.line) == ("tracing/forced-dimension", "warning", 6)
    assert "can only be 128:" in found.message
    assert "default 128: fits" in found.message


def test_flag_forced_to_a_multiple(tmp_path: Path) -> None:
    source = """
        import argparse, torch
        p = argparse.ArgumentParser()
        p.add_argument("--n", type=int, default=6)
        a = p.parse_args()
        torch.zeros(a.n, 10).reshape(-1, 4, 10)
    """
    (found,) = problems(tmp_path, source)
    assert (found.rule, found.level) == ("tracing/incompatible-shape", "error")
    assert any("a multiple of 4" in s for s in found.sentences)
    (found,) = problems(tmp_path, source.replace("default=6", "default=8"))
    assert found.rule == "tracing/forced-dimension"
    assert "a multiple of 4" in found.message


def test_expected_exceptions_are_no_findings(tmp_path: Path) -> None:
    bad = "nn.Linear(4, 2)(torch.zeros(2, 5))"
    assert errors(tmp_path, HEAD + f"try:\n    {bad}\nexcept RuntimeError:\n    pass\n") == []
    assert errors(tmp_path, HEAD + f"import pytest\nwith pytest.raises(RuntimeError):\n    {bad}\n") == []
    assert errors(tmp_path, HEAD + f"try:\n    {bad}\nexcept KeyError:\n    pass\n") == [4]


def test_contradicting_branches_make_no_error(tmp_path: Path) -> None:
    source = """
        import argparse, torch, torch.nn as nn
        p = argparse.ArgumentParser()
        p.add_argument("--kind", type=str, default="a")
        a = p.parse_args()
        layer = nn.Linear(4, 2) if a.kind == "a" else nn.Linear(5, 2)
        x = torch.zeros(3, 4)
        if a.kind == "b":
            x = torch.zeros(3, 5)
        elif a.kind != "a":
            raise ValueError(a.kind)
        layer(x)
    """
    assert errors(tmp_path, source) == []


def test_paths_are_bounded(tmp_path: Path) -> None:
    tests = "\n".join(f"if mystery({i}):\n    n = n + {i}" for i in range(120))
    path = tmp_path / "model.py"
    path.write_text(f"import torch\nfrom elsewhere import mystery\nn = 4\n{tests}\ntorch.zeros(n)\n")
    result = trace(path, tmp_path, target="model.py")
    assert any("paths" in note for note in result.notes)


def test_suggestion_is_one_token_and_proved(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(HEAD + "net = nn.Linear(12, 2)\nnet(torch.zeros(3, 10))\n")
    (finding,) = findings(trace(path, tmp_path, target="m"), "tracing/incompatible-shape")
    assert finding.blocks(FailOn.CONFIRMED)
    assert finding.suggestion is not None
    assert (finding.suggestion.line, finding.suggestion.replacement) == (3, "net = nn.Linear(10, 2)")
    assert finding.suggestion.proved
    assert any("[3, 10]" in s for s in finding.evidence.sentences)


def findings(result: AnalysisResult, rule: str) -> list[Finding]:
    return [f for f in result.findings if f.rule == rule]


def test_entry_names_where_to_start(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(
        HEAD
        + (
            "def good():\n    return nn.Linear(4, 2)(torch.zeros(2, 4))\ndef bad():\n    return "
            "nn.Linear(4, 2)(torch.zeros(2, 5))\n"
        )
    )
    assert findings(trace(path, tmp_path, target="m", entry="good"), "tracing/incompatible-shape") == []
    assert len(findings(trace(path, tmp_path, target="m", entry="bad"), "tracing/incompatible-shape")) == 1
    with pytest.raises(UsageProblem, match="defines no function or class named missing"):
        trace(path, tmp_path, target="m", entry="missing")


def test_version_of_the_repository_decides(tmp_path: Path) -> None:
    source = (
        "import tensorflow as tf\ndef f(a):\n    b = tf.zeros([2, 3, 4, 5])\n    c = tf.matmul(b, "
        "tf.zeros([5, 6]))\n    return c\nf(1)\n"
    )
    assert errors(tmp_path, source) == []
    (tmp_path / "requirements.txt").write_text("tensorflow==1.13.1\n")
    assert errors(tmp_path, source) == [4]


def test_versions_are_read(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text(
        "# pinned\ntorch==2.1.0+cpu ; python_version>'3'\ntensorflow-gpu<2.0\nnumpy\n"
    )
    versions = read_versions(tmp_path)
    assert versions.get("torch") == (2, 1, 0)
    assert versions.get("tensorflow") == (1, 99) or (versions.get("tensorflow") or (9,)) < (2,)
    assert versions.get("numpy") is None
    assert Versions().get("torch") is None


# ------------------------------------------------------------------------------------------------ Python bugs


def test_undefined_name_and_arguments(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(
        "import torch.nn as nn\n\ndef build(width):\n    return nn.Linear(width, 2, biased=False)\n\n"
        "def main():\n    model = build(4, 5)\n    return modle\n\nmain()\n"
    )
    result = trace(path, tmp_path, target="m")
    assert [f.location.line for f in findings(result, "python/undefined-name") if f.location] == [8]
    assert [
        (f.location.line, f.level)
        for f in findings(result, "python/argument-mismatch")
        if f.location and f.level is Level.ERROR
    ] == [(7, Level.ERROR)]
    unpinned = [f for f in findings(result, "python/argument-mismatch") if f.location and f.location.line == 4]
    assert [f.confidence for f in unpinned] == [Confidence.POSSIBLE]


@pytest.mark.parametrize(
    ("expression", "refused"),
    [
        ("x.shape + 1", True),
        ("x.device + 1", True),
        ("torch.device('cpu') * 2", True),
        ("[1, 2] + 1", True),
        ("'a' + 1", True),
        ("'a' * 2", False),
        ("[1, 2] * 2", False),
        ("np.array([1, 2]) + 1", False),
        ("(some.array() + [1, 2]) + 1", False),
        ("len(x.shape) + 1", False),
    ],
)
def test_a_number_and_what_takes_none(tmp_path: Path, expression: str, refused: bool) -> None:
    path = tmp_path / "model.py"
    path.write_text(f"import numpy as np\nimport some\nimport torch\nx = torch.zeros(2, 3)\ny = {expression}\n")
    errors = findings(trace(path, tmp_path, target="m"), "python/argument-mismatch")
    assert [f.level for f in errors] == [Level.ERROR] * refused


@pytest.mark.parametrize(
    ("test", "proved"),
    [
        ("all(a < b for a, b in zip(ts[:-1], ts[1:]))", False),  # of one tensor: they may exclude each other
        ("all(d == x.device for d in [x.device, ts.device])", False),  # the program's own tensors: no free choice
        ("all(some.test(t) for t in [ts, x])", False),
    ],
)
def test_a_test_of_many_is_as_free_as_each(tmp_path: Path, test: str, proved: bool) -> None:
    path = tmp_path / "model.py"
    path.write_text(
        "import some\nimport torch\nx = torch.zeros(2, 3)\nts = torch.linspace(0, 1, 20)\n"
        f"if not {test}:\n    raise ValueError\nx @ x\n"
    )
    (found,) = findings(trace(path, tmp_path, target="m"), "tracing/incompatible-shape")
    assert (found.confidence is not Confidence.POSSIBLE) == proved


def test_removed_names_by_version(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text("import tensorflow as tf\nx = tf.placeholder(tf.float32, [None, 3])\n")
    assert findings(trace(path, tmp_path, target="m"), "python/removed-api") == []
    (tmp_path / "requirements.txt").write_text("tensorflow==2.15.0\n")
    (found,) = findings(trace(path, tmp_path, target="m"), "python/removed-api")
    assert "2.15.0" in found.message
    assert found.blocks(FailOn.CONFIRMED)
    path.write_text(
        "import tensorflow as tf\ntry:\n    x = tf.placeholder(tf.float32, [None, 3])\nexcept "
        "AttributeError:\n    x = None\n"
    )
    assert findings(trace(path, tmp_path, target="m"), "python/removed-api") == []


def test_misspelt_names(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text("import torch.nn as nn\nlayer = nn.Conv2D(3, 4, 5)\n")
    (found,) = findings(trace(path, tmp_path, target="m"), "python/missing-attribute")
    assert "did you mean `Conv2d`" in found.message


@pytest.mark.type_checkers
def test_the_repository_cannot_configure_the_tools(tmp_path: Path) -> None:
    (tmp_path / "mypy.ini").write_text("[mypy]\nplugins = evil.py\n")
    (tmp_path / "evil.py").write_text(
        f"open({str(tmp_path / 'owned')!r}, 'w')\ndef plugin(version):\n    raise SystemExit\n"
    )
    (tmp_path / "mypy.py").write_text(f"open({str(tmp_path / 'owned')!r}, 'w')\n")
    path = tmp_path / "model.py"
    path.write_text("def f(a):\n    return a\nf(1)\n")
    trace(path, tmp_path, target="m")
    assert not (tmp_path / "owned").exists()


# -------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"def f(:\n", "syntax error"),
        (b"x = '\xff\xfe'\n", "not text in UTF-8"),
        (b"# -*- coding: nonsense -*-\nx = 1\n", "not text in UTF-8"),
        (b"x = 1\x00\n", "null bytes|syntax error"),
        (b"x = " + b"(" * 5000 + b")" * 5000, "nested too deeply|syntax error"),
        (b"print 'hello'\n", r"model.py:1: syntax error: .*Did you mean print\(\.\.\.\)\?$"),
    ],
)
def test_bad_files_give_one_sentence(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "model.py"
    path.write_bytes(content)
    with pytest.raises(TargetProblem, match=message) as caught:
        trace(path, tmp_path, target="m")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "source",
    [
        "def f(n):\n    return f(n + 1)\nf(0)\n",
        "while True:\n    pass\n",
        "exec('x = 1')\nglobals()['y'] = 2\nprint(y)\n",
        (
            "class M(type):\n    def __call__(cls, *a):\n        return super().__call__(*a)\nclass "
            "A(metaclass=M):\n    pass\nA().b\n"
        ),
        "x = [[]]\nx[0].append(x)\nprint(x == x)\n",
        "a = 'x' * 10 ** 12\nb = 9 ** 9 ** 9\nc = [0] * 10 ** 12\n",
        "x = 1 " + "+ 1 " * 3000 + "\n",
        "from . import model\nfrom .model import *\n",
        "def g():\n    while True:\n        yield 1\nx = [*g()]\n",
        "import itertools\nfor i in itertools.count():\n    print(i)\n",
    ],
)
def test_odd_programs_end(tmp_path: Path, source: str) -> None:
    path = tmp_path / "model.py"
    path.write_text(source)
    result = trace(path, tmp_path, target="m")
    assert [f for f in result.findings if f.rule.startswith("tracing/")] == []


def test_a_file_of_10000_lines(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text("x = 0\n" + "x = x + 1\n" * 10_000)
    assert trace(path, tmp_path, target="m").findings == ()


def test_a_library_class_that_comes_first_takes_the_call_of_super(tmp_path: Path) -> None:
    # `nn.Module.__init__` calls no other, so that of the mixin is called by its name
    program = """
        from torch import nn

        class Adapter:
            def __init__(self, base, rank):
                self.base, self.rank = base, rank

        class Linear(nn.Module, Adapter):
            def __init__(self, base, rank=4):
                super().__init__()
                Adapter.__init__(self, base{})

            def forward(self, x):
                return self.base(x)
    """
    assert problems(tmp_path, program.format(", rank")) == []
    assert errors(tmp_path, program.format("")) == [11]


def test_a_list_of_unknown_length_keeps_no_places_when_it_is_turned(tmp_path: Path) -> None:
    # the skip connections of a U-Net: the last, smallest map comes first
    program = """
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self, widths):
                super().__init__()
                self.first = nn.Conv2d(3, widths[0], 3, padding=1)
                self.layers = nn.ModuleList([nn.Conv2d(a, b, 3, padding=1) for a, b in zip(widths, widths[1:])])
                self.pool, self.up = nn.MaxPool2d(2), nn.Upsample(scale_factor=2)

            def forward(self, x):
                kept = [self.first(x)]
                for layer in self.layers:
                    kept.append(layer(self.pool(kept[-1])))
                kept = kept[{}]
                return torch.cat([self.up(kept[0]), kept[1]], 1)
    """
    assert errors(tmp_path, program.format("::-1")) == []
    assert errors(tmp_path, program.format(":2")) == [17]


def test_a_typed_tensor_of_one_unknown_number_has_that_size(tmp_path: Path) -> None:
    program = """
        import torch
        from torch import nn

        class Noisy(nn.Module):
            def __init__(self, features: int, rest):
                super().__init__()
                self.noise = nn.Parameter(torch.FloatTensor(features))
                self.other = torch.LongTensor(rest)
                self.count = self.other.size(0)

            def forward(self, x):
                return x + torch.randn(self.noise.size({}))
    """
    assert errors(tmp_path, program.format(0)) == []
    assert errors(tmp_path, program.format(1)) == [13]
