"""One literal that, replaced, makes an application valid."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.operators.outcomes import type_of
from analyzer.tracing.operators.table import Op
from analyzer.validity.spec import CheckResult, Spec, TensorType, TypeStatus, check
from analyzer.validity.terms import product


def repair(
    op: Op, found: Spec, tensors: Sequence[Tensor | None], clean: dict[str, Any], outcome: CheckResult, framework: str
) -> tuple[ast.expr, str, str] | None:
    """One literal in the source that, replaced, makes this application valid."""
    if outcome.failure is None or any(t is not None and t.dims is None for t in tensors):
        return None
    version = op.tr.shared.versions.get({"tf": "tensorflow"}.get(framework, framework))
    types = [type_of(t) for t in tensors]
    facts = [
        v for f in outcome.failure.facts.values() for v in (f if isinstance(f, tuple) else (f,)) if isinstance(v, int)
    ]

    def works(changed: dict[str, Any]) -> bool:
        try:
            return check(found, types, changed, version=version).status is not TypeStatus.INVALID
        except (TypeError, ValueError, AttributeError, IndexError, KeyError):
            return False

    path = op.where.path
    for name, node in op.nodes.items():
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, int)
            and not isinstance(node.value, bool)
            and name in clean
        ):
            for value in dict.fromkeys(facts):
                if value != clean[name] and value > 0 and works({**clean, name: value}):
                    return node, path, str(value)
    shape = clean.get("shape", clean.get("target_shape"))
    entries = op.nodes.get("shape") or op.nodes.get("target_shape")
    if isinstance(entries, (ast.Tuple, ast.List)) and isinstance(shape, tuple) and len(entries.elts) == len(shape):
        return _repair_entry(entries, shape, types[0], works, clean, path)
    return None


def _repair_entry(
    entries: Any, shape: tuple[Any, ...], source: TensorType | None, works: Any, clean: dict[str, Any], path: str
) -> tuple[ast.expr, str, str] | None:
    key = "shape" if "shape" in clean else "target_shape"
    if source is None or source.shape is None:
        return None
    total = product(source.shape if key == "shape" else source.shape[1:])
    for index, node in enumerate(entries.elts):
        if not (isinstance(node, ast.Constant) and isinstance(node.value, int)):
            continue
        others = [s for i, s in enumerate(shape) if i != index and s != -1]
        for axis in range(len(source.shape)):
            candidate: Any = source.shape[axis] if -1 in shape else None
            if -1 not in shape and isinstance(total, int):
                rest = product(others)
                candidate = total // rest if isinstance(rest, int) and rest and total % rest == 0 else None
            elif -1 in shape and index != list(shape).index(-1):
                candidate = product(source.shape[axis:])
            if isinstance(candidate, int) and candidate > 0:
                changed = (*shape[:index], candidate, *shape[index + 1 :])
                if changed != shape and works({**clean, key: changed}):
                    return node, path, str(candidate)
    return None
