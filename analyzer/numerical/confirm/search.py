"""Searches the leaves of a slice, inside their ranges, for values that make its last operator fail.

Cheap probes come first (corners, special values, constants), then signed gradient steps through the slice with the
surrogate gradients of `surrogate`, from several starts and over growing sets of leaves, then a bisection where an
operand changes its sign. Everything is evaluated in the model's own dtypes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.numerical.confirm.extract import Leaf
from analyzer.numerical.confirm.objective import EDGE, ZERO, failed, nearly, objective
from analyzer.numerical.confirm.torch_dtypes import torch_dtype
from analyzer.numerical.confirm.torch_evaluation import Trace, run
from analyzer.numerical.confirm.torch_registry import Mode

Point = dict[str, Any]  # leaf name -> torch tensor
SCALES = (2.0, 30.0, 1e3, 1e6, 1e18)  # how far an unbounded leaf is moved
STEPS = (1.0, 1.0, 0.5, 0.5, 0.25, 0.25, 0.1, 0.1, 0.05, 0.02)


@dataclass(frozen=True)
class Problem:
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
    infinite: bool = False  # the operand may hold infinities: only NaN counts

    @property
    def ends(self) -> tuple[str, ...]:
        """What to take the gradient of."""
        return self.losses or self.results or self.outputs

    def executions(self, point: Mapping[str, Any], mode: Mode) -> list[tuple[list[Any], list[Any]]]:
        """Operands and results of the operator, once for each time it runs."""
        return self.traced(point, mode).executions

    def traced(self, point: Mapping[str, Any], mode: Mode) -> Trace:
        """One run, with what the operator received and made."""
        trace = Trace(self.outputs[0], infinite=self.infinite)
        run(self.model, point, mode, trace)
        return trace

    def driven(self, point: Mapping[str, Any]) -> list[Any]:
        """The operand that the search drives, once for each time the operator runs."""
        index = self.target[0]
        found = self.executions(point, Mode(surrogate=False))
        return [made[0] if index < 0 or index >= len(given) else given[index] for given, made in found]


def candidates(problem: Problem, seed: int, deadline: float) -> Iterator[Point]:
    """Points at which the operator fails in torch; the caller runs each for real and may ask for the next.

    `deadline` is in seconds of this process's own time, so that a busy machine finds what an idle one does.
    """
    rng = np.random.default_rng(seed)
    seen: list[tuple[float, Point]] = []
    starts = list(_starts(problem.leaves, rng))

    def check(point: Point) -> bool:
        if problem.backward:
            return gradient_fails(problem, point)
        trace = problem.traced(point, Mode(surrogate=False))
        return not trace.earlier and any(
            failed(given, made, problem.infinite) or nearly(given, problem.target) for given, made in trace.executions
        )

    for point in _probes(problem, starts[0], rng):
        if time.process_time() > deadline:
            return
        if check(point):
            yield point
    if problem.backward and problem.target[1] in (ZERO, EDGE):
        # From calm points: where the layers behind the operator are saturated, no gradient reaches it at all.
        for start in [*ordinary_points(problem, seed, 2), *starts]:
            yield from _edges(problem, start, deadline)
    for scale in SCALES if any(_unbounded(leaf) for leaf in problem.leaves) else (1.0,):
        for movable in _stages(problem.leaves):
            for start in starts:
                if time.process_time() > deadline:
                    return
                for point, value in _descend(problem, start, movable, scale, deadline):
                    if check(point):
                        yield point
                        break
                    seen.append((value, point))
        if problem.target[1] == ZERO:
            crossed = _bisect(problem, [p for _, p in seen] + starts, deadline)
            if crossed is not None and check(crossed):
                yield crossed


def probes(problem: Problem, seed: int) -> Iterator[Point]:
    """The cheap points alone, unchecked."""
    rng = np.random.default_rng(seed)
    yield from _probes(problem, next(_starts(problem.leaves, rng)), rng)


def ordinary_points(problem: Problem, seed: int, count: int) -> Iterator[Point]:
    """What a healthy run sees: initial or small parameters, data within [-3, 3] as far as their ranges allow."""
    for i in range(count):
        rng = np.random.default_rng(seed + i)
        point = {}
        for leaf in problem.leaves:
            lo, hi = max(leaf.lo, -3.0), min(leaf.hi, 3.0)
            calm = replace(leaf, lo=lo, hi=hi) if lo <= hi and "INT" not in leaf.dtype else leaf
            point[leaf.name] = _tensor(leaf, _ordinary(calm, rng))
        yield point


def _unbounded(leaf: Leaf) -> bool:
    return not (np.isfinite(leaf.lo) and np.isfinite(leaf.hi))


def _tensor(leaf: Leaf, array: Any) -> Any:
    """`array` clipped into the leaf's range, in its dtype; rounding to the dtype never leaves the range."""
    import torch

    dtype = torch_dtype(leaf.dtype)
    array = np.clip(np.asarray(array, np.float64), leaf.lo, leaf.hi)
    tensor = torch.from_numpy(np.broadcast_to(array, leaf.shape).copy()).to(dtype)
    if dtype.is_floating_point:
        back = tensor.double()
        lo, hi = torch.tensor(leaf.lo).to(dtype), torch.tensor(leaf.hi).to(dtype)
        if np.isfinite(leaf.lo) and lo.double() < leaf.lo:
            lo = torch.nextafter(lo, torch.full_like(lo, np.inf))
        if np.isfinite(leaf.hi) and hi.double() > leaf.hi:
            hi = torch.nextafter(hi, torch.full_like(hi, -np.inf))
        if bool((back < leaf.lo).any()) or bool((back > leaf.hi).any()):
            tensor = torch.minimum(torch.maximum(tensor, lo), hi)
        tensor = torch.nan_to_num(tensor)
    return tensor


