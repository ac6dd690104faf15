"""Loss operators of the ONNX standard."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dims
from analyzer.numerical.domain.tensor import AbstractTensor, count, smashed
from analyzer.numerical.transfer.attained import attained_by
from analyzer.numerical.transfer.registry import transfer
from analyzer.numerical.transfer.softmax import check_rows, log_softmax_bounds

SUMMED = 1e-4  # of a sum of losses: what adding about a thousand of them in float32 may lose


@transfer("NegativeLogLikelihoodLoss")
def negative_log_likelihood(
    ctx: Context, x: AbstractTensor, target: AbstractTensor, weight: Any = None
) -> AbstractTensor:
    """-x[target] weighted; a mean over nothing but ignored targets, or over weights that sum to 0, is 0 / 0."""
    whole = smashed(x)
    return _reduced(ctx, -float(whole.hi), -float(whole.lo), x, target, weight)


def _reduced(
    ctx: Context, lo: float, hi: float, x: AbstractTensor, target: AbstractTensor, weight: Any
) -> AbstractTensor:
    reduction = str(ctx.attr("reduction", "mean"))
    ignored = ctx.attr("ignore_index")
    w_lo, w_hi = (weight.low, weight.high) if weight is not None else (1.0, 1.0)
    may_ignore = ignored is not None and target.low <= int(ignored) <= target.high
    n = count(target.shape)[1]
    if reduction == "mean":
        empty = (may_ignore and not _one_counts(target, int(ignored or 0))) or w_lo <= 0
        ctx.check(
            "numerical/empty-mean",
            "the weights of all targets sum to 0",
            {1 if weight is None else 2: target if weight is None else weight},
            lambda _: not empty,
        )
        if max(abs(lo), abs(hi)) * min(n, 2.0**40) * max(abs(w_hi), 1.0) > x.dtype.hi:  # the sum, before it is divided
            ctx.overflow(x.interval(), x.dtype, False)
        if w_lo >= 0:
            slack = SUMMED * max(abs(lo), abs(hi))
        else:
            lo, hi, slack = x.dtype.lo, x.dtype.hi, 0.0
        shape: Any = ()
    else:
        corners = [v * w for v in (lo, hi) for w in (w_lo, w_hi)]
        lo, hi = min(corners), max(corners)
        if may_ignore:
            lo, hi = min(lo, 0.0), max(hi, 0.0)
        slack = SUMMED * max(abs(lo), abs(hi))
        shape = target.shape
        if reduction == "sum":
            lo, hi, shape = (
                (lo * n if lo < 0 else (0.0 if may_ignore else lo)),
                (hi * n if hi > 0 else (0.0 if may_ignore else hi)),
                (),
            )
            slack = SUMMED * max(abs(lo), abs(hi))
    if x.dtype.eps > 1e-5:
        slack = slack * 100  # narrow types
    slack = slack if np.isfinite(slack) else 0.0
    # what sums, products and quotients of numbers of one sign lose leaves them that sign
    least, most = (max(lo - slack, 0.0) if lo >= 0 else lo - slack), (min(hi + slack, 0.0) if hi <= 0 else hi + slack)
    a, b = ctx.finite(np.float64(least), np.float64(most), x.dtype, x.low > -np.inf and x.high < np.inf)
    return AbstractTensor(x.dtype, shape, a, b, None, x.nan or (weight is not None and weight.nan))


def _one_counts(target: AbstractTensor, ignored: int) -> bool:
    """Whether some target of each row is known to be another than the one that is ignored."""
    return not target.nan and any(not least <= ignored <= most for least, most, _ in attained_by(target))


@transfer("SoftmaxCrossEntropyLoss")
def softmax_cross_entropy_loss(ctx: Context, scores: AbstractTensor, labels: AbstractTensor, weight: Any = None) -> Any:
    """The negative log-likelihood of a stable log-softmax over axis 1, which is the second output."""
    axes = (1,) if scores.rank is not None and scores.rank > 1 else None
    check_rows(ctx, scores, axes)
    lo, hi = log_softmax_bounds(ctx, scores, axes)
    low, high = float(np.min(lo)), float(np.max(hi))
    loss = _reduced(ctx, -high, -low, scores, labels, weight)
    return loss, AbstractTensor(scores.dtype, scores.shape, np.float64(low), np.float64(high), None, scores.nan)


@transfer("CtcLoss")
def ctc_loss(
    ctx: Context, scores: AbstractTensor, labels: AbstractTensor, frames: Any = None, lengths: Any = None
) -> tuple[AbstractTensor, ...]:
    """-ln of what all alignments of a text with the frames have together: of none the logarithm is that of 0.

    Equal neighbours need a frame between them. Lengths are operands or attributes (torch's two overloads).
    """
    heard = _lengths(ctx, frames, "input_lengths")
    written = _lengths(ctx, lengths, "target_lengths")
    fits = bool(ctx.attr("zero_infinity", 0)) or _fits(heard, written, labels)
    ctx.check(
        "numerical/invalid-domain",
        "a text that does not fit into its frames",
        {0: scores},
        lambda t: fits and t.low > -np.inf,
    )
    most = dims.high(scores.shape[0]) if scores.shape else np.inf
    classes = dims.high(scores.shape[-1]) if scores.shape else np.inf
    # at least one alignment, each a sum over the frames; at most as many as there are sequences of classes
    lo, hi = -most * (scores.high + np.log(classes)), -most * scores.low
    slack = SUMMED * max(abs(lo), abs(hi), 1.0) if np.isfinite(lo) and np.isfinite(hi) else 0.0
    finite = bool(np.isfinite(lo) and np.isfinite(hi))
    a, b = ctx.finite(np.float64(min(lo, 0.0) - slack), np.float64(max(hi, 0.0) + slack), scores.dtype, finite)
    loss = AbstractTensor(scores.dtype, ctx.declared_shape(), a, b, None, scores.nan)
    return loss, AbstractTensor(scores.dtype, ctx.declared_shape(1), np.float64(-np.inf), np.float64(np.inf), None)


def _lengths(ctx: Context, operand: Any, name: str) -> tuple[float, float, Any]:
    """The least and the greatest length, and all of them where they are known."""
    if operand is not None:
        return operand.low, operand.high, operand.data
    given = np.asarray(ctx.attr(name, [0]))
    return float(given.min()), float(given.max()), given


def _fits(heard: tuple[float, float, Any], written: tuple[float, float, Any], labels: AbstractTensor) -> bool:
    if max(2 * written[1] - 1, written[1]) <= heard[0]:  # even if all labels are equal
        return True
    if heard[2] is None or written[2] is None or labels.data is None or np.ndim(labels.data) != 2:
        return False
    rows = zip(np.asarray(labels.data), np.ravel(heard[2]), np.ravel(written[2]), strict=False)
    return all(n + np.count_nonzero(row[1 : int(n)] == row[: max(int(n) - 1, 0)]) <= t for row, t, n in rows)
