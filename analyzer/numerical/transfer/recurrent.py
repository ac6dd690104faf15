"""Recurrent layers: gates are bounded by their activations, states by iterating to a fixed point."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dims, dtypes
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.transfer.registry import transfer

BOUNDS = {"sigmoid": (0.0, 1.0), "tanh": (-1.0, 1.0), "hardsigmoid": (0.0, 1.0), "softsign": (-1.0, 1.0)}


def activation_range(name: str, lo: float, hi: float, alpha: float | None, beta: float | None) -> tuple[float, float]:
    """Bounds of a recurrent layer's activation function on [lo, hi]."""
    name = name.lower()
    if name in BOUNDS:
        return BOUNDS[name]
    if name == "relu":
        return max(lo, 0.0), max(hi, 0.0)
    if name == "softplus":
        return 0.0, float(np.logaddexp(0.0, hi)) * 1.00001 + 1e-6  # an exponential and a logarithm in float32
    if name == "elu":
        a = 1.0 if alpha is None else alpha
        return min(-abs(a), lo, 0.0), max(hi, 0.0, abs(a))
    if name == "scaledtanh":
        a = abs(1.0 if alpha is None else alpha)
        return -a, a
    a, b = 1.0 if alpha is None else alpha, 0.0 if beta is None else beta
    if name == "leakyrelu":
        a = 0.01 if alpha is None else alpha
        return min(lo, a * lo, 0.0), max(hi, a * lo, 0.0)
    if name == "thresholdedrelu":
        return min(lo, 0.0), max(hi, 0.0)
    return min(a * lo, a * hi) + b, max(a * lo, a * hi) + b  # affine


def _magnitude(tensor: AbstractTensor | None) -> float:
    return 0.0 if tensor is None else max(abs(tensor.low), abs(tensor.high))


def _rows(tensor: AbstractTensor | None, factor: float, n: float) -> float:
    """The largest sum of |weights| of a row, times the largest operand."""
    if tensor is None or factor == 0:
        return 0.0
    if tensor.data is not None:
        weight = float(np.abs(np.asarray(tensor.data, dtype=np.float64)).sum(axis=-1).max(initial=0.0))
        return weight * factor * 1.0001
    return _magnitude(tensor) * factor * n * 1.0001


