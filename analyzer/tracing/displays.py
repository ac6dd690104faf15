"""Tuples, lists, sets, dictionaries, comprehensions and formatted text."""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import islice
from typing import Any

from analyzer.tracing.arithmetic import MOST_ITEMS
from analyzer.tracing.evaluation import evaluate
from analyzer.tracing.iteration import iterate
from analyzer.tracing.tensors import Tensor
from analyzer.tracing.tracer import Tracer
from analyzer.tracing.truths import truth_of
from analyzer.tracing.values import (
    Api,
    Class,
    DictV,
    Function,
    Instance,
    Iterator_,
    Layer,
    ListV,
    Scope,
    SetV,
    Value,
)
from analyzer.validity.terms import Poly


def _elements(tr: Tracer, nodes: list[ast.expr]) -> tuple[list[Value], bool]:
    items: list[Value] = []
    endless = False
    for node in nodes:
        if isinstance(node, ast.Starred):
            parts, more = iterate(tr, evaluate(tr, node.value), node)
            items.extend(islice(parts, 2) if more else parts)
            endless = endless or more
        else:
            items.append(evaluate(tr, node))
    return items, endless


def _tuple(tr: Tracer, node: ast.Tuple) -> Value:
    items, endless = _elements(tr, node.elts)
    return ListV(items, True) if endless else tuple(items)


def _list(tr: Tracer, node: ast.List) -> Value:
    return ListV(*_elements(tr, node.elts))


def _set(tr: Tracer, node: ast.Set) -> Value:
    return SetV(*_elements(tr, node.elts))


def _dict(tr: Tracer, node: ast.Dict) -> Value:
    result = DictV()
    for key, value in zip(node.keys, node.values, strict=True):
        found = evaluate(tr, value)
        if key is None:
            if isinstance(found, DictV):
                result.items.update(found.items)
                result.open = result.open or found.open
            else:
                result.open = True
            continue
        name = evaluate(tr, key)
        if hashable(name):
            result.items[name] = found
        else:
            result.open = True
    return result


def hashable(value: Value) -> bool:
    """Whether a value can be a key here: concrete, or an object with identity."""
    if isinstance(value, tuple):
        return all(hashable(v) for v in value)
    return value is None or isinstance(
        value, (int, float, str, bytes, bool, Tensor, Api, Class, Function, Instance, Layer, Poly, type(Ellipsis))
    )


def _comprehension(tr: Tracer, node: Any, element: Callable[[], Value]) -> tuple[list[Value], bool]:
    """The elements of a comprehension, and whether there may be more."""
    results: list[Value] = []
    endless = False
    frame = tr.frames[-1]
    outer = frame.scope
    frame.scope = Scope(outer, outer.globals)
    from analyzer.tracing.statements import assign

    def descend(level: int) -> None:
        nonlocal endless
        if level == len(node.generators):
            results.append(element())
            return
        generator = node.generators[level]
        items, more = iterate(tr, evaluate(tr, generator.iter), generator.iter)
        endless = endless or more
        for count, item in enumerate(items):
            tr.step()
            if count >= MOST_ITEMS or (more and count >= 2):
                endless = True
                break
            assign(tr, generator.target, item)
            taken = True
            for test in generator.ifs:
                value = evaluate(tr, test)
                truth = truth_of(value)
                if truth is None:
                    endless = True  # how many elements there are is not known
                    truth = not results
                if not truth:
                    taken = False
                    break
            if taken:
                descend(level + 1)

    try:
        descend(0)
    finally:
        frame.scope = outer
    return results, endless


def _list_comprehension(tr: Tracer, node: ast.ListComp) -> Value:
    return ListV(*_comprehension(tr, node, lambda: evaluate(tr, node.elt)))


def _set_comprehension(tr: Tracer, node: ast.SetComp) -> Value:
    return SetV(*_comprehension(tr, node, lambda: evaluate(tr, node.elt)))


def _generator(tr: Tracer, node: ast.GeneratorExp) -> Value:
    items, endless = _comprehension(tr, node, lambda: evaluate(tr, node.elt))
    return Iterator_(lambda: iter(items), endless)


def _dict_comprehension(tr: Tracer, node: ast.DictComp) -> Value:
    pairs, endless = _comprehension(tr, node, lambda: (evaluate(tr, node.key), evaluate(tr, node.value)))
    keyed = {k: v for k, v in pairs if hashable(k)}
    return DictV(keyed, endless or any(not hashable(k) for k, _ in pairs))


def _joined(tr: Tracer, node: ast.JoinedStr) -> Value:
    text = ""
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += str(part.value)
        elif isinstance(part, ast.FormattedValue):
            value = evaluate(tr, part.value)
            if isinstance(value, (str, int)) and part.format_spec is None:
                text += str(value)
            else:
                return tr.unknown("text", pytype="str")
    return text


RULES: dict[type[ast.expr], Callable[[Tracer, Any], Value]] = {
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.ListComp: _list_comprehension,
    ast.SetComp: _set_comprehension,
    ast.DictComp: _dict_comprehension,
    ast.GeneratorExp: _generator,
    ast.JoinedStr: _joined,
}
