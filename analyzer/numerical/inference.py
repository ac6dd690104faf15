"""What the graph itself tells about the ranges of its inputs, parameters and state."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from analyzer.graph import Graph, ValueRange
from analyzer.graph.model import INITIAL_VALUE, SHOWN, TRUTHS, WHOLE
from analyzer.graph.ranges import Origin
from analyzer.numerical.constants import constant_array
from analyzer.operators.declaration import CLASS_LOSS, CONVERTS, IDENTITY, SELECTS, TAKES_ROWS
from analyzer.operators.registry import operator_name, traits_of

KEEPS_VALUES = IDENTITY | CONVERTS | SELECTS  # the result holds elements of operand 0 and nothing else
TORCH_KIND = "pkg.torch.export.graph_signature.InputSpec.kind"
KEEP = re.compile(r"keep_?prob|dropout_?keep", re.IGNORECASE)
RATE = re.compile(r"drop(out)?_?(rate|prob)", re.IGNORECASE)
VARIANCE = re.compile(r"(moving|running)_?var(iance)?$|(^|[/._])variance$", re.IGNORECASE)
COUNTER = re.compile(r"(^|[/._])(global_)?(step|count|num_batches_tracked|iteration)s?$", re.IGNORECASE)
MASK = re.compile(r"mask", re.IGNORECASE)
ADAM_POWER = re.compile(r"beta[12]_power$")
MOMENT = re.compile(r"/(Adam_1|Adagrad|RMSProp)$")
CONSTANT = re.compile(
    r"^(val|_val|lifted_tensor|scalar_tensor|const|c_lifted|_tensor_constant)[_0-9]|(^|[/.])Const(_\d+)?$"
)


@dataclass(frozen=True)
class Uses:
    """Who reads each value, through operators that keep the values themselves."""

    readers: Mapping[ir.Value, tuple[tuple[ir.Node, int], ...]]
    named: Mapping[str, ir.Value]

    @classmethod
    def of(cls, graph: Graph) -> Uses:
        """Looks at the main graph's inputs and initializers."""
        values = [*graph.graph.inputs, *graph.graph.initializers.values()]
        named = {o.name: o for node in graph.graph for o in node.outputs if o.name}
        return cls({v: tuple(_readers(v)) for v in values}, named)

    def of_value(self, value: ir.Value) -> tuple[tuple[ir.Node, int], ...]:
        return self.readers.get(value, ())

    def is_constant(self, value: ir.Value) -> bool:
        """Whether an initializer is a constant or a buffer rather than something training changes.

        The Torch exporter says which tensors are parameters; running statistics of a normalisation are buffers that
        training changes as well.
        """
        statistics = any(operator_name(n) == "BatchNormalization" and i in (3, 4) for n, i in self.of_value(value))
        return called_constant(value) and not (statistics and TORCH_KIND in value.metadata_props)


def called_constant(value: ir.Value) -> bool:
    """Whether an exporter says of an initializer that it is no parameter; without its word the name tells."""
    kind = value.metadata_props.get(TORCH_KIND)
    return kind != "PARAMETER" if kind is not None else not value.name or bool(CONSTANT.search(value.name))


def _readers(value: ir.Value) -> Iterable[tuple[ir.Node, int]]:
    seen: set[ir.Value] = set()
    stack = [value]
    while stack and len(seen) < 64:
        current = stack.pop()
        if current in seen:
            continue
        seen.add(current)
        for use in current.uses():
            yield use.node, use.idx
            passes = traits_of(use.node) & KEEPS_VALUES or operator_name(use.node) == "Concat"
            if passes and use.idx == 0 and use.node.outputs:
                stack.append(use.node.outputs[0])


LABELS = ValueRange(0.0, 1.0, Origin.INFERRED, "labels: the example holds zeros and ones alone")


def _made_floating(value: ir.Value) -> bool:
    """Whether whole numbers are only read as floating-point ones, as labels of two classes are: they are no places."""
    uses = tuple(value.uses())
    casts = [u.node.outputs[0] for u in uses if operator_name(u.node) == "Cast"]
    return 0 < len(uses) == len(casts) and not any(_to_integer(u.node) for u in uses)


