"""Plain sentences about a warning: what the operator receives, why, and interval by interval how it comes about."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import onnx_ir as ir

from analyzer.findings import Table
from analyzer.graph import Graph, display_name, layer_of, location_of
from analyzer.numerical.assumptions import Assumption, interval_text
from analyzer.numerical.constants import constant_array
from analyzer.numerical.domain.dtypes import element_type
from analyzer.numerical.domain.tensor import count
from analyzer.numerical.ledger import UNDECIDED
from analyzer.numerical.nesting import bodies, owners
from analyzer.numerical.result import Alarm, Interpretation, Interval
from analyzer.operators.declaration import CONSTANT, IDENTITY, SELECTS, SHAPE_ONLY
from analyzer.operators.registry import operator_of, traits_of

LONGEST_NAME = 60  # characters of a value's name in a sentence
STEPS = 40  # rows of the table; a comment shows the first and the last ones
SATURATION = {"float32": 17, "float64": 37, "float16": 8.4, "bfloat16": 6.3}  # 1 - sigmoid(x) is exactly 0 from here on
UNDERFLOW = {"float32": 104, "float64": 746, "float16": 18, "bfloat16": 93}  # exp(-x) is exactly 0 from here on
DENORMAL = {"float32": 87, "float64": 708, "float16": 9.8, "bfloat16": 87}  # exp(-x) is denormal from here on
SIGMOID_ZERO = {"float32": 89, "float64": 710, "float16": 17.5, "bfloat16": 89}  # where exp(-x) overflows
EXP_LIMIT = {"float32": 88.72, "float64": 709.78, "float16": 11.09, "bfloat16": 88.72}
_LEFT_OUT = CONSTANT | SHAPE_ONLY | IDENTITY | SELECTS
EXPRESSION = 6  # operators, one inside the other, that tell expressions of a line apart
OPERAND_NAMES = {
    "numerical/division-by-zero": "denominator",
    "numerical/integer-division-by-zero": "denominator",
}


@dataclass(frozen=True, slots=True)
class PropagationStep:
    """One value on the way from the inputs to the failing operator."""

    value: ir.Value
    node: ir.Node | None
    interval: Interval | None


def operator_text(node: ir.Node) -> str:
    """``log``, ``realdiv`` -> the operator's name as people write it."""
    names = {"RealDiv": "div", "TruncateDiv": "div", "ReduceL1": "norm", "ReduceL2": "norm"}
    return names.get(node.op_type, node.op_type.removeprefix("Reduce").lower())


def operand_text(warning: Alarm) -> str:
    """The `operand` of a finding: tells apart several findings of one rule at one node."""
    if warning.operand < 0:
        return "result"
    named = OPERAND_NAMES.get(warning.rule)
    if named:
        return named
    return f"input {warning.operand}" if len(warning.node.inputs) > 1 else ""


