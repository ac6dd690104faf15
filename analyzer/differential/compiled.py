"""The compiled mode of an engine that refuses a model when it runs it operation by operation."""

from __future__ import annotations

from collections.abc import Mapping

from analyzer.configuration.config import TargetConfig
from analyzer.differential.backend import EAGER
from analyzer.differential.compare import Comparison, EngineResult
from analyzer.differential.plan import can_compile, kind_for
from analyzer.differential.pool import Pool
from analyzer.differential.runner import Artefact, Runner
from analyzer.differential.verdict import Failure, Kind

COMPILED = {"torch": "compile", "tensorflow": "xla", "jax": "jit"}  # engine -> its mode that compiles


def accepted(comparison: Comparison) -> list[tuple[EngineResult, EngineResult]]:
    """Pairs of modes of one engine and version: the eager one refuses the model, the compiled one gives numbers."""
    found = []
    for strict in comparison.results:
        backend = strict.runner.backend
        eager = EAGER.get(backend.engine.name, ())
        if strict.failure is None or strict.failure.kind is not Kind.CRASH or backend.knobs.get("mode") not in eager:
            continue
        for loose in comparison.results:
            other = loose.runner.backend
            compiled = other.engine is backend.engine and other.knobs.get("mode") not in eager
            if loose.failure is None and compiled and other.version == backend.version:
                found.append((strict, loose))
    return found


def accepting(comparison: Comparison, kinds: Mapping[str, Artefact], target: TargetConfig, pool: Pool) -> list[Runner]:
    """The compiled modes, not yet compared, that give numbers for what their eager modes refuse.

    Compiling takes some 20 seconds, too long for each review and not for a model that an engine refuses, which is
    rare. Where engines are named, only these run.
    """
    if target.backends is not None:
        return []
    present = {r.runner.name for r in comparison.results}
    found: list[Runner] = []
    for result in comparison.results:
        engine, mode = result.runner.backend.engine.name, result.runner.backend.knobs.get("mode")
        if result.failure is None or result.failure.kind is not Kind.CRASH or mode not in EAGER.get(engine, ()):
            continue
        twin = result.runner.backend.having(mode=COMPILED[engine])
        kind = kind_for(twin, kinds)
        if twin.name in present or kind is None or not can_compile(twin):
            continue
        present.add(twin.name)
        runner = pool.get(twin, kinds[kind])
        if not isinstance(runner, Failure) and runner.run(comparison.sets[0].feeds, state=False).ok:
            found.append(runner)
    return found
