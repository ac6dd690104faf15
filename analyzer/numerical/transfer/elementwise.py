"""Unary functions of numbers, element by element."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import affine, dtypes
from analyzer.numerical.domain.dtypes import select
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer import steep_slopes
from analyzer.numerical.transfer.complex_numbers import exponential, is_complex
from analyzer.numerical.transfer.kinds import decreasing, increasing, like, rounded, with_critical_points
from analyzer.numerical.transfer.known_numbers import with_known
from analyzer.numerical.transfer.peaks import of_power
from analyzer.numerical.transfer.registry import transfer

POLES = "x = 0, -1, -2 …"


@transfer("Exp")
def exp(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """e**x; overflows above the logarithm of the largest number."""
    if is_complex(x):
        return exponential(ctx, x)
    limit = math.log(x.dtype.hi)
    x = ctx.require("numerical/exp-overflow", f"x > {limit:.5g}", 0, x, hi=limit)
    result = increasing(ctx, x, np.exp, within=(0.0, x.dtype.hi))
    result.lo = select(x.lo >= 0, np.maximum(result.lo, 1.0), result.lo)
    result.hi = select(x.hi <= 0, np.minimum(result.hi, 1.0), result.hi)
    if "max" in x.facts:
        value, axes = x.facts["max"]
        result.facts = {"max": (math.exp(value), axes)}
    return result


@transfer("Expm1")
def expm1(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    limit = math.log(x.dtype.hi)
    x = ctx.require("numerical/exp-overflow", f"x > {limit:.5g}", 0, x, hi=limit)
    return increasing(ctx, x, np.expm1, within=(-1.0, x.dtype.hi))


@transfer("Log")
def log(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """ln x; results too small to be normal numbers have been rounded down to zero before (kernels may flush them)."""
    steep_slopes.of_logarithm(ctx, x)
    x = ctx.require("numerical/log-of-nonpositive", "x <= 0", 0, x, lo=x.dtype.smallest)
    result = increasing(ctx, x, np.log)
    result.lo = select(x.lo >= 1, np.maximum(result.lo, 0.0), result.lo)
    result.hi = select(x.hi <= 1, np.minimum(result.hi, 0.0), result.hi)
    return result


@transfer("Log1p")
def log1p(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    least = -1 + x.dtype.eps / 2
    x = ctx.require("numerical/log-of-nonpositive", "x <= -1", 0, x, lo=least)
    return increasing(ctx, x, np.log1p)


@transfer("Sqrt")
def sqrt(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """The square root; correctly rounded everywhere. Its gradient 1 / (2 sqrt x) is infinite at 0."""
    x = ctx.require("numerical/sqrt-of-negative", "x < 0", 0, x, lo=0.0)
    if ctx.options.backward and not ctx.run.ledger.quiet and x.low < x.dtype.smallest and x.high > x.low:
        ctx.infinite_at_zero("numerical/gradient-of-sqrt-at-zero", x)
    return increasing(ctx, x, np.sqrt, ulps=1, within=(0.0, np.inf))


@transfer("Rsqrt")
def rsqrt(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    steep_slopes.of_inverse_root(ctx, x)
    if x.low < 0 or x.nan:
        x = ctx.require("numerical/sqrt-of-negative", "x < 0", 0, x, lo=0.0)
    x = ctx.require("numerical/division-by-zero", "x = 0", 0, x, lo=x.dtype.smallest)
    return decreasing(ctx, x, lambda v: 1 / np.sqrt(v), within=(0.0, np.inf))


@transfer("Reciprocal")
def reciprocal(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    steep_slopes.of_reciprocal(ctx, x)
    x = ctx.nonzero("numerical/division-by-zero", "x = 0", 0, x)
    lo, hi = 1 / x.hi, 1 / x.lo
    inside = (x.lo < 0) & (x.hi > 0)
    lo = np.where(inside, -1 / x.dtype.smallest, lo)[()]
    hi = np.where(inside, 1 / x.dtype.smallest, hi)[()]
    result = rounded(ctx, x, np.clip(lo, x.dtype.lo, x.dtype.hi), np.clip(hi, x.dtype.lo, x.dtype.hi), ulps=1)
    # Rounding keeps the sign, and nothing is rounded of an infinity.
    above = np.asarray((x.lo >= 0) | (x.hi == -np.inf))
    below = np.asarray((x.hi <= 0) | (x.lo == np.inf))
    result.lo = select(above, np.maximum(result.lo, 0.0), result.lo)
    result.hi = select(below, np.minimum(result.hi, 0.0), result.hi)
    return result


@transfer("Neg")
def neg(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    result = like(x, -x.hi, -x.lo)
    if x.dtype.kind == dtypes.INTEGER:
        result.lo, result.hi = ctx.finite(result.lo, result.hi, x.dtype, True)
    if ctx.options.affine and x.dtype.is_float:
        result.form = affine.combine(affine.form_of(x), affine.Form({}), -1.0, 1.0)
    result.tight = x.tight
    return with_known(np.negative, result, x)


@transfer("Abs")
def absolute(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    low, high = np.abs(x.lo), np.abs(x.hi)
    lo = np.where((x.lo <= 0) & (x.hi >= 0), 0.0, np.minimum(low, high))[()]
    result = like(x, lo, np.maximum(low, high))
    if x.dtype.kind == dtypes.INTEGER:
        result.lo, result.hi = ctx.finite(result.lo, result.hi, x.dtype, True)
    elif ctx.options.affine and x.low > -np.inf and x.high < np.inf:
        form = affine.form_of(x)
        if len(form.terms) == 1 and not form.constant and not form.error:  # |a v| = |a| (2 relu(v) - v)
            ((key, (tensor, plain, relu)),) = form.terms.items()
            if relu == 0:
                result.form = affine.Form({key: (tensor, -abs(plain), 2 * abs(plain))})
    with_known(np.abs, result, x)
    if result.lo is not None and x.tight is not None:
        result.tight = x.tight
    return result


@transfer("Sign")
def sign(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    return like(x, np.sign(x.lo), np.sign(x.hi))


@transfer("Ceil")
def ceil(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    return like(x, np.ceil(x.lo), np.ceil(x.hi))


@transfer("Floor")
def floor(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    return like(x, np.floor(x.lo), np.floor(x.hi))


@transfer("Round")
def round_half_even(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    return like(x, np.rint(x.lo), np.rint(x.hi))


@transfer("Square")
def square(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    return squared(ctx, x)


def squared(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """x * x, which is never negative."""
    low, high = x.lo * x.lo, x.hi * x.hi
    lo = np.where((x.lo <= 0) & (x.hi >= 0), 0.0, np.minimum(low, high))[()]
    hi = np.maximum(low, high)
    if x.dtype.kind == dtypes.INTEGER:
        lo, hi = ctx.finite(lo, hi, x.dtype, True)
        result = like(x, lo, hi)
    else:
        result = rounded(ctx, x, lo, hi, ulps=0, within=(0.0, np.inf))
    result.tight = x.tight
    if "peaks" in x.facts:
        result.facts = of_power(x, 2.0, result)
    return result


@transfer("Erf")
def erf(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    return increasing(ctx, x, _vector(math.erf), ulps=8, within=(-1.0, 1.0))


@transfer("Erfc")
def erfc(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    return decreasing(ctx, x, _vector(math.erfc), ulps=8, within=(0.0, 2.0))


@transfer("Erfcx")
def scaled_erfc(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """exp(x**2) erfc(x): falls from 2 exp(x**2) to 1 / (x sqrt(pi))."""
    least = -math.sqrt(math.log(x.dtype.hi) - math.log(2)) + 1e-6
    x = ctx.require("numerical/exp-overflow", f"x < {least:.5g}", 0, x, lo=least)
    return decreasing(ctx, x, _vector(_erfcx), ulps=64, within=(0.0, x.dtype.hi))


def _erfcx(x: float) -> float:
    if x < 10:
        return math.exp(x * x) * math.erfc(x)
    return 1 / (math.sqrt(math.pi) * x) * (1 - 0.5 / x**2 + 0.75 / x**4)  # the next term is below 2e-6


@transfer("LogNdtr")
def log_ndtr(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """The logarithm of the normal distribution's function: close to -x**2 / 2 far below 0."""
    return increasing(ctx, x, _vector(_log_ndtr), ulps=256, within=(-np.inf, 0.0))


