"""What needs no gradient, in TensorFlow alone: probes, what a witness reaches, how far a repair moves results.

A finding of a TensorFlow graph then loads one engine. What is not found or decided here is left to the search in torch.
For the worker process only.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.numerical.confirm import backends
from analyzer.numerical.confirm.extract import Leaf
from analyzer.numerical.confirm.points import array_of, ordinary_points, probes_from, starts_of
from analyzer.numerical.confirm.position import Witness, weights_of, witnesses
from analyzer.numerical.confirm.problem import Point, SearchProblem
from analyzer.numerical.confirm.tensorflow_graph import EVENT, TensorFlowProgram, Watch
from analyzer.numerical.confirm.torch_evaluation import reads_numbers
from analyzer.numerical.confirm.trials import RunVerdict, Trials
from analyzer.numerical.nesting import bodies

DRAWS = 2  # of what a witness leaves open: the other inputs and weights
Search = Callable[[Trials, int, float], Iterator[Witness]]  # seed, deadline
PLAIN = ("FLOAT", "DOUBLE", "FLOAT16", "INT64", "INT32", "INT16", "INT8", "UINT8", "BOOL")  # NumPy has them too


def program_of(problem: SearchProblem, like: Point) -> TensorFlowProgram:
    """The slice as a graph that tells of its operator's failure."""
    watch = Watch(problem.outputs[0], problem.infinite) if problem.inside else None
    ends = problem.ends if problem.backward else ()
    return TensorFlowProgram(problem.model, like, (problem.operands, problem.outputs), ends, watch)


def failure(problem: SearchProblem, run: backends.ConcreteRun, leaves: Mapping[str, np.ndarray]) -> str | None:
    """One sentence if the operator failed first in a run."""
    if problem.backward:
        return backends.gradient_failure(run, problem.ends)
    if problem.inside:
        return backends.event_failure(run, EVENT)
    found = backends.forward_failure(run, problem.operands, problem.outputs, leaves, problem.infinite)
    values, infinite = {**leaves, **run.results}, bool(problem.infinite)
    if found is not None and backends.earlier_failure(problem.model, values, problem.outputs, infinite):
        return None
    return found


@dataclass(frozen=True)
class TensorFlowTrials:
    """Points of a problem as arrays, tried in TensorFlow; the candidates are probes."""

    problem: SearchProblem
    program: TensorFlowProgram
    searched: tuple[Leaf, ...]
    fixed: Mapping[str, np.ndarray]

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        return self.searched

    def made(self, leaf: Leaf, array: Any) -> np.ndarray:
        return array_of(leaf, array)

    def numbers(self, value: Any) -> np.ndarray:
        return np.asarray(value, np.float64)

    def verdict(self, point: Point, *, exactly: bool = False) -> RunVerdict:
        """What is no point of the model (an index outside its table) makes TensorFlow raise."""
        import tensorflow as tf

        leaves = {**self.fixed, **point}
        try:
            run = self.program.run(leaves)
        except tf.errors.OpError:
            return RunVerdict.HOLDS
        return RunVerdict.FAILS if failure(self.problem, run, leaves) else RunVerdict.HOLDS

    def candidates(self, seed: int, deadline: float) -> Iterator[Point]:
        rng = np.random.default_rng(seed)
        starts = list(starts_of(self.leaves, rng, array_of))
        for point in probes_from(self.problem, starts[0], rng, array_of, self.leaves):
            if time.process_time() > deadline:
                return
            if self.verdict(point) is RunVerdict.FAILS:
                yield point

    def narrowed(self, leaves: tuple[Leaf, ...], fixed: Point) -> TensorFlowTrials:
        return TensorFlowTrials(self.problem, self.program, leaves, {**self.fixed, **fixed})


def found(problem: SearchProblem, seed: int, deadline: float, sought: Search = witnesses) -> Iterator[Witness]:
    """Failing points in general position among the probes."""
    if any(leaf.dtype not in PLAIN for leaf in problem.leaves):
        return
    (like,) = ordinary_points(problem, seed, 1, array_of)
    with program_of(problem, like) as program:
        trials = TensorFlowTrials(problem, program, problem.leaves, {})
        for witness in sought(trials, seed, deadline):
            if not witness.exact:
                yield witness


def reached(problem: SearchProblem, witness: Mapping[str, np.ndarray], seed: int, forward: bool) -> str:
    """What the failure reaches in the whole model, or an empty string where TensorFlow does not show it.

    The same as `consequences.reached`; `forward`: an operator must fail on the way forward.
    """
    (like,) = ordinary_points(problem, seed, 1, array_of)
    names = {x.name for x in weights_of(problem)} or {x.name for x in problem.leaves}
    ends = problem.losses or problem.results
    infinite = bool(problem.infinite)
    with TensorFlowProgram(problem.model, like, ((), ()), ends if problem.backward else ()) as program:
        for calm in ordinary_points(problem, seed, DRAWS, array_of):
            point = {**calm, **{n: a for n, a in witness.items() if n in calm}}
            before, run = program.run(calm), program.run(point)
            values = {**point, **run.results}
            if forward and backends.earlier_failure(problem.model, values, (), infinite) is None:
                return ""
            healthy = backends.earlier_failure(problem.model, {**calm, **before.results}, (), infinite) is None
            for name in dict.fromkeys((*problem.results, *problem.losses)):
                # infinities are meant only where none comes of a failure in an ordinary run
                meant = healthy and name in before.results and not backends.all_finite(before.results[name])
                if name in run.results and not backends.all_finite(run.results[name], meant):
                    return f"`{name}` is not finite"
            decided = next((n for n in problem.model.graph if _decides(n, values)), None)
            if decided is not None:
                return f"`{decided.name or decided.op_type}` decides on NaN"
            trained = (a for n, a in run.gradients.items() if n in names)
            if problem.backward and not all(backends.all_finite(a) for a in trained):
                return "a gradient that training computes is not finite"
    return ""


def _decides(node: ir.Node, values: Mapping[str, np.ndarray]) -> bool:
    """Whether a comparison, cast or argmax reads NaN; bodies are left out."""
    made = values.get(node.outputs[0].name or "") if node.outputs else None
    if made is None or made.dtype.kind not in "iub" or not reads_numbers(node) or bodies(node):
        return False
    names = (v.name or "" for v in node.inputs if v is not None)
    given = [values[name] for name in names if name in values]
    numbers = [a for a in given if a.dtype.kind == "f"]
    if node.op_type == "Equal" and any(a.size == 1 and np.isinf(a).all() for a in numbers):
        return False  # asks for an infinity
    return any(bool(np.isnan(a).any()) for a in numbers)


def moved(problem: SearchProblem, changed: ir.Model, result: str, seed: int) -> float | None:
    """How far a changed slice moves the first result of ordinary inputs, relative to 1 + |result|."""
    points = list(ordinary_points(problem, seed, 8, array_of))
    furthest = None
    none: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    with TensorFlowProgram(problem.model, points[0], none) as one, TensorFlowProgram(changed, points[0], none) as other:
        for point in points:
            first = np.asarray(one.run(point).results[problem.results[0]], np.float64)
            second = np.asarray(other.run(point).results[result], np.float64)
            if first.shape != second.shape:
                return None
            both = np.isfinite(first) & np.isfinite(second)
            if both.any():
                change = float((np.abs(first - second) / (1 + np.abs(first)))[both].max())
                furthest = change if furthest is None else max(furthest, change)
    return furthest
