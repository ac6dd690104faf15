"""What a test runner calls: test functions and methods of `unittest` classes, with the arguments it gives them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from analyzer.tracing.imports.repository_files import text_of
from analyzer.tracing.language.evaluation import call, evaluate, get_attribute
from analyzer.tracing.language.lazy_iterators import first_of
from analyzer.tracing.language.values import (
    Api,
    Class,
    Function,
    Instance,
    Iterator_,
    Lazy,
    ListV,
    Scope,
    Unknown,
    Value,
)
from analyzer.tracing.paths.frames import Frame
from analyzer.tracing.paths.tracer import Tracer

MOST_SETS = 3  # of parameters of one test: the first ones and the last
PATCHING = {"monkeypatch": "pytest.MonkeyPatch", "mocker": "unittest.mock"}  # fixtures that put others in the place
_AVOIDED = ("xfail", "skip", "expectedfailure")


@dataclass(frozen=True)
class UnitTest:
    """A test: a function, or a method of the class `owner`; `number` is that of its set of parameters."""

    name: str
    owner: str = ""
    number: int = 0

    def __str__(self) -> str:
        return f"{self.owner}.{self.name}" if self.owner else self.name


def cases_of(tree: ast.Module) -> tuple[UnitTest, ...]:
    """The tests of a file in its order, without those that are skipped or expected to fail."""
    found: list[UnitTest] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            found += _cases(node, "")
        elif isinstance(node, ast.ClassDef) and _is_group(node) and not _is_avoided(node):
            for member in node.body:
                if isinstance(member, ast.FunctionDef) and member.name.startswith("test"):
                    found += _cases(member, node.name)
    return tuple(found)


def _is_group(node: ast.ClassDef) -> bool:
    return node.name.startswith("Test") or any("Test" in ast.unparse(base) for base in node.bases)


def _cases(node: ast.FunctionDef, owner: str) -> Iterator[UnitTest]:
    if not _is_avoided(node):
        most = max((_length(d) for d in _parametrized(node)), default=1)
        numbers = range(most) if most <= MOST_SETS else [*range(MOST_SETS - 1), most - 1]
        yield from (UnitTest(node.name, owner, number) for number in numbers)


def _is_avoided(node: ast.FunctionDef | ast.ClassDef) -> bool:
    return any(word in ast.unparse(d).lower() for d in node.decorator_list for word in _AVOIDED)


def _parametrized(node: ast.AST) -> list[ast.Call]:
    marks = getattr(node, "decorator_list", [])
    return [
        m for m in marks if isinstance(m, ast.Call) and ast.unparse(m.func).endswith("parametrize") and len(m.args) > 1
    ]


def _length(mark: ast.Call) -> int:
    values = mark.args[1]
    return len(values.elts) if isinstance(values, (ast.List, ast.Tuple)) else 1


# ------------------------------------------------------------------------------------------------- one test


def run_case(tr: Tracer, scope: Scope, case: UnitTest, path: str) -> None:
    """Call one test of the module whose names are in `scope`."""
    owner = scope.names.get(case.owner) if case.owner else None
    if case.owner and not (isinstance(owner, Class) and _is_collected(owner)):
        return
    found = owner.find(case.name) if isinstance(owner, Class) else None
    function = found[0] if found is not None else scope.names.get(case.name)
    if not isinstance(function, Function):
        return
    tr.frames.append(Frame(scope, path, line=function.node.lineno))
    tr.made_up = False
    args: tuple[Value, ...] = ()
    if isinstance(owner, Class):
        instance = call(tr, owner, (), {})
        if not isinstance(instance, Instance):
            return
        for name in ("setUpClass", "setup_class", "setUp", "setup_method"):
            if owner.find(name) is not None:
                call(tr, get_attribute(tr, instance, name), (), {}, None, True)
        args = (instance,)
    _run_fixtures_of_all(tr, scope, owner, args)
    for marked in (function, owner):
        if isinstance(marked, (Function, Class)):
            _patched(tr, marked.node)
    given = _arguments(tr, function, scope, case.number, len(args))
    patched = not PATCHING.keys().isdisjoint(given) or _patched_by_others(tr.shared.root, path)
    tr.made_up = patched or any(isinstance(value, Unknown) for value in given.values())
    call(tr, function, args, given, None, True)


def _is_collected(owner: Class) -> bool:
    """Whether a runner makes objects of the class: not of one with a constructor of its own, but for `TestCase`."""
    initializer = owner.find("__init__")
    known = owner.closed and not owner.library_bases
    return not known or initializer is None or not isinstance(initializer[0], Function)


def _arguments(tr: Tracer, function: Function, scope: Scope, number: int, skip: int) -> dict[str, Value]:
    """Parameters that `parametrize` gives, and the values of the module's own fixtures; other fixtures are unknown."""
    given: dict[str, Value] = {}
    marks = [*_parametrized(function.node), *(_parametrized(function.owner.node) if function.owner is not None else ())]
    for mark in marks:
        given.update(_one_set(tr, mark, number))
    spec = function.node.args
    for parameter in [*spec.posonlyargs, *spec.args][skip : len(spec.args) - len(spec.defaults)]:
        fixture = scope.names.get(parameter.arg)
        if parameter.arg in given:
            continue
        if isinstance(fixture, Function) and _is_fixture(fixture) and not fixture.node.args.args:
            given[parameter.arg] = _begun(tr, call(tr, fixture, (), {}))
        elif parameter.arg in PATCHING:
            given[parameter.arg] = Api(PATCHING[parameter.arg])
        else:
            given[parameter.arg] = Unknown("a fixture", "param", parameter.arg)
    return given


