"""How fast values grow with what a model is given: the degree of a product of products, doublings of a sum.

A network that multiplies an input by weights, layer by layer, has the degree 1 in it, however deep. A state that is
squared, or multiplied by what was computed from it, has twice the degree after each step.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Set

import onnx_ir as ir

from analyzer.graph import Graph
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.operators.declaration import CONTRACTION, ELEMENTWISE, LINEAR, SELECTION
from analyzer.operators.registry import traits_of

BOUNDED_BELOW = 1e4  # a value that keeps below it starts anew: behind a softmax, a normalisation, a clamp
# A factor that keeps below it, such as a sigmoid or the 6 of a hard swish, is like a weight: it adds no degree.
GATE = 8.0
EXPONENTIAL = 8  # as a degree
DOUBLINGS = 16
Growth = tuple[float, int]  # degree, doublings


def exponential(graph: Graph, values: Mapping[ir.Value, object]) -> frozenset[ir.Node]:
    """The nodes of the main graph whose results grow exponentially with its inputs."""
    known: dict[ir.Value, Growth] = dict.fromkeys(graph.graph.inputs, (1.0, 0))
    gates: set[ir.Value] = set()
    found = set()
    for node in graph.graph:
        degree, doublings = _grown(node, known, gates)
        if degree >= EXPONENTIAL or doublings >= DOUBLINGS:
            found.add(node)
        for made in node.outputs:
            abstract = values.get(made)
            largest = max(-abstract.low, abstract.high) if isinstance(abstract, AbstractTensor) else math.inf
            known[made] = (min(degree, 1.0), 0) if largest <= BOUNDED_BELOW else (degree, doublings)
            if largest <= GATE:
                gates.add(made)
    return frozenset(found)


def _grown(node: ir.Node, known: Mapping[ir.Value, Growth], gates: Set[ir.Value]) -> Growth:
    given = [known.get(v, (0.0, 0)) for v in node.inputs if v is not None]
    degree, doublings = max((d for d, _ in given), default=0.0), max((n for _, n in given), default=0)
    traits = traits_of(node)
    if len(given) == 2 and traits & (ELEMENTWISE | CONTRACTION) and not traits & SELECTION:
        if not traits & LINEAR:
            kept = [known.get(v, (0.0, 0))[0] for v in node.inputs if v is not None and v not in gates]
            degree = sum(kept) if kept else given[0][0] + given[1][0]
        elif node.inputs[0] is node.inputs[1]:
            doublings += degree > 0
    return degree, doublings