def _middle(leaf: Leaf) -> float:
    if not _unbounded(leaf):
        return (leaf.lo + leaf.hi) / 2
    return float(np.clip(0.0, leaf.lo, leaf.hi))


def _random(leaf: Leaf, rng: np.random.Generator) -> Any:
    if _unbounded(leaf):
        return rng.standard_normal(leaf.shape)
    if leaf.dtype in ("FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16"):
        return rng.uniform(leaf.lo, leaf.hi, leaf.shape)
    return rng.integers(int(np.ceil(leaf.lo)), int(np.floor(leaf.hi)) + 1, leaf.shape)


def _ordinary(leaf: Leaf, rng: np.random.Generator) -> Any:
    """What a first training step would see: the initial value, small weights, data anywhere in its range."""
    if leaf.initial is not None:
        return leaf.initial
    if leaf.role == "parameter":
        return _middle(leaf) + 0.05 * rng.standard_normal(leaf.shape)
    return _random(leaf, rng)


def _starts(leaves: Sequence[Leaf], rng: np.random.Generator) -> Iterator[Point]:
    yield {leaf.name: _tensor(leaf, _ordinary(leaf, rng)) for leaf in leaves}
    yield {leaf.name: _tensor(leaf, _random(leaf, rng)) for leaf in leaves}


def _probes(problem: Problem, ordinary: Point, rng: np.random.Generator) -> Iterator[Point]:
    """Ordinary values, each constant extreme for all leaves and for one leaf alone, and random corners.

    Then the model's own scalar constants: what it compares with, clips at and divides by.
    """
    leaves = problem.leaves
    yield ordinary
    extremes: list[Callable[[Leaf], Any]] = [
        lambda leaf: 0.0,
        lambda leaf: leaf.lo if np.isfinite(leaf.lo) else -1e4,
        lambda leaf: leaf.hi if np.isfinite(leaf.hi) else 1e4,
        _middle,
    ]
    for extreme in extremes:
        yield {leaf.name: _tensor(leaf, extreme(leaf)) for leaf in leaves}
    alone = sorted(leaves, key=lambda leaf: (leaf.role != "input", int(np.prod(leaf.shape))))[:12]
    for leaf in alone:
        for extreme in extremes[:3]:
            yield {**ordinary, leaf.name: _tensor(leaf, extreme(leaf))}
    for _ in range(4):
        corner = {}
        for leaf in leaves:
            low, high = extremes[1](leaf), extremes[2](leaf)
            corner[leaf.name] = _tensor(leaf, np.where(rng.random(leaf.shape) < 0.5, low, high))
        yield corner
    for number in special_values(problem):
        for leaf in alone[:6]:
            if leaf.lo <= number <= leaf.hi:
                yield {**ordinary, leaf.name: _tensor(leaf, number)}


