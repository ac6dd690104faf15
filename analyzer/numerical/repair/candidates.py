"""Changes worth trying for each rule, smallest and most exact first, built in the graph's own operators.

A candidate replaces the result of its `anchor`: the warned operator itself, or the end of a pattern around it
(``log(1 + exp(x))`` is mended at the logarithm, not at the exponential).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.numerical.inference import constant_array
from analyzer.numerical.result import Warning

TINY = {"float32": 1e-12, "float64": 1e-12, "float16": 1e-4, "bfloat16": 1e-12}
DIVISOR = {"float32": 1e-8, "float64": 1e-12, "float16": 1e-3, "bfloat16": 1e-8}
EXPONENT = {"float32": 80.0, "float64": 700.0, "float16": 10.0, "bfloat16": 80.0}
INSIDE = {"float32": 1e-6, "float64": 1e-12, "float16": 1e-2, "bfloat16": 1e-2}


DTYPES = {
    "float32": ir.DataType.FLOAT,
    "float64": ir.DataType.DOUBLE,
    "float16": ir.DataType.FLOAT16,
    "bfloat16": ir.DataType.BFLOAT16,
    "int32": ir.DataType.INT32,
    "int64": ir.DataType.INT64,
}


class Builder:
    """Makes nodes in front of the anchor, in its domain and dtype."""

    def __init__(self, graph: ir.Graph, anchor: ir.Node, dtype: str) -> None:
        self.graph, self.anchor = graph, anchor
        self.dtype = DTYPES[dtype]
        self.made: list[ir.Node] = []

    def constant(self, value: float | list[int]) -> ir.Value:
        whole = np.int32 if self.anchor.domain == "tf" else np.int64
        kind = self.dtype.numpy() if isinstance(value, float) else whole
        tensor = ir.tensor(np.asarray(value, kind), name=f"repair_{len(self.graph.initializers)}")
        made = ir.Value(
            name=tensor.name,
            shape=ir.Shape(list(tensor.shape.numpy())),
            type=ir.TensorType(tensor.dtype),
            const_value=tensor,
        )
        self.graph.register_initializer(made)
        return made

    def apply(
        self, onnx: str, *operands: ir.Value, tf: str = "", like: ir.Value | None = None, **given: Any
    ) -> ir.Value:
        tensorflow = self.anchor.domain == "tf"
        attributes = [ir.convenience.convert_attribute(k, v) for k, v in given.items()]
        name = f"repair_{onnx}_{len(self.made)}"
        node = ir.Node(
            "tf" if tensorflow else "",
            (tf or onnx) if tensorflow else onnx,
            list(operands),
            attributes,
            name=name,
            outputs=[ir.Value(name=name)],
        )
        result = node.outputs[0]
        result.dtype = self.dtype
        model = like if like is not None else self.anchor.outputs[0]
        result.shape = model.shape
        self.graph.insert_before(self.anchor, node)
        self.made.append(node)
        return result

    def reduce(self, name: str, x: ir.Value, axes: list[int], keep: bool) -> ir.Value:
        """``ReduceMax`` and the like over constant axes."""
        shape = None
        if x.shape is not None and keep:
            size = len(x.shape)
            marked = {a % size for a in axes} if axes else set(range(size))
            shape = ir.Shape([1 if i in marked else d for i, d in enumerate(x.shape)])
        if self.anchor.domain == "tf":
            flags: dict[str, Any] = {"keep_dims": int(keep)}
            result = self.apply(name, x, self.constant(axes), tf=name.removeprefix("Reduce"), **flags)
        else:
            operands = (x, self.constant(axes)) if axes else (x,)
            result = self.apply(name, *operands, keepdims=int(keep))
        result.shape = shape
        return result


Build = Callable[[Builder], ir.Value]


@dataclass(frozen=True)
class Candidate:
    """`kind` names the change for the source rewriter, `number` is its constant."""

    kind: str
    description: str
    anchor: ir.Node
    build: Callable[[Builder, ir.Node], ir.Value]
    number: float = 0.0


def candidates(warning: Warning) -> Iterator[Candidate]:
    """What to try for a warning, in order."""
    node = warning.node
    if warning.rule.endswith("softmax-of-minus-infinity"):
        yield from _of_mask(node, warning.dtype)
        return
    if warning.operand == -1 and warning.dtype in ("float16", "bfloat16"):
        yield from _of_half(node)
        return
    if warning.dtype not in DTYPES:
        return
    if warning.dtype not in TINY and node.op_type not in ("Div", "Mod", "FloorDiv", "FloorMod"):
        return
    if node.op_type == "Log":
        yield from _of_log(node, warning.dtype)
    elif node.op_type == "Exp":
        yield from _of_exp(node, warning.dtype)
    elif node.op_type in ("Div", "RealDiv", "Reciprocal", "Inv", "Mod", "FloorDiv", "FloorMod"):
        yield from _of_division(node, warning)
    elif node.op_type in ("Sqrt", "Rsqrt"):
        yield from _of_root(node, warning)
    elif node.op_type in ("Acos", "Asin", "Atanh"):
        yield from _of_arc(node, warning.dtype)
    elif node.op_type == "Log1p":
        yield _clamped(node, 0, -1.0 + INSIDE[warning.dtype], "below")
    elif node.op_type == "Acosh":
        yield _clamped(node, 0, 1.0, "below")
    elif node.op_type == "Pow" and warning.dtype in TINY:
        yield _clamped(node, 0, TINY[warning.dtype] ** 0.5, "below")


def source_of(value: ir.Value | None) -> ir.Node | None:
    """The node behind a value, through identities."""
    node = value.producer() if value is not None else None
    while node is not None and node.op_type == "Identity":
        value = node.inputs[0]
        node = value.producer() if value is not None else None
    return node


def _of_mask(node: ir.Node, dtype: str) -> Iterator[Candidate]:
    """A mask of minus infinity becomes one of a large finite number."""
    masked = source_of(node.inputs[0])
    low = {"float16": -1e4}.get(dtype, -1e9)
    if masked is None or masked.op_type not in ("Where", "SelectV2", "Select"):
        return
    for position in (1, 2):
        if _minus_infinity(masked.inputs[position]):

            def build(builder: Builder, anchor: ir.Node, position: int = position) -> ir.Value:
                return again(builder, anchor, position, builder.constant(low))

            yield Candidate("finite-mask", f"mask with {low:g} instead of minus infinity", masked, build, low)


def _minus_infinity(value: ir.Value | None) -> bool:
    array = constant_array(value)
    node = source_of(value)
    if array is None and node is not None and node.op_type in ("Fill", "Expand", "ConstantOfShape", "CastLike", "Cast"):
        array = constant_array(node.inputs[1 if node.op_type == "Fill" else 0])
    return array is not None and array.size > 0 and bool(np.all(np.isneginf(np.asarray(array, np.float64))))


def _of_half(node: ir.Node) -> Iterator[Candidate]:
    """A half-precision result that is widened right after is better computed wide."""
    for reader in _own_readers(node.outputs[0]):
        wide = reader.outputs[0].dtype if reader.op_type == "Cast" else None
        if wide is ir.DataType.FLOAT:

            def build(builder: Builder, anchor: ir.Node) -> ir.Value:
                narrow = source_of(anchor.inputs[0])
                assert narrow is not None
                name = "DstT" if anchor.domain == "tf" else "to"
                given: dict[str, Any] = {name: int(ir.DataType.FLOAT)}
                builder.dtype = ir.DataType.FLOAT
                kept = {v: builder.apply("Cast", v, like=v, **given) for v in narrow.inputs if v is not None}
                made = again(builder, narrow, 0, kept[_operand(narrow)], before=anchor)
                producer = made.producer()
                assert producer is not None
                for i, operand in enumerate(narrow.inputs):
                    if operand is not None:
                        producer.replace_input_with(i, kept[operand])
                made.dtype = ir.DataType.FLOAT
                if "T" in producer.attributes:
                    producer.attributes["T"] = ir.AttrInt64("T", int(ir.DataType.FLOAT))
                return made

            yield Candidate(
                "widen", "convert the operands to float32 before this operator, not its result", reader, build
            )


def _number(value: ir.Value | None) -> float | None:
    array = constant_array(value)
    if array is None:
        adder = source_of(value)
        if adder is not None and adder.op_type in ("Add", "AddV2", "Sub"):
            parts = [_number(v) for v in adder.inputs]
            if None not in parts:
                first, second = parts
                assert first is not None
                assert second is not None
                return first - second if adder.op_type == "Sub" else first + second
        return None
    return float(array.reshape(-1)[0]) if array.size == 1 else None


def _operand(node: ir.Node, position: int = 0) -> ir.Value:
    value = node.inputs[position]
    assert value is not None
    return value


def _sub_one(node: ir.Node | None) -> ir.Value | None:
    """x of ``1 - x``, the 1 possibly with an epsilon that is lost or not."""
    if node is None or node.op_type != "Sub":
        return None
    first = _number(node.inputs[0])
    return node.inputs[1] if first is not None and abs(first - 1) < 1e-4 else None


def _plus_one(node: ir.Node | None) -> ir.Value | None:
    """x of ``1 + x``."""
    if node is None or node.op_type not in ("Add", "AddV2"):
        return None
    for i in (0, 1):
        if _number(node.inputs[i]) == 1.0:
            return node.inputs[1 - i]
    return None


def _axes_of(node: ir.Node) -> tuple[list[int], bool] | None:
    """Constant axes of a reduction, and whether they are kept."""
    keep = node.attributes.get("keep_dims" if node.domain == "tf" else "keepdims")
    kept = bool(keep.value) if keep is not None else node.domain != "tf"
    if "axes" in node.attributes:
        return [int(a) for a in node.attributes["axes"].value], kept
    if len(node.inputs) < 2 or node.inputs[1] is None:
        return [], kept
    axes = constant_array(node.inputs[1])
    return None if axes is None else ([int(a) for a in axes.reshape(-1)], kept)


def _sum_of_exp(node: ir.Node | None) -> tuple[ir.Value, list[int], bool] | None:
    """x, axes, keep of ``sum(exp(x))``."""
    if node is None or (node.op_type, node.domain) not in (("ReduceSum", ""), ("Sum", "tf")):
        return None
    inner, axes = source_of(node.inputs[0]), _axes_of(node)
    if inner is None or inner.op_type != "Exp" or axes is None:
        return None
    return _operand(inner), *axes


def _of_log(node: ir.Node, dtype: str) -> Iterator[Candidate]:
    inner = source_of(node.inputs[0])
    if inner is not None and inner.op_type == "Softmax":
        yield Candidate("log-softmax", "use log_softmax instead of log(softmax(…))", node, _log_softmax)
    if inner is not None and inner.op_type == "Sigmoid":
        yield Candidate("log-sigmoid", "use log_sigmoid instead of log(sigmoid(…))", node, _log_sigmoid)
    rest = source_of(_sub_one(inner))
    if rest is not None and rest.op_type == "Sigmoid":
        yield Candidate("log-one-minus-sigmoid", "use log_sigmoid(−x) instead of log(1 − sigmoid(x))", node, _log_rest)
    yield from _softplus(node)
    if _sum_of_exp(inner) is not None:
        yield Candidate("logsumexp", "use logsumexp instead of log(sum(exp(…)))", node, _logsumexp)
    yield _clamped(node, 0, TINY[dtype], "below")
    yield _shifted(node, 0, TINY[dtype])


def _softplus(node: ir.Node) -> Iterator[Candidate]:
    inner = source_of(_plus_one(source_of(node.inputs[0])))
    if inner is not None and inner.op_type == "Exp":
        yield Candidate("softplus", "use softplus(x) instead of log(1 + exp(x))", node, _softplus_of)


def _log_softmax(build: Builder, node: ir.Node) -> ir.Value:
    inner = source_of(node.inputs[0])
    assert inner is not None
    axis = inner.attributes.get("axis")
    given: dict[str, Any] = {"axis": int(axis.value)} if axis is not None and node.domain != "tf" else {}
    return build.apply("LogSoftmax", _operand(inner), **given)


def _log_sigmoid(build: Builder, node: ir.Node) -> ir.Value:
    inner = source_of(node.inputs[0])
    assert inner is not None
    return build.apply("Neg", build.apply("Softplus", build.apply("Neg", _operand(inner))))


def _log_rest(build: Builder, node: ir.Node) -> ir.Value:
    inner = source_of(_sub_one(source_of(node.inputs[0])))
    assert inner is not None
    return build.apply("Neg", build.apply("Softplus", _operand(inner)))


def _softplus_of(build: Builder, node: ir.Node) -> ir.Value:
    inner = source_of(_plus_one(source_of(node.inputs[0])))
    assert inner is not None
    return build.apply("Softplus", _operand(inner))


def _logsumexp(build: Builder, node: ir.Node) -> ir.Value:
    found = _sum_of_exp(source_of(node.inputs[0]))
    assert found is not None
    x, axes, keep = found
    if node.domain != "tf":
        return build.reduce("ReduceLogSumExp", x, axes, keep)
    largest = build.reduce("ReduceMax", x, axes, True)
    moved = build.apply("Exp", build.apply("Sub", x, largest, like=x), like=x)
    total = build.apply("Log", build.reduce("ReduceSum", moved, axes, keep))
    if not keep:
        largest = build.reduce("ReduceMax", x, axes, False)
    return build.apply("Add", total, largest, tf="AddV2")


def _clamped(node: ir.Node, position: int, bound: float, side: str) -> Candidate:
    """The operand kept on one side of a bound."""

    def build(builder: Builder, anchor: ir.Node) -> ir.Value:
        x = _operand(anchor, position)
        name = ("Max", "Maximum") if side == "below" else ("Min", "Minimum")
        kept = builder.apply(name[0], x, builder.constant(float(bound)), tf=name[1], like=x)
        return again(builder, anchor, position, kept)

    text = f"keep the operand at {bound:g} or above" if side == "below" else f"keep the operand at {bound:g} or below"
    return Candidate(f"clamp-{side}", text, node, build, bound)


def _shifted(node: ir.Node, position: int, epsilon: float) -> Candidate:
    def build(builder: Builder, anchor: ir.Node) -> ir.Value:
        x = _operand(anchor, position)
        return again(
            builder, anchor, position, builder.apply("Add", x, builder.constant(float(epsilon)), tf="AddV2", like=x)
        )

    return Candidate("epsilon", f"add {epsilon:g} to the operand", node, build, epsilon)


def again(builder: Builder, node: ir.Node, position: int, operand: ir.Value, before: ir.Node | None = None) -> ir.Value:
    """The anchor's operator once more, with one operand replaced."""
    operands = [operand if i == position else v for i, v in enumerate(node.inputs)]
    made = ir.Node(
        node.domain,
        node.op_type,
        operands,
        list(node.attributes.values()),
        name=f"repair_{node.op_type}_again",
        outputs=[ir.Value(name=f"repair_{node.op_type}_again")],
    )
    if node.outputs[0].dtype is not None:
        made.outputs[0].dtype = node.outputs[0].dtype
    made.outputs[0].shape = node.outputs[0].shape
    builder.graph.insert_before(before or node, made)
    builder.made.append(made)
    return made.outputs[0]


