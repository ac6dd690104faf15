"""Libraries of more files than can be followed: only what a program asks for is, and nothing is made up."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.imports import libraries, library_index, modules, summaries
from analyzer.tracing.imports.summaries import Summaries
from analyzer.tracing.paths.frames import IMPORT_STEPS, Shared
from analyzer.tracing.paths.tracer import Tracer
from analyzer.tracing.tracing import explore, read_source

FILES = {
    "__init__.py": """
from typing import TYPE_CHECKING
from .factory import create
from .zoo import *
if TYPE_CHECKING:
    from .lazy import Lazy
else:
    import sys
    sys.modules[__name__] = _Loader(__name__)
import absent_package
""",
    "registry.py": """
import sys
_models = {}
def register(fn):
    mod = sys.modules[fn.__module__]
    if fn.__name__ in _models:
        raise ValueError(fn.__name__)
    if fn.__name__ not in mod.__all__:
        mod.__all__.append(fn.__name__)
    _models[fn.__name__] = fn
    return fn
""",
    "factory.py": """
from .registry import _models
def create(name, **kwargs):
    if name not in _models:
        raise RuntimeError(name)
    return _models[name](**kwargs)
""",
    "zoo/__init__.py": "from .net import *\n",
    "parts/__init__.py": "from .inner import *\n",
    "parts/inner/__init__.py": """
from .own import Other
from ...wide import Attention
__all__ = ["Other", "Attention"]
""",
    "parts/inner/own.py": """
class Attention:
    def __init__(self, dim, *, heads=1):
        pass
class Other:
    pass
""",
    "twice/__init__.py": "from .first import *\nfrom .second import *\nfrom .third import *\n",
    "twice/first.py": "import torch\nclass Other:\n    pass\n",
    "twice/second.py": "from ..hidden import *\n",
    "hidden.py": """
import torch.nn as nn
class Repeated(nn.Module):
    def forward(self, x):
        return x.transpose(0, 1)
""",
    "twice/third.py": "import torch\nclass Another:\n    pass\n",
    "elsewhere.py": "class Repeated:\n    pass\n",
    "documenting.py": """
def auto_docstring(cls):
    found = {}
    for number in range(90):
        for other in range(90):
            found[number, other] = other + number
    return cls
""",
    "documented.py": """
import torch.nn as nn
from .documenting import auto_docstring
@auto_docstring
class Documented(nn.Module):
    def forward(self, x):
        return x.transpose(0, 1)
""",
    "wide.py": """
class Attention:
    def __init__(self, dim, width, heads=1):
        pass
""",
    "zoo/net.py": """