def message(warning: Alarm, failed: bool, interpretation: Interpretation, written: str = "") -> str:
    """One sentence: what the operator receives and how far that is known; `failed` if a run has shown it.

    `written`: the operand as the source line has it; empty where no line shows it.
    """
    node, interval = warning.node, warning.interval
    name, where = operator_text(node), interval_text(interval.lo, interval.hi)
    receives = "receives" if failed else "can receive"
    rule = warning.rule.removeprefix("numerical/")
    if warning.danger == UNDECIDED and not failed:
        return _short(f"`{name}` could not be analysed: its rule failed on it, so it may leave its domain")
    reason = cause(warning, interpretation)
    because = f": {reason}" if reason else f": {_operand(warning, written)} lies in {where}"
    if warning.backward:
        edge = f"where {warning.danger}" if warning.danger else "at the edge of its domain"
        return _short(f"the gradient of `{name}` is not finite {edge}; {_operand(warning, written)} lies in {where}")
    if rule == "log-of-nonpositive":
        if _pole(warning):
            what = "-1" if interval.lo >= -1 else "a number below -1" if interval.hi < -1 else "-1 or a number below"
        else:
            what = "0" if interval.lo >= 0 else "a negative number" if interval.hi < 0 else "0 or a negative number"
        return _short(f"`{name}` {receives} {what}{because}")
    if rule.endswith("by-zero"):
        verb = "divides" if failed else "can divide"
        suffix = because.replace("its operand", "the denominator")
        return _short(f"`{name}` {verb} by 0{suffix}")
    if rule == "exp-overflow":
        limit = EXP_LIMIT.get(warning.dtype)
        known = f", {warning.dtype} ends at {limit:g}" if limit else ""
        verb = "overflows" if failed else "can overflow"
        return _short(f"`{name}` {verb}: {_operand(warning, written)} reaches {interval.hi:.6g}{known}")
    if rule == "sqrt-of-negative":
        return _short(f"`{name}` {receives} a negative number{because}")
    if "overflow" in rule:
        verb = "overflows" if failed else "can overflow"
        element = element_type(warning.dtype)
        if math.isinf(interval.lo) and math.isinf(interval.hi) and element.is_float:
            return _short(f"`{name}` {verb} {warning.dtype}, which ends at {element.hi:g}")
        return _short(f"`{name}` {verb} {warning.dtype}: its result lies in {where}")
    if rule == "softmax-of-minus-infinity":
        return _short(f"`{name}` gives NaN where {warning.danger}: {_operand(warning, written)} lies in {where}")
    if rule == "extremum-of-infinity":
        return _short(f"`{name}` is infinite where {warning.danger}: {_operand(warning, written)} lies in {where}")
    leaves = "leaves" if failed else "can leave"
    return _short(f"`{name}` {leaves} its domain ({warning.danger}){because}")


def _pole(warning: Alarm) -> float:
    """Where a logarithm is infinite: ln(1 + x) at -1."""
    declared = operator_of(warning.node)
    return 0.0 if declared is None else declared.pole


def _operand(warning: Alarm, written: str = "") -> str:
    """``its operand `x` ``: as the source has it, else an input or weight by its name, else by what makes it."""
    if written:
        return f"its operand `{written}`"
    if not 0 <= warning.operand < len(warning.node.inputs):
        return f"the result of `{operator_text(warning.node)}`"
    node, value = origin(warning.node.inputs[warning.operand]), warning.node.inputs[warning.operand]
    while node is None and value is not None and (passed := value.producer()) is not None:
        value = passed.inputs[0]
    name = display_name(node) if node is not None else value.name if value is not None else None
    if not name:
        return f"its operand {warning.operand + 1}"
    if len(name) > LONGEST_NAME:
        name = f"…{name[1 - LONGEST_NAME :]}"  # the end of a path tells layers apart
    return f"its operand `{name}`" if node is None else f"its operand, the result of `{name}`,"


def _short(text: str, limit: int = 200) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def cause(warning: Alarm, interpretation: Interpretation) -> str:
    """Why the operand gets there, where its shape is a known trap; may be empty."""
    if not 0 <= warning.operand < len(warning.node.inputs):
        return ""
    producer = origin(warning.node.inputs[warning.operand])
    if producer is None:
        return ""
    dtype = warning.dtype
    if producer.op_type == "Softmax" and dtype in UNDERFLOW:
        gap, classes = _reach(producer, interpretation)
        if denormal_only(warning, interpretation):
            far, state = DENORMAL[dtype], "denormal, or 0 where those are flushed,"
        elif gap >= UNDERFLOW[dtype]:
            far, state = UNDERFLOW[dtype], "exactly 0"
        else:
            return f"softmax of {classes:.0f} can be exactly 0 in {dtype} where logits lie {gap:.3g} apart"
        return f"softmax is {state} in {dtype} where a logit lies {far:g} or more below the largest"
    if producer.op_type == "Sigmoid" and dtype in SIGMOID_ZERO:
        sooner = ", in ONNX Runtime already below −18" if dtype == "float32" else ""
        return f"sigmoid is exactly 0 in {dtype} for inputs below −{SIGMOID_ZERO[dtype]:g}{sooner}"
    if producer.op_type in ("Sub", "Add", "AddV2") and warning.rule.endswith("log-of-nonpositive"):
        lost = _lost_epsilon(producer)
        inner = origin(producer.inputs[1]) if len(producer.inputs) > 1 else None
        saturates = inner is not None and inner.op_type == "Sigmoid" and producer.op_type == "Sub"
        limit = SATURATION.get(warning.dtype)
        if saturates and limit:
            start = f"{lost}, so `1 − p`" if lost else "`1 − sigmoid(x)`"
            return f"{start} is exactly 0 in {dtype} for x above {limit:g}"
    return ""


