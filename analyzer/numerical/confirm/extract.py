"""Cuts the part of a model that computes one operator out of it, so that it can be searched and run alone.

The slice's leaves are everything that a run or training may choose: graph inputs, parameters with a range, the draws of
random operators. Everything else is kept as it stands in the model, in the model's own operators and dtypes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import onnx_ir as ir

from analyzer.graph import Graph, ValueRange, role_of
from analyzer.graph.model import COLUMNS, SHOWN, UNTRAINED
from analyzer.graph.ranges import Parts
from analyzer.numerical.confirm.arrangement import evenly, in_order, semidefinite, unlike_rows
from analyzer.numerical.nesting import bodies, owner_of
from analyzer.operators.registry import operator_name

RANDOM_RANGES: Mapping[str, tuple[float, float]] = {
    # Draws that a run may make; the normal family is cut at six standard deviations.
    "RandomUniform": (0.0, 1.0),
    "RandomUniformLike": (0.0, 1.0),
    "RandomNormal": (-6.0, 6.0),
    "RandomNormalLike": (-6.0, 6.0),
    "TruncatedNormal": (-2.0, 2.0),
    "Bernoulli": (0.0, 1.0),
}
CALM = 3.0  # data of a healthy run lie in [-3, 3]
DRAW = "random draw"  # the role of a leaf that a random operator draws from an interval
IR_VERSION = 10  # the oldest that every operator set used here allows
LEAST_PART = 4  # elements; smaller parts (the first token of each row) may be anything
LARGEST_TENSOR = 1 << 24  # elements; a leaf beyond this is not worth searching


@dataclass(frozen=True)
class Leaf:
    """One tensor that the search may choose: every element lies in [lo, hi]; infinities mean no bound."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    lo: float
    hi: float
    role: str = "input"
    initial: np.ndarray | None = None
    estimated: bool = False  # the ends of the range are an estimate that training may leave
    held: tuple[float, float] | None = None  # between these numbers lies one element at least
    parts: Parts = ()  # … and one of each of these parts of the tensor
    order: tuple[int, int] | None = None  # the axis along which numbers rise (1) or fall (-1), or stay equal
    even: tuple[int, float] | None = None  # the axis along which steps are equal, and the least of them, with its sign
    unlike: bool = False  # its rows along the first axis are not all alike
    whole: bool = False  # its floating-point numbers are whole
    definite: bool = False  # its matrices are symmetric and have no negative eigenvalue
    shown: tuple[tuple[float, float], ...] = ()  # the ends of the example: of all its numbers, or of each feature
    trained: bool = True  # of a weight: training moves it
    way: float = 1.0  # the part of the way from its initial numbers to the ends of its range that it may go

    @property
    def floating(self) -> bool:
        return "FLOAT" in self.dtype or self.dtype == "DOUBLE"

    @property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest number of each element, inside the range."""
        if self.initial is None or self.way >= 1.0:
            return np.asarray(self.lo), np.asarray(self.hi)
        start = np.clip(np.asarray(self.initial, np.float64), self.lo, self.hi)
        return start + self.way * (self.lo - start), start + self.way * (self.hi - start)

    @property
    def width(self) -> float:
        """How far apart the ends of its elements are; infinite without bounds."""
        return (self.hi - self.lo) * (self.way if self.initial is not None else 1.0)

    def arranged(self, array: np.ndarray) -> np.ndarray:
        """The numbers of a tensor in rows, order and steps in which they must be."""
        if self.unlike:
            array = unlike_rows(array, self.name, self.usual_ends())
        if self.definite:
            array = semidefinite(array, (self.lo, self.hi))
        if self.order is not None:
            array = in_order(array, self.order)
        return array if self.even is None else evenly(array, *self.even, (self.lo, self.hi))

    def usual_ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Between which numbers those of the example lie, of each feature where these differ; or in [-3, 3]."""
        fits = len(self.shown) == 1 or (self.shape and len(self.shown) == self.shape[-1])
        low, high = np.array(self.shown if fits else ((-CALM, CALM),)).T
        return np.clip(low, self.lo, self.hi), np.clip(high, self.lo, self.hi)

    def admits(self, array: np.ndarray) -> bool:
        """Whether every number of a tensor lies in its range, some where one must, and all in their order."""
        inside = bool(((array >= self.lo) & (array <= self.hi)).all())
        inside = inside and not (self.whole and bool((array != np.round(array)).any()))
        return inside and not self.lacking(array) and bool((self.arranged(array) == array).all())

    def lacking(self, array: np.ndarray) -> list[np.ndarray]:
        """The parts of a tensor, as views, in which no element lies where one must."""
        if self.held is None:
            return []
        lo, hi = self.held
        parts = [array[tuple(slice(*cut) for cut in part[: array.ndim])] for part in self.parts]
        read = [p if p.size >= LEAST_PART else array for p in parts or [array]]
        return [p for p in read if p.size and not bool(((p >= lo) & (p <= hi)).any())]


