"""Generators and context managers, held against Python: each program computes a size `n`, as it runs and as traced."""

from __future__ import annotations

import ast
import resource
import time
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore
from tests.tracing.test_python_language import errors, truth

TEXT = (Path(__file__).parent / "generators.txt").read_text(encoding="utf-8")
PROGRAMS = {p.partition("\n")[0]: p.partition("\n")[2] for p in TEXT.removeprefix("### ").split("\n### ")}

# The size is unknown to the tracer there, which claims nothing.
NOT_FOLLOWED: frozenset[str] = frozenset()


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_stands_around_a_yield_happens_when_python_does_it(name: str, tmp_path: Path) -> None:
    size = truth(PROGRAMS[name])
    assert errors(tmp_path, PROGRAMS[name], size) == []
    if name not in NOT_FOLLOWED:
        assert errors(tmp_path, PROGRAMS[name], size + 1), f"{size + 1} for {size} is not told"


HEAD = "import random\nimport torch\nfrom torch import nn\nfrom contextlib import contextmanager\nlog = [1, 2]\n"
CLOSING = "def g():\n    try:\n        yield 1\n        yield 2\n    finally:\n        log.append(3)\n"


def certain(tmp_path: Path, program: str) -> list[str]:
    problems = explore(tmp_path, "net.py", ast.parse(HEAD + program), Versions()).problems.values()
    return [p.message for p in problems if p.level == "error" and p.certain]


@pytest.mark.parametrize(
    "program",
    [
        CLOSING + "def f():\n    i = g()\n    next(i)\nf()\n",  # it is closed where the function ends
        CLOSING + "i = g()\nnext(i)\ni = g()\n",
        CLOSING + "i = g()\nnext(i)\ndel i\n",
        CLOSING + "class A:\n    pass\nA.i = g()\na = A()\na.i = g()\nnext(a.i)\na.i = None\n",
        CLOSING + "z = zip(g(), [1])\nfor a, b in z:\n    break\ndel z\n",
    ],
)
def test_when_a_dropped_generator_is_closed_is_not_known(tmp_path: Path, program: str) -> None:
    scope: dict[str, object] = {}
    exec(HEAD + program, scope)
    assert scope["log"] == [1, 2, 3]
    assert certain(tmp_path, program + "nn.Linear(3, 4)(torch.zeros(1, len(log)))\n") == []
    assert certain(tmp_path, program + "nn.Linear(2, 4)(torch.zeros(1, len(log)))\n") == []  # a miss


@pytest.mark.parametrize("caught", ["RuntimeError", "Exception", "BaseException"])
def test_a_refusal_that_a_context_manager_swallows_is_none(tmp_path: Path, caught: str) -> None:
    around = "@contextmanager\ndef c():\n    try:\n        yield\n    except {}:\n        pass\n"
    program = "with c():\n    nn.Linear(3, 4)(torch.zeros(1, 5))\n"
    assert certain(tmp_path, around.format(caught) + program) == []
    assert certain(tmp_path, around.format("KeyError") + program) != []


def test_a_refusal_that_a_method_may_swallow_is_not_certain(tmp_path: Path) -> None:
    made = "class C:\n    def __enter__(self): return self\n    def __exit__(self, kind, *rest): return {}\n"
    program = "with C():\n    nn.Linear(3, 4)(torch.zeros(1, 5))\n"
    assert certain(tmp_path, made.format("issubclass(kind, RuntimeError)") + program) == []
    assert certain(tmp_path, made.format("True") + program) == []
    assert certain(tmp_path, made.format("False") + program) != []


def test_what_a_generator_of_the_module_has_done_on_one_path_is_not_done_on_another(tmp_path: Path) -> None:
    """Each path of a function that nothing calls begins where the module has ended."""
    program = (
        "def g():\n    yield torch.zeros(2, 3)\n    yield torch.zeros(2, 5)\n    yield torch.zeros(2, 7)\n"
        "fresh, begun = g(), g()\nnext(begun)\n"
        "def f(flag):\n    x = 1 if flag else [2]\n    return nn.Linear({}, 1)(next({}))\n"
    )
    assert certain(tmp_path, program.format(3, "fresh")) == []
    assert certain(tmp_path, program.format(5, "begun")) == []
    assert certain(tmp_path, program.format(4, "fresh")) != []


