"""Loops: constant bounds fully, unknown bounds until nothing changes any more, a budget in between."""

from __future__ import annotations

import ast
from typing import Any

from analyzer.tracing.agreement import alike
from analyzer.tracing.expressions import evaluate
from analyzer.tracing.iteration import iterate, known_elements
from analyzer.tracing.paths import Journal
from analyzer.tracing.tensors import Shape, Tensor
from analyzer.tracing.tracer import Tracer
from analyzer.tracing.truths import truth_of
from analyzer.tracing.values import Layer, ListV, Scope, Unknown
from analyzer.validity.terms import Poly, equal

FULL_ROUNDS = 100  # rounds of a loop with constant bounds that are always followed
FEW_ROUNDS = 3  # rounds of a loop whose bounds nobody knows


def run_for(tr: Tracer, node: ast.For) -> Any:
    from analyzer.tracing.statements import BREAK, assign, run_block

    sequence = evaluate(tr, node.iter)
    items, endless = iterate(tr, sequence, node.iter)
    known = known_elements(sequence)
    indexed = _indexes(node)
    rounds = 0
    changes: list[Any] = []
    for item in items:
        rounds += 1
        tr.step()
        with tr.undoable() as journal, tr.doubtful(known is not None and rounds > known):
            assign(tr, node.target, item)
            signal = run_block(tr, node.body)
        changes = _changes(journal, _targets(node.target))
        if signal == BREAK:
            return None
        if signal is not None and signal != "continue":
            return signal
        if not endless and rounds < 8:
            continue
        if endless and (rounds >= FEW_ROUNDS or (not changes and rounds >= 1)):
            break
        if not endless and rounds >= 2 and not indexed and _only_counts(changes):
            break
        if rounds >= FULL_ROUNDS:
            tr.note(f"line {node.lineno}: the loop is followed for {FULL_ROUNDS} rounds")
            break
    else:
        return run_block(tr, node.orelse)
    _widen(tr, changes)
    return run_block(tr, node.orelse)


def run_while(tr: Tracer, node: ast.While) -> Any:
    from analyzer.tracing.statements import BREAK, run_block

    rounds = unknown_rounds = 0
    changes: list[Any] = []
    while True:
        truth = truth_of(evaluate(tr, node.test))
        if truth is False:
            break
        if truth is None or _endless(node):
            unknown_rounds += 1
        rounds += 1
        tr.step()
        with tr.undoable() as journal:
            signal = run_block(tr, node.body)
        changes = _changes(journal, set())
        if signal == BREAK:
            return None
        if signal is not None and signal != "continue":
            return signal
        stable = not changes
        if (unknown_rounds and stable) or unknown_rounds >= FEW_ROUNDS or rounds >= FULL_ROUNDS:
            if rounds >= FULL_ROUNDS:
                tr.note(f"line {node.lineno}: the loop is followed for {FULL_ROUNDS} rounds")
            _widen(tr, changes)
            break
    return run_block(tr, node.orelse)


def _endless(node: ast.While) -> bool:
    return isinstance(node.test, ast.Constant) and bool(node.test.value)


def _targets(target: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}


def _indexes(node: ast.For) -> bool:
    """Whether the body selects layers or sizes by the loop's variable, so that each round may differ."""
    names = _targets(node.target)
    for inner in node.body:
        for part in ast.walk(inner):
            if isinstance(part, ast.Subscript) and any(
                isinstance(n, ast.Name) and n.id in names for n in ast.walk(part.slice)
            ):
                return True
            if isinstance(part, ast.Call):
                if isinstance(part.func, ast.Name) and part.func.id in names:
                    return True
                if isinstance(part.func, ast.Name) and part.func.id in ("getattr", "setattr", "range"):
                    return True
    return False


Change = tuple[Any, Any, Any, Any]  # holder, key, old, new


def _changes(journal: Journal, ignored: set[str]) -> list[Change]:
    changed: list[Change] = []
    for item, before in journal.saved.values():
        if isinstance(item, (Shape, Unknown)) or not hasattr(item, "state"):
            continue
        after = item.state()
        if isinstance(item, Scope):
            for name, value in after.items():
                if name not in ignored and (name not in before or not alike(before[name], value)):
                    changed.append((item, name, before.get(name), value))
        elif isinstance(item, ListV):
            if not alike(before, after):
                changed.append((item, None, before[0], after[0]))
        elif hasattr(item, "attrs"):
            for name, value in after[0].items():
                if name not in before[0] or not alike(before[0][name], value):
                    changed.append((item, name, before[0].get(name), value))
        elif hasattr(item, "items") and not alike(before, after):
            changed.append((item, None, before[0], after[0]))
    return changed


def _only_counts(changes: list[Change]) -> bool:
    """Whether a round changed nothing but counters and lists of results."""
    for holder, _, old, new in changes:
        if isinstance(holder, ListV):
            if not isinstance(old, list) or any(isinstance(v, (Layer,)) or _is_object(v) for v in new[len(old) :]):
                return False
        elif isinstance(new, (int, float, str, Unknown, Poly)) or new is None:
            continue
        elif (isinstance(old, Tensor) and isinstance(new, Tensor)) or not isinstance(holder, Scope) or old is not None:
            return False
    return True


def _is_object(value: Any) -> bool:
    return type(value).__name__ in ("Instance", "Layer", "Tensor")


def _widen(tr: Tracer, changes: list[Change]) -> None:
    """Forget what further rounds would change."""
    for holder, key, old, new in changes:
        if isinstance(holder, ListV):
            tr.touch(holder)
            holder.open = True
            continue
        if key is None:
            tr.touch(holder)
            holder.open = True
            continue
        value = _widened(tr, old, new)
        if value is not new:
            tr.touch(holder)
            names = holder.names if isinstance(holder, Scope) else holder.attrs
            names[key] = value


def _widened(tr: Tracer, old: Any, new: Any) -> Any:
    if old is None:
        return new
    if isinstance(new, Tensor) and isinstance(old, Tensor):
        if old.dims is None or new.dims is None or len(old.dims) != len(new.dims):
            return Tensor(None, new.dtype, new.framework, site=new.site, name=new.name, graph=new.graph)
        dims = [
            b if equal(a, b) is True else tr.fresh("loop", "lost", 0) for a, b in zip(old.dims, new.dims, strict=True)
        ]
        return Tensor(
            dims, new.dtype, new.framework, site=new.site, name=new.name, graph=new.graph, sources=new.sources
        )
    if isinstance(new, bool) or new is None:
        return tr.unknown("changed by a loop")
    if isinstance(new, (int, float, str, Poly)):
        return tr.unknown("changed by a loop", pytype="int" if isinstance(new, (int, Poly)) else type(new).__name__)
    return new