def denormal_only(warning: Alarm, interpretation: Interpretation) -> bool:
    """Whether a softmax below the operator comes near 0 only as a denormal number.

    Only engines that flush denormal numbers take such a one for 0.
    """
    if not 0 <= warning.operand < len(warning.node.inputs) or warning.dtype not in UNDERFLOW or warning.backward:
        return False
    producer = origin(warning.node.inputs[warning.operand])
    if producer is None or producer.op_type != "Softmax":
        return False
    gap, classes = _reach(producer, interpretation)
    return gap + math.log(classes) < UNDERFLOW[warning.dtype] - 1


def _reach(softmax: ir.Node, interpretation: Interpretation) -> tuple[float, float]:
    """How far the logits lie apart at most, and how many share the sum at most; infinite where that is not known."""
    x = interpretation.values.get(softmax.inputs[0]) if softmax.inputs[0] is not None else None
    if x is None:
        return math.inf, math.inf
    return x.high - x.low, max(count(x.shape)[1], 1.0) if x.shape is not None else math.inf


def _lost_epsilon(node: ir.Node) -> str:
    """``1e-10 + 1`` was rounded to exactly 1 before the graph was made, or is by the graph itself."""
    adder = origin(node.inputs[0])
    if adder is None or adder.op_type not in ("Add", "AddV2"):
        return ""
    parts = [constant_array(v) for v in adder.inputs]
    numbers = [float(p.reshape(-1)[0]) for p in parts if p is not None and p.size == 1]
    small = [n for n in numbers if 0 < abs(n) < 1e-7]
    return f"`{small[0]:g} + 1` is exactly 1" if small and 1.0 in numbers else ""


def origin(value: ir.Value | None) -> ir.Node | None:
    """The node that computes a value, behind operators that only pass it on."""
    while value is not None:
        node = value.producer()
        if node is None:
            return None
        if node.op_type not in ("Identity", "Cast", "Reshape", "StopGradient", "Squeeze", "Unsqueeze", "ExpandDims"):
            return node
        value = node.inputs[0]
    return None


def expression(warning: Alarm, depth: int = EXPRESSION) -> str:
    """The operators of the warning's own source line that compute its operand: ``ReduceL2(Sub(.,.))``.

    One line runs in each step of a loop and in each layer of a class; two expressions of a line differ by this.
    """
    place = location_of(warning.node)
    values = warning.node.inputs if warning.operand < 0 else [warning.node.inputs[warning.operand]]

    def written(value: ir.Value | None, left: int) -> str:
        node = value.producer() if value is not None else None
        if node is None or node.op_type == "Constant" or not left or location_of(node) != place:
            return "."
        return f"{node.op_type}({','.join(written(v, left - 1) for v in node.inputs)})"

    return "" if place is None else ",".join(written(v, depth) for v in values)


def behind(main: ir.Graph, warning: Alarm) -> list[ir.Value]:
    """All values that the warning's operand (or result) depends on, nearest first."""
    roots = warning.node.inputs if warning.operand < 0 else [warning.node.inputs[warning.operand]]
    holders: dict[ir.Graph, ir.Node] | None = None  # looked for where there is a body: that walks the whole graph
    found: dict[ir.Value, None] = {}
    queue = [v for v in roots if v is not None]
    while queue:
        value = queue.pop(0)
        if value in found:
            continue
        found[value] = None
        node = value.producer()
        if node is None and isinstance(value.graph, ir.Graph) and value.graph is not main:
            holders = owners(main) if holders is None else holders
            node = holders.get(value.graph)  # a body's formal parameter
        if node is None:
            continue
        queue.extend(v for v in node.inputs if v is not None)
        for body in bodies(node):
            for inner in ir.traversal.RecursiveGraphIterator(body):
                queue.extend(v for v in inner.inputs if v is not None)
    return list(found)


