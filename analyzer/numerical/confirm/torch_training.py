"""The steps of short training runs in torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from analyzer.numerical.confirm.consequences import total_of
from analyzer.numerical.confirm.failing_gradients import first_to_fail
from analyzer.numerical.confirm.objective import failed
from analyzer.numerical.confirm.problem import Point, SearchProblem
from analyzer.numerical.confirm.search import TorchTrials
from analyzer.numerical.confirm.torch_evaluation import OperatorTrace, finite, run
from analyzer.numerical.confirm.torch_registry import Mode
from analyzer.numerical.confirm.training import NoBatch, Step, trained_weights


@dataclass(frozen=True)
class TorchTrainer:
    """A whole model, run operator by operator; under suspicion is the one whose first result is `watched`."""

    problem: SearchProblem
    watched: str

    @property
    def trials(self) -> TorchTrials:
        return TorchTrials(self.problem)

    def step(self, state: Point) -> Step:
        leaves = {n: t.detach().clone() for n, t in state.items()}
        weights = {x.name: leaves[x.name].requires_grad_(True) for x in trained_weights(self.problem)}
        trace = OperatorTrace(self.watched)
        try:
            values = run(self.problem.program, leaves, Mode(surrogate=False), trace)
        except IndexError as error:
            raise NoBatch from error
        if _fails(self.problem, values, trace):
            return Step(True, {})
        return Step(False, _gradients(total_of(values, self.problem.losses), weights))


def _fails(problem: SearchProblem, values: Mapping[str, Any], trace: OperatorTrace) -> bool:
    """Whether the watched operator fails by itself, or its gradient is the first not to be finite.

    It fails by itself where what it is given is finite, whatever else of the same value failed before.
    """
    if any(failed(given, made, problem.infinite) for given, made in trace.executions):
        return True
    if trace.earlier:
        return False
    total = total_of(values, problem.losses)
    if not problem.backward or total is None or not finite(total):
        return False
    return any(first_to_fail(total, given, made) for given, made in trace.executions)


def _gradients(total: Any, weights: Point) -> Point:
    """Of the weights that the loss depends on; empty where one is not finite."""
    import torch

    if total is None or not finite(total):
        return {}
    found = torch.autograd.grad(total, list(weights.values()), allow_unused=True)
    gradients = {n: g for n, g in zip(weights, found, strict=True) if g is not None}
    return gradients if all(finite(g) for g in gradients.values()) else {}
