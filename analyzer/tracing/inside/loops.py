"""Training loops of the project's own that are cut short, so that what comes behind them is seen too.

A loop is one of training once optimizers step in its rounds, or gradients are asked for. After its first rounds it
goes on with those in which programs evaluate, log and save, and with its last one. The code is changed as it is loaded;
its lines stay.
"""

from __future__ import annotations

import ast
import importlib.machinery
import itertools
import math
import os
import re
from collections.abc import Callable, Iterator
from typing import Any

from .clock import own_time

ROUNDS = 4  # with a step, before rounds are left out
# After them, where a loop knows its rounds: those before and at what programs count to, and the last two.
LATER = frozenset(n + d for n in (10, 50, 100, 500, 1000, 5000, 10_000) for d in (-1, 0))
SHARE = 0.3  # of the time, after which all but the last round is left out
SLOW = 0.08  # of the time, after which a loop behind the first step goes on with its last rounds: sampling is one
PASSING = 0.05  # of the time, for passing over elements
ENDLESS = (itertools.count, itertools.cycle, itertools.repeat)
MOST_PASSED = 20_000  # elements of a generator that are passed over to find its last one
_NAME, _ROUNDS = "__assay_few__", "_assay_rounds_"
_PLAIN = re.compile(r"no_grad|inference_mode|method$|main|command|option|argument|record|contextmanager|property|wraps")
_WITHOUT = ("forward", "call", "__getitem__", "__len__", "__init__", "build")  # where nothing trains


class Loops:
    """What the changed loops call: how many steps were made is asked of `steps`, what is left out is told `cut`.

    With more `rounds` than usual nothing is left out for want of time.
    """

    def __init__(self, steps: Callable[[], int], cut: Callable[[], None], seconds: float, rounds: int = ROUNDS) -> None:
        self.steps, self.cut, self.most = steps, cut, rounds
        self._late, self._passing = own_time() + SHARE * seconds, PASSING * seconds
        self._slow = SLOW * seconds if rounds == ROUNDS else math.inf

    def few(self, values: Any) -> Iterator[Any]:
        known = _known(values)
        iterator = iter(values)  # called on the line of the loop: what has no elements is refused there
        return self._indexed(known, iterator) if known is not None else self._counted(iterator, values)

    def _counted(self, iterator: Iterator[Any], values: Any) -> Iterator[Any]:
        rounds = 0
        for value in iterator:
            before = self.steps()
            yield value
            rounds += self.steps() > before
            if rounds >= self.most and not isinstance(values, ENDLESS):
                break
        else:
            return
        yield from self._last(iterator)

    def _last(self, iterator: Iterator[Any]) -> Iterator[Any]:
        """The last element, where it is found in time; a generator may have no end."""
        found: list[Any] = []
        ends = own_time() + self._passing
        for number, value in enumerate(iterator):
            found[:] = [value]
            if number >= MOST_PASSED or own_time() > ends:
                self.cut()
                return
            if number:
                self.cut()
        yield from found

    def _indexed(self, known: Any, iterator: Iterator[Any]) -> Iterator[Any]:
        rounds, slow = 0, own_time() + self._slow
        for number, value in enumerate(iterator):
            before = self.steps()
            yield value
            rounds += self.steps() > before
            late = before > 0 and own_time() > slow
            if rounds >= self.most or late:
                yield from self._rest(known, number + 1, late)
                return

    def _rest(self, known: Any, start: int, late: bool) -> Iterator[Any]:
        last = len(known) - 2
        for number in range(start, len(known)):
            late = late or own_time() > self._late
            if number > last or (not late and (number == last or number in LATER)):
                yield known[number]
            else:
                self.cut()

    def rounds(self) -> Callable[[], bool]:
        """Whether a `while` loop goes on, asked before each of its rounds."""
        made, before = 0, -1

        def more() -> bool:
            nonlocal made, before
            steps = self.steps()
            made += before >= 0 and steps > before
            before = steps
            if made >= self.most:
                self.cut()
            return made < self.most

        return more


def _known(values: Any) -> Any:
    """The elements of a loop that knows all of them, also behind a progress bar."""
    inner = getattr(values, "iterable", values) if type(values).__name__.startswith(("tqdm", "Progress")) else values
    return inner if isinstance(inner, (range, list, tuple)) and len(inner) > ROUNDS else None


class _Changed(ast.NodeTransformer):
    def __init__(self) -> None:
        self._loops = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        compiles = any(not _PLAIN.search(ast.unparse(d)) for d in node.decorator_list)  # it may read the code
        return node if node.name in _WITHOUT or compiles else self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        if not _calls(node.body):
            return node
        name = ast.copy_location(ast.Name(_NAME, ast.Load()), node.iter)
        few = ast.copy_location(ast.Attribute(name, "few", ast.Load()), node.iter)
        node.iter = ast.copy_location(ast.Call(few, [node.iter], []), node.iter)
        return node

    def visit_While(self, node: ast.While) -> Any:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant) or not _calls(node.body):
            return node
        self._loops += 1
        own = f"{_ROUNDS}{self._loops}"
        rounds = ast.Call(ast.Attribute(ast.Name(_NAME, ast.Load()), "rounds", ast.Load()), [], [])
        before = ast.Assign([ast.Name(own, ast.Store())], rounds)
        more = ast.Call(ast.Name(own, ast.Load()), [], [])
        node.test = ast.BoolOp(ast.And(), [node.test, more])
        return [_at(before, node), _at(node, node)]


def _at(node: ast.stmt, place: ast.stmt) -> ast.stmt:
    return ast.fix_missing_locations(ast.copy_location(node, place))


def _calls(body: list[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Call) for statement in body for node in ast.walk(statement))


def compiled(source: bytes, path: str) -> Any:
    """The code of a file, its loops changed."""
    tree = ast.parse(source, path)
    try:
        return compile(ast.fix_missing_locations(_Changed().visit(tree)), path, "exec", dont_inherit=True)
    except (SyntaxError, RecursionError):
        return compile(source, path, "exec", dont_inherit=True)


def change_loops(root: str, loops: Loops) -> None:
    """Modules below `root` that are imported from now on have changed loops, and find what these call."""
    import builtins

    setattr(builtins, _NAME, loops)
    plain = importlib.machinery.SourceFileLoader.source_to_code

    def source_to_code(self: Any, data: Any, path: Any, *args: Any, **options: Any) -> Any:
        name = os.fsdecode(path) if isinstance(path, (str, bytes, os.PathLike)) else ""
        if isinstance(data, bytes) and name.startswith(root + os.sep) and "site-packages" not in name:
            return compiled(data, name)
        return plain(self, data, path, *args, **options)

    importlib.machinery.SourceFileLoader.source_to_code = source_to_code  # type: ignore[method-assign]
