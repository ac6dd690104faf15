"""Whether ordinary training brings a failure about: several short runs of the model's own losses, in torch.

A failure that rests on weights far from where training starts is weighed against them. They differ in optimizer, rate,
seed and data: inputs like the example and large ones, targets of 0, new ones each step or one batch.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analyzer.numerical.confirm.consequences import total_of
from analyzer.numerical.confirm.extract import Leaf
from analyzer.numerical.confirm.nearby import drawn_anew
from analyzer.numerical.confirm.objective import failed
from analyzer.numerical.confirm.outcome import Training
from analyzer.numerical.confirm.points import LARGE, ordinary_points, tensor_of, usual
from analyzer.numerical.confirm.position import weights_of
from analyzer.numerical.confirm.problem import Point, SearchProblem
from analyzer.numerical.confirm.search import TorchTrials, first_to_fail
from analyzer.numerical.confirm.torch_evaluation import OperatorTrace, finite, run
from analyzer.numerical.confirm.torch_registry import Mode

STEPS = 400
LEAST = 40  # steps of a run that tells something
LEAP = 1.0  # a step that is none of an ordinary run
ENOUGH = 4  # such runs; with fewer it is as if training had not been tried
AGAIN = 3  # other seeds with which a run that fails is repeated; what one alone shows is that one's luck
SECONDS = 8.0  # of processor time for all runs of one finding

REPEATED = 1_000_000  # between the seeds of a run and of the same again

Update = Callable[[str, Any, Any, int], Any]  # name, value, gradient, number of the step -> the new value


@dataclass(frozen=True)
class Plan:
    """One run: `large` inputs are of size 100, or as large as those of the witness; with a `single` batch all steps see
    the same; `blank`: all inputs but the largest, targets among them, are 0.
    """

    optimizer: str
    rate: float
    large: bool = False
    single: bool = False
    blank: bool = False

    def __str__(self) -> str:
        data = "large inputs" if self.large else "ordinary inputs"
        data = f"{data} beside zeros" if self.blank else data
        return f"{self.optimizer}, rate {self.rate:g}, {'one batch of ' if self.single else ''}{data}"


PLANS = (
    Plan("Adam", 0.01),
    Plan("Adam", 0.1, large=True),
    Plan("SGD", 0.01, single=True),
    Plan("Adam", 0.1, single=True),
    Plan("SGD", 0.1),
    Plan("Adam", 0.01, large=True, single=True),
    Plan("SGD", 0.001, large=True),
    Plan("Adam", 0.001, large=True, single=True),
    Plan("Adam", 0.1, large=True, single=True),
    Plan("Adam", 0.01, large=True),
    Plan("SGD", 0.01, large=True, single=True),
    Plan("Adam", 0.1),
    Plan("Adam", 0.1, blank=True),
    Plan("Adam", 0.01, large=True, blank=True),
)


@dataclass(frozen=True)
class TrainingTask:
    """A run to be made; `anew`: from other weights than the initial ones, drawn as those were."""

    problem: SearchProblem
    plan: Plan
    witness: Mapping[str, Any]
    watched: str
    seed: int
    anew: bool = False


@dataclass(frozen=True)
class TrainingRun:
    """A run after `steps`: whether it tells something, and whether the operator failed."""

    steps: int
    told: bool
    failed: bool = False


def trained(problem: SearchProblem, witness: Mapping[str, Any], watched: str, seed: int) -> Training:
    """Short runs of the whole model's losses, until the operator whose first result is `watched` fails in steps of two
    of them: the same with other weights, drawn as the initial ones, and other data, or another plan's."""
    began, runs, once = time.process_time(), 0, ""
    step = SECONDS / len(PLANS) / LEAST  # seconds that one took last
    for number, plan in enumerate(PLANS):
        now = time.process_time()
        left = SECONDS - (now - began)
        if (ENOUGH - runs) * LEAST * step > left and number:
            break  # a model too large for as many runs as would tell something, or no time for another
        share = max(left / (len(PLANS) - number), 1.2 * LEAST * step)
        task = TrainingTask(problem, plan, witness, watched, seed + 1000 * number)
        ended = run_of(task, now + min(left, share))
        step = (time.process_time() - now) / max(1, ended.steps)
        runs += ended.told
        if ended.failed:
            shown = f"{plan}: step {ended.steps}"
            if once or any(run_of(other, began + SECONDS).failed for other in repeated(task)):
                return Training(once or shown, runs)
            once = shown
    return Training("", runs, once)


