"""How fast values grow with what a model is given: the degree of a product of products, doublings of a sum.

A network that multiplies an input by weights, layer by layer, has the degree 1 in it, however deep. A state that is
squared, or multiplied by what was computed from it, has twice the degree after each step.
"""

from __future__ import annotations

from collections.abc import Mapping

import onnx_ir as ir

from analyzer.graph import Graph
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.operators.declaration import CONTRACTION, ELEMENTWISE, LINEAR, SELECTION
from analyzer.operators.registry import traits_of

BOUNDED_BELOW = 1e4  # a value that keeps below it starts anew: behind a softmax, a normalisation, a clamp
EXPONENTIAL = 8  # as a degree
DOUBLINGS = 16
Growth = tuple[float, int]  # degree, doublings


def exponential(graph: Graph, values: Mapping[ir.Value, object]) -> frozenset[ir.Node]:
    """The nodes of the main graph whose results grow exponentially with its inputs."""
    known: dict[ir.Value, Growth] = dict.fromkeys(graph.graph.inputs, (1.0, 0))
    found = set()
    for node in graph.graph:
        degree, doublings = _grown(node, known)
        if degree >= EXPONENTIAL or doublings >= DOUBLINGS:
            found.add(node)
        for made in node.outputs:
            abstract = values.get(made)
            small = isinstance(abstract, AbstractTensor) and max(-abstract.low, abstract.high) <= BOUNDED_BELOW
            known[made] = (min(degree, 1.0), 0) if small else (degree, doublings)
    return frozenset(found)


def _grown(node: ir.Node, known: Mapping[ir.Value, Growth]) -> Growth:
    given = [known.get(v, (0.0, 0)) for v in node.inputs if v is not None]
    degree, doublings = max((d for d, _ in given), default=0.0), max((n for _, n in given), default=0)
    traits = traits_of(node)
    if len(given) == 2 and traits & (ELEMENTWISE | CONTRACTION) and not traits & SELECTION:
        if not traits & LINEAR:
            degree = given[0][0] + given[1][0]
        elif node.inputs[0] is node.inputs[1]:
            doublings += degree > 0
    return degree, doublings
