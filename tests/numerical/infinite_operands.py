"""Runs of operators whose operands hold infinities or NaN, compared with what the analysis says of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from containment import analysed, failed, graph_of, outside
from operator_catalogue import Case, Operand
from sampling import Runner, model_of, runner

from analyzer.numerical.domain import dtypes
from analyzer.numerical.domain.tensor import AbstractTensor

ENDS = ((-2.0, np.inf), (-np.inf, 2.0), (-np.inf, np.inf), (0.0, np.inf), (0.5, np.inf), (-np.inf, -0.5))
POINTS = ((-1.0, 2.0), (0.0, 0.0), (np.inf, np.inf), (-np.inf, -np.inf))
SPECIAL = (-np.inf, -2.0, -0.5, 0.0, 0.5, 1.0, 2.0, np.inf)
BOXES, RUNS = 8, 8


def floating(operand: Operand) -> bool:
    return dtypes.element_type(operand.dtype).is_float


def assumed(operand: Operand, rng: np.random.Generator, nan: bool) -> AbstractTensor:
    """What is known of an operand: infinite ends where it is sampled freely, the catalogue's range elsewhere.

    The same ends for all elements, or for each its own.
    """
    kind = dtypes.element_type(operand.dtype)
    free = floating(operand) and operand.within is None
    if free and 1 < np.prod(operand.shape) <= 64 and rng.random() < 0.5:
        low, high = np.moveaxis(rng.choice((*ENDS, *POINTS), operand.shape), -1, 0)
        starts = tuple(tuple(range(n)) for n in operand.shape)
        return AbstractTensor(kind, operand.shape, low, high, starts, nan)
    low, high = operand.within or (rng.choice(ENDS) if free else (0.0, 1.0))
    return AbstractTensor(kind, operand.shape, np.float64(low), np.float64(high), None, nan and free)


def drawn(operand: Operand, known: AbstractTensor, rng: np.random.Generator) -> np.ndarray:
    """Numbers in the range, infinities at the ends among them (at all of them in one run of four), and NaN."""
    low, high = np.broadcast_to(known.lo, operand.shape), np.broadcast_to(known.hi, operand.shape)
    values = np.clip(rng.choice(SPECIAL, operand.shape), low, high)
    if rng.random() < 0.25:
        values = np.where(np.isinf(low), low, np.where(np.isinf(high), high, values))
    if known.nan:
        values = np.where(rng.random(operand.shape) < 0.2, np.nan, values)
    kind = np.dtype(known.dtype.numpy)
    return np.rint(values).astype(kind) if kind.kind in "iub" else values.astype(kind)


def missed(case: Case, seed: int, nan: bool, run: Runner | None = None) -> Iterator[str]:
    """What runs of an operator give though the analysis excludes it."""
    warnings.simplefilter("ignore")
    model = model_of(case)
    run = run or runner(model)
    graph = graph_of(model)
    free = {f"i{n}": o for n, o in enumerate(case.operands) if isinstance(o, Operand)}
    rng = np.random.default_rng(seed)
    for _ in range(BOXES):
        known = {name: assumed(o, rng, nan) for name, o in free.items()}
        found = analysed(graph, known)
        if failed(found):
            continue
        for _ in range(RUNS):
            feed = {name: drawn(o, known[name], rng) for name, o in free.items()}
            try:
                with np.errstate(all="ignore"):
                    outputs = run(feed)
            except Exception:  # the runtime refuses this input
                continue
            for value, output in zip(graph.graph.outputs, outputs, strict=True):
                tensor = found.values.get(value)
                why = "" if tensor is None else outside(tensor, output)
                if why:
                    yield f"{case.name}: {why} for {[(t.low, t.high) for t in known.values()]} at {feed}"
                    return