def _own_readers(value: ir.Value) -> list[ir.Node]:
    """Readers of a value but for the gradients that training adds."""
    return [u.node for u in value.uses() if not (u.node.name or "").startswith("gradients")]


def _of_exp(node: ir.Node, dtype: str) -> Iterator[Candidate]:
    readers = _own_readers(node.outputs[0])
    for reader in readers:
        for end in _own_readers(reader.outputs[0]) if reader.outputs else []:
            if end.op_type == "Log" and len(readers) == 1:
                yield from _softplus(end)
                if _sum_of_exp(source_of(end.inputs[0])) is not None:
                    yield Candidate("logsumexp", "use logsumexp instead of log(sum(exp(…)))", end, _logsumexp)
    for reader in readers:
        if _hand_softmax(reader) is not None:
            yield Candidate("max-subtraction", "subtract the maximum before exp (the quotient stays the same)", reader,
                            _stable_softmax)  # fmt: skip
    yield _clamped(node, 0, EXPONENT[dtype], "above")


def _hand_softmax(node: ir.Node) -> tuple[ir.Value, list[int]] | None:
    """x and axes of ``exp(x) / sum(exp(x))``."""
    if node.op_type not in ("Div", "RealDiv") or len(node.inputs) != 2:
        return None
    top, below = source_of(node.inputs[0]), node.inputs[1]
    found = _sum_of_exp(source_of(below))
    if found is None:
        step = source_of(below)
        if step is not None and step.op_type in ("Reshape", "ExpandDims", "Unsqueeze", "Tile", "BroadcastTo"):
            found = _sum_of_exp(source_of(step.inputs[0]))
    if top is None or top.op_type != "Exp" or found is None or found[0] is not top.inputs[0]:
        return None
    return found[0], found[1]