def special_values(problem: Problem) -> list[float]:
    """Scalar constants of the slice and the edge that the operator itself has, at most a dozen."""
    found: dict[float, None] = {1.0: None, -1.0: None} if problem.target[1] == EDGE else {}
    for initializer in problem.model.graph.initializers.values():
        data = initializer.const_value
        if (
            data is not None
            and data.size == 1
            and initializer.dtype is not None
            and initializer.dtype.is_floating_point()
        ):
            found.setdefault(float(data.numpy().reshape(-1)[0]))
    for node in problem.model.graph:
        attribute = node.attributes.get("value")
        if node.op_type in ("Const", "Constant") and attribute is not None and hasattr(attribute.value, "numpy"):
            array = attribute.value.numpy()
            if array.size == 1 and array.dtype.kind == "f":
                found.setdefault(float(array.reshape(-1)[0]))
    return [n for n in found if np.isfinite(n)][:12]


def _stages(leaves: Sequence[Leaf]) -> list[tuple[Leaf, ...]]:
    """Inputs alone, parameters alone, all: a failure that needs less is the better witness."""
    floating = [leaf for leaf in leaves if "FLOAT" in leaf.dtype or leaf.dtype == "DOUBLE"]
    inputs = tuple(leaf for leaf in floating if leaf.role != "parameter")
    parameters = tuple(leaf for leaf in floating if leaf.role == "parameter")
    stages = [s for s in (inputs, parameters) if s]
    return [*stages, tuple(floating)] if len(stages) == 2 else stages


def _descend(
    problem: Problem, start: Point, movable: Sequence[Leaf], scale: float, deadline: float
) -> Iterator[tuple[Point, float]]:
    import torch

    point = dict(start)
    for step in STEPS:
        if time.process_time() > deadline:
            return
        leaves = {name: tensor.detach() for name, tensor in point.items()}
        for leaf in movable:
            leaves[leaf.name] = leaves[leaf.name].clone().requires_grad_(True)
        found = problem.executions(leaves, Mode(surrogate=True))
        if not found:
            return
        loss = torch.stack([objective(given, made[0], problem.target) for given, made in found]).min()
        if not loss.requires_grad:
            return
        gradients = torch.autograd.grad(loss, [leaves[m.name] for m in movable], allow_unused=True)
        moved = False
        for leaf, gradient in zip(movable, gradients, strict=True):
            if gradient is None or not bool((gradient != 0).any()):
                continue
            width = (2 * scale) if _unbounded(leaf) else leaf.hi - leaf.lo
            sign = torch.sign(torch.nan_to_num(gradient.double()))
            point[leaf.name] = _tensor(leaf, (point[leaf.name].double() - step * width * sign).numpy())
            moved = True
        if not moved:
            return
        yield dict(point), float(loss.detach())


def gradient_fails(problem: Problem, point: Mapping[str, Any]) -> bool:
    """Whether nothing fails on the way forward, and on the way back the operator's gradient is the first to do so.

    It must reach a leaf: behind a clip that has closed it does no harm.
    """
    import torch

    leaves = {name: tensor.detach().clone() for name, tensor in point.items()}
    for tensor in leaves.values():
        if tensor.is_floating_point():
            tensor.requires_grad_(True)
    trace = Trace(problem.outputs[0], infinite=problem.infinite)
    values = run(problem.model, leaves, Mode(surrogate=False), trace)
    ends = [values[n] for n in problem.ends if n in values]
    if trace.earlier or any(not bool(torch.isfinite(end).all()) for end in ends):
        return False
    total = sum(end.sum() for end in ends if end.is_floating_point())
    if not isinstance(total, torch.Tensor) or not total.requires_grad:
        return False
    floating = [t for t in leaves.values() if t.requires_grad]
    reached = torch.autograd.grad(total, floating, allow_unused=True, retain_graph=True)
    if all(g is None or bool(torch.isfinite(g).all()) for g in reached):
        return False
    return any(first_to_fail(total, given, made) for given, made in trace.executions)


