"""Validity of a model that stands in a pull request: every declared size, the contract of the open ones, its space."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from analyzer.configuration.config import TargetConfig
from analyzer.findings import AnalysisResult, Confidence, Evidence, Finding, Level
from analyzer.graph import Graph
from analyzer.problem import TargetProblem, UsageProblem
from analyzer.validity.architecture import Demand, Requirements
from analyzer.validity.bounds import limits_of
from analyzer.validity.causes import with_causes
from analyzer.validity.contracts import REACH, Contract, contract
from analyzer.validity.evaluator import first_failures, names_of
from analyzer.validity.exported_form import of_exported_form
from analyzer.validity.graph_reader import Reading, contradictions, program_of, read_graph
from analyzer.validity.solver import Z3Process
from analyzer.validity.space_review import review_space
from analyzer.validity.spec import Category, show
from analyzer.validity.terms import Cond, Poly, Symbol, Truth, negate, substitute, symbol, symbols_of
from analyzer.validity.undecided import not_solved, short, undecided, unnamed

MAX_FINDINGS = 50  # of one target that a person reads


def analyse(
    graph: Graph,
    target: TargetConfig,
    *,
    base: Graph | None = None,
    root: Path | None = None,
    base_root: Path | None = None,
    solver: Z3Process | None = None,
) -> AnalysisResult:
    """Check every dimension of `graph` under the sizes that `target` declares.

    A rule that fails for all sizes is a proved error; one that fails for sizes the configuration declares is too; what
    an open size must satisfy is a contract: a warning when it is forced to one value, else a note. With `base`, a
    declared space (read below `root`, or below `base_root` for the base) must not lose valid vectors.
    """
    reading = read_graph(graph, target)
    program = program_of(reading)
    with nullcontext(solver) if solver else Z3Process() as running:
        findings = list(_findings(program, reading, target, running))
        findings += list(_stated(program, reading, target))
        findings += list(_upgrades(reading, program, target, base))
        if graph.ran:
            findings = list(of_exported_form(findings))
        notes: list[str] = []
        if target.space is not None:
            try:
                findings += review_space(graph, target, base, root or Path.cwd(), base_root, running)
            except (UsageProblem, TargetProblem) as problem:
                notes.append(f"The declared space was not checked: {problem}")
    assumptions = tuple(
        f"{name} is any size from {low}{'' if high is None else f' to {high}'}"
        for name, (low, high) in reading.bounds.items()
        if "?" not in name
    )
    unknown = {k: v for k, v in program.unknown.items() if not k.startswith(("Assign", "NoOp"))}
    return AnalysisResult(
        tuple(with_causes(f, reading.architecture.layers) for f in findings[:MAX_FINDINGS]),
        unknown_operators=unknown,
        assumptions=assumptions if findings else (),
        notes=tuple(notes),
    )


def _findings(program: Requirements, reading: Reading, target: TargetConfig, solver: Z3Process) -> Iterator[Finding]:
    for step in program.steps:
        if step.condition is False:
            yield _error(step, program, target, {})
    for step in _first_possible(program):
        yield replace(_error(step, program, target, {}, f", whenever {step.when}"), confidence=Confidence.POSSIBLE)
    yield from _advisories(program, target)
    open_steps = [s for s in program.steps if names_of(s.condition) and not unnamed(s)]
    yield from undecided(program, reading, target)
    single: dict[str, list[Demand]] = {}
    joint: list[Demand] = []
    for step in open_steps:
        names = names_of(step.condition)
        if len(names) == 1:
            single.setdefault(next(iter(names)), []).append(step)
        else:
            joint.append(step)
    for name, steps in single.items():
        yield from _one_symbol(name, steps, program, reading, target, solver)
    limits = limits_of([s.condition for steps in single.values() for s in steps])
    yield from _several_symbols(joint, program, reading, target, solver, limits)


def _first_possible(program: Requirements) -> Iterator[Demand]:
    """What certainly fails in a branch or loop that may not run, once for each layer."""
    seen: set[str] = set()
    for step in program.possible:
        if step.condition is False and step.layer.name not in seen:
            seen.add(step.layer.name)
            yield step


def _error(
    step: Demand, program: Requirements, target: TargetConfig, values: Mapping[str, int], why: str = ""
) -> Finding:
    rule = step.requirement.rule
    message = step.sentence(values)
    text = f"{message[0].upper()}{message[1:]}{why}."
    return Finding(
        rule=f"validity/{rule.category}",
        level=Level.ERROR,
        confidence=Confidence.PROVED,
        message=short(text),
        target=target.id,
        **step.layer.place,
        operand=rule.id,
        evidence=Evidence("core", tuple(_core(step, program, values)), data={"rule": rule.id, "sizes": dict(values)}),
    )


def _core(step: Demand, program: Requirements, values: Mapping[str, int]) -> Iterator[str]:
    """The operands and attributes that the failing rule speaks of, then the rule, under the bounds of single sizes."""
    known = {**limits_of([s.condition for s in program.steps if not unnamed(s)]), **values}
    for name in step.layer.inputs:
        tensor = program.values.get(name) if name else None
        if tensor is not None and tensor.shape is not None:
            dims = tuple(substitute(d, known) if isinstance(d, Poly) else d for d in tensor.shape)
            dtype = f", {tensor.dtype}" if tensor.dtype else ""
            yield f"`{name}` is {show(dims)}{dtype}."
    rule = step.requirement.rule
    stated = {k: v for k, v in step.layer.hyperparameters.items() if _plain(v)}
    if stated:
        yield f"`{step.layer.name}` has " + ", ".join(f"{k} = {_shown(v)}" for k, v in list(stated.items())[:8]) + "."
    for fact, term in step.requirement.facts.items():
        if isinstance(term, Poly) and len(term.terms) > 1:
            here = substitute(term, values)
            shown = f", here {show(here)}" if values and not symbols_of(here) else ""
            yield f"The {fact.replace('_', ' ')} is {substitute(term, known)}{shown}."
    yield f"Rule `{rule.id}`: {step.sentence(known)}."


def _plain(value: Any) -> bool:
    return isinstance(value, (int, str, float)) or (isinstance(value, tuple) and all(isinstance(v, int) for v in value))


def _shown(value: Any) -> str:
    return "[" + ", ".join(map(str, value)) + "]" if isinstance(value, tuple) else str(value)


def _advisories(program: Requirements, target: TargetConfig) -> Iterator[Finding]:
    """One note for each rule and line (or layer, where no line is known), however often a loop builds that layer."""
    groups: dict[tuple[str, object], list[Demand]] = {}
    for step in program.advisories:
        place = step.layer.location
        where = (place.path, place.line) if place else step.layer.node
        groups.setdefault((step.requirement.rule.id, where), []).append(step)
    for steps in groups.values():
        step = steps[0]
        message = step.sentence()
        more = f" (and in {len(steps) - 1} more layers from here)" if len(steps) > 1 else ""
        others = (f"The same holds in {', '.join(f'`{s.layer.name}`' for s in steps[1:9])}.",) if more else ()
        yield Finding(
            rule=f"validity/{step.requirement.rule.id}",
            level=Level.NOTE,
            confidence=Confidence.PROVED,
            message=short(f"{message[0].upper()}{message[1:]}{more}."),
            target=target.id,
            **step.layer.place,
            evidence=Evidence("core", (*_core(step, program, {}), *others)),
        )


def _one_symbol(
    name: str, steps: Sequence[Demand], program: Requirements, reading: Reading, target: TargetConfig, solver: Z3Process
) -> Iterator[Finding]:
    """The contract of one open size, at the step that makes it what it is."""
    bounds = reading.bounds.get(name, (1, None))
    whole = contract(name, [s.condition for s in steps], bounds, solver)
    if whole is None:
        return
    if not whole.proved and (whole.condition is True or whole.empty):
        yield replace(
            not_solved(steps, target),
            message=short(f"Not decided for `{steps[-1].layer.name}` beyond what was tried: {whole.text}."),
        )
        return
    deciding = _deciding(name, steps, bounds, whole, solver)
    if whole.empty and whole.proved:
        yield _error(deciding, program, target, {}, f"; no size of `{name}` satisfies the model")
        return
    if name in reading.declared:
        bad = _counterexample(name, steps, bounds)
        if bad is not None:
            step, value = bad
            yield _error(step, program, target, {name: value}, f" when `{name}` is {value}; valid sizes: {whole.text}")
        return
    yield _contract_finding(name, whole, deciding, program, target)


def _deciding(
    name: str, steps: Sequence[Demand], bounds: tuple[int, int | None], whole: Contract, solver: Z3Process
) -> Demand:
    """The first step after which the contract is what the whole model's is (binary search over prefixes)."""
    low, high = 1, len(steps)
    while low < high:
        middle = (low + high) // 2
        part = contract(name, [s.condition for s in steps[:middle]], bounds, solver)
        if part is not None and part.text == whole.text:
            high = middle
        else:
            low = middle + 1
    return steps[low - 1]