def inferred_input(value: ir.Value, uses: Uses) -> ValueRange | None:
    """A range that the input's type, name or readers give, or None."""
    dtype, name = value.dtype, value.name or ""
    if dtype is None:
        return None
    readers = uses.of_value(value)
    if dtype is ir.DataType.UINT8:
        return ValueRange(0, 255, Origin.INFERRED, "bytes, as in images")
    if not dtype.is_floating_point():
        return _integer(name, readers) or (LABELS if TRUTHS in value.metadata_props and _made_floating(value) else None)
    if value.shape is None or all(d == 1 for d in value.shape):
        if KEEP.search(name) or any(_keeps(n, i) or _complement_drops(n, i) for n, i in readers):
            return ValueRange(0.1, 1.0, Origin.INFERRED, "dropout keep probability")
        if RATE.search(name) or any(_drops(node, i) for node, i in readers):
            return ValueRange(0.0, 0.9, Origin.INFERRED, "dropout rate")
    whole = _integer("", [r for n, _ in readers if _to_integer(n) for r in _readers(n.outputs[0])])
    if whole is not None:
        return whole
    if WHOLE in value.metadata_props and (classes := _class_numbers(value, readers)) is not None:
        return classes
    if any(_holds_labels(node, i) for node, i in readers):
        return ValueRange(0.0, 1.0, Origin.INFERRED, "labels: a probability for each class")
    if MASK.search(name):
        return ValueRange(0.0, 1.0, Origin.INFERRED, "mask")
    return LABELS if TRUTHS in value.metadata_props else None


def _class_numbers(value: ir.Value, readers: Iterable[tuple[ir.Node, int]]) -> ValueRange | None:
    """Of whole numbers in a floating-point tensor: compared with those of classes, all of the example among these."""
    _, most = map(float, value.metadata_props.get(SHOWN, "0 inf").split()[:2])
    found = _integer("", [(node, i) for node, i in readers if operator_name(node) == "Equal"])
    return found if found is not None and most <= found.hi else None


def _integer(name: str, readers: Iterable[tuple[ir.Node, int]]) -> ValueRange | None:
    smallest: tuple[int, str] | None = None
    for node, i in readers:
        operator = operator_name(node)
        if traits_of(node) & TAKES_ROWS and i == 1:  # of several columns of GatherND's, the first
            rows = _rows(node.inputs[0], node)
            if rows and (smallest is None or rows < smallest[0]):
                smallest = (rows, f"indices into a table of {rows} rows")
        elif operator == "Concat" and i > 0:
            rows = _column(node, i)
            if rows and (smallest is None or rows < smallest[0]):
                smallest = (rows, f"indices into a table of {rows} rows")
        elif operator == "OneHot":
            depth = _constant(node.inputs[1])
            if i == 0 and depth is not None and (smallest is None or depth < smallest[0]):
                smallest = (int(depth), f"class numbers below {int(depth)}")
        elif operator == "Equal":  # one-hot labels as PyTorch computes them
            counted = _counted(node.inputs[1 - i])
            if counted and (smallest is None or counted < smallest[0]):
                smallest = (counted, f"class numbers below {counted}")
        elif traits_of(node) & CLASS_LOSS and i == 1:
            classes = _classes(node.inputs[0])
            if classes and (smallest is None or classes < smallest[0]):
                smallest = (classes, f"class numbers below {classes}")
    if smallest is not None and smallest[0] > 0:
        return ValueRange(0, smallest[0] - 1, Origin.INFERRED, smallest[1])
    if MASK.search(name):
        return ValueRange(0, 1, Origin.INFERRED, "mask")
    return None


def _to_integer(node: ir.Node) -> bool:
    if operator_name(node) != "Cast":
        return False
    made, to = node.outputs[0].dtype, node.attributes.get("to")
    if made is None and to is not None and to.type == ir.AttributeType.INT:
        made = ir.DataType(to.as_int())
    return made is not None and made.is_integer()