def _log_ndtr(x: float) -> float:
    if x > -5:
        return math.log1p(-math.erfc(x / math.sqrt(2)) / 2) if x > 0 else math.log(math.erfc(-x / math.sqrt(2)) / 2)
    if math.isinf(x):
        return x
    return -x * x / 2 + math.log(_erfcx(-x / math.sqrt(2)) / 2)


@transfer("Lgamma")
def lgamma(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """ln |Gamma(x)|: least at 1.4616 among positive numbers; has poles at 0, -1, -2 …"""
    if not ctx.check("numerical/invalid-domain", POLES, {0: x}, lambda t: t.low > 0 and not t.nan):
        return like(x, np.full_like(x.lo, x.dtype.lo), np.full_like(x.hi, x.dtype.hi))
    positive = x.with_bounds(np.maximum(x.lo, x.dtype.smallest), x.hi)  # proved, where bounds alone do not say it
    return with_critical_points(ctx, positive, _vector(math.lgamma), (1.4616321449683622,), ulps=16)


@transfer("Digamma")
def digamma(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """Increasing on positive numbers, where ln x - 1/x <= digamma(x) <= ln x - 1/(2x); anything below."""
    least = x.dtype.smallest
    if (
        not ctx.check("numerical/invalid-domain", POLES, {0: x}, lambda t: t.low >= least and not t.nan)
        or x.low < least
    ):
        return like(x, np.full_like(x.lo, x.dtype.lo), np.full_like(x.hi, x.dtype.hi))
    return rounded(ctx, x, np.log(x.lo) - 1 / x.lo, np.log(x.hi) - 0.5 / x.hi, ulps=16)


def _vector(function: Any) -> Any:
    """A scalar function over arrays; infinities and out-of-range results become infinities."""

    def safe(value: float) -> float:
        try:
            return float(function(value))
        except OverflowError:
            return math.inf

    def apply(values: Any) -> Any:
        if np.ndim(values) == 0:
            return np.float64(safe(float(values)))
        return np.array([safe(float(v)) for v in values.flat]).reshape(values.shape)

    return apply


@transfer("Sin")
def sin(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    return _periodic(x, np.sin, math.pi / 2)


@transfer("Cos")
def cos(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    return _periodic(x, np.cos, 0.0)


def _periodic(x: AbstractTensor, function: Any, peak: float) -> AbstractTensor:
    """A wave with maxima at peak + 2 k pi. Arguments beyond 1e5 are reduced inexactly: anything in [-1, 1]."""
    turn = 2 * math.pi
    lo, hi = np.minimum(function(x.lo), function(x.hi)), np.maximum(function(x.lo), function(x.hi))
    top = np.floor((x.hi - peak) / turn) >= np.ceil((x.lo - peak) / turn)
    bottom = np.floor((x.hi - peak - math.pi) / turn) >= np.ceil((x.lo - peak - math.pi) / turn)
    wide = (np.abs(x.lo) > 1e5) | (np.abs(x.hi) > 1e5)
    hi = np.where(top | wide, 1.0, hi)[()]
    lo = np.where(bottom | wide, -1.0, lo)[()]
    # eight units, and what reducing an argument of up to 1e5 by a rounded 2 pi loses
    slack = 8 * x.dtype.eps * np.maximum(1.0, np.minimum(np.maximum(np.abs(x.lo), np.abs(x.hi)), 1e5) * 2e-3)
    lo, hi = np.maximum(lo - slack, -1.0), np.minimum(hi + slack, 1.0)
    result = like(x, x.dtype.nearest(lo), x.dtype.nearest(hi))
    result.nan = x.nan or bool(x.low == -np.inf or x.high == np.inf)
    return result


@transfer("Tan")
def tan(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """Monotone between poles; the poles themselves are no floating-point numbers, so tan is large but finite."""
    pole = np.floor((x.hi - math.pi / 2) / math.pi + 1e-6) >= np.ceil((x.lo - math.pi / 2) / math.pi - 1e-6)
    wide = pole | (np.abs(x.lo) > 1e5) | (np.abs(x.hi) > 1e5)
    lo, hi = np.tan(x.lo), np.tan(x.hi)
    slack = 1e-3 if x.dtype.eps > 1e-6 else 1e-6  # times the slope, 1 + tan**2, below
    lo, hi = lo - slack * (1 + lo * lo) * 0.05, hi + slack * (1 + hi * hi) * 0.05
    lo, hi = np.where(wide, x.dtype.lo, lo)[()], np.where(wide, x.dtype.hi, hi)[()]
    result = like(x, x.dtype.nearest(lo), x.dtype.nearest(hi))
    result.nan = x.nan or bool(x.low == -np.inf or x.high == np.inf)
    return result


@transfer("Asin")
def asin(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    return increasing(ctx, _within_unit(ctx, x), np.arcsin)


@transfer("Acos")
def acos(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    return decreasing(ctx, _within_unit(ctx, x), np.arccos, within=(0.0, np.inf))


def _within_unit(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    x = ctx.require("numerical/invalid-domain", "|x| > 1", 0, x, lo=-1.0, hi=1.0)
    if ctx.options.backward and not ctx.run.ledger.quiet and (x.low <= -1 or x.high >= 1) and x.low < x.high:
        ctx.check(
            "numerical/gradient-of-acos-at-edge",
            "|x| = 1",
            {0: x},
            lambda t: t.low > -1 and t.high < 1,
            backward=True,
        )
    return x


@transfer("Atan")
def atan(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    return increasing(ctx, x, np.arctan)


@transfer("Sinh")
def sinh(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    limit = math.log(x.dtype.hi) + math.log(2) - 1e-6
    x = ctx.require("numerical/exp-overflow", f"|x| > {limit:.5g}", 0, x, lo=-limit, hi=limit)
    return increasing(ctx, x, np.sinh, ulps=8, within=(x.dtype.lo, x.dtype.hi))


@transfer("Cosh")
def cosh(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    limit = math.log(x.dtype.hi) + math.log(2) - 1e-6
    x = ctx.require("numerical/exp-overflow", f"|x| > {limit:.5g}", 0, x, lo=-limit, hi=limit)
    return with_critical_points(ctx, x, np.cosh, (0.0,), ulps=8, within=(1.0, x.dtype.hi))


@transfer("Erfinv")
def inverse_erf(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """The inverse of the error function: infinite at -1 and 1."""
    inside = 1.0 - x.dtype.eps / 2
    x = ctx.require("numerical/invalid-domain", "|x| >= 1", 0, x, lo=-inside, hi=inside)
    return increasing(ctx, x, _vector(_inverse_erf), ulps=64)


def _inverse_erf(x: float) -> float:
    return NormalDist().inv_cdf((x + 1) / 2) / math.sqrt(2) if -1 < x < 1 else math.copysign(math.inf, x)


@transfer("Ndtri")
def quantile_of_normal(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """The inverse of the normal distribution's function: infinite at 0 and 1."""
    inside = 1.0 - x.dtype.eps / 2
    x = ctx.require("numerical/invalid-domain", "x <= 0 or x >= 1", 0, x, lo=x.dtype.smallest, hi=inside)
    return increasing(ctx, x, _vector(_quantile_of_normal), ulps=64)


def _quantile_of_normal(x: float) -> float:
    return NormalDist().inv_cdf(x) if 0 < x < 1 else math.copysign(math.inf, x - 0.5)


@transfer("BesselI0")
def bessel(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """The modified Bessel function I0, at most exp(|x|), which kernels compute on the way."""
    limit = math.log(x.dtype.hi) - 1e-6
    x = ctx.require("numerical/exp-overflow", f"|x| > {limit:.5g}", 0, x, lo=-limit, hi=limit)
    return with_critical_points(ctx, x, np.i0, (0.0,), ulps=32, within=(1.0, x.dtype.hi))


@transfer("BesselI0e")
def scaled_bessel(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """I0(x) exp(-|x|): falls with |x|, in the end as 1 / sqrt(2 pi |x|)."""
    return with_critical_points(ctx, x, _scaled_bessel, (0.0,), ulps=32, within=(0.0, 1.0))


def _scaled_bessel(x: Any) -> Any:
    size = np.abs(x)
    near = np.minimum(size, 600.0)
    return np.where(size <= 600, np.i0(near) * np.exp(-near), 1 / np.sqrt(2 * np.pi * np.maximum(size, 1)))[()]


@transfer("Asinh")
def asinh(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    return increasing(ctx, x, np.arcsinh, ulps=8)


@transfer("Acosh")
def acosh(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """ln(x + sqrt(x**2 - 1)); its gradient 1 / sqrt(x**2 - 1) is infinite at 1."""
    x = ctx.require("numerical/invalid-domain", "x < 1", 0, x, lo=1.0)
    if ctx.options.backward and not ctx.run.ledger.quiet and x.low <= 1 and x.low < x.high:
        ctx.check("numerical/gradient-of-acos-at-edge", "x = 1", {0: x}, lambda t: t.low > 1, backward=True)
    return increasing(ctx, x, np.arccosh, ulps=8, within=(0.0, np.inf))


@transfer("Atanh")
def atanh(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    edge = 1 - x.dtype.eps / 2
    x = ctx.require("numerical/invalid-domain", "|x| >= 1", 0, x, lo=-edge, hi=edge)
    return increasing(ctx, x, np.arctanh, ulps=8)


@transfer(
    "Identity",
    "StopGradient",
    "Enter",
    "Exit",
    "LoopCond",
    "NextIteration",
    "ReadVariable",
    "PlaceholderWithDefault",
    "EnsureShape",
    "OptionalFromValue",
    "Print",
)
def identity(ctx: Context, x: Any, *_: Any) -> Any:
    return x


@transfer("IdentityN")
def identity_n(ctx: Context, *values: Any) -> Any:
    return values
