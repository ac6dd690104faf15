"""Whether ordinary training brings a failure about: several short runs of the model's own losses.

A failure that rests on weights far from where training starts is weighed against them. They differ in optimizer, rate,
seed and data: inputs like the example and large ones, targets of 0, new ones each step or one batch. The policy is the
same for every engine; what one step computes is the engine's (`torch_training`, `tensorflow_training`).
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from analyzer.numerical.confirm.extract import Leaf
from analyzer.numerical.confirm.nearby import drawn_anew
from analyzer.numerical.confirm.outcome import Training
from analyzer.numerical.confirm.points import LARGE, ordinary_points, usual
from analyzer.numerical.confirm.position import weights_of
from analyzer.numerical.confirm.problem import Point, SearchProblem
from analyzer.numerical.confirm.trials import Trials

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


class NoBatch(Exception):
    """Numbers that are no batch of the model: they index outside of its table."""


@dataclass(frozen=True)
class Step:
    """What one step shows: whether the operator under suspicion fails, and the gradients of the weights that the
    losses depend on, empty where one or the loss is not finite."""

    fails: bool
    gradients: Mapping[str, Any]


class Trainer(Protocol):
    """One engine's steps of a model with losses, at points whose values are its own kind of tensor."""

    @property
    def problem(self) -> SearchProblem: ...

    @property
    def trials(self) -> Trials: ...

    def step(self, state: Point) -> Step:
        """What a step computes at these values. Raises `NoBatch`."""


@dataclass(frozen=True)
class TrainingTask:
    """A run to be made; `anew`: from other weights than the initial ones, drawn as those were."""

    trainer: Trainer
    plan: Plan
    witness: Mapping[str, Any]
    seed: int
    anew: bool = False


@dataclass(frozen=True)
class TrainingRun:
    """A run after `steps`: whether it tells something, and whether the operator failed."""

    steps: int
    told: bool
    failed: bool = False


def trained(trainer: Trainer, witness: Mapping[str, Any], seed: int) -> Training:
    """Short runs of the model's losses, until the operator under suspicion fails in steps of two of them: the same
    with other weights, drawn as the initial ones, and other data, or another plan's."""
    began, runs, once = time.process_time(), 0, ""
    step = SECONDS / len(PLANS) / LEAST  # seconds that one took last
    for number, plan in enumerate(PLANS):
        now = time.process_time()
        left = SECONDS - (now - began)
        if (ENOUGH - runs) * LEAST * step > left and number:
            break  # a model too large for as many runs as would tell something, or no time for another
        share = max(left / (len(PLANS) - number), 1.2 * LEAST * step)
        task = TrainingTask(trainer, plan, witness, seed + 1000 * number)
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
    plan, trials = task.plan, task.trainer.trials
    weights = {x.name: x for x in trained_weights(task.trainer.problem)}
    (start,) = ordinary_points(task.trainer.problem, task.seed, 1, trials.made)
    if task.anew:
        start |= drawn_anew(trials, np.random.default_rng(task.seed))
    state, update, done = dict(start), _optimizer(plan), 0
    for step, batch in enumerate(itertools.islice(_batches(task), STEPS), 1):
        if time.process_time() > deadline:
            break
        state.update(batch)
        try:
            shown = task.trainer.step(state)
        except NoBatch:
            break
        if shown.fails:
            return TrainingRun(step, True, True)
        new = {name: update(name, state[name], gradient, step) for name, gradient in shown.gradients.items()}
        if not new or any(_leaps(weights[name], state[name], value) for name, value in new.items()):
            break  # another operator fails, or the run diverges
        state.update(new)
        done = step
    return TrainingRun(done, done >= LEAST)


def _batches(task: TrainingTask) -> Iterator[Point]:
    """Inputs for every step, and the draws of random operators."""
    plan, trials = task.plan, task.trainer.trials
    weights = {x.name for x in weights_of(task.trainer.problem)}
    data = [x for x in task.trainer.problem.leaves if x.name not in weights]
    seen = {x.name: trials.numbers(task.witness[x.name]) for x in data if x.floating and x.name in task.witness}
    sizes = {name: max(LARGE, float(np.abs(numbers).max())) for name, numbers in seen.items() if numbers.size}
    numbers = sorted((x for x in data if x.role == "input" and x.floating), key=lambda x: -math.prod(x.shape))
    blank = numbers[1:] if plan.blank else []
    first: Point = {}
    for step in itertools.count(task.seed):
        rng = np.random.default_rng(step)
        fresh = {x.name: trials.made(x, usual(x, rng, sizes.get(x.name, LARGE) if plan.large else 0.0)) for x in data}
        fresh |= {x.name: trials.made(x, 0.0) for x in blank}
        if plan.single:
            first = first or fresh
            fresh |= {x.name: first[x.name] for x in data if x.role == "input"}
        yield fresh


def trained_weights(problem: SearchProblem) -> list[Leaf]:
    """The weights that have a gradient in training."""
    return [x for x in weights_of(problem) if x.trained]


def _optimizer(plan: Plan) -> Update:
    """Plain SGD, or Adam with its usual constants."""
    means: Point = {}
    squares: Point = {}

    def adam(name: str, value: Any, gradient: Any, step: int) -> Any:
        means[name] = 0.9 * means.get(name, 0.0) + 0.1 * gradient
        squares[name] = 0.999 * squares.get(name, 0.0) + 0.001 * gradient * gradient
        mean, square = means[name] / (1 - 0.9**step), squares[name] / (1 - 0.999**step)
        return value - plan.rate * mean / (square**0.5 + 1e-8)

    def descent(name: str, value: Any, gradient: Any, step: int) -> Any:
        return value - plan.rate * gradient

    return adam if plan.optimizer == "Adam" else descent


def _leaps(weight: Leaf, value: Any, new: Any) -> bool:
    """Whether a single step goes further than the weight's range is wide: such a run diverges, whatever it computes.

    Ranges around small constants are narrower than ordinary steps.
    """
    return bool((abs(new - value) > max(weight.hi - weight.lo, LEAP)).any())
