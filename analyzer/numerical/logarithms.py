"""``log1p`` as PyTorch computes it: its exporter writes ``log(1 + x)``, which rounds to 0 for small x.

A quotient by such a logarithm fails in the export alone. While an analysis lasts, what the exporter notes as a call of
``log1p`` is that call again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import onnx_ir as ir

from analyzer.graph import Graph
from analyzer.graph.model import FX_NODE
from analyzer.numerical.constants import constant_array

CALL = "target=torch.ops.aten.log1p.default"
DOMAIN, NAME = "torch.aten", "log1p"


@contextmanager
def own_logarithms(graph: Graph) -> Iterator[None]:
    """The graph's logarithms of 1 + x as calls of ``log1p``, where they were that."""
    found = [(n, x) for n in graph.nodes() if n.op_type == "Log" and (x := _shifted(n)) is not None]
    sums = [node.inputs[0] for node, _ in found]
    for node, x in found:
        node.domain, node.op_type = DOMAIN, NAME
        node.replace_input_with(0, x)
    try:
        yield
    finally:
        for (node, _), total in zip(found, sums, strict=True):
            node.domain, node.op_type = "", "Log"
            node.replace_input_with(0, total)


def _shifted(node: ir.Node) -> ir.Value | None:
    """The x of a logarithm of 1 + x that stands for a call of ``log1p``."""
    given = node.inputs[0] if node.inputs else None
    total = given.producer() if given is not None else None
    if CALL not in node.metadata_props.get(FX_NODE, "") or total is None or total.op_type != "Add":
        return None
    for x, one in (total.inputs, total.inputs[::-1]):
        number = constant_array(one)
        if x is not None and number is not None and number.size == 1 and float(number.reshape(-1)[0]) == 1:
            return x
    return None
