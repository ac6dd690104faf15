"""What Python's objects answer, program by program: no failure is proved where the contrary of the truth guards it.

Lines that begin with `ok:` are true when the program runs.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

TEXT = (Path(__file__).parent / "true_of_objects.txt").read_text(encoding="utf-8")
PROGRAMS = TEXT.strip().split("\n\n")
FAILURE = "torch.zeros(2, 3) @ torch.zeros(4, 5)"


def guarded(program: str, guard: str) -> str:
    lines = ["import torch"]
    for line in program.splitlines():
        before, marked, statement = line.partition("ok: ")
        lines.append(f"{before}if {guard}({statement}): {FAILURE}" if marked else line)
    return "\n".join(lines) + "\n"


def proved(folder: Path, text: str) -> list[int]:
    told = explore(folder, "program.py", ast.parse(text), Versions()).problems.values()
    return [p.site.line for p in told if p.level == "error" and p.proved]


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_true_guards_no_failure(tmp_path: Path, program: str) -> None:
    text = guarded(program, "not ")
    exec(text, {"__name__": "__main__"})
    assert proved(tmp_path, text) == []


KNOWN = [
    "from dataclasses import dataclass\nclass A:\n    x: int = 0\n    y: int = 1\nA = dataclass(A)\n"
    "ok: A(x=2).x == 2 and A(2) == A(2, 1)",
    "import functools\nn = 0\n@functools.cache\ndef f():\n    global n\n    n += 1\nf()\nf()\nf.cache_clear()\nf()\n"
    "ok: n == 2",
    "class M(type):\n    @property\n    def a(self): return 1\nclass C(metaclass=M): a = 2\nok: C.a == 1",
    "c = [0, 5]\nfor i in range(500): c[0] += 1\nok: c[1] == 5",
    "class C:\n    def __add__(self, o): return 1\n    def __radd__(self, o): return 2\nclass D(C):\n"
    "    def __radd__(self, o): return 3\nok: C() + D() == 3 and D() + C() == 1 and 1 + C() == 2",
    "class A:\n    def __add__(self, o): return NotImplemented\nclass B:\n    def __radd__(self, o): return 2\n"
    "ok: A() + B() == 2",
    "class A:\n    def __eq__(self, o): return NotImplemented\na = A()\nok: a == a and a != A() and a != 3",
    "class A:\n    def __iadd__(self, o): return NotImplemented\n    def __add__(self, o): return 5\na = A()\na += 1\n"
    "ok: a == 5",
    "import copy\nclass C:\n    def __init__(self, p): self.p = p\n    def __deepcopy__(self, memo):\n"
    "        return C(copy.deepcopy(self.p, memo))\nx = C([1])\ny = copy.deepcopy([x, x])\n"
    "ok: y[0] is y[1] and y[0] is not x and y[0].p is not x.p and y[0].p == [1]",
    "import copy\nclass C:\n    def __copy__(self): return 3\nok: copy.copy(C()) == 3",
    "a = object()\nok: type(a) is object and a.__class__ is object",
    "class C: x = 1\nclass D: x: int = 1\n"
    "ok: '__annotations__' not in C.__dict__ and '__annotations__' in D.__dict__ and '__dict__' in C.__dict__",
    "C = type('C', (), {'b': 2, 'a': 1})\nok: list(C.__dict__)[:2] == ['b', 'a'] and C.b == 2",
    "d = {}\nk, v = d.keys(), d.values()\nd['a'] = 1\nok: list(k) == ['a'] and 'a' in k and list(v) == [1]",
    "class H:\n    n = 0\n    def handle(self): self.n += 1\nh = H()\nh.handle()\nok: h.n == 1",
    "import math\nok: math.prod([2], start=3) == 6",
    "x = range(5, 2)\nok: not x",
    "ok: f'{3.14!s:10.10}' == '3.14      '",
    "import copy\nclass N: pass\nx = N()\nx.foo = x\ny = copy.deepcopy(x)\nok: y.foo is y and y is not x",
    "import enum\nclass L(int, enum.Enum):\n    true = 1\n    false = 0\nok: L.true and not L.false",
    "class T:\n    def __call__(self, f): return lambda x: f(f(x))\nt = T()\n@t\ndef g(x): return x * 2\nok: g(1) == 4",
    "class D:\n    def __get__(self, obj, cls): return cls.n\nclass A:\n    d = D()\n    n = 3\nok: A.d == A().d == 3",
    "class C:\n    __match_args__ = ('a',)\n    a = 3\nmatch C():\n    case C(y): pass\nok: y == 3",
    "class E: pass\ntry:\n    match E():\n        case E(y): pass\nexcept TypeError: w = 7\nok: w == 7",
    "n = float('nan')\nok: n in [n] and [n] == [n] and not (n == n)",
    "c = KeyError('c')\ntry:\n    raise IndexError from c\nexcept IndexError as e: x = e.__cause__\nok: x is c",
    "class F:\n    t = ''\n    def write(self, t): self.t += t\nf = F()\nprint(1, 2, file=f)\nok: f.t == '1 2\\n'",
    "import functools\ndef f(): pass\n@functools.wraps(f, ())\ndef g(): pass\nok: g.__name__ == 'g'",
    "class T:\n    def b(self): pass\nok: T.b.__qualname__ == 'T.b' and T.__qualname__ == 'T'",
    "class M(type):\n    def __getitem__(c, i): return i\nclass C(metaclass=M): pass\nok: C[1] == 1",
    "import re, socket\nok: re.I == re.IGNORECASE and socket.error is OSError",
    "import re\nok: re.match('(a)|(b)', 'b').start(1) == -1",
    "class A:\n    def p(self, v): self.v = v * 2\n    x = property(lambda self: self.v, p)\na = A()\n"
    "a.x = 4\nok: a.x == 8",
    "class A:\n    def f(self): return 1\nclass E(A):\n    def f(self): return super().f() + 2\n"
    "class F(E):\n    f = E.f\nok: F().f() == 3",
    "import types\nok: isinstance(None, types.NoneType) and not isinstance(1, types.NoneType)",
    "ok: str(b'abc', 'utf-8') == 'abc'",
    "from typing import Protocol\nclass P(Protocol): pass\nclass B(P): pass\n"
    "ok: isinstance(B(), P) and not isinstance(3, B)",
    "class B:\n    @property\n    def a(self): return 3\nok: hasattr(B(), 'a')",
    "class S:\n    def __getitem__(self, i):\n        if i > 2: raise IndexError\n        return i\nok: sum(S()) == 3",
    "from collections import deque\nok: list(deque('ab', maxlen=2) + deque('c')) == list('bc')",
    "import torch\nok: torch.nn.functional.relu is not torch.nn.functional.gelu and int is not float",
    "ok: 3.0 in [1.0, 3.0] and 2.0 not in [float('nan')]",
    "def f():\n    n = 0\n    def add():\n        nonlocal n\n        n += 1\n    add()\n    return n\nok: f() == 1",
    "class B:\n    @property\n    def a(self): raise AttributeError\nok: not hasattr(B(), 'a')",
]


@pytest.mark.parametrize("program", KNOWN)
def test_what_is_known_to_be_true_lets_a_failure_be_proved(tmp_path: Path, program: str) -> None:
    assert proved(tmp_path, guarded(program, ""))
