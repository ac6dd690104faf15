"""What a search is given: a slice, what it may choose, and which operator is to fail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import onnx_ir as ir

from analyzer.numerical.confirm.extract import Leaf
from analyzer.numerical.confirm.infinities import Infinities
from analyzer.numerical.confirm.torch_evaluation import OperatorTrace, PreparedModel, run
from analyzer.numerical.confirm.torch_registry import Mode

Point = dict[str, Any]  # leaf name -> torch tensor


@dataclass(frozen=True)
class SearchProblem:
    """A slice and what to drive the operator under suspicion to.

    `results` are the slice's own outputs: `outputs` itself, or those of the loop around an operator `inside` a body.
    """

    model: ir.Model
    leaves: tuple[Leaf, ...]
    operands: tuple[str, ...]
    outputs: tuple[str, ...]
    target: tuple[int, str]
    results: tuple[str, ...] = ()
    inside: bool = False
    backward: bool = False
    losses: tuple[str, ...] = ()
    flush: bool = False  # the engine that decides takes denormals for 0
    infinite: Infinities = Infinities.NONE
    far_below: float = 0.0  # a result that stays below it is far from too large; 0: its size tells nothing
    fixed: Mapping[str, Any] = field(default_factory=dict)  # values that are not searched; tensors by name

    @property
    def ends(self) -> tuple[str, ...]:
        """What to take the gradient of."""
        return self.losses or self.results or self.outputs

    @cached_property
    def paired(self) -> bool:
        """Whether several inputs are batches whose rows must differ."""
        return sum(leaf.unlike for leaf in self.leaves) > 1

    @cached_property
    def program(self) -> PreparedModel:
        """The slice with what does not depend on its leaves computed once."""
        return PreparedModel(self.model, (*(leaf.name for leaf in self.leaves), *self.fixed), self.outputs[0])

    def executions(self, point: Mapping[str, Any], mode: Mode) -> list[tuple[list[Any], list[Any]]]:
        """Operands and results of the operator, once for each time it runs."""
        return self.traced(point, mode).executions

    def traced(self, point: Mapping[str, Any], mode: Mode) -> OperatorTrace:
        """One run, with what the operator received and made."""
        trace = OperatorTrace(self.outputs[0], infinite=self.infinite)
        run(self.program, {**self.fixed, **point}, mode, trace)
        return trace

    def driven(self, point: Mapping[str, Any]) -> list[Any]:
        """The operand that the search drives, once for each time the operator runs."""
        index = self.target[0]
        found = self.executions(point, Mode(surrogate=False))
        return [made[0] if index < 0 or index >= len(given) else given[index] for given, made in found]

    def value(self, point: Mapping[str, Any], name: str) -> Any:
        """A value of the main graph."""
        return run(self.program, {**self.fixed, **point}, Mode(surrogate=False))[name]