def _counterexample(name: str, steps: Sequence[Demand], bounds: tuple[int, int | None]) -> tuple[Demand, int] | None:
    low, high = bounds
    values = range(low, min(high if high is not None else low + REACH, low + 100_000) + 1)
    first = first_failures([s.condition for s in steps], [], {name: values})
    for index, value in zip(first, values, strict=True):
        if index >= 0:
            return steps[int(index)], value
    return None


def _contract_finding(name: str, found: Contract, step: Demand, program: Requirements, target: TargetConfig) -> Finding:
    forced = found.forced is not None
    sure = "" if found.proved else ", as far as was tried"
    if forced:
        message = f"`{name}` may only be {found.forced}{sure}: `{step.layer.name}` accepts no other size."
    else:
        message = f"The model is valid only for {found.text}{sure}; `{step.layer.name}` decides it."
    return Finding(
        rule="validity/dimension-forced" if forced else "validity/dimension-contract",
        level=Level.WARNING if forced else Level.NOTE,
        confidence=Confidence.PROVED if found.proved else Confidence.POSSIBLE,
        message=short(message),
        target=target.id,
        **step.layer.place,
        operand=name,
        evidence=Evidence(
            "core",
            (f"`{name}` is an input size that the model leaves open.", *_core(step, program, {})),
            data={"contract": found.text, "proved": found.proved},
        ),
    )