def test_a_branch_on_which_a_generator_is_asked_is_followed_on_both_sides(tmp_path: Path) -> None:
    program = (
        "def g():\n    k = 3\n    while True:\n        yield torch.zeros(1, k)\n        k += 1\n"
        "i = g()\nif random.random() > 0.5:\n    next(i)\nx = next(i)\n"
    )
    assert certain(tmp_path, program + "if x.shape[1] not in (3, 4):\n    nn.Linear(3, 4)(torch.zeros(1, 5))\n") == []
    assert certain(tmp_path, program + "if x.shape[1] in (3, 4):\n    nn.Linear(3, 4)(torch.zeros(1, 5))\n") != []


HOSTILE = {
    "recursion": "def g(n):\n    yield n\n    yield from g(n + 1)\nfor v in g(0):\n    pass\n",
    "deep": "def g(n):\n    if n:\n        yield from g(n - 1)\n    yield n\nprint(sum(g(10**6)))\n",
    "wrapped": (
        "def w(i):\n    for v in i:\n        yield v\ng = iter([1])\nfor _ in range(10**6):\n    g = w(g)\n"
        "for v in g:\n    print(v)\n"
    ),
    "chained": (
        "import itertools\ng = (v for v in [1])\nfor _ in range(10**6):\n    g = itertools.chain(g, [1])\nlist(g)\n"
    ),
    "mapped": "g = iter([1])\nfor _ in range(10**6):\n    g = map(str, g)\nlist(g)\n",
    "alive": (
        "def g(k):\n    try:\n        while True:\n            yield k\n    finally:\n        print(k)\n"
        "live = []\nfor k in range(10**6):\n    i = g(k)\n    next(i)\n    live.append(i)\n"
        "for i in live:\n    next(i)\n"
    ),
    "endless": "def g():\n    k = 0\n    while 1:\n        yield k\n        k += 1\nsum(g()), list(g()), .5 in g()\n",
    "silent": "def g():\n    while True:\n        pass\n    yield 1\nnext(g())\n",
    "of itself": "def g():\n    yield from i\ni = g()\nlist(i)\n",
    "context": "@contextmanager\ndef c(n):\n    with c(n + 1):\n        yield\nwith c(0):\n    print(1)\n",
    "stack": (
        "from contextlib import ExitStack\n@contextmanager\ndef c(n):\n    yield n\nwith ExitStack() as s:\n"
        "    for k in range(10**6):\n        s.enter_context(c(k))\n"
    ),
    "sent": "def g():\n    x = 0\n    while True:\n        x = yield x\ni = g()\nnext(i)\nwhile True:\n    i.send(1)\n",
    "expressions": "x = (a for a in range(10**6))\n" + "x = (a for a in x)\n" * 3000 + "print(list(x))\n",
    "iterators of iterators": "class A:\n    def __iter__(self): return A()\nfor a in A():\n    print(a)\n",
    "unclosed": (
        "def g():\n    while True:\n        try:\n            yield\n        except GeneratorExit:\n            pass\n"
        "i = g()\nnext(i)\ni.close()\n"
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_generators_end_soon_and_small(tmp_path: Path, name: str) -> None:
    begun, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert certain(tmp_path, HOSTILE[name]) == []
    assert time.process_time() - begun < 9
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # KiB


@pytest.mark.parametrize("runs", ["somewhere.run(fill(2, out))", "somewhere.run([fill(2, out)][0])"])
def test_what_an_unknown_function_does_with_a_generator_is_not_known(tmp_path: Path, runs: str) -> None:
    """It may run it, and then the list that the body was given holds what the body has put there."""
    text = (
        "import somewhere, torch\ndef fill(n, out):\n    yield n\n    out.append(torch.zeros(n))\n"
        f"out = []\n{runs}\nif torch.rand(1) > 0.5:\n    print(1)\nout[-1] + torch.zeros(3)\n"
    )
    assert not explore(tmp_path, "program.py", ast.parse(text), Versions()).problems