def _column(node: ir.Node, place: int) -> int | None:
    """How many rows the axis of a table has whose indices are an operand of a concatenation: GatherND's columns."""
    if not all(_is_column(v) for v in node.inputs):
        return None
    for use in node.outputs[0].uses():
        batch = use.node.attributes.get("batch_dims")
        table = _shape(use.node.inputs[0]) if operator_name(use.node) == "GatherND" and use.idx == 1 else None
        if table is not None and place < len(table) and (batch is None or batch.as_int() == 0):
            rows = table[place]
            return rows if isinstance(rows, int) and rows > 1 else None
    return None


def _is_column(value: ir.Value | None) -> bool:
    """Whether the last axis has size 1, which the torch exporter does not write at what it has made a column itself."""
    shape = _shape(value)
    node = value.producer() if value is not None else None
    if shape is not None or operator_name(node) != "Unsqueeze" or node is None:
        return bool(shape) and shape is not None and shape[-1] == 1
    return _constant(node.inputs[1]) == -1


def _rows(table: ir.Value | None, node: ir.Node) -> int | None:
    axis = node.attributes.get("axis")
    number = int(axis.value) if axis is not None and isinstance(axis.value, int) else 0
    shape = _shape(table)
    if shape is None or number >= len(shape):
        return None
    rows = shape[number]
    return rows if isinstance(rows, int) and rows > 1 and len(shape) > 1 else None


def _shape(value: ir.Value | None) -> list[int | ir.SymbolicDim] | None:
    """A value's shape, which the torch exporter does not write at a table that it transposes to be indexed."""
    if value is None or value.shape is not None:
        return None if value is None or value.shape is None else list(value.shape)
    node = value.producer()
    if node is None or operator_name(node) != "Transpose" or node.inputs[0] is None or node.inputs[0].shape is None:
        return None
    before, order = list(node.inputs[0].shape), node.attributes.get("perm")
    return before[::-1] if order is None else [before[i] for i in order.as_ints()]


def _classes(scores: ir.Value | None) -> int | None:
    if scores is None or scores.shape is None or len(scores.shape) < 2:
        return None
    last = scores.shape[1]
    return last if isinstance(last, int) else None


def _counted(value: ir.Value | None) -> int | None:
    """n where the value is 0, 1, … n - 1 and nothing else, some of them several times perhaps; at least 2 of them."""
    node = value.producer() if value is not None else None
    if operator_name(node) == "Range" and node is not None:
        start, end, step = (_constant(v) for v in node.inputs)
        return int(end) if start == 0 and step == 1 and end is not None and end >= 2 else None
    array = constant_array(value)
    if array is None or array.size < 2 or array.size != max(array.shape, default=0):
        return None
    distinct = np.unique(array)
    return int(distinct.size) if distinct.size > 1 and np.array_equal(distinct, np.arange(distinct.size)) else None


def _constant(value: ir.Value | None) -> float | None:
    array = constant_array(value)
    return float(array.reshape(-1)[0]) if array is not None and array.size == 1 else None


def _random(value: ir.Value | None, depth: int = 4) -> bool:
    """Whether a uniform draw stands behind a value."""
    while value is not None and depth:
        node = value.producer()
        if node is None:
            return False
        if operator_name(node) in ("RandomUniform", "RandomUniformLike"):
            return True
        value, depth = (node.inputs[0] if node.inputs else None), depth - 1
    return False


def _keeps(node: ir.Node, position: int) -> bool:
    """``floor(keep + uniform)``: the input is added to a uniform draw."""
    if operator_name(node) != "Add" or len(node.inputs) != 2:
        return False
    return _random(node.inputs[1 - position])


def _complement_drops(node: ir.Node, position: int) -> bool:
    """``uniform >= 1 - keep``."""
    if node.op_type != "Sub" or position != 1 or _constant(node.inputs[0]) != 1.0:
        return False
    return any(_drops(reader, i) for reader, i in _readers(node.outputs[0]))