def _several_symbols(
    steps: Sequence[Demand],
    program: Requirements,
    reading: Reading,
    target: TargetConfig,
    solver: Z3Process,
    limits: Mapping[str, Poly],
) -> Iterator[Finding]:
    """Relations between open sizes: an error when no sizes satisfy them, else one note for each.

    `limits` are the sizes as rules on single sizes bound them: what these imply is not said again.
    """
    if not steps:
        return
    conditions = [s.condition for s in program.steps if names_of(s.condition) and not unnamed(s)]
    answer = solver.satisfy(conditions).status
    if answer not in ("sat", "unsat"):
        yield not_solved(steps, target)
    if answer == "unsat" and not any(s.condition is False for s in program.steps):
        low, high = 1, len(conditions)
        while low < high:
            middle = (low + high) // 2
            if solver.satisfy(conditions[:middle]).status == "unsat":
                high = middle
            else:
                low = middle + 1
        refuted = next(s for s in program.steps if s.condition is conditions[low - 1])
        yield _error(refuted, program, target, {}, "; no sizes of the inputs satisfy this and what precedes it")
        return
    merged: dict[str, Any] = dict(limits)
    seen: set[Truth] = set()
    for step in steps:
        condition = substitute(step.condition, merged)
        if condition is True or condition in seen:
            continue  # follows from single sizes, or from the sizes that are equal by an earlier note
        seen.add(condition)
        if names_of(step.condition) <= reading.declared:
            earlier = conditions[: next(i for i, c in enumerate(conditions) if c is step.condition)]
            bad = solver.satisfy([negate(step.condition), *earlier])
            if bad.status == "sat":
                values = {n: bad.model[n] for n in names_of(step.condition) if n in bad.model}
                shown = " and ".join(f"`{n}` is {v}" for n, v in values.items())
                yield _error(step, program, target, values, f" when {shown}")
                return
        text = str(substitute(step.condition, limits))
        merged.update(_equation(condition))
        yield Finding(
            rule="validity/dimension-contract",
            level=Level.NOTE,
            confidence=Confidence.PROVED,
            message=short(f"The model is valid only where {text}; `{step.layer.name}` decides it."),
            target=target.id,
            **step.layer.place,
            operand=",".join(sorted(names_of(step.condition))),
            evidence=Evidence("core", tuple(_core(step, program, {})), data={"contract": text}),
        )


