"""If, loops and calls: Kleene iteration with widening by thresholds, then narrowing."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dims, dtypes
from analyzer.numerical.domain.dims import Dim
from analyzer.numerical.domain.sequence import AbstractSequence
from analyzer.numerical.domain.tensor import AbstractTensor, contains, fresh_key, join, smashed, top
from analyzer.numerical.refinement import implied, narrowed
from analyzer.numerical.transfer.found_sizes import told_sizes
from analyzer.numerical.transfer.registry import transfer

THRESHOLDS = np.array(
    [-1e30, -1e20, -1e10, -1e6, -1e4, -1e3, -100.0, -10.0, -1.0, 0.0, 1.0, 10.0, 100.0, 1e3, 1e4, 1e6, 1e10, 1e20, 1e30]
)
ROUNDS = 40  # of a loop's body before its state is widened to anything
JOINS = 3  # plain iterations before widening: short loops are exact


def joined(a: Any, b: Any) -> Any:
    """What covers both values; sequences and tensors alike."""
    if isinstance(a, AbstractSequence) or isinstance(b, AbstractSequence):
        parts = [v.element if isinstance(v, AbstractSequence) else v for v in (a, b)]
        present = [p for p in parts if p is not None]
        if not present:
            return AbstractSequence(None, None)
        return AbstractSequence(present[0] if len(present) == 1 else join(present[0], present[1]))
    if a is b:
        return a
    if a is None or b is None:
        return a if b is None else b
    same = a.key == b.key and a.shape == b.shape and a.starts == b.starts
    if same and np.array_equal(a.lo, b.lo) and np.array_equal(a.hi, b.hi):
        return a
    result = join(a, b)
    if a.data is not None and b.data is not None and np.array_equal(a.data, b.data):
        result.data = a.data
    return result


def stable(old: Any, new: Any) -> bool:
    """Whether `new` adds nothing to `old`."""
    if isinstance(old, AbstractSequence) and isinstance(new, AbstractSequence):
        if new.element is None:
            return True
        return old.element is not None and contains(old.element, new.element)
    if old is new:
        return True
    return isinstance(old, AbstractTensor) and isinstance(new, AbstractTensor) and contains(old, new)


def widened(old: Any, new: Any, thresholds: np.ndarray) -> Any:
    """Unstable bounds moved out to the next threshold, at last to the extremes of the dtype."""
    if isinstance(old, AbstractSequence) or isinstance(new, AbstractSequence):
        both = joined(old, new)
        if both.element is None or not isinstance(old, AbstractSequence) or old.element is None:
            return both
        return AbstractSequence(widened(old.element, both.element, thresholds))
    if stable(old, new):
        return old
    dtype = old.dtype
    ladder = np.unique(
        np.concatenate([[dtype.lo], thresholds[(thresholds > dtype.lo) & (thresholds < dtype.hi)], [dtype.hi]])
    )

    def move(alo: Any, ahi: Any, lo: Any, hi: Any) -> tuple[Any, Any]:
        below = ladder[np.clip(np.searchsorted(ladder, lo, side="right") - 1, 0, None)]
        above = ladder[np.clip(np.searchsorted(ladder, hi, side="left"), None, len(ladder) - 1)]
        return np.where(lo < alo, np.minimum(below, lo), alo)[()], np.where(hi > ahi, np.maximum(above, hi), ahi)[()]

    return join(old, new, move)


def fresh(value: Any) -> Any:
    """A loop-carried value: its own variable in every iteration."""
    if not isinstance(value, AbstractTensor):
        return value
    result = AbstractTensor(
        value.dtype,
        value.shape,
        value.lo,
        value.hi,
        value.starts,
        value.nan,
        fresh_key(),
        dims=value.dims,
        data=value.data,
    )
    return result


def constants_of(*graphs: ir.Graph | None) -> np.ndarray:
    """Scalar constants of the bodies: good places to stop widening."""
    found = set(THRESHOLDS.tolist())
    for graph in graphs:
        if graph is None:
            continue
        for node in graph:
            value = node.attributes.get("value")
            if node.op_type in ("Const", "Constant") and value is not None and not value.is_ref():
                data = value.value
                if (
                    hasattr(data, "numpy")
                    and data.size == 1
                    and data.dtype.is_floating_point() | data.dtype.is_integer()
                ):
                    number = float(np.asarray(data.numpy()).reshape(-1)[0])
                    if np.isfinite(number):
                        found.update((number, number - 1, number + 1))
    return np.array(sorted(found))


def iterate(
    ctx: Context,
    initial: tuple[Any, ...],
    step: Any,
    thresholds: np.ndarray,
    most: float = np.inf,
) -> tuple[tuple[Any, ...], Any]:
    """The least state found that covers `initial` and is closed under `step`; and what the last step gave besides.

    `step(state) -> (next state, extra)`. Shapes that change become unknown. At most `most` iterations happen.
    """
    run = ctx.run
    state = initial
    with run.ledger.quietly():
        for number in range(ROUNDS):
            if number >= most:
                break
            result, _ = step(tuple(fresh(s) for s in state))
            if all(stable(s, r) for s, r in zip(state, result, strict=True)):
                break
            if number < JOINS or number + 1 >= most:
                state = tuple(joined(s, r) for s, r in zip(state, result, strict=True))
            else:
                state = tuple(widened(s, joined(s, r), thresholds) for s, r in zip(state, result, strict=True))
        else:
            state = tuple(
                top(s.dtype, None, nan=s.nan) if isinstance(s, AbstractTensor) and not stable(s, r) else s
                for s, r in zip(state, result, strict=True)
            )
        exact = number + 1 <= JOINS
        if not exact and number < most:
            for _ in range(2):  # narrowing: one more application of the body never leaves the invariant
                result, _ = step(tuple(fresh(s) for s in state))
                state = tuple(_narrowed(s, joined(i, r)) for s, i, r in zip(state, initial, result, strict=True))
    result, extra = step(tuple(fresh(s) for s in state))
    return state, extra


def _narrowed(state: Any, again: Any) -> Any:
    if not isinstance(state, AbstractTensor) or not isinstance(again, AbstractTensor):
        return state
    return again if contains(state, again) else state


def _graph(ctx: Context, *names: str) -> ir.Graph | None:
    for name in names:
        value = ctx.attr(name)
        if isinstance(value, ir.Graph):
            return value
        if isinstance(value, ir.Function):
            return value.graph
    return None


@transfer("If")
def conditional(ctx: Context, condition: AbstractTensor, *captured: Any) -> Any:
    """Each branch that can be taken, under what its being taken says of the compared values."""
    run = ctx.run
    sides = []
    for names, truth in ((("then_branch",), True), (("else_branch",), False)):
        graph = _graph(ctx, *names)
        if graph is None:
            continue
        if (truth and condition.high == 0) or (not truth and condition.low >= 1):
            continue
        known = implied(condition, truth)
        if known is None:
            continue
        saved = dict(run.restricted_operands)
        sizes = told_sizes(condition, known)
        known = {key: t for key, t in known.items() if isinstance(key, int)}
        if all(t.shape is not None and all(d == 1 for d in t.shape) for t in known.values()):
            run.restricted_operands.update(known)
        sides.append(run.body(graph, captured, sizes))
        run.restricted_operands = {k: v for k, v in run.restricted_operands.items() if k in saved}
        run.restricted_operands.update(saved)
    if not sides:
        return tuple(
            run.top_value(o, ctx.element_type(i), ctx.declared_shape(i)) for i, o in enumerate(ctx.node.outputs)
        )
    if len(sides) == 1:
        return sides[0]
    return tuple(joined(a, b) for a, b in zip(*sides, strict=True))


@transfer("Loop")
def loop(ctx: Context, trips: Any, condition: Any, *initial: Any) -> Any:
    """Carried values after any number of iterations that the trip count and the condition allow; scans stacked."""
    graph = _graph(ctx, "body")
    assert graph is not None
    carried = len(initial)
    lo = 0.0 if trips is None else max(trips.low, 0.0)
    hi = np.inf if trips is None else max(trips.high, 0.0)
    if condition is not None and condition.high == 0:
        hi = 0.0
    # the body's condition may stop the loop at any time unless it is constantly true
    always = condition is None or condition.low >= 1
    run = ctx.run
    index_hi = min(hi - 1, dtypes.INT64.hi)
    extras: list[Any] = []
    keeps_going = True

    def step(state: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
        counter = AbstractTensor(dtypes.INT64, (), np.float64(0), np.float64(max(index_hi, 0)))
        true = AbstractTensor(dtypes.BOOL, (), np.float64(1), np.float64(1))
        outputs = run.body(graph, (counter, true, *state))
        return outputs[1 : 1 + carried], (outputs[0], outputs[1 + carried :])

    if hi == 0:
        scans = _empty_scans(graph, carried)
        return (*initial, *scans)
    if lo == hi and hi <= 8 and always:  # few iterations: follow each
        state = tuple(initial)
        stacked: list[list[Any]] = []
        certain = True
        after = state
        for number in range(int(hi)):
            counter = AbstractTensor(dtypes.INT64, (), np.float64(number), np.float64(number), data=np.array(number))
            true = AbstractTensor(dtypes.BOOL, (), np.float64(1), np.float64(1))
            outputs = run.body(graph, (counter, true, *state))
            stacked.append(list(outputs[1 + carried :]))
            state = outputs[1 : 1 + carried]
            after = state if certain else tuple(joined(a, b) for a, b in zip(after, state, strict=True))
            if outputs[0].high == 0:
                break
            certain = certain and outputs[0].low >= 1
        scans = [
            _stack(list(column), len(stacked) if certain else None, int(hi)) for column in zip(*stacked, strict=True)
        ]
        return (*after, *scans)
    state, (goes_on, scanned) = iterate(ctx, tuple(initial), step, constants_of(graph), hi)
    del extras, keeps_going
    some = lo >= 1 and always
    if some:  # at least one iteration: the initial value alone is not a result
        with run.ledger.quietly():
            once, _ = step(tuple(fresh(s) for s in state))
        final = tuple(once)
    else:
        final = state
    n: Dim = (
        dims.bounded("iterations", lo, hi)
        if goes_on.low >= 1 and always and lo == hi
        else dims.unknown(0, None if np.isinf(hi) else int(hi))
    )
    scans = [_stack([s], n if isinstance(n, int) else None, None if np.isinf(hi) else int(hi)) for s in scanned]
    return (*final, *scans)


def _stack(items: list[Any], n: int | None, most: int | None) -> Any:
    total = items[0]
    for item in items[1:]:
        total = joined(total, item)
    total = smashed(total)
    shape = None if total.shape is None else ((n if n is not None else dims.unknown(0, most)), *total.shape)
    return AbstractTensor(total.dtype, shape, total.lo, total.hi, None, total.nan)


def _empty_scans(graph: ir.Graph, carried: int) -> list[Any]:
    results = []
    for output in graph.outputs[1 + carried :]:
        dtype = dtypes.of_onnx(output.dtype) if output.dtype is not None else dtypes.FLOAT32
        results.append(AbstractTensor(dtype, None, np.float64(0), np.float64(0)))
    return results


@transfer("Scan")
def scan(ctx: Context, *operands: Any) -> Any:
    """States carried over slices of the scanned operands."""
    graph = _graph(ctx, "body")
    assert graph is not None
    n = int(ctx.attr("num_scan_inputs", 1))
    run = ctx.run
    if ctx.opset < 9:
        operands = operands[1:] if len(operands) > len(graph.inputs) else operands
    states, scanned = operands[: len(operands) - n], operands[len(operands) - n :]
    axes = list(ctx.attr("scan_input_axes") or [0] * n)
    out_axes = list(ctx.attr("scan_output_axes") or [])
    batched = ctx.opset < 9
    if batched:
        axes = [a + 1 for a in axes]
    slices, length = [], dims.unknown(0)
    for x, axis in zip(scanned, axes, strict=True):
        whole = smashed(x)
        shape = None
        if x.shape is not None:
            length = x.shape[axis % len(x.shape)]
            shape = tuple(d for i, d in enumerate(x.shape) if i != axis % len(x.shape) and not (batched and i == 0))
        slices.append(AbstractTensor(x.dtype, shape, whole.lo, whole.hi, None, x.nan))
    if batched:
        states = tuple(
            AbstractTensor(s.dtype, None if s.shape is None else s.shape[1:], smashed(s).lo, smashed(s).hi, None, s.nan)
            for s in states
        )
    k = len(states)

    def step(state: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
        outputs = run.body(graph, (*state, *(fresh(s) for s in slices)))
        return outputs[:k], outputs[k:]

    state, produced = iterate(ctx, tuple(states), step, constants_of(graph), dims.high(length))
    results = []
    for index, item in enumerate(produced):
        item = smashed(item)
        shape = None
        if item.shape is not None and not batched:
            axis = out_axes[index] % (len(item.shape) + 1) if index < len(out_axes) else 0
            shape = (*item.shape[:axis], length, *item.shape[axis:])
        results.append(AbstractTensor(item.dtype, shape, item.lo, item.hi, None, item.nan))
    if batched:
        state = tuple(AbstractTensor(s.dtype, None, smashed(s).lo, smashed(s).hi, None, s.nan) for s in state)
    return (*state, *results)


@transfer("While")
def tf_while(ctx: Context, *initial: Any) -> Any:
    """While cond(state): state = body(state); on leaving, the condition is false."""
    body, cond = _graph(ctx, "body"), _graph(ctx, "cond")
    assert body is not None
    run = ctx.run

    def test(state: tuple[Any, ...]) -> AbstractTensor | None:
        if cond is None:
            return None
        outputs = run.body(cond, state)
        return outputs[0] if isinstance(outputs[0], AbstractTensor) else None

    def refined(state: tuple[Any, ...], truth: bool) -> tuple[tuple[Any, ...], bool]:
        verdict = test(state)
        if verdict is None:
            return state, True
        known = implied(verdict, truth)
        if known is None:
            return state, False
        result = []
        for s in state:
            if (
                isinstance(s, AbstractTensor)
                and s.key in known
                and s.shape is not None
                and all(d == 1 for d in s.shape)
            ):
                piece = narrowed(s, known[s.key].lo, known[s.key].hi)
                if piece is None:
                    return state, False
                s = fresh(piece)
            result.append(s)
        return tuple(result), True

    def step(state: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
        inside, possible = refined(state, True)
        if not possible:
            return state, None
        return run.body(body, inside), None

    state, _ = iterate(ctx, tuple(initial), step, constants_of(body, cond))
    with run.ledger.quietly():
        outside, possible = refined(tuple(fresh(s) for s in state), False)
    return outside if possible else state


@transfer("Switch")
def switch(ctx: Context, x: Any, *_: Any) -> Any:
    return x, x


@transfer("Merge")
def merge(ctx: Context, *values: Any) -> Any:
    result = values[0]
    for value in values[1:]:
        result = joined(result, value)
    return result, AbstractTensor(dtypes.INT32, (), np.float64(0), np.float64(max(len(values) - 1, 0)))


@transfer("PartitionedCall")
def call(ctx: Context, *operands: Any) -> Any:
    graph = _graph(ctx, "f", "body")
    if graph is None:
        return tuple(
            ctx.run.top_value(o, ctx.element_type(i), ctx.declared_shape(i)) for i, o in enumerate(ctx.node.outputs)
        )
    return ctx.run.body(graph, operands)


@transfer("SequenceMap")
def sequence_map(ctx: Context, *operands: Any) -> Any:
    graph = _graph(ctx, "body")
    assert graph is not None
    lengths = [len(o.items) for o in operands if isinstance(o, AbstractSequence) and o.items is not None]
    outputs = ctx.run.body(graph, tuple(o.element if isinstance(o, AbstractSequence) else o for o in operands))
    del lengths
    return tuple(AbstractSequence(o) for o in outputs)
