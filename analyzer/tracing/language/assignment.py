"""Assignment of a value to a target: a name, an attribute, an item, or several of them."""

from __future__ import annotations

import ast

from analyzer.tracing.language.evaluation import evaluate, iterate
from analyzer.tracing.language.items import set_item
from analyzer.tracing.language.iteration import unpack
from analyzer.tracing.language.lazy_iterators import dropped
from analyzer.tracing.language.setting_attributes import set_attribute
from analyzer.tracing.language.tensor_objects import inherits_tensor, made
from analyzer.tracing.language.tensors import Shape, Tensor
from analyzer.tracing.language.values import Class, DictV, Instance, ListV, Scope, Unknown, Value
from analyzer.tracing.paths.tracer import Tracer


def assign(tr: Tracer, target: ast.expr, value: Value) -> None:
    if isinstance(target, ast.Name):
        store_name(tr, target.id, value)
        if isinstance(value, Tensor) and not tr.speculating and tr.sampler is None:
            tr.shared.assign(tr.frame.path, target, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        starred = next((i for i, e in enumerate(target.elts) if isinstance(e, ast.Starred)), None)
        parts = unpack(tr, value, len(target.elts), starred, target)
        for element, part in zip(target.elts, parts, strict=True):
            assign(tr, element.value if isinstance(element, ast.Starred) else element, part)
    elif isinstance(target, ast.Attribute):
        owner = evaluate(tr, target.value)
        old = owner.attrs.get(target.attr) if tr.unsettled and isinstance(owner, Instance) else None
        shape = owner.shape if isinstance(owner, Tensor) else None
        set_attribute(tr, owner, target.attr, value)
        if shape is not None and target.attr == "__class__" and isinstance(target.value, ast.Name):
            assign(tr, target.value, _of_class(tr, shape, value))
        if old is not None and old is not value:
            dropped(tr, [old])
    elif isinstance(target, ast.Subscript):
        owner = evaluate(tr, target.value)
        set_item(tr, owner, evaluate(tr, target.slice), value)
        if isinstance(target.value, ast.Subscript) and not _known_index(tr, target.value.slice):
            _open_elements(tr, evaluate(tr, target.value.value))


def _of_class(tr: Tracer, shape: Shape, cls: Value) -> Value:
    """What a tensor is once its class has been assigned: known under the name by which that was done."""
    return made(tr, cls, Tensor(shape)) if isinstance(cls, Class) and inherits_tensor(cls) else tr.unknown("an object")


def assign_spread(tr: Tracer, target: ast.expr, value: ast.expr) -> None:
    """``b, n, h = *x.shape, self.heads``: where the starred one has any number of elements, the names tell how many."""
    assert isinstance(target, (ast.Tuple, ast.List))
    assert isinstance(value, ast.Tuple)
    values = [evaluate(tr, e.value if isinstance(e, ast.Starred) else e) for e in value.elts]
    place = next(i for i, e in enumerate(value.elts) if isinstance(e, ast.Starred))
    before, spread, after = values[:place], values[place], values[place + 1 :]
    count = len(target.elts) - len(before) - len(after)
    parts, more = iterate(tr, spread, value)
    if more:
        found = [*before, *unpack(tr, spread, count, None, target), *after]
        for element, part in zip(target.elts, found, strict=True):
            assign(tr, element, part)
    else:
        assign(tr, target, (*before, *parts, *after))


def is_spread(target: ast.expr, value: ast.expr) -> bool:
    """Whether names take the elements of a display that holds one starred expression, which is left one at least."""
    return (
        isinstance(target, (ast.Tuple, ast.List))
        and isinstance(value, ast.Tuple)
        and not any(isinstance(e, ast.Starred) for e in target.elts)
        and sum(isinstance(e, ast.Starred) for e in value.elts) == 1
        and len(target.elts) >= len(value.elts)
    )


def _known_index(tr: Tracer, node: ast.expr) -> bool:
    """Whether an index is one number or text; what a call computes is not computed twice, and counts as unknown.

    In a round of a loop that stands for any number of rounds, the others may have had another index.
    """
    if tr.doubts:
        return False
    if isinstance(node, (ast.Name, ast.Attribute, ast.Constant, ast.UnaryOp)):
        value = evaluate(tr, node)
        return isinstance(value, (int, str))
    return not any(isinstance(part, ast.Call) for part in ast.walk(node))


def _open_elements(tr: Tracer, container: Value) -> None:
    """`a[i][k] = v` with an `i` that is not known may have written into any element of `a`."""
    items = container if isinstance(container, tuple) else getattr(container, "items", ())
    for element in items.values() if isinstance(items, dict) else items if isinstance(items, (tuple, list)) else ():
        if isinstance(element, (DictV, ListV)):
            tr.touch(element)
            element.open = True


def name_expression(tr: Tracer, name: str, value: Value) -> None:
    """What `name := value` does: in a comprehension the name is one of the body around it."""
    scope = tr.frame.scope
    while scope.passing and scope.parent is not None:
        scope = scope.parent
    _store_in(tr, scope, name, value)


def store_name(tr: Tracer, name: str, value: Value) -> None:
    _store_in(tr, tr.frame.scope, name, value)


def _store_in(tr: Tracer, scope: Scope, name: str, value: Value) -> None:
    home = scope.nonlocals.get(name, scope)
    tr.touch(home)
    if isinstance(value, (Unknown,)) and not value.label:
        value.label = name
    elif isinstance(value, Tensor) and not value.name:
        value.name = name
    if tr.unsettled and (old := home.names.get(name)) is not value:
        dropped(tr, [old])
    home.names[name] = value