def _equation(condition: Truth) -> Mapping[str, Any]:
    """The first of two sizes that a relation makes equal (or lets be 1, which broadcasts), as the second one."""
    parts = condition.args if isinstance(condition, Cond) and condition.kind == "or" else (condition,)
    for part in parts:
        if isinstance(part, Cond) and part.kind == "eq":
            (value,) = part.args
            factors = [c for _, c in value.terms]
            if len(value.terms) == 2 and sorted(factors) == [-1, 1] and all(len(m) == 1 for m, _ in value.terms):
                first, second = (m[0] for m, _ in value.terms)
                if isinstance(first, Symbol) and isinstance(second, Symbol):
                    return {first.name: symbol(second.name, 1)}
    return {}


def _stated(program: Requirements, reading: Reading, target: TargetConfig) -> Iterator[Finding]:
    """Shapes that the file states and its own operators contradict: runtimes trust one or the other."""
    for name, own, stated in contradictions(program, reading)[:3]:
        node = next((layer for layer in reading.architecture.layers if name in layer.outputs), None)
        if node is None:
            continue
        types = None not in (own.dtype, stated.dtype) and own.dtype != stated.dtype
        says, gives = (stated.dtype, own.dtype) if types else (show(stated.shape), show(own.shape))
        yield Finding(
            rule=f"validity/{Category.INCOMPATIBLE_ELEMENT_TYPE}" if types else "validity/stated-shape",
            level=Level.ERROR if types else Level.WARNING,  # runtimes refuse the one and overlook the other
            confidence=Confidence.PROVED,
            message=short(f"The file states that `{name}` is {says}, but its operator gives {gives}."),
            target=target.id,
            **node.place,
            operand="stated-type" if types else "",
            evidence=Evidence("core", (f"`{node.name}` ({node.operator}) makes `{name}`.",)),
        )


def _upgrades(reading: Reading, program: Requirements, target: TargetConfig, base: Graph | None) -> Iterator[Finding]:
    """Rules that hold under the base's framework version and fail under the head's."""
    if base is None or not any(s.condition is False for s in program.steps):
        return
    old = base.model.opset_imports.get("")
    new = reading.architecture.version
    if old is None or new is None or (old,) == new:
        return
    before = program_of(replace(reading, architecture=replace(reading.architecture, version=(old,))))
    if any(s.condition is False for s in before.steps):
        return
    step = next(s for s in program.steps if s.condition is False)
    yield Finding(
        rule="validity/upgrade-changes-verdict",
        level=Level.ERROR,
        confidence=Confidence.PROVED,
        message=short(f"The model is valid for opset {old} and not for opset {new[0]}: {step.sentence()}."),
        target=target.id,
        **step.layer.place,
        evidence=Evidence("core", tuple(_core(step, program, {}))),
    )