def repeated(task: TrainingTask) -> Iterator[TrainingTask]:
    """The same run from other weights, with other data."""
    for number in range(1, AGAIN + 1):
        yield replace(task, seed=task.seed + REPEATED * number, anew=True)


def run_of(task: TrainingTask, deadline: float) -> TrainingRun:
    problem, plan = task.problem, task.plan
    weights = {x.name: x for x in _trained(problem)}
    (start,) = ordinary_points(problem, task.seed, 1)
    if task.anew:
        start |= drawn_anew(TorchTrials(problem), np.random.default_rng(task.seed))
    state, update, done = dict(start), _optimizer(plan), 0
    for step, batch in enumerate(itertools.islice(_batches(problem, plan, task.witness, task.seed), STEPS), 1):
        if time.process_time() > deadline:
            break
        state.update(batch)
        leaves = _leaves(problem, state)
        trace = OperatorTrace(task.watched)
        try:
            values = run(problem.program, leaves, Mode(surrogate=False), trace)
        except IndexError:
            break  # large numbers that index a table: no batch of the model
        if _fails(problem, values, trace):
            return TrainingRun(step, True, True)
        gradients = _gradients(total_of(values, problem.losses), {n: leaves[n] for n in weights})
        new = {name: update(name, state[name], gradient, step) for name, gradient in gradients.items()}
        if not new or any(_leaps(weights[name], state[name], value) for name, value in new.items()):
            break  # another operator fails, or the run diverges
        state.update(new)
        done = step
    return TrainingRun(done, done >= LEAST)


def _batches(problem: SearchProblem, plan: Plan, witness: Mapping[str, Any], seed: int) -> Iterator[Point]:
    """Inputs for every step, and the draws of random operators."""
    data = _data(problem)
    sizes = {n: max(LARGE, float(t.abs().max())) for n, t in witness.items() if t.numel() and t.is_floating_point()}
    numbers = sorted((x for x in data if x.role == "input" and x.floating), key=lambda x: -math.prod(x.shape))
    blank = numbers[1:] if plan.blank else []
    first: Point = {}
    for step in itertools.count(seed):
        rng = np.random.default_rng(step)
        fresh = {x.name: tensor_of(x, usual(x, rng, sizes.get(x.name, LARGE) if plan.large else 0.0)) for x in data}
        fresh |= {x.name: tensor_of(x, 0.0) for x in blank}
        if plan.single:
            first = first or fresh
            fresh |= {x.name: first[x.name] for x in data if x.role == "input"}
        yield fresh


def _trained(problem: SearchProblem) -> list[Leaf]:
    return [x for x in weights_of(problem) if x.trained]


def _data(problem: SearchProblem) -> tuple[Leaf, ...]:
    names = {x.name for x in weights_of(problem)}
    return tuple(x for x in problem.leaves if x.name not in names)


def _leaves(problem: SearchProblem, state: Point) -> Point:
    """The values of a step, of which the weights take gradients."""
    leaves = {n: t.detach().clone() for n, t in state.items()}
    for weight in _trained(problem):
        leaves[weight.name].requires_grad_(True)
    return leaves


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


def _optimizer(plan: Plan) -> Update:
    """Plain SGD, or Adam with its usual constants."""
    means: Point = {}
    squares: Point = {}

    def adam(name: str, value: Any, gradient: Any, step: int) -> Any:
        means[name] = 0.9 * means.get(name, 0.0) + 0.1 * gradient
        squares[name] = 0.999 * squares.get(name, 0.0) + 0.001 * gradient * gradient
        mean, square = means[name] / (1 - 0.9**step), squares[name] / (1 - 0.999**step)
        return value - plan.rate * mean / (square.sqrt() + 1e-8)

    def descent(name: str, value: Any, gradient: Any, step: int) -> Any:
        return value - plan.rate * gradient

    return adam if plan.optimizer == "Adam" else descent


def _leaps(weight: Leaf, value: Any, new: Any) -> bool:
    """Whether a single step goes further than the weight's range is wide: such a run diverges, whatever it computes.

    Ranges around small constants are narrower than ordinary steps.
    """
    return bool(((new - value).abs() > max(weight.hi - weight.lo, LEAP)).any())