def _run_fixtures_of_all(tr: Tracer, scope: Scope, owner: Value, args: tuple[Value, ...]) -> None:
    """Fixtures that every test of the module, or of its class, has without asking for them."""
    spaces = [(scope, ())]
    spaces += [(c.scope, args) for c in reversed(owner.mro) if isinstance(c, Class)] if isinstance(owner, Class) else []
    for space, first in spaces:
        for fixture in [*space.names.values()]:
            if isinstance(fixture, Function) and _is_fixture(fixture, "autouse=True"):
                _begun(tr, call(tr, fixture, first, _arguments(tr, fixture, scope, 0, len(first)), None, True))


def _patched(tr: Tracer, node: ast.AST) -> None:
    """What `unittest.mock.patch` puts somewhere as a decorator."""
    for mark in getattr(node, "decorator_list", ()):
        if isinstance(mark, ast.Call) and "patch" in ast.unparse(mark.func):
            evaluate(tr, mark)


def _begun(tr: Tracer, made: Value) -> Value:
    """What a fixture gives: it yields it where something is left to do after the test."""
    return first_of(tr, made, None) if isinstance(made, (Iterator_, Lazy)) else made


def _patched_by_others(root: Path, path: str) -> bool:
    """Whether a `conftest.py` replaces something for every test of the folders below."""
    return any(_patches_for_all(text_of(root, root / parent / "conftest.py")) for parent in Path(path).parents)


def _patches_for_all(text: str) -> bool:
    return "autouse=True" in text and bool(re.search(r"monkeypatch|mock|patch\b|setattr|sys\.modules", text))


def _is_fixture(function: Function, option: str = "") -> bool:
    marks = (ast.unparse(mark) for mark in getattr(function.node, "decorator_list", []))
    return any("fixture" in mark and option in mark for mark in marks)


def _one_set(tr: Tracer, mark: ast.Call, number: int) -> dict[str, Value]:
    """The values of the set `number`, of the last one where there are fewer."""
    named = mark.args[0]
    if isinstance(named, ast.Constant) and isinstance(named.value, str):
        names = [n.strip() for n in named.value.split(",") if n.strip()]
    elif isinstance(named, (ast.List, ast.Tuple)):
        names = [e.value for e in named.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
    else:
        return {}
    chosen = _chosen(tr, mark.args[1], number)
    if chosen is None:
        return {name: Unknown("a parameter of a test", "param", name) for name in names}
    items = chosen.items if isinstance(chosen, ListV) else chosen if isinstance(chosen, tuple) else None
    if len(names) == 1 and not (isinstance(named, (ast.List, ast.Tuple)) or "," in str(getattr(named, "value", ""))):
        return {names[0]: chosen}
    if items is None or len(items) != len(names):
        return {name: Unknown("a parameter of a test", "param", name) for name in names}
    return dict(zip(names, items, strict=True))


def _chosen(tr: Tracer, node: ast.expr, number: int) -> Value:
    if isinstance(node, (ast.List, ast.Tuple)) and node.elts:
        node = node.elts[min(number, len(node.elts) - 1)]
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("param"):  # pytest.param(…, id=…)
            values = tuple(evaluate(tr, a) for a in node.args)
            return values[0] if len(values) == 1 else values
        return None if isinstance(node, ast.Starred) else evaluate(tr, node)
    value = evaluate(tr, node)
    items = value.items if isinstance(value, ListV) else value if isinstance(value, tuple) else ()
    return items[min(number, len(items) - 1)] if items else None
