"""`Candidate`: one change worth trying, as nodes to build and as facts that the source rewriter needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import onnx_ir as ir

from analyzer.numerical.repair.builder import Builder

EQUAL = "equal in exact arithmetic"

Build = Callable[[Builder, ir.Node], ir.Value]


@dataclass(frozen=True)
class Candidate:
    """Replaces the result of `anchor`: the warned operator, or the end of a pattern around it.

    ``log(1 + exp(x))`` is mended at the logarithm, not at the exponential. `kind` names the change for the source
    rewriter, `number` is its constant, `position` the operand that it bounds. `effect` says which results it moves.
    """

    kind: str
    description: str
    anchor: ir.Node
    build: Build
    number: float = 0.0
    position: int = 0
    effect: str = EQUAL
