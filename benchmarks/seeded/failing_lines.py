"""The line on which a plain run first gives what is not finite: where a seed fails, whichever line is repaired."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import CodeType, FrameType
from typing import Any

from benchmarks.seeded.witnessed import METHODS, SEEDS, Case, Seed

Held = list[tuple[int, str, Any]]  # line, name and tensor, in the order in which the module's method comes to hold them


def failing_line(seed: Seed) -> int | None:
    """The line of the defective text after which the witness's run holds NaN or Inf under a name.

    Names under which the repaired twin holds such values too, as masks of minus infinity, do not count. Where only a
    gradient fails it is the line behind the last tensor whose gradient is not finite: what is computed there has one.
    """
    for number in range(SEEDS):
        defective, repaired = (Case.of(seed, twin, number) for twin in (False, True))
        given = defective.witness(seed.witness)
        if not defective.fails(given):
            continue
        repaired.become(defective)
        meant = {name for _, name, value in _run(repaired, given)[0] if not _finite(value)}
        held, gradients, ends = _run(defective, given)
        for (line, name, value), gradient in zip(held, gradients, strict=True):
            if not _finite(value) and name not in meant and not (_minus_infinity(value) and _finite(gradient)):
                return line
        last = max((i for i, gradient in enumerate(gradients) if not _finite(gradient)), default=None)
        return None if last is None else held[last + 1][0] if last + 1 < len(held) else ends
    return None


def _run(case: Case, given: Mapping[str, Any]) -> tuple[Held, list[Any], int]:
    """What the method holds, the gradients of the loss by it, and the method's last line."""
    method = getattr(type(case.module), METHODS[case.framework]).__code__
    held: Held = []
    before = sys.gettrace()
    if case.framework == "torch":
        import torch

        sys.settrace(_watching(method, held))
        loss = case.model(**given)
        sys.settrace(before)
        wanted = [value for _, _, value in held if value.requires_grad]
        found = iter(torch.autograd.grad(loss, wanted, allow_unused=True) if wanted else ())
        return held, [next(found) if value.requires_grad else None for _, _, value in held], held[-1][0]
    import tensorflow as tf

    with tf.GradientTape(persistent=True) as tape:
        sys.settrace(_watching(method, held))
        loss = case.model(dict(given)) if case.framework == "keras" else case.model(*given.values())
        sys.settrace(before)
    return held, [tape.gradient(loss, value) for _, _, value in held], held[-1][0]


def _watching(method: CodeType, held: Held) -> Callable[[FrameType, str, Any], Any]:
    last = 0

    def watch(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal last
        if frame.f_code is not method:
            return None
        if event in ("line", "return"):
            known = {id(value) for _, _, value in held}
            held.extend((last, n, v) for n, v in frame.f_locals.items() if _is_float(v) and id(v) not in known)
        last = frame.f_lineno
        return watch

    return watch


def _is_float(value: Any) -> bool:
    if not hasattr(value, "dtype") or not hasattr(value, "numpy"):
        return False
    return bool(getattr(value.dtype, "is_floating_point", None) or getattr(value.dtype, "is_floating", False))


def _finite(value: Any) -> bool:
    import numpy as np

    return value is None or bool(np.isfinite(_array(value)).all())


def _minus_infinity(value: Any) -> bool:
    """Whether nothing else in it is not finite: what stands for nothing, as long as its gradient is finite."""
    import numpy as np

    array = _array(value)
    return bool((np.isfinite(array) | np.isneginf(array)).all())


def _array(value: Any) -> Any:
    return (value.detach().float() if hasattr(value, "detach") else value).numpy()