@dataclass(frozen=True)
class Slice:
    """A model of its own whose last node is the operator under suspicion, or runs it in a body (`inside`).

    `results` are the model's own outputs that depend on the operator: `outputs` itself, or those of the loop around it.
    """

    model: ir.Model
    leaves: tuple[Leaf, ...]
    node: str
    operands: tuple[str, ...]
    outputs: tuple[str, ...]
    results: tuple[str, ...]
    inside: bool = False

    @property
    def is_tensorflow(self) -> bool:
        return any(node.domain == "tf" for node in self.model.graph)


def extract(
    graph: Graph,
    node: ir.Node,
    ranges: Mapping[str, ValueRange],
    sizes: Mapping[str, int],
    extra_outputs: tuple[str, ...] = (),
) -> Slice | None:
    """The slice that computes `node`, or None where it cannot stand alone (in a function, no shape for a leaf).

    An operator in a body comes with the whole loop or branch around it.

    `sizes` gives the symbolic dimensions; a dimension without a name or a size becomes ``sizes["*"]``.
    `extra_outputs` names further values to keep (a loss, for gradients).
    """
    main = graph.graph
    owner = owner_of(node, main)
    if owner is None or not owner.outputs:
        return None
    inside = owner is not node
    wanted = [v for v in owner.outputs if v.name and (v.uses() or v.is_graph_output() or v is owner.outputs[0])]
    extra = [v for v in (find_value(main, name) for name in extra_outputs) if v is not None]
    operands = [] if inside else list(dict.fromkeys(v for v in node.inputs if v is not None))
    cut = _leaves(main, [owner, *[p for v in extra if (p := v.producer()) is not None]], ranges)
    leaves = []
    for value in cut:
        leaf = _leaf(value, ranges, sizes)
        if leaf is None:
            return None
        leaves.append(leaf)
    kept = list(dict.fromkeys([*wanted, *extra]))
    exposed = [v for v in operands if v not in cut and v not in kept and v.producer() is not None]
    try:
        sub = ir.convenience.extract(main, list(cut), [*kept, *exposed])
    except ValueError:
        return None
    model = standing_alone(graph, sub)
    made = [v for v in node.outputs if v.name] if inside else wanted
    return Slice(
        model,
        tuple(leaves),
        node.name or "",
        tuple(v.name or "" for v in dict.fromkeys(v for v in node.inputs if v is not None)),
        tuple(v.name or "" for v in made),
        tuple(v.name or "" for v in wanted),
        inside,
    )


def whole(
    graph: Graph, ranges: Mapping[str, ValueRange], sizes: Mapping[str, int], losses: tuple[str, ...]
) -> Slice | None:
    """The model with all its results and losses as a slice, or None where a leaf has no usable shape."""
    main = graph.graph
    ends = [v for v in main.outputs if v.name and v.producer() is not None]
    ends += [v for v in (find_value(main, name) for name in losses) if v is not None and v not in ends]
    if not ends:
        return None
    cut = _leaves(main, [p for v in ends if (p := v.producer()) is not None], ranges)
    leaves = [_leaf(value, ranges, sizes) for value in cut]
    if any(leaf is None for leaf in leaves):
        return None
    try:
        sub = ir.convenience.extract(main, list(cut), ends)
    except ValueError:
        return None
    model = standing_alone(graph, sub)
    names = tuple(v.name or "" for v in ends)
    return Slice(model, tuple(x for x in leaves if x is not None), "", (), names[:1], names)


def standing_alone(graph: Graph, sub: ir.Graph) -> ir.Model:
    for value in sub.inputs:
        sub.initializers.pop(value.name or "", None)
        value.const_value = None
    sub.opset_imports.update(graph.model.opset_imports)
    # Engines refuse a version newer than their own, though nothing that a slice holds needs it.
    model = ir.Model(sub, ir_version=IR_VERSION)
    for key, function in graph.model.functions.items():
        model.functions[key] = function
    return model


def find_value(graph: ir.Graph, name: str) -> ir.Value | None:
    """The value called `name` in the main graph, if there is one."""
    if name in graph.initializers:
        return graph.initializers[name]
    for value in graph.inputs:
        if value.name == name:
            return value
    for node in graph:
        for value in node.outputs:
            if value.name == name:
                return value
    return None


