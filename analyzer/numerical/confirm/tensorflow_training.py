"""The steps of short training runs in TensorFlow, with its own gradients. For the worker process only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.numerical.confirm import backends
from analyzer.numerical.confirm.extract import find_value
from analyzer.numerical.confirm.outcome import Training
from analyzer.numerical.confirm.points import array_of, ordinary_points
from analyzer.numerical.confirm.problem import Point, SearchProblem
from analyzer.numerical.confirm.tensorflow_graph import TensorFlowProgram
from analyzer.numerical.confirm.tensorflow_search import PLAIN, TensorFlowTrials
from analyzer.numerical.confirm.training import NoBatch, Step, trained, trained_weights


@dataclass(frozen=True)
class TensorFlowTrainer:
    """A whole model as one graph; under suspicion is the operator of these operands and results."""

    problem: SearchProblem
    program: TensorFlowProgram
    operands: tuple[str, ...]
    results: tuple[str, ...]

    @property
    def trials(self) -> TensorFlowTrials:
        return TensorFlowTrials(self.problem, self.program, self.problem.leaves, {})

    def step(self, state: Point) -> Step:
        import tensorflow as tf

        weights = [x.name for x in trained_weights(self.problem)]
        shown = (*self.problem.losses, *self.operands, *self.results)
        try:
            run = self.program.run_for(state, shown, weights)
            if run.sound and _finite({**run.results, **run.gradients}):
                return Step(False, run.gradients)
            every = self.program.run(state).results
        except tf.errors.OpError as error:
            raise NoBatch from error
        lossy = not _finite({n: a for n, a in every.items() if n in self.problem.losses})
        if self._fails({**state, **every}, run, lossy):
            return Step(True, {})
        return Step(False, {} if lossy or not _finite(run.gradients) else run.gradients)

    def _fails(self, values: Mapping[str, np.ndarray], run: backends.ConcreteRun, lossy: bool) -> bool:
        """Whether the operator fails by itself, or its gradient is the first not to be finite."""
        if backends.forward_failure(run, self.operands, self.results, values, self.problem.infinite) is not None:
            return True
        if lossy or not self.problem.backward or not self.program.sees_gradient or not run.own:
            return False
        return backends.earlier_failure(self.problem.model, values, self.results) is None


@contextmanager
def trainer_of(problem: SearchProblem, watched: str, seed: int) -> Iterator[TensorFlowTrainer | None]:
    """None for an operator inside a body, whose gradients are not seen from outside, and for narrow floating types."""
    value = find_value(problem.model.graph, watched)
    node = value.producer() if value is not None else None
    if node is None or any(leaf.dtype not in PLAIN for leaf in problem.leaves):
        yield None
        return
    operands, results = _named(node.inputs), _named(node.outputs)
    (like,) = ordinary_points(problem, seed, 1, array_of)
    with TensorFlowProgram(problem.model, like, (operands, results), problem.losses) as program:
        yield TensorFlowTrainer(problem, program, operands, results)


def trained_in_tensorflow(
    problem: SearchProblem, witness: Mapping[str, Any], watched: str, seed: int
) -> Training | None:
    """What short runs show; None where TensorFlow does not tell."""
    with trainer_of(problem, watched, seed) as trainer:
        return trained(trainer, witness, seed) if trainer is not None else None


def _named(values: Iterator[ir.Value | None] | Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(v.name for v in values if v is not None and v.name))


def _finite(arrays: Mapping[str, np.ndarray]) -> bool:
    return all(backends.all_finite(np.asarray(a)) for a in arrays.values())