def _stable_softmax(build: Builder, node: ir.Node) -> ir.Value:
    found = _hand_softmax(node)
    assert found is not None
    x, axes = found
    moved = build.apply("Exp", build.apply("Sub", x, build.reduce("ReduceMax", x, axes, True), like=x), like=x)
    return build.apply("Div", moved, build.reduce("ReduceSum", moved, axes, True), tf="RealDiv")


def _of_division(node: ir.Node, warning: Warning) -> Iterator[Candidate]:
    position = 0 if node.op_type in ("Reciprocal", "Inv") else 1
    if _hand_softmax(node) is not None:
        yield Candidate("max-subtraction", "subtract the maximum before exp (the quotient stays the same)", node,
                        _stable_softmax)  # fmt: skip
    if warning.dtype not in DIVISOR:
        if warning.interval.lo >= 0:
            yield _clamped(node, position, 1, "below")
        return
    epsilon = DIVISOR[warning.dtype]
    if warning.interval.lo >= 0:
        yield _clamped(node, position, epsilon, "below")
        yield _shifted(node, position, epsilon)
    elif warning.interval.hi <= 0:
        yield _clamped(node, position, -epsilon, "above")
    else:
        yield _guarded(node, position, epsilon)


def _guarded(node: ir.Node, position: int, epsilon: float) -> Candidate:
    """A denominator of either sign: values nearer to 0 than epsilon are replaced by epsilon."""

    def build(builder: Builder, anchor: ir.Node) -> ir.Value:
        x = _operand(anchor, position)
        small = builder.constant(float(epsilon))
        near = builder.apply("Less", builder.apply("Abs", x, like=x), small, like=x)
        near.dtype = ir.DataType.BOOL
        return again(builder, anchor, position, builder.apply("Where", near, small, x, tf="SelectV2", like=x))

    text = f"where the denominator is nearer to 0 than {epsilon:g}, divide by {epsilon:g}"
    return Candidate("guard", text, node, build, epsilon)