def _leaves(main: ir.Graph, roots: list[ir.Node], ranges: Mapping[str, ValueRange]) -> list[ir.Value]:
    """The frontier of the backward slice, in a stable order."""
    found: dict[ir.Value, None] = {}
    seen: set[ir.Node] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        inner: list[ir.Value] = []
        for body in bodies(node):
            inner.extend(body.outputs)
            for sub in ir.traversal.RecursiveGraphIterator(body):
                inner.extend(v for v in sub.inputs if v is not None)
                inner.extend(v for deeper in bodies(sub) for v in deeper.outputs)
        for value in [*node.inputs, *inner]:
            if value is None:
                continue
            producer = value.producer()
            if producer is not None:
                if producer.graph is not main:
                    continue
                if operator_name(producer) in RANDOM_RANGES and value.name:
                    found[value] = None
                else:
                    stack.append(producer)
            elif (value.is_graph_input() and value.graph is main) or (
                value.is_initializer() and value.graph is main and searchable(value, ranges)
            ):
                found[value] = None
    order = {v: i for i, v in enumerate([*main.inputs, *main.initializers.values()])}
    return sorted(found, key=lambda v: (order.get(v, len(order)), v.name or ""))


def searchable(value: ir.Value, ranges: Mapping[str, ValueRange]) -> bool:
    """Whether an initializer may take other values than its own: it has a range wider than its data."""
    given = ranges.get(value.name or "")
    if given is None or value.dtype is None or not value.dtype.is_floating_point():
        return False
    return given.lo < given.hi


def _leaf(value: ir.Value, ranges: Mapping[str, ValueRange], sizes: Mapping[str, int]) -> Leaf | None:
    shape = concrete_shape(value, sizes)
    dtype = value.dtype or ir.DataType.FLOAT
    if shape is None or int(np.prod(shape, dtype=np.float64)) > LARGEST_TENSOR:
        return None
    if dtype in (ir.DataType.STRING, ir.DataType.UNDEFINED):
        return None
    lo, hi, role = -np.inf, np.inf, "input"
    initial = None
    producer = value.producer()
    given = ranges.get(value.name or "")
    if producer is not None:
        lo, hi = _draw_range(producer)
        role = DRAW if operator_name(producer) != "Bernoulli" else "random choice"
    elif given is not None:
        lo, hi = given.lo, given.hi
    if producer is None:
        role = str(role_of(value))
        if value.const_value is not None:
            initial = value.const_value.numpy()
            shape = tuple(initial.shape)
    if dtype == ir.DataType.BOOL:
        lo, hi = max(lo, 0.0), min(hi, 1.0)
    leaf = Leaf(value.name or "", shape, dtype.name, float(lo), float(hi), role, initial)
    leaf = replace(leaf, shown=_shown(value), trained=UNTRAINED not in value.metadata_props)
    if given is None:
        return leaf
    return replace(
        leaf,
        estimated=given.estimated,
        held=given.held,
        parts=given.parts,
        order=given.order,
        even=given.even,
        unlike=given.unlike,
        whole=given.whole,
        definite=given.definite,
    )


def _shown(value: ir.Value) -> tuple[tuple[float, float], ...]:
    properties = value.metadata_props
    text = properties.get(COLUMNS) or " ".join(properties.get(SHOWN, "").split()[:2])
    numbers = list(map(float, text.split()))
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


def _draw_range(node: ir.Node) -> tuple[float, float]:
    lo, hi = RANDOM_RANGES[operator_name(node)]

    def number(name: str, default: float) -> float:
        attribute = node.attributes.get(name)
        return float(attribute.value) if attribute is not None else default

    if node.op_type.startswith("RandomUniform") and node.domain != "tf":
        return number("low", lo), number("high", hi)
    if node.op_type in ("RandomNormal", "RandomNormalLike"):
        mean, scale = number("mean", 0.0), number("scale", 1.0)
        return mean + scale * lo, mean + scale * hi
    return lo, hi


def concrete_shape(value: ir.Value, sizes: Mapping[str, int]) -> tuple[int, ...] | None:
    """The value's shape with every symbol replaced; an unknown rank is taken as a scalar."""
    if value.shape is None:
        return ()
    shape = []
    for i, dimension in enumerate(value.shape):
        if isinstance(dimension, int):
            shape.append(dimension)
        else:
            name = str(dimension.value) if dimension.value is not None else "*"
            size = sizes.get(name, sizes["*"])
            unnamed = name == "*" or name not in sizes
            shape.append(min(size, 2) if i == 0 and unnamed else size)  # the first is the batch
    return tuple(shape)