def first_to_fail(total: Any, operands: Sequence[Any], results: Sequence[Any]) -> bool:
    """Whether the gradient reaches an operator's results finite and leaves it towards an operand not finite."""
    import torch

    tensors = [t for t in (*results, *operands) if isinstance(t, torch.Tensor) and t.requires_grad]
    found = torch.autograd.grad(total, tensors, allow_unused=True, retain_graph=True)
    behind = {id(t): g for t, g in zip(tensors, found, strict=True) if g is not None}

    def sound(items: Sequence[Any]) -> bool:
        return all(bool(torch.isfinite(behind[id(t)]).all()) for t in items if id(t) in behind)

    return sound(results) and not sound(operands)


def _edges(problem: Problem, start: Point, deadline: float) -> Iterator[Point]:
    """Points where an element of the operand has just become 0 (or reached the edge) on the way to an extreme.

    Further on a clip may have closed, which hides the infinite gradient: the failure lives at the edge alone.
    """
    import torch

    def gone(point: Point) -> bool:
        for x in problem.driven(point):
            if problem.target[1] == EDGE:
                there = x.abs() >= 1
            else:
                there = x.abs() < torch.finfo(x.dtype).tiny if problem.flush else x == 0
            if bool(there.any()):
                return True
        return False

    if gone(start):
        yield start
        return
    for movable in _stages(problem.leaves):
        for scale in SCALES if any(_unbounded(leaf) for leaf in movable) else (1.0,):
            found = next((p for p, _ in _descend(problem, start, movable, scale, deadline) if gone(p)), None)
            if found is None:
                continue
            low, high = 0.0, 1.0
            for _ in range(24):
                part = (low + high) / 2
                low, high = (low, part) if gone(_between(start, found, part)) else (part, high)
            for beyond in (1.003, 1.02, 1.05):
                yield _between(start, found, min(1.0, high * beyond))
            break


def _between(first: Point, second: Point, part: float) -> Point:
    """The point a part of the way from `first` to `second`; ranges are convex, so it lies inside them."""
    import torch

    found = {}
    for name, start in first.items():
        end = second[name]
        if end is start or not start.is_floating_point():
            found[name] = start
            continue
        mixed = torch.lerp(start.double(), end.double(), part).to(start.dtype)
        found[name] = torch.minimum(torch.maximum(mixed, torch.minimum(start, end)), torch.maximum(start, end))
    return found


def _bisect(problem: Problem, points: Sequence[Point], deadline: float) -> Point | None:
    """Between two points where one element of the operand has different signs, its zero as exactly as floats go."""
    import torch

    def operand(point: Point) -> Any:
        found = problem.driven(point)
        return found[0] if found else torch.zeros(0)

    last: tuple[Any, Point] | None = None
    for point in points[-24:]:
        if time.process_time() > deadline:
            return None
        value = operand(point)
        if not value.is_floating_point() or value.numel() == 0:
            return None
        if last is not None:
            crossing = ((last[0] < 0) & (value > 0)) | ((last[0] > 0) & (value < 0))
            if bool(crossing.any()):
                where = int(crossing.reshape(-1).nonzero()[0])
                low, high, sign = last[1], point, float(last[0].reshape(-1)[where].sign())
                for _ in range(60):
                    middle = _between(low, high, 0.5)
                    element = float(operand(middle).reshape(-1)[where])
                    if element == 0.0:
                        return middle
                    low, high = (middle, high) if element * sign > 0 else (low, middle)
        last = (value, point)
    return None
