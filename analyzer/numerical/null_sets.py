"""Failures at 0 alone of what is a polynomial of trained weights: they have no volume (docs/ranges.md).

The zeros of a polynomial that is not 0 everywhere have no volume, and one point where it is not 0 shows that it is not
(Schwartz 1980, "Fast probabilistic algorithms for verification of polynomial identities"). Zeros that rounding makes
may have volume: ``(w + 1e8) - 1e8`` is 0 for all small w. So the polynomial is computed at random weights in single
precision and in twice it, and is 0 nowhere only where rounding is far smaller than its value.

A condition, a mask, a rounding or a rectifier of weights is no polynomial, and a value of an input may be chosen for
the weights: what depends on either is left to the runs (`confirm.position`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from analyzer.graph import Graph, Role
from analyzer.numerical.assumptions import Assumption
from analyzer.numerical.confirm.extract import standing_alone
from analyzer.numerical.constants import constant_array
from analyzer.numerical.result import Alarm
from analyzer.operators.declaration import (
    CONSTANT,
    DEFINITE,
    IDENTITY,
    IMPURE,
    LINEAR,
    POLYNOMIAL,
    RANDOM,
    SELECTS,
    STATEFUL,
)
from analyzer.operators.registry import operator_name, operator_of, traits_of

PRECISIONS = (ir.DataType.FLOAT, ir.DataType.DOUBLE)
SAMPLES = 16
OUTLIERS = 1  # samples at which an element may be as small as its rounding
FAR = 64.0  # times the rounding seen
MOST_ELEMENTS = 1 << 18  # of all weights together
MOST_NODES = 64
ZERO_RULES = ("division-by-zero", "gradient-of-sqrt-at-zero", "gradient-of-norm-at-zero", "gradient-of-pow-at-zero")
POLE_RULES = ("log-of-nonpositive", "pow-domain")  # fail below 0 too


def null_weights(graph: Graph, warning: Alarm, assumptions: Sequence[Assumption]) -> tuple[str, ...]:
    """The weights whose polynomial is 0 where the operator fails; empty where its failures may have volume."""
    if warning.node.graph is not graph.graph or not 0 <= warning.operand < len(warning.node.inputs):
        return ()
    value = warning.node.inputs[warning.operand]
    if value is None or not _at_zero_alone(warning):
        return ()
    found = _Weights(graph, {a.name: a for a in assumptions}).null(value)
    return tuple(found or ())


def _at_zero_alone(warning: Alarm) -> bool:
    rule, interval = warning.rule.rpartition("/")[2], warning.interval
    if interval.may_be_nan or not interval.lo < interval.hi:
        return False
    declared = operator_of(warning.node)
    poles = rule in POLE_RULES and interval.lo >= 0 and (declared is None or declared.pole == 0)
    return rule in ZERO_RULES or poles


@dataclass(frozen=True)
class _Weights:
    """The graph and what is assumed in it."""

    graph: Graph
    assumed: Mapping[str, Assumption]

    def null(self, value: ir.Value) -> frozenset[str] | None:
        """The weights on which it depends whether `value` is 0, where that has no volume; None where it may have."""
        names = self.polynomial(value, {})
        if names:
            return names if self.nowhere_zero(value, sorted(names)) else None
        node = value.producer()
        if names is not None or node is None or any(a.type is ir.AttributeType.GRAPH for a in node.attributes.values()):
            return None
        if traits_of(node) & (DEFINITE | IDENTITY | SELECTS) and node.inputs[0] is not None:
            return self.null(node.inputs[0])  # whatever chooses elements: none of them is 0 on a volume
        if operator_name(node) == "Mul":
            sides = [self.null(v) for v in node.inputs if v is not None]
            return None if None in sides else frozenset().union(*(s for s in sides if s is not None))
        return None

    def polynomial(self, value: ir.Value, seen: dict[ir.Value, frozenset[str] | None]) -> frozenset[str] | None:
        """The weights of which each element of `value` is a polynomial; None where one may be something else."""
        if value not in seen:
            seen[value] = None  # also where it is asked for again on the way
            seen[value] = self._polynomial(value, seen) if len(seen) <= MOST_NODES else None
        return seen[value]

    def _polynomial(self, value: ir.Value, seen: dict[ir.Value, frozenset[str] | None]) -> frozenset[str] | None:
        node, assumed = value.producer(), self.assumed.get(value.name or "")
        if node is None:
            if assumed is not None:
                return frozenset({assumed.name}) if _moves(value, assumed) else None
            return None if value.const_value is None or value.is_graph_input() else frozenset()
        traits = traits_of(node)
        bodies = any(a.type is ir.AttributeType.GRAPH for a in node.attributes.values())
        if node.domain not in ("", "ai.onnx") or bodies or traits & (RANDOM | IMPURE | STATEFUL):
            return None
        if traits & CONSTANT:
            return frozenset()
        found = [self.polynomial(v, seen) for v in node.inputs if v is not None]
        if traits & (IDENTITY | SELECTS):  # chosen by constants: which elements meet in a sum is known
            return found[0] if found and not any(names is None or names for names in found[1:]) else None
        if None in found:
            return None
        names = frozenset().union(*(n for n in found if n is not None))
        whole = traits & (LINEAR | POLYNOMIAL) or (operator_name(node) == "Pow" and _whole_power(node))
        return names if whole or (found and not names) else None

    def nowhere_zero(self, value: ir.Value, names: list[str]) -> bool:
        """Whether no element of `value` is 0 at the weights' initial values, nor at random ones."""
        main = self.graph.graph
        leaves = [v for v in (*main.initializers.values(), *main.inputs) if v.name in names]
        initial = {v.name or "": v.const_value.numpy() for v in leaves if v.const_value is not None}
        if set(initial) != set(names) or sum(a.size for a in initial.values()) > MOST_ELEMENTS:
            return False
        try:
            run = _TwicePrecise.of(self.graph, leaves, value)
            started = np.where(run.exact(initial) != 0, run.values(initial), 0.0)
            rng, certain = np.random.default_rng(0), np.zeros(started.shape, int)
            for _ in range(SAMPLES):
                drawn = {n: self._drawn(n, initial[n].shape, rng) for n in names}
                certain += run.nonzero(drawn)
        except Exception:  # the reference implementation refuses the slice: nothing is known
            return False
        return bool(started.size) and bool((started != 0).all() and (certain >= SAMPLES - OUTLIERS).all())

    def _drawn(self, name: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        stated = self.assumed[name].range
        drawn: np.ndarray = rng.uniform(stated.lo, stated.hi, shape).astype(np.float32)
        return drawn


def _moves(value: ir.Value, assumed: Assumption) -> bool:
    """Whether training moves a weight, of single or double precision, within a finite range."""
    ends = assumed.range
    finite = bool(np.isfinite(ends.lo) and np.isfinite(ends.hi))
    return assumed.role is Role.PARAMETER and value.dtype in PRECISIONS and finite and ends.lo < ends.hi


def _whole_power(node: ir.Node) -> bool:
    power = constant_array(node.inputs[1])
    return power is not None and bool(((power >= 0) & (power % 1 == 0)).all())


@dataclass(frozen=True)
class _TwicePrecise:
    """A slice of the graph that computes one value, in single and in double precision, on ONNX's reference.

    What single precision does not spoil double precision does not: of weights that have it both are computed as well.
    """

    single: ir.Model
    double: ir.Model

    @classmethod
    def of(cls, graph: Graph, leaves: Sequence[ir.Value], value: ir.Value) -> _TwicePrecise:
        models = []
        for kind in PRECISIONS:
            model = standing_alone(graph, ir.convenience.extract(graph.graph, list(leaves), [value]))
            _retype(model.graph, kind)
            models.append(model)
        return cls(*models)

    def values(self, feeds: Mapping[str, np.ndarray]) -> np.ndarray:
        return _result(self.single, {n: a.astype(np.float32) for n, a in feeds.items()})

    def exact(self, feeds: Mapping[str, np.ndarray]) -> np.ndarray:
        return _result(self.double, {n: a.astype(np.float64) for n, a in feeds.items()})

    def nonzero(self, feeds: Mapping[str, np.ndarray]) -> np.ndarray:
        """Where the value is not 0 and far larger than what rounding does to it; `feeds` are of single precision."""
        rounded = self.values(feeds).astype(np.float64)
        exact = self.exact(feeds)
        if exact.dtype != np.float64 or exact.shape != rounded.shape:
            return np.zeros(rounded.shape, bool)
        clear = (rounded != 0) & np.isfinite(rounded) & (np.abs(exact) > FAR * np.abs(rounded - exact))
        return np.asarray(clear)


def _result(model: ir.Model, feeds: Mapping[str, np.ndarray]) -> np.ndarray:
    from onnx.reference import ReferenceEvaluator

    with np.errstate(all="ignore"):
        (found,) = ReferenceEvaluator(ir.to_proto(model)).run(None, dict(feeds))
    return np.asarray(found)


def _retype(graph: ir.Graph, kind: ir.DataType) -> None:
    """Gives floating-point constants and declared types one precision; types are shared with the whole graph."""
    for value in (*graph.inputs, *graph.initializers.values(), *(o for n in graph for o in n.outputs)):
        if value.dtype in PRECISIONS:
            value.type = ir.TensorType(kind)
    for value in graph.initializers.values():
        held = value.const_value
        if held is not None and held.dtype in PRECISIONS:
            value.const_value = ir.tensor(held.numpy().astype(kind.numpy()), name=value.name)
    for node in graph:
        stated = constant_array(node.outputs[0]) if traits_of(node) & CONSTANT else None
        if stated is not None and stated.dtype in (np.float32, np.float64):
            node.attributes.clear()
            node.attributes["value"] = ir.AttrTensor("value", ir.tensor(stated.astype(kind.numpy())))
