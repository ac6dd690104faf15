"""Affine forms: a tensor as ``constant + sum a_i v_i + sum b_i relu(v_i)``, element by element (DEBAR, section 4.2).

Coefficients are exact; `error` bounds what floating-point rounding adds in either direction, so that
``x - x`` is exactly zero while ``(x + 1e8) - x`` is not claimed to be ``1e8``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from analyzer.numerical.domain.dtypes import Array
from analyzer.numerical.domain.tensor import AbstractTensor, Starts, bounds_on

MAX_TERMS = 8  # of one form; the smallest are folded into its error, which is sound


@dataclass(slots=True, frozen=True, eq=False)
class Form:
    """`terms` maps the key of a tensor v to (v, coefficient of v, coefficient of relu(v))."""

    terms: Mapping[int, tuple[AbstractTensor, float, float]]
    constant: float = 0.0
    error: float = 0.0

    def bounds(self, starts: Starts | None) -> tuple[Array, Array]:
        """Bounds of the exact value on a partition, before the rounding of the operation that uses it."""
        lo: Array = np.float64(self.constant - self.error)
        hi: Array = np.float64(self.constant + self.error)
        for tensor, plain, relu in self.terms.values():
            low, high = bounds_on(tensor, starts)
            at_low = plain * low + relu * np.maximum(low, 0.0)
            at_high = plain * high + relu * np.maximum(high, 0.0)
            least, most = np.minimum(at_low, at_high), np.maximum(at_low, at_high)
            if relu:  # piecewise linear: the kink at 0 is an extremum as well
                inside = (low < 0) & (high > 0)
                least = np.where(inside, np.minimum(least, 0.0), least)
                most = np.where(inside, np.maximum(most, 0.0), most)
            lo, hi = lo + least, hi + most
        return lo, hi


def variable(tensor: AbstractTensor) -> Form:
    """The tensor as a variable of its own."""
    return Form({tensor.key: (tensor, 1.0, 0.0)})


def form_of(tensor: AbstractTensor) -> Form:
    """The tensor's form; a scalar constant is its value, a tensor without relations a variable."""
    if tensor.form is not None:
        return tensor.form
    if tensor.starts is None and tensor.lo == tensor.hi and np.isfinite(tensor.lo):
        return Form({}, float(tensor.lo))
    return variable(tensor)


def combine(a: Form, b: Form, scale_a: float, scale_b: float) -> Form | None:
    """``scale_a * a + scale_b * b``; None when it has too many terms to be useful."""
    terms = {k: (t, scale_a * p, scale_a * r) for k, (t, p, r) in a.terms.items()}
    for key, (tensor, plain, relu) in b.terms.items():
        if key in terms:
            known, p, r = terms[key]
            p, r = p + scale_b * plain, r + scale_b * relu
            if p == 0 and r == 0:
                del terms[key]
            else:
                terms[key] = (known, p, r)
        else:
            terms[key] = (tensor, scale_b * plain, scale_b * relu)
    if len(terms) > MAX_TERMS:
        return None
    error = abs(scale_a) * a.error + abs(scale_b) * b.error
    return Form(terms, scale_a * a.constant + scale_b * b.constant, error)


def related(a: Form, b: Form) -> bool:
    """Whether the forms share a variable, so that combining them can cancel."""
    return not a.terms.keys().isdisjoint(b.terms.keys())


def relu(tensor: AbstractTensor) -> Form | None:
    """The form of relu(tensor) where an axiom gives one (DEBAR's table); None if it has none."""
    form = form_of(tensor)
    if tensor.low >= 0:
        return form
    if tensor.high <= 0:
        return Form({})
    if len(form.terms) != 1 or form.constant or form.error:
        return None
    ((key, (variable_, plain, rectified)),) = form.terms.items()
    if rectified == 0:  # relu(a x) = a relu(x), relu(-a x) = a (relu(x) - x)
        return Form({key: (variable_, 0.0, plain) if plain > 0 else (variable_, plain, -plain)})
    if plain == 0:  # relu(a relu(x)) = a relu(x), relu(-a relu(x)) = 0
        return Form({key: (variable_, 0.0, rectified)}) if rectified > 0 else Form({})
    if plain == -rectified:  # c (relu(x) - x) = c relu(-x)
        return form if rectified > 0 else Form({})
    return None


def relu_of_variable(tensor: AbstractTensor) -> Form:
    """relu(tensor) with the tensor itself as the variable, where it is more than one term."""
    return Form({tensor.key: (tensor, 0.0, 1.0)})
