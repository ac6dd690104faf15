"""How fast validity is decided, as ratios within one run.

    python benchmarks/validity_speed.py [--classic-seconds 60]

The Inception-v3 space has 37,125 vectors, all valid: batch x image x the kernels of the first three convolutions, as in
the Refty paper's efficiency experiment. AllSAT and push/pop modes are stopped after a time and extrapolated from what
they had decided by then (AllSAT slows down as it goes, so that its ratio is a lower bound).
"""

from __future__ import annotations

import argparse
import itertools
import time
from typing import Any

from analyzer.validity.classic import _Context
from analyzer.validity.decide import decide
from analyzer.validity.explain import core
from analyzer.validity.solver import Z3Process
from analyzer.validity.space import Space
from analyzer.validity.space_reader import read_space
from benchmarks.refty_models import inception

BATCHES, IMAGES = range(1, 12), range(299, 389, 6)
KERNELS = (range(1, 16), range(1, 6), range(1, 4))


def inception_space() -> Space:
    """11 batches x 15 images x 15 x 5 x 3 kernels = 37,125 vectors."""
    layers = "\n".join(f"    - {layer}" for layer in inception("torch", kernels=("k1", "k2", "k3")))
    return read_space(
        f"""
version: 1
model:
  framework: torch
  inputs: {{x: {{shape: [batch, 3, image, image], dtype: float32}}}}
  layers:
{layers}
hyperparameters:
  batch: {list(BATCHES)}
  image: {list(IMAGES)}
  k1: {list(KERNELS[0])}
  k2: {list(KERNELS[1])}
  k3: {list(KERNELS[2])}
""",
        "inception.yml",
    )


def chain(count: int, image: Any, kernel_at: int, kernel: int) -> Space:
    layers = []
    for i in range(count):
        k = kernel if i == kernel_at else 3
        layers.append(
            f"    - {{name: conv{i}, op: Conv2d, in_channels: 8, out_channels: 8, kernel_size: {k}, padding: 1}}"
        )
    return read_space(
        "version: 1\nmodel:\n  framework: torch\n  inputs: {x: {shape: [1, 8, image, image]}}\n  layers:\n"
        + "\n".join(layers)
        + f"\nhyperparameters:\n  image: {image}\n",
        "chain.yml",
    )


def timed(function: Any) -> tuple[float, Any]:
    began = time.perf_counter()
    result = function()
    return time.perf_counter() - began, result


def bulk_rate(space: Space, seconds: float) -> tuple[int, float]:
    """How many solutions AllSAT finds in a time."""
    import z3

    context = _Context(space, {})
    for name, term in context.variables.items():
        context.solver.add(z3.Or(*(term == v for v in space.by_name[name].values or ())))
    found, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds and context.solver.check() == z3.sat:
        model = context.solver.model()
        context.solver.add(z3.Or(*(t != model.eval(t, model_completion=True) for t in context.variables.values())))
        found += 1
    return found, time.perf_counter() - began


def individual_rate(space: Space, seconds: float) -> tuple[int, float]:
    """How many vectors push/check/pop decides in a time."""
    import z3

    context = _Context(space, {})
    names = list(space.by_name)
    done, began = 0, time.perf_counter()
    for vector in itertools.product(*(space.by_name[n].values or () for n in names)):
        if time.perf_counter() - began > seconds:
            break
        context.solver.push()
        context.solver.add(*(context.variables[n] == v for n, v in zip(names, vector, strict=True)))
        assert context.solver.check() == z3.sat
        context.solver.pop()
        done += 1
    return done, time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--classic-seconds", type=float, default=45.0)
    args = parser.parse_args()
    space = inception_space()
    with Z3Process() as solver:
        decide(space, solver=solver)
        evaluator, decision = timed(lambda: decide(space, solver=solver))
        print(f"evaluator, description to verdict: {evaluator * 1e3:.0f} ms, {decision.verdict}, {decision.total}")
        found, spent = bulk_rate(space, args.classic_seconds)
        bulk = spent * decision.total / max(1, found)
        print(f"AllSAT bulk: {found} solutions in {spent:.0f} s; at least {bulk / evaluator:,.0f} x the evaluator")
        done, spent = individual_rate(space, args.classic_seconds)
        individual = spent * decision.total / max(1, done)
        print(f"push/pop individual: {done} vectors in {spent:.0f} s; {individual / evaluator:,.0f} x the evaluator")
        big = chain(20, "{min: 1, max: 1000000}", 10, 7)
        million, answer = timed(lambda: decide(big, solver=solver, boxes=False))
        print(f"one million vectors of 20 layers: {million * 1e3:.0f} ms ({answer.valid:,} valid)")
        deep = chain(100, "{min: 1}", 50, 60)
        solver.satisfy([])
        symbolic, answer = timed(lambda: decide(deep, solver=solver))
        print(f"100 layers, unknown image size: {symbolic * 1e3:.0f} ms ({answer.verdict})")
        program = answer.structures[0].program
        query, _ = timed(lambda: solver.satisfy([s.condition for s in program.steps]))
        print(f"100 layers, one satisfiability query: {query * 1e3:.3f} ms")
        fixed = chain(100, "[150, 200, 250]", 50, 160)
        failing = decide(fixed, solver=solver)
        structure, vector = failing.structures[0], failing.failures[0].example
        cored, found_core = timed(lambda: core(fixed, structure, vector, solver))
        print(
            f"core of a kernel too big at layer 50 of 100: {cored * 1e3:.1f} ms, {len(found_core.sentences)} sentences"
        )


if __name__ == "__main__":
    main()