def rests_on(values: Sequence[ir.Value], assumptions: Sequence[Assumption]) -> list[Assumption]:
    """The assumptions among `values`, nearest first."""
    by_name = {a.name: a for a in assumptions}
    return [by_name[v.name] for v in values if v.name in by_name]


def interval_table(graph: Graph, interpretation: Interpretation, warning: Alarm) -> Table:
    """The values from the inputs to the operator: a person can check each row from those above.

    Sizes and indices on the way, and operators that move elements without changing them, are left out.
    """
    rows: list[tuple[str, ...]] = []
    first = 0
    for value in _chain(graph.graph, warning, interpretation):
        abstract = interpretation.values.get(value)
        node = value.producer()
        if abstract is None or (node is not None and traits_of(node) & _LEFT_OUT):
            continue
        try:
            interval = abstract.interval()
        except (AttributeError, TypeError, ValueError):
            continue
        place = location_of(node) if node is not None else None
        line = f"{place.path}:{place.line}" if place else ""
        what = node.op_type if node is not None else "given"
        shown = interval_text(interval.lo, interval.hi) + (" or NaN" if interval.may_be_nan else "")
        rows.append((value.name or "", what, shown, layer_of(node) if node is not None else "", line))
        first += value.is_graph_input()
    final = interval_text(warning.interval.lo, warning.interval.hi)
    end = location_of(warning.node)
    first = min(first, STEPS // 2)
    rows = [*rows[:first], *rows[first:][first - STEPS :]]
    rows.append(
        (
            display_name(warning.node),
            f"{warning.node.op_type}: unsafe if {warning.danger}",
            f"{'result' if warning.operand < 0 else 'receives'} {final}",
            layer_of(warning.node),
            f"{end.path}:{end.line}" if end else "",
        )
    )
    return Table(("value", "operator", "range", "layer", "line"), tuple(rows))


def _chain(main: ir.Graph, warning: Alarm, interpretation: Interpretation) -> list[ir.Value]:
    """The data behind a warning, each value after those that it is computed from; the model's inputs first."""
    reached = set(behind(main, warning))
    roots = warning.node.inputs if warning.operand < 0 else [warning.node.inputs[warning.operand]]

    def is_index(value: ir.Value) -> bool:
        """Whether a value holds sizes, indices or conditions: no numbers that a model computes with."""
        dtype = getattr(interpretation.values.get(value), "dtype", None)
        if dtype is not None:
            return not dtype.is_float
        return value.dtype is not None and not value.dtype.is_floating_point()

    whole = any(is_index(v) for v in roots if v is not None)
    given = sorted((v for v in reached if v.producer() is None), key=lambda v: (not v.is_graph_input(), v.name or ""))
    computed = [v for node in ir.traversal.RecursiveGraphIterator(main) for v in node.outputs if v in reached]
    return [v for v in given if whole or v.is_graph_input() or not is_index(v)] + [
        v for v in computed if whole or not is_index(v)
    ]


def certain(warning: Alarm) -> bool:
    """Whether every value of the operand is unsafe, so that any run fails: a proof, not a possibility."""
    interval, rule = warning.interval, warning.rule.removeprefix("numerical/")
    if warning.backward or warning.operand < 0 or interval.may_be_nan or warning.danger == UNDECIDED:
        return False
    if rule == "log-of-nonpositive":
        return interval.hi <= _pole(warning) and len(warning.node.inputs) == 1  # x ln y is 0 where x is
    if rule.endswith("by-zero"):
        return interval.lo == 0 == interval.hi
    if rule == "sqrt-of-negative":
        return interval.hi < 0
    if rule == "exp-overflow":
        limit = EXP_LIMIT.get(warning.dtype, math.inf)
        return interval.lo > limit + 0.01
    return False


def followers(warnings: Sequence[Alarm]) -> dict[int, list[Alarm]]:
    """Warnings that follow from another one, by the id of that root."""
    grouped: dict[int, list[Alarm]] = {}
    for warning in warnings:
        root = warning.root
        while root is not None and root.root is not None:
            root = root.root
        if root is not None:
            grouped.setdefault(id(root), []).append(warning)
    return grouped