def _drops(node: ir.Node, position: int) -> bool:
    """``uniform >= rate``: the input is compared with a uniform draw; ``1 - keep`` is a rate as well."""
    if operator_name(node) in ("GreaterOrEqual", "Greater", "Less") and len(node.inputs) == 2:
        return _random(node.inputs[1 - position])
    return False


def _holds_labels(node: ir.Node, position: int) -> bool:
    """The input weighs a log probability, or is the labels operand of a loss."""
    if operator_name(node) == "SoftmaxCrossEntropyWithLogits":
        return position == 1
    if node.op_type != "Mul" or len(node.inputs) != 2:
        return False
    return _is_log(node.inputs[1 - position])


def _is_log(value: ir.Value | None, depth: int = 4) -> bool:
    """A logarithm, perhaps negated, or bounded as the one of a binary cross entropy is."""
    node = value.producer() if value is not None else None
    if node is None or depth == 0:
        return False
    if node.op_type in ("Log", "LogSoftmax", "Log1p"):
        return True
    branches = {"Neg": (0,), "Max": (0, 1), "Maximum": (0, 1), "Clip": (0,), "Where": (1, 2)}.get(node.op_type, ())
    return any(_is_log(node.inputs[i], depth - 1) for i in branches if i < len(node.inputs))


def inferred_parameter(value: ir.Value, uses: Uses) -> ValueRange | None:
    """A range that follows from what a parameter or a piece of state is for, or None."""
    name = (value.name or "").removesuffix(":0")
    if VARIANCE.search(name) or any(
        operator_name(node) == "BatchNormalization" and i == 4 for node, i in uses.of_value(value)
    ):
        return ValueRange(0.0, math.inf, Origin.INFERRED, "a variance is not negative")
    if MOMENT.search(name):
        return ValueRange(0.0, math.inf, Origin.INFERRED, "a mean of squares")
    if ADAM_POWER.search(name):
        return ValueRange(0.0, 1.0, Origin.INFERRED, "a power of a decay rate")
    if COUNTER.search(name):
        return ValueRange(0, 2**31 - 1, Origin.INFERRED, "a counter")
    return None


# What random operators draw from, for initial values of TensorFlow 1 variables.
_DRAWS = {"RandomUniform": (0.0, 1.0), "TruncatedNormal": (-2.0, 2.0), "RandomNormal": (-6.0, 6.0)}


def initial_range(uses: Uses, value: ir.Value) -> tuple[float, float] | None:
    """Bounds of the initial value of a TensorFlow 1 variable, from the nodes that compute it; None if not simple."""
    name = value.metadata_props.get(INITIAL_VALUE)
    if not name:
        return None
    return _bounds(uses.named.get(name), 12)


def _bounds(value: ir.Value | None, depth: int) -> tuple[float, float] | None:
    array = constant_array(value)
    if array is not None:
        if array.size == 0 or array.dtype.kind not in "fiu" or not np.isfinite(array).all():
            return None
        return float(array.min()), float(array.max())
    node = value.producer() if value is not None else None
    if node is None or depth == 0:
        return None
    name = operator_name(node)
    if name in _DRAWS and node.domain == "tf":
        return _DRAWS[name]
    if name == "Fill":
        return _bounds(node.inputs[1], depth - 1)
    if traits_of(node) & KEEPS_VALUES and node.inputs:
        return _bounds(node.inputs[0], depth - 1)
    if name not in ("Add", "Sub", "Mul") or len(node.inputs) != 2:
        return None
    left, right = _bounds(node.inputs[0], depth - 1), _bounds(node.inputs[1], depth - 1)
    if left is None or right is None:
        return None
    if name == "Mul":
        corners = [a * b for a in left for b in right]
        return min(corners), max(corners)
    if name == "Sub":
        return left[0] - right[1], left[1] - right[0]
    return left[0] + right[0], left[1] + right[1]