@transfer("RNN", "GRU", "LSTM")
def recurrent(
    ctx: Context,
    x: AbstractTensor,
    w: AbstractTensor,
    r: AbstractTensor,
    bias: Any = None,
    lengths: Any = None,
    initial_h: Any = None,
    initial_c: Any = None,
    peepholes: Any = None,
) -> Any:
    """Sequence and final states. Steps beyond a sequence's length are zero."""
    kind = ctx.op
    defaults = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}[kind]
    directions = 2 if str(ctx.attr("direction", "forward")) == "bidirectional" else 1
    names = [str(n) for n in (ctx.attr("activations") or defaults * directions)]
    alphas, betas = list(ctx.attr("activation_alpha") or []), list(ctx.attr("activation_beta") or [])
    clip = ctx.attr("clip")
    per = len(defaults)
    features = dims.high(x.shape[-1]) if x.shape else math.inf
    hidden = dims.high(r.shape[-1]) if r.shape else float(ctx.attr("hidden_size", math.inf) or math.inf)
    steps = dims.high(x.shape[1 if ctx.attr("layout", 0) else 0]) if x.shape else math.inf
    fixed = _rows(w, _magnitude(x), features) + 2 * _magnitude(bias)
    h = (_range(initial_h), _range(initial_c))
    h_lo, h_hi = min(h[0][0], 0.0), max(h[0][1], 0.0)
    c_lo, c_hi = min(h[1][0], 0.0), max(h[1][1], 0.0)
    limit = x.dtype.hi

    def gate(index: int, z: float) -> tuple[float, float]:
        lo, hi = math.inf, -math.inf
        for d in range(len(names) // per):
            i = d * per + index
            a, b = activation_range(
                names[i], -z, z, alphas[i] if i < len(alphas) else None, betas[i] if i < len(betas) else None
            )
            lo, hi = min(lo, a), max(hi, b)
        return lo, hi

    rounds = 0
    while True:
        z = fixed + _rows(r, max(abs(h_lo), abs(h_hi)), hidden) + _magnitude(peepholes) * max(abs(c_lo), abs(c_hi))
        if z > limit and clip is None:
            ctx.overflow(x.interval(), x.dtype, False)
        z = min(z, limit)
        if clip is not None:
            z = min(z, float(clip))
        if kind == "RNN":
            new = gate(0, z)
        elif kind == "GRU":
            update, candidate = gate(0, z), gate(1, z)
            reset = max(abs(v) for v in update)
            if reset > 1:
                candidate = gate(
                    1, min(fixed + _rows(r, max(abs(h_lo), abs(h_hi)) * reset, hidden) + 2 * _magnitude(bias), limit)
                )
            if update == (0.0, 1.0):  # a convex combination
                new = (min(candidate[0], h_lo), max(candidate[1], h_hi))
            else:
                big = max(abs(1 - update[0]), abs(1 - update[1])) * max(map(abs, candidate)) + max(
                    map(abs, update)
                ) * max(abs(h_lo), abs(h_hi))
                new = (-big, big)
        else:
            inner, cell = gate(0, z), gate(1, z)
            keep = 1.0 if ctx.attr("input_forget", 0) and inner == (0.0, 1.0) else None
            top = max(map(abs, inner))
            if keep is not None:
                new_c = (min(c_lo, cell[0], 0.0), max(c_hi, cell[1], 0.0))
            else:
                grow = top * max(map(abs, cell))
                new_c = (min(c_lo * top, c_lo if top <= 1 else c_lo * top, 0.0) - grow, max(c_hi * top, 0.0) + grow)
            out = gate(2, max(abs(new_c[0]), abs(new_c[1])))
            reach = top * max(map(abs, out))
            new = (-reach, reach)
            c_lo, c_hi = max(min(c_lo, new_c[0]), -limit), min(max(c_hi, new_c[1]), limit)
        old = (h_lo, h_hi)
        h_lo, h_hi = max(min(h_lo, new[0]), -limit), min(max(h_hi, new[1]), limit)
        rounds += 1
        if rounds >= steps:
            break
        if kind == "LSTM":
            if rounds >= 64:  # the cell state grows with every step
                if (h_lo, h_hi) == old and math.isfinite(steps) and not ctx.attr("input_forget", 0):
                    remaining = (steps - rounds + 1) * 1.001
                    c_lo, c_hi = (
                        max(c_lo * 1.0 - remaining * 1.0 * max(map(abs, cell)), -limit),
                        min(c_hi + remaining * max(map(abs, cell)), limit),
                    )
                else:
                    c_lo, c_hi, h_lo, h_hi = -limit, limit, max(h_lo, -limit), min(h_hi, limit)
                    if reach > 1 or not math.isfinite(reach):
                        h_lo, h_hi = -limit, limit
                break
        elif (h_lo, h_hi) == old:
            break
        elif rounds >= 64:
            ctx.overflow(x.interval(), x.dtype, False)
            h_lo, h_hi = -limit, limit
            break
    # of each gate's sum and functions, over and above the bounds that the rounds above converged to
    slack = 1e-5 if x.dtype.eps < 1e-5 else 16 * x.dtype.eps
    wide = [(v - slack * abs(v), v + slack * abs(v)) for v in (h_lo, h_hi, c_lo, c_hi)]
    h_lo, h_hi, c_lo, c_hi = (
        max(wide[0][0], -limit),
        min(wide[1][1], limit),
        max(wide[2][0], -limit),
        min(wide[3][1], limit),
    )
    nan = any(t is not None and t.nan for t in (x, w, r, bias, initial_h, initial_c, peepholes))
    declared = [ctx.declared_shape(i) for i in range(len(ctx.node.outputs))]
    shapes = declared + [None] * 3
    state = shapes[1]
    if x.shape is not None and isinstance(hidden, (int, float)) and math.isfinite(hidden) and not ctx.attr("layout", 0):
        shapes[0] = (x.shape[0], directions, x.shape[1], int(hidden))
        state = (directions, x.shape[1], int(hidden))
    y = AbstractTensor(x.dtype, shapes[0], np.float64(h_lo), np.float64(h_hi), None, nan)
    final = AbstractTensor(x.dtype, state, np.float64(h_lo), np.float64(h_hi), None, nan)
    if kind != "LSTM":
        return y, final
    return y, final, AbstractTensor(x.dtype, state, np.float64(c_lo), np.float64(c_hi), None, nan)


def _range(tensor: AbstractTensor | None) -> tuple[float, float]:
    return (0.0, 0.0) if tensor is None else (tensor.low, tensor.high)


@transfer("FusedRecurrentCell")
def fused_cells(ctx: Context, *_: Any) -> Any:
    """Gates in [-1, 1] or [0, 1]; cell states and logits as the dtype allows."""
    results = []
    for index in range(len(ctx.node.outputs)):
        dtype = ctx.element_type(index, dtypes.FLOAT32)
        unbounded = ctx.op.startswith("Cudnn") or (ctx.op.startswith(("LSTM", "Block")) and index in (1,))
        lo, hi = (dtype.lo, dtype.hi) if unbounded else (-1.0, 1.0)
        if ctx.op.startswith("GRU") and index == 3:
            lo, hi = dtype.lo, dtype.hi
        results.append(AbstractTensor(dtype, ctx.declared_shape(index), np.float64(lo), np.float64(hi)))
    return tuple(results)
