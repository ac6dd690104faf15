"""Refty's own solving modes, kept as a cross-check of the evaluator and for comparison with the paper (section 3.5).

The types are read with Z3 terms directly, every output dimension is a named integer with an equality (the paper's edge
constraints), and division stays Z3's. *Individual* mode reuses one context and pushes each vector; *bulk* mode
enumerates all solutions by blocking clauses (AllSAT), optionally over tiny subspaces and in parallel workers.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from analyzer.problem import UsageProblem
from analyzer.validity.architecture import ModelLayer, Structural
from analyzer.validity.decide import structures_of
from analyzer.validity.elaboration import elaborate
from analyzer.validity.space import Space
from analyzer.validity.spec import TensorType
from analyzer.validity.terms import is_z3
from analyzer.validity.workers import spread

Vector = tuple[Any, ...]  # in the order of the space's hyperparameters


def individual(space: Space, *, jobs: int = 1, vectors: Sequence[Vector] | None = None) -> set[Vector]:
    """The valid vectors, one push/check/pop each on a reused context (workers share the vectors evenly)."""
    wanted = list(_all_vectors(space)) if vectors is None else list(vectors)
    if jobs == 1:
        return _individual(space, wanted)
    shares = [wanted[i::jobs] for i in range(jobs)]
    return set().union(*spread(lambda share: _individual(space, share), shares, jobs))


def bulk(space: Space, *, block: int | None = None, jobs: int = 1) -> set[Vector]:
    """The valid vectors by AllSAT, over the whole space or over disjoint blocks of at most `block` vectors."""
    _finite(space)
    domains = {n: tuple(h.values or ()) for n, h in space.by_name.items()}
    pieces = list(_blocks(domains, block)) if block else list(_blocks(domains, -(-space.exact_total // jobs)))
    if jobs == 1:
        return _bulk(space, pieces)
    shares = [pieces[i::jobs] for i in range(jobs)]
    return set().union(*spread(lambda share: _bulk(space, share), shares, jobs))


def _finite(space: Space) -> None:
    if space.unbounded:
        raise UsageProblem(f"{space.name}: `{space.unbounded[0]}` is unbounded, which only --mode auto can decide")


def _all_vectors(space: Space) -> Iterator[Vector]:
    _finite(space)
    return itertools.product(*(h.values or () for h in space.by_name.values()))


def _blocks(domains: Mapping[str, Vector], size: int) -> Iterator[Mapping[str, Vector]]:
    """Disjoint products of parts of the domains, each of at most `size` vectors: the widest axis is halved."""
    stack = [dict(domains)]
    while stack:
        current = stack.pop()
        count = 1
        for values in current.values():
            count *= len(values)
        if count <= max(1, size):
            yield current
            continue
        axis = max(current, key=lambda n: len(current[n]))
        middle = len(current[axis]) // 2
        stack.append({**current, axis: current[axis][middle:]})
        stack.append({**current, axis: current[axis][:middle]})


class _Context:
    """The constraints of one structure in one Z3 solver."""

    def __init__(self, space: Space, fixed: Mapping[str, Any]) -> None:
        import z3

        self.fixed = fixed
        self.variables = {n: z3.Int(n) for n, h in space.by_name.items() if n not in fixed}
        architecture, filters = space.instantiate({**fixed, **self.variables})
        self.solver = z3.Solver()
        self._edges: list[Any] = []
        program = elaborate(architecture, rename=self._named)
        for step in program.steps:
            self.solver.add(_boolean(step.condition))
        self.solver.add(*self._edges, *(_boolean(f) for f in filters))

    def _named(self, layer: ModelLayer, outputs: tuple[TensorType, ...]) -> tuple[TensorType, ...]:
        """A fresh integer for each symbolic output dimension, with the edge's equality."""
        import z3

        renamed = []
        for position, output in enumerate(outputs):
            if output.shape is None:
                renamed.append(output)
                continue
            dims: list[Any] = []
            for axis, size in enumerate(output.shape):
                if is_z3(size):
                    name = z3.Int(f"{layer.name}:{position}[{axis}]")
                    self._edges.append(name == size)
                    size = name
                dims.append(size)
            renamed.append(replace(output, shape=tuple(dims)))
        return tuple(renamed)


def _boolean(condition: Any) -> Any:
    import z3

    return condition if is_z3(condition) else z3.BoolVal(bool(condition))


def _contexts(space: Space) -> Iterator[_Context]:
    for fixed, _program, _filters in structures_of(space):
        try:
            yield _Context(space, fixed)
        except Structural as problem:
            raise UsageProblem(f"{space.name}: the paper's modes need {problem} to be fixed; use --mode auto") from None


def _individual(space: Space, vectors: Sequence[Vector]) -> set[Vector]:
    import z3

    names = list(space.by_name)
    valid: set[Vector] = set()
    for context in _contexts(space):
        for vector in vectors:
            named = dict(zip(names, vector, strict=True))
            if any(named[n] != v for n, v in context.fixed.items()):
                continue
            context.solver.push()
            context.solver.add(*(term == named[n] for n, term in context.variables.items() if type(named[n]) is int))
            if context.solver.check() == z3.sat:
                valid.add(vector)
            context.solver.pop()
    return valid


def _bulk(space: Space, blocks: Sequence[Mapping[str, Vector]]) -> set[Vector]:
    import z3

    names = list(space.by_name)
    valid: set[Vector] = set()
    for context in _contexts(space):
        numeric = {n: t for n, t in context.variables.items() if space.by_name[n].numeric}
        for block in blocks:
            if any(v not in block[n] for n, v in context.fixed.items()):
                continue
            context.solver.push()
            for name, term in numeric.items():
                context.solver.add(z3.Or(*(term == v for v in block[name])))
            loose = [n for n in context.variables if n not in numeric]
            while context.solver.check() == z3.sat:
                model = context.solver.model()
                found = {n: model.eval(t, model_completion=True).as_long() for n, t in numeric.items()}
                context.solver.add(z3.Or(*(t != found[n] for n, t in numeric.items())))
                for extra in itertools.product(*(block[n] for n in loose)):
                    whole = {**context.fixed, **found, **dict(zip(loose, extra, strict=True))}
                    valid.add(tuple(whole[n] for n in names))
                if not numeric:
                    break
            context.solver.pop()
    return valid
