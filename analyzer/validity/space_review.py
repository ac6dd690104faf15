"""A declared space in a pull request: is its valid part empty, and did it shrank against the base?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from analyzer.configuration.config import TargetConfig
from analyzer.findings import Confidence, Evidence, Finding, Level, Location, Table
from analyzer.frameworks.api_tables import Asked, asked_of
from analyzer.frameworks.requested_versions import Versions, read_versions
from analyzer.graph import Graph
from analyzer.problem import UsageProblem
from analyzer.validity.decide import VALID_FOR_NONE, SpaceDecision, decide
from analyzer.validity.explain import check_vector, core
from analyzer.validity.graph_reader import read_graph, without_results
from analyzer.validity.solver import Z3Process
from analyzer.validity.space import Space
from analyzer.validity.space_reader import read_space, space_from
from analyzer.validity.versions import HOMES


def review_space(
    graph: Graph,
    target: TargetConfig,
    base: Graph | None,
    root: Path,
    base_root: Path | None,
    solver: Z3Process,
) -> list[Finding]:
    """Findings on the space that `target` declares.

    Raises UsageProblem when the space itself is wrong.
    """
    wanted = versions_below(root, target)
    head_space = versioned(space_of(target, graph, root), wanted)
    head = decide(head_space, solver=solver)
    findings = []
    if head.verdict == VALID_FOR_NONE:
        findings.append(_empty(head, target))
    if base is None:
        return findings
    old_wanted = versions_below(base_root or root, target)
    upgrade = _upgrade(head, old_wanted, target.id, solver)
    if upgrade is not None:
        findings.append(upgrade)
    try:
        old = versioned(space_of(target, base, base_root or root), old_wanted if upgrade is None else wanted)
        before = decide(old, solver=solver, boxes=False)
    except UsageProblem:
        return findings  # the base had no such space
    shrunk = compare(before, head, target.id)
    return findings if shrunk is None else [*findings, shrunk]


def versions_below(root: Path, target: TargetConfig) -> Versions:
    """The versions that the project asks for, in the requirements of the target's environment before all others."""
    return read_versions(root, target.environment.requirements if target.environment is not None else None)


def versioned(space: Space, wanted: Versions) -> Space:
    """The space under the framework version that is asked for, unless its model states one itself."""
    architecture = space.architecture
    if architecture.version is not None or architecture.framework not in HOMES:
        return space
    return replace(space, architecture=replace(architecture, requested=asked_of(wanted, architecture.framework)))


def _upgrade(head: SpaceDecision, old_wanted: Versions, target: str, solver: Z3Process) -> Finding | None:
    """A finding when the same space was valid for more under the version that the base asks for."""
    architecture = head.space.architecture
    old, new = asked_of(old_wanted, architecture.framework), architecture.requested
    if Asked() in (old, new) or old == new:
        return None
    under_old = replace(head.space, architecture=replace(architecture, requested=old))
    found = compare(decide(under_old, solver=solver, boxes=False), head, target)
    if found is None:
        return None
    reason = found.message.partition(": ")[2]
    message = f"Under {architecture.framework} {new} fewer vectors of {head.space.name} are valid than under {old}"
    return replace(found, rule="validity/upgrade-changes-verdict", message=f"{message}: {reason}"[:200])


def space_of(target: TargetConfig, graph: Graph | None, root: Path) -> Space:
    """The space a target declares, in a file below `root` or inline."""
    architecture = without_results(read_graph(graph, target).architecture) if graph is not None else None
    if isinstance(target.space, Mapping):
        return space_from(dict(target.space), {}, f"the space of {target.id}", architecture)
    name = str(target.space)
    path = root / name
    if not path.resolve().is_relative_to(root.resolve()) or not path.is_file():
        raise UsageProblem(f"{name} is not a file of the repository; name the space's YAML file")
    return read_space(path.read_text(encoding="utf-8"), name, architecture)


def _empty(decision: SpaceDecision, target: TargetConfig) -> Finding:
    failure = decision.failures[0] if decision.failures else None
    why = f": {failure.sentence}" if failure else ""
    return Finding(
        rule="validity/space-empty",
        level=Level.ERROR,
        confidence=Confidence.PROVED,
        message=f"No hyperparameters of {decision.space.name} give a valid model{why}."[:200],
        target=target.id,
        layer=failure.step.layer.node if failure else "",
        node=failure.step.layer.name if failure else "",
        location=_location(decision.space),
        evidence=Evidence("core", _why(decision, failure.example if failure else {})),
    )


def _why(decision: SpaceDecision, vector: Mapping[str, Any]) -> tuple[str, ...]:
    for structure in decision.structures:
        if all(vector.get(k) == v for k, v in structure.fixed.items()):
            found = core(decision.space, structure, vector) if vector else None
            return found.sentences if found else ()
    return ()


def compare(before: SpaceDecision, after: SpaceDecision, target: str) -> Finding | None:
    """A finding when vectors that both spaces admit were valid and no longer are."""
    lost = _lost(before, after)
    if lost is None:
        return None
    vector, count = lost
    step = check_vector(after.space, vector)
    if step is None:
        return None
    many = f"{count:,} vectors" if count is not None else "Vectors"
    if None not in (before.valid, before.total, after.valid) and before.total == after.total:
        share = f": {before.valid:,} of {before.total:,} were valid, now {after.valid:,} are"
    else:
        share = " that were valid no longer are"
    shown = ", ".join(f"{k} = {v}" for k, v in vector.items())
    rows = (("before", before.valid, before.total), ("now", after.valid, after.total))
    return Finding(
        rule="validity/space-shrank",
        level=Level.ERROR,
        confidence=Confidence.PROVED,
        message=f"{many} of {after.space.name} are lost{share}, such as {shown}: {step.sentence()}."[:200],
        target=target,
        layer=step.layer.node,
        node=step.layer.name,
        op=step.layer.operator,
        location=_location(after.space),
        evidence=Evidence("core", _why(after, vector), (Table(("revision", "valid", "of"), rows),)),
    )


def _lost(before: SpaceDecision, after: SpaceDecision) -> tuple[Mapping[str, Any], int | None] | None:
    """A vector that was valid and is not, among examples of the failures; counted when both spaces are finite."""
    names = set(before.space.by_name)
    if names != set(after.space.by_name):
        return None
    for failure in after.failures:
        vector = failure.example
        if any(not before.space.by_name[n].contains(v) for n, v in vector.items()):
            continue
        try:
            if check_vector(before.space, vector) is None:
                count = None
                if before.valid is not None and after.valid is not None and before.total == after.total:
                    count = max(1, before.valid - after.valid)
                return vector, count
        except ValueError:
            continue
    return _search(before, after)


def _search(
    before: SpaceDecision, after: SpaceDecision, limit: int = 2_000
) -> tuple[Mapping[str, Any], int | None] | None:
    """Some vectors of the new invalid region, tried on the old space one by one."""
    import itertools

    for box in after.boxes:
        known = after.space.by_name
        sides = [box.sides.get(n) or known[n].values or (known[n].lo or 1,) for n in known]
        for values in itertools.islice(itertools.product(*sides), limit // max(1, len(after.boxes))):
            vector = dict(zip(known, values, strict=True))
            if any(not before.space.by_name[n].contains(v) for n, v in vector.items()):
                continue
            try:
                if check_vector(before.space, vector) is None and check_vector(after.space, vector) is not None:
                    return vector, None
            except ValueError:
                continue
    return None


def _location(space: Space) -> Location | None:
    return Location(space.name, 1) if space.name.endswith((".yml", ".yaml")) else None