import torch.nn as nn
from ..registry import register
__all__ = ["Net"]
WIDTH = 16
class Net(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.first = nn.Linear(8, WIDTH)
        self.last = nn.Linear(WIDTH, classes)
    def forward(self, x):
        return self.last(self.first(x))
@register
def small_net(**kwargs):
    return Net(**kwargs)
""",
    "builders/__init__.py": "from .wide_net import *\n",
    "builders/legacy.py": """
import enum
import functools
import inspect
from types import FunctionType
class Weights(enum.Enum):
    FIRST = 1
def also_positional(fn):
    parameters = inspect.signature(fn).parameters
    start = next(i for i, p in enumerate(parameters.values()) if p.kind == p.KEYWORD_ONLY)
    names = tuple(parameters)[start:]
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        kwargs.update(zip(names, args[start:]))
        return fn(*args[:start], **kwargs)
    return wrapper
def renamed(**renamed):
    def outer(builder):
        @also_positional
        @functools.wraps(builder)
        def inner(*args, **kwargs):
            for new, (old, default) in renamed.items():
                absent = object()
                given = kwargs.get(new, absent)
                if (new not in kwargs and old not in kwargs) or isinstance(given, Weights) or given is None:
                    continue
                if given is not absent:
                    kwargs[old] = kwargs.pop(new)
                found = (default(kwargs) if callable(default) else default) if kwargs[old] else None
                del kwargs[old]
                kwargs[new] = found
            return builder(*args, **kwargs)
        return inner
    return outer
def log_once(thing):
    module = thing.__module__
    if not module.startswith("biglib"):
        raise ValueError(module)
    return thing.__name__ if isinstance(thing, FunctionType) else type(thing).__name__
""",
    "builders/wide_net.py": """
import torch.nn as nn
from .legacy import Weights, log_once, renamed
__all__ = ["WideNet", "wide_net"]
class WideNet(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        log_once(self)
        self.last = nn.Linear(8, classes)
    def forward(self, x):
        return self.last(x)
@renamed(weights=("pretrained", Weights.FIRST))
def wide_net(*, weights=None, **kwargs):
    net = WideNet(**kwargs)
    if weights is not None:
        net.load_state_dict(weights.value)
    return net
""",
    "lazy.py": """
import torch.nn as nn
class Lazy(nn.Module):
    def forward(self, x):
        return x.transpose(0, 1)
""",
    "slow.py": """
import torch
def slow(x):
    for i in range(100000):
        x = torch.cat([torch.relu(x), torch.zeros(2, 1)], 1)
        for j in range(i):
            for k in range(j):
                x = torch.relu(x)
    return x
""",
}


@pytest.fixture
def traced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    folder = tmp_path / "installed" / "biglib"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for number in range(libraries.MOST_FILES):
        (folder / f"other_{number}.py").write_text("import torch\n")
    monkeypatch.syspath_prepend(str(folder.parent))
    cached = (libraries._library, libraries._is_small, library_index.index_of)
    for function in cached:
        function.cache_clear()

    def run(source: str, summaries: Summaries | None = None) -> Shared:
        root = tmp_path / "repository"
        root.mkdir(exist_ok=True)
        (root / "net.py").write_text(source)
        _, tree = read_source(root / "net.py", root)
        return explore(root, "net.py", tree, Versions(), summaries=summaries)

    yield run
    for function in cached:
        function.cache_clear()


def lines(shared: Shared) -> set[tuple[int, bool]]:
    return {(p.site.line, p.proved) for p in shared.problems.values() if p.level == "error"}


PROGRAM = """
import torch
from torch import nn
import biglib
net = {}
y = net(torch.zeros(2, 8))
head = nn.Linear({}, 3)
print(head(y))
"""


@pytest.mark.parametrize(
    "made", ["biglib.Net(classes=6)", "biglib.zoo.Net(6)", "biglib.create('small_net', classes=6)"]
)
def test_models_of_a_large_library_are_followed(traced, made: str) -> None:  # type: ignore[no-untyped-def]
    """By its own name, from a module that hands on all of another, and from a registry that a decorator fills."""
    assert lines(traced(PROGRAM.format(made, 5))) == {(8, True)}
    assert not lines(traced(PROGRAM.format(made, 6)))


@pytest.mark.parametrize("given", ["", "weights=None, ", "pretrained=False, ", "False, "])
def test_a_builder_whose_decorator_takes_old_arguments_too(traced, given: str) -> None:  # type: ignore[no-untyped-def]
    """The module whose names are all taken over is called as one of them; the decorator is followed, not passed by."""
    made = f"biglib.builders.wide_net({given}classes=6)"
    assert lines(traced(PROGRAM.format(made, 5))) == {(8, True)}
    assert not traced(PROGRAM.format(made, 6)).problems


def test_pretrained_weights_are_no_reason_to_pass_a_decorator_by(traced) -> None:  # type: ignore[no-untyped-def]
    made = "biglib.builders.wide_net(pretrained=True, classes=6)"
    assert {line for line, _ in lines(traced(PROGRAM.format(made, 5)))} == {8}
    assert not traced(PROGRAM.format(made, 6)).problems


def test_what_one_path_puts_into_a_registry_the_next_does_not_find(traced) -> None:  # type: ignore[no-untyped-def]
    source = """
import sys, torch
from biglib.registry import _models
if len(sys.argv) > 1:
    print("more")
size = 3 if "mine" in _models else 2
_models["mine"] = size
torch.zeros(size) + torch.zeros(2)
"""
    assert not traced(source).problems


def test_a_package_may_hand_on_a_name_that_one_of_its_modules_defines_for_itself(traced) -> None:  # type: ignore[no-untyped-def]
    program = "from biglib.parts import Attention\nAttention({})\n"
    assert not traced(program.format("4, 5, 6")).problems
    assert traced(program.format("4, 5, width=6")).problems


def test_what_a_lazy_loader_hands_out(traced) -> None:  # type: ignore[no-untyped-def]
    assert lines(traced(PROGRAM.format("biglib.Lazy()", 8))) == {(8, True)}
    assert not lines(traced(PROGRAM.format("biglib.Lazy()", 2)))


def test_a_name_that_a_registry_does_not_hold_is_no_finding(traced) -> None:  # type: ignore[no-untyped-def]
    assert not traced(PROGRAM.format("biglib.create('no_such_net')", 5)).problems


def test_a_call_that_takes_too_long_does_not_take_the_files_budget(traced) -> None:  # type: ignore[no-untyped-def]
    source = """
import torch
from biglib.slow import slow
y = slow(torch.zeros(2, 3))
torch.zeros(2, 3) @ torch.zeros(4, 5)
"""
    assert lines(traced(source)) == {(5, False)}  # what the library gave is unknown, so nothing behind it is proved


def test_a_wrong_index_makes_a_name_unknown(traced, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    wrong = lambda folder: {"small_net": ("biglib.lazy",), "Net": ("biglib.lazy",)}  # noqa: E731
    monkeypatch.setattr(summaries, "index_of", wrong)
    assert not lines(traced(PROGRAM.format("biglib.create('small_net', classes=6)", 5)))


def test_a_summary_is_kept_by_version_and_gives_the_same(traced, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    program, kept = PROGRAM.format("biglib.create('small_net', classes=6)", 5), tmp_path / "kept"
    first = traced(program, Summaries(kept))
    (file,) = kept.iterdir()
    assert json.loads(file.read_text())["calls"]
    again = traced(program, Summaries(kept))
    assert lines(again) == lines(first) == {(8, True)}
    assert again.steps < first.steps / 2


def test_a_summary_is_not_believed_when_the_library_has_changed(traced, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    kept, net = tmp_path / "kept", tmp_path / "installed" / "biglib" / "zoo" / "net.py"
    assert not lines(traced(PROGRAM.format("biglib.Net(6)", 6), Summaries(kept)))
    net.write_text(net.read_text().replace("nn.Linear(WIDTH, classes)", "nn.Linear(WIDTH, classes + 1)"))
    assert lines(traced(PROGRAM.format("biglib.Net(6)", 6), Summaries(kept))) == {(8, True)}


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"form": 1}', '{"form": 1, "names": {"a": 1}, "files": {}, "calls": {}}',
             '{"form": 1, "names": {}, "files": {"../../etc/passwd": ""}, "calls": {}}'],
)  # fmt: skip
def test_a_file_of_another_form_is_no_summary(traced, tmp_path: Path, text: str) -> None:  # type: ignore[no-untyped-def]
    program, kept = PROGRAM.format("biglib.create('small_net', classes=6)", 5), tmp_path / "kept"
    traced(program, Summaries(kept))
    (file,) = kept.iterdir()
    file.write_text(text)
    assert lines(traced(program, Summaries(kept))) == {(8, True)}


@pytest.mark.parametrize(
    "result", [{"tensor": [[-1], "x", "y"]}, {"object": []}, {"again": 5}, {"code": ["/os.py", "system"]}]
)
def test_a_result_that_is_none_is_traced_instead(traced, tmp_path: Path, result: object) -> None:  # type: ignore[no-untyped-def]
    program, kept = PROGRAM.format("biglib.create('small_net', classes=6)", 5), tmp_path / "kept"
    traced(program, Summaries(kept))
    (file,) = kept.iterdir()
    data = json.loads(file.read_text())
    data["calls"] = {key: {"result": result, "doubtful": False} for key in data["calls"]}
    file.write_text(json.dumps(data))
    assert lines(traced(program, Summaries(kept))) == {(8, True)}


def test_a_module_that_does_not_hold_a_name_is_not_parsed_for_it(traced, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    read: list[str] = []
    parse = modules.parse

    def noted(tr: Tracer, file: Path, relative: str) -> ast.Module | None:
        read.append(relative)
        return parse(tr, file, relative)

    monkeypatch.setattr(modules, "parse", noted)
    made = "biglib.twice.Repeated()"
    assert lines(traced(PROGRAM.format(made, 2))) == set()
    assert {line for line, _ in lines(traced(PROGRAM.format(made, 3)))} == {8}
    assert "/biglib/hidden.py" in read
    assert not {"/biglib/twice/first.py", "/biglib/twice/third.py"} & set(read)


def test_a_decorator_that_writes_a_docstring_is_not_followed(traced) -> None:  # type: ignore[no-untyped-def]
    shared = traced(
        PROGRAM.replace("import biglib", "from biglib import documented").format("documented.Documented()", 3)
    )
    assert {line for line, _ in lines(shared)} == {8}
    assert IMPORT_STEPS - shared.import_steps < 1000
