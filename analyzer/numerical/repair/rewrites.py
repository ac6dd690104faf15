"""Changes of a formula into one that cannot fail: log_softmax, softplus, logsumexp, max subtraction and their kin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import onnx_ir as ir

from analyzer.numerical.repair.builder import Builder
from analyzer.numerical.repair.candidate import Candidate
from analyzer.numerical.repair.guards import clamped
from analyzer.numerical.repair.patterns import (
    axes_of,
    hand_softmax,
    minus_infinity,
    number,
    operand,
    own_readers,
    plus_one,
    present,
    source_of,
    sub_one,
    sum_of_exp,
)
from analyzer.operators.registry import operator_name


def of_log(node: ir.Node) -> Iterator[Candidate]:
    """Logarithms of something that has a stable logarithm of its own."""
    inner = source_of(node.inputs[0])
    if inner is not None and inner.op_type == "Softmax":
        yield Candidate("log-softmax", "use log_softmax instead of log(softmax(…))", node, _log_softmax)
    if inner is not None and node.domain != "tf" and len((hand_softmax(inner) or (None, ()))[1]) == 1:
        text = "use log_softmax instead of log(exp(…) / sum(exp(…)))"
        yield Candidate("log-softmax", text, node, _log_hand_softmax)
    if inner is not None and inner.op_type == "Sigmoid":
        yield Candidate("log-sigmoid", "use log_sigmoid instead of log(sigmoid(…))", node, _log_sigmoid)
    rest = source_of(sub_one(inner))
    if rest is not None and rest.op_type == "Sigmoid":
        yield Candidate("log-one-minus-sigmoid", "use log_sigmoid(−x) instead of log(1 − sigmoid(x))", node, _log_rest)
    yield from softplus(node)
    yield from logsumexp(node)


def softplus(node: ir.Node) -> Iterator[Candidate]:
    """``log(1 + exp(x))`` or ``log1p(exp(x))``, given at its logarithm."""
    if _exp_below(node) is not None:
        written = "log1p(exp(x))" if operator_name(node) == "Log1p" else "log(1 + exp(x))"
        yield Candidate("softplus", f"use softplus(x) instead of {written}", node, _softplus)


def logsumexp(node: ir.Node) -> Iterator[Candidate]:
    """``log(sum(exp(x)))``, given at its logarithm."""
    if node.op_type == "Log" and sum_of_exp(source_of(node.inputs[0])) is not None:
        yield Candidate("logsumexp", "use logsumexp instead of log(sum(exp(…)))", node, _logsumexp)


def softmax_by_hand(node: ir.Node) -> Iterator[Candidate]:
    """``exp(x) / sum(exp(x))``, given at its quotient."""
    if hand_softmax(node) is not None:
        text = "use softmax, which subtracts the maximum before exp (the quotient stays the same)"
        yield Candidate("softmax", text, node, _stable_softmax, position=1)


def around_exp(node: ir.Node) -> Iterator[Candidate]:
    """The formulas that an exponential is a part of."""
    readers = own_readers(node.outputs[0])
    for reader in readers:
        if operator_name(reader) == "Log1p":
            yield from softplus(reader)
        for end in own_readers(reader.outputs[0]) if reader.outputs else []:
            if end.op_type == "Log" and len(readers) == 1:
                yield from softplus(end)
                yield from logsumexp(end)
    for reader in readers:
        yield from softmax_by_hand(reader)


def root_of_exp(node: ir.Node) -> Iterator[Candidate]:
    """``sqrt(exp(x))``."""
    inner = source_of(node.inputs[0])
    if node.op_type == "Sqrt" and inner is not None and inner.op_type == "Exp":
        yield Candidate("sqrt-of-exp", "use exp(x / 2) instead of sqrt(exp(x))", node, _half_exp)


def norm(node: ir.Node, epsilon: float) -> Iterator[Candidate]:
    """A Euclidean norm, whose gradient at 0 is not defined: an epsilon below the root."""
    axes = axes_of(node)
    if axes is None:
        return

    def build(builder: Builder, anchor: ir.Node) -> ir.Value:
        x = operand(anchor)
        squares = builder.reduce("ReduceSum", builder.apply("Mul", x, x, like=x), *axes)
        safe = builder.apply("Add", squares, builder.constant(float(epsilon)), tf="AddV2", like=squares)
        return builder.apply("Sqrt", safe)

    text = f"use sqrt(sum(x²) + {epsilon:g}) instead of the norm"
    yield Candidate("norm", text, node, build, epsilon, 0, f"the norm moves by at most {epsilon**0.5:g}")


def root_of_squares(node: ir.Node, epsilon: float) -> Iterator[Candidate]:
    """What a norm or a standard deviation consists of in most frameworks: an epsilon, written where it is called."""
    total = source_of(node.inputs[0])
    name = operator_name(total)
    summed, averaged = name in ("ReduceSum", "ReduceSumSquare"), name in ("ReduceMean", "Div", "Mul")
    if node.op_type != "Sqrt" or not (summed or averaged):
        return

    def build(builder: Builder, anchor: ir.Node) -> ir.Value:
        x = operand(anchor)
        return builder.again(anchor, 0, builder.apply("Add", x, builder.constant(float(epsilon)), tf="AddV2", like=x))

    effect = f"it moves by at most {epsilon**0.5:g}"
    if summed:
        yield Candidate("norm", f"use sqrt(sum(x²) + {epsilon:g}) instead of the norm", node, build, epsilon, 0, effect)
    else:
        text = f"use sqrt(variance + {epsilon:g}) instead of the standard deviation"
        yield Candidate("deviation", text, node, build, epsilon, 0, effect)


def reciprocal_root(node: ir.Node, epsilon: float) -> Iterator[Candidate]:
    """``1 / sqrt(x)``: an epsilon below the root."""
    root = source_of(node.inputs[0])
    if root is None or root.op_type != "Sqrt":
        return

    def build(builder: Builder, anchor: ir.Node) -> ir.Value:
        inner = present(source_of(anchor.inputs[0]))
        x = operand(inner)
        moved = builder.apply("Add", x, builder.constant(float(epsilon)), tf="AddV2", like=x)
        return builder.again(anchor, 0, builder.apply("Sqrt", moved, like=x))

    text = f"add {epsilon:g} below the root"
    yield Candidate("root-epsilon", text, node, build, epsilon, 0, f"the operand of the root moves by {epsilon:g}")


def unbiased_of_one(node: ir.Node, always_zero: bool) -> Iterator[Candidate]:
    """A division by one less than the number of elements, which is 0: the unbiased variance of a single element."""
    if operator_name(node) != "Div":
        return
    count = source_of(node.inputs[1])
    constant = number(node.inputs[1]) == 0.0
    less_one = count is not None and count.op_type == "Sub" and number(count.inputs[1]) == 1.0
    if not (constant or (less_one and always_zero)):
        return

    def build(builder: Builder, anchor: ir.Node) -> ir.Value:
        return builder.again(anchor, 1, builder.constant(1.0))

    effect = "the variance of a single element is 0 instead of NaN"
    yield Candidate("biased", "divide by the number of elements, not by one less", node, build, 0.0, 1, effect)
    yield clamped(node, 1, 1.0, "below")  # where the formula is written out


def of_mask(node: ir.Node, dtype: str) -> Iterator[Candidate]:
    """A mask of minus infinity becomes one of a large finite number."""
    masked = source_of(node.inputs[0])
    low = {"float16": -1e4}.get(dtype, -1e9)
    if masked is None or operator_name(masked) != "Where":
        return
    for position in (1, 2):
        if minus_infinity(masked.inputs[position]):

            def build(builder: Builder, anchor: ir.Node, position: int = position) -> ir.Value:
                return builder.again(anchor, position, builder.constant(low))

            effect = "only rows without a single unmasked element change: from NaN to equal shares"
            text = f"mask with {low:g} instead of minus infinity"
            yield Candidate("finite-mask", text, masked, build, low, position, effect)


def of_half(node: ir.Node) -> Iterator[Candidate]:
    """A half-precision result that is widened right after is better computed wide."""
    for reader in own_readers(node.outputs[0]):
        wide = reader.outputs[0].dtype if reader.op_type == "Cast" else None
        if wide is ir.DataType.FLOAT:
            text = "convert the operands to float32 before this operator, not its result"
            yield Candidate("widen", text, reader, _widened, effect="results lose the rounding to half precision")


def _widened(builder: Builder, anchor: ir.Node) -> ir.Value:
    narrow = present(source_of(anchor.inputs[0]))
    given: dict[str, Any] = {"DstT" if anchor.domain == "tf" else "to": int(ir.DataType.FLOAT)}
    builder.dtype = ir.DataType.FLOAT
    kept = {v: builder.apply("Cast", v, like=v, **given) for v in narrow.inputs if v is not None}
    made = builder.again(narrow, 0, kept[operand(narrow)], before=anchor)
    producer = present(made.producer())
    for i, value in enumerate(narrow.inputs):
        if value is not None:
            producer.replace_input_with(i, kept[value])
    made.dtype = ir.DataType.FLOAT
    if "T" in producer.attributes:
        producer.attributes["T"] = ir.AttrInt64("T", int(ir.DataType.FLOAT))
    return made


def _exp_below(node: ir.Node) -> ir.Node | None:
    """The exponential of ``log(1 + exp(x))`` or ``log1p(exp(x))``."""
    below = source_of(node.inputs[0] if operator_name(node) == "Log1p" else plus_one(source_of(node.inputs[0])))
    wanted = operator_name(node) in ("Log", "Log1p") and below is not None and below.op_type == "Exp"
    return below if wanted else None


def _log_softmax(build: Builder, node: ir.Node) -> ir.Value:
    inner = present(source_of(node.inputs[0]))
    axis = inner.attributes.get("axis")
    given: dict[str, Any] = {"axis": int(axis.value)} if axis is not None and node.domain != "tf" else {}
    return build.apply("LogSoftmax", operand(inner), **given)


def _log_hand_softmax(build: Builder, node: ir.Node) -> ir.Value:
    x, (axis,) = present(hand_softmax(present(source_of(node.inputs[0]))))
    return build.apply("LogSoftmax", x, axis=axis)


def _log_sigmoid(build: Builder, node: ir.Node) -> ir.Value:
    inner = present(source_of(node.inputs[0]))
    return build.apply("Neg", build.apply("Softplus", build.apply("Neg", operand(inner))))


def _log_rest(build: Builder, node: ir.Node) -> ir.Value:
    inner = present(source_of(sub_one(source_of(node.inputs[0]))))
    return build.apply("Neg", build.apply("Softplus", operand(inner)))


def _softplus(build: Builder, node: ir.Node) -> ir.Value:
    inner = present(_exp_below(node))
    return build.apply("Softplus", operand(inner))


def _logsumexp(build: Builder, node: ir.Node) -> ir.Value:
    x, axes, keep = present(sum_of_exp(source_of(node.inputs[0])))
    if node.domain != "tf":
        return build.reduce("ReduceLogSumExp", x, axes, keep)
    largest = build.reduce("ReduceMax", x, axes, True)
    moved = build.apply("Exp", build.apply("Sub", x, largest, like=x), like=x)
    total = build.apply("Log", build.reduce("ReduceSum", moved, axes, keep))
    if not keep:
        largest = build.reduce("ReduceMax", x, axes, False)
    return build.apply("Add", total, largest, tf="AddV2")


def _stable_softmax(build: Builder, node: ir.Node) -> ir.Value:
    x, axes = present(hand_softmax(node))
    moved = build.apply("Exp", build.apply("Sub", x, build.reduce("ReduceMax", x, axes, True), like=x), like=x)
    return build.apply("Div", moved, build.reduce("ReduceSum", moved, axes, True), tf="RealDiv")


def _half_exp(build: Builder, node: ir.Node) -> ir.Value:
    inner = present(source_of(node.inputs[0]))
    x = operand(inner)
    return build.apply("Exp", build.apply("Mul", x, build.constant(0.5), like=x))
