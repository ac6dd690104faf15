"""Where a search by halves stands: at an end, or at that end and a step, and so never further than all steps together.

The fact ``near: (base, least, most)`` says that a value differs from `base` by what lies in [least, most]. A selection
between ``t + d`` and t is near t. A value in steps below the greatest of a row, ``x - (max(x) - 1 + d + …)``, is
positive somewhere in it while the steps do not make up for what was taken away: thresholds of sparse softmaxes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from analyzer.numerical.domain import affine
from analyzer.numerical.domain.affine import Form
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer.attained import Attained
from analyzer.numerical.transfer.facts import are_axes

DEPTH = 64  # steps looked back


def near_fact(result: AbstractTensor, a: AbstractTensor, b: AbstractTensor) -> Mapping[str, Any]:
    """Of a selection between `a` and `b`, where one was computed from the other."""
    if not result.dtype.is_float or a.nan or b.nan or result.shape is None or not a.shape == b.shape == result.shape:
        return {}
    first, second = affine.form_of(a), affine.form_of(b)
    if a.key in second.terms and a.form is not None:
        first = affine.variable(a)
    elif b.key in first.terms and b.form is not None:
        second = affine.variable(b)
    form = affine.combine(first, second, 1.0, -1.0) if affine.related(first, second) else None
    if form is None:
        return {}
    low, high = (float(v) for v in form.bounds(None))
    base, least, most = b.facts.get("near", (b, 0.0, 0.0))
    least, most = least + min(0.0, low), most + max(0.0, high)
    return {"near": (base, least, most)} if np.isfinite(most - least) else {}


def greatest_beside(a: AbstractTensor, b: AbstractTensor, result: AbstractTensor) -> tuple[Attained, ...]:
    """What ``result = a - b`` is where `a` is greatest, if `b` was computed from that greatest element."""
    first = affine.form_of(a)
    if len(first.terms) != 1 or a.shape != result.shape or a.nan or b.nan:
        return ()
    ((source, scale, relu),) = first.terms.values()
    if relu or scale <= 0:
        return ()
    second, least, most = _resolved(affine.form_of(b))
    for key, (tensor, coefficient, rectified) in second.terms.items():
        kind, reduced, axes, kept = tensor.facts.get("reduced", ("", tensor, None, False))
        greatest = kind == "max" and kept and are_axes(axes) and reduced.key == source.key
        if not greatest or rectified or coefficient != scale:
            continue
        rest = Form({k: t for k, t in second.terms.items() if k != key}, second.constant, second.error)
        low, high = (float(v) for v in rest.bounds(None))
        low, high = first.constant - first.error - high - most, first.constant + first.error - low - least
        slack = float(a.dtype.eps) * max(abs(low), abs(high)) + float(a.dtype.tiny)
        return ((low - slack, high + slack, tuple(axes)),) if np.isfinite(high - low) else ()
    return ()


def _resolved(form: Form) -> tuple[Form, float, float]:
    """The form with values that are near others replaced by those, and between which numbers it is off by that."""
    least = most = 0.0
    for _ in range(DEPTH):
        near = next((t for t in form.terms.values() if "near" in t[0].facts and not t[2]), None)
        if near is None:
            break
        tensor, scale, _ = near
        base, low, high = tensor.facts["near"]
        rest = Form({k: t for k, t in form.terms.items() if k != tensor.key}, form.constant, form.error)
        combined = affine.combine(rest, affine.form_of(base), 1.0, scale)
        if combined is None:
            break
        form = combined
        least, most = least + min(scale * low, scale * high), most + max(scale * low, scale * high)
    return form, least, most