def _of_root(node: ir.Node, warning: Warning) -> Iterator[Candidate]:
    inner = source_of(node.inputs[0])
    if node.op_type == "Sqrt" and inner is not None and inner.op_type == "Exp":
        yield Candidate("sqrt-of-exp", "use exp(x / 2) instead of sqrt(exp(x))", node, _half_exp)
    yield _clamped(node, 0, TINY[warning.dtype], "below")
    if warning.interval.lo >= 0:
        yield _shifted(node, 0, TINY[warning.dtype])


def _half_exp(build: Builder, node: ir.Node) -> ir.Value:
    inner = source_of(node.inputs[0])
    assert inner is not None
    x = _operand(inner)
    return build.apply("Exp", build.apply("Mul", x, build.constant(0.5), like=x))


def _of_arc(node: ir.Node, dtype: str) -> Iterator[Candidate]:
    edge = 1.0 - INSIDE[dtype]

    def build(builder: Builder, anchor: ir.Node) -> ir.Value:
        x = _operand(anchor)
        above = builder.apply("Max", x, builder.constant(-edge), tf="Maximum", like=x)
        return again(builder, anchor, 0, builder.apply("Min", above, builder.constant(edge), tf="Minimum", like=x))

    yield Candidate("clamp-both", f"keep the operand within [−{edge:g}, {edge:g}]", node, build, edge)
