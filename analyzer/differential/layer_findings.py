"""One blamed layer as a `Finding`: how bad it is, what is said of it, and what a person checks it by."""

from __future__ import annotations

import math

from analyzer.configuration.config import TargetConfig
from analyzer.differential import noise
from analyzer.differential.explain import Diagnosis
from analyzer.differential.localize import Blame, Localization
from analyzer.differential.processor import saturation
from analyzer.differential.study import Study
from analyzer.differential.verdict import Kind
from analyzer.differential.wording import json_number, number, oracle_title, plain, shortened
from analyzer.findings import Confidence, Evidence, Finding, Level, Location, Table

MATERIAL = 1e-3  # relative error of a layer from which a confirmed deviation is an error even if the outputs hide it


def layer_finding(problem: Diagnosis, done: Study, target: TargetConfig) -> Finding:
    blame, operation = problem.blame, problem.blame.unit.main
    layer = operation.layer or operation.name
    where = Location(operation.path, operation.line) if operation.path and operation.line else None
    level = _level(problem, target, done)
    return Finding(
        rule=blame.kind.rule,
        level=level,
        confidence=Confidence.CONFIRMED,
        message=shortened(_message(problem, layer), 200),
        target=target.id,
        layer=operation.layer,
        node=operation.name,
        op=blame.unit.op,
        operand=problem.backend.engine.name + (f" {problem.culprit.name}" if problem.culprit else ""),
        location=where,
        evidence=_evidence(problem, done),
        reproducer=f"differential/{problem.script}" if problem.script else None,
    )


def _level(problem: Diagnosis, target: TargetConfig, done: Study) -> Level:
    """An error needs a blamed layer, more than noise, and an engine that the model is meant for: a module in PyTorch
    blocks on its ONNX form only where the configuration names the engines, and so do engines beside the defaults."""
    kind = problem.blame.kind
    if not problem.script:
        return Level.WARNING  # what no script shows in a fresh process does not block
    if problem.backend.name in done.family.further or _processor(problem, done):
        return Level.WARNING
    if target.entry and target.backends is None and problem.backend.engine.artefacts[0] == "onnx":
        return Level.WARNING
    if target.backends is None and problem.culprit is not None and problem.culprit.kind == "export":
        return Level.WARNING
    if kind in (Kind.UNSUPPORTED, Kind.COMMON, Kind.MEMORY):
        return Level.WARNING
    if kind is Kind.VALUE and problem.blame.error < MATERIAL and problem.outputs_affected < MATERIAL:
        return Level.WARNING
    if kind is Kind.VALUE and problem.blame.oracle.startswith("none"):
        return Level.WARNING  # two engines disagree and nobody says who is right
    return Level.ERROR


def _message(problem: Diagnosis, layer: str) -> str:
    blame, title = problem.blame, problem.backend.title
    more = f" ({len(problem.alike) + 1} layers alike)" if problem.alike else ""
    through = f", through {problem.culprit.name}" if problem.culprit else ""
    oracle = oracle_title(blame.oracle)
    if problem.culprit is not None and problem.culprit.kind == "export":
        by = number(blame.error)
        return f"The ONNX export of `{layer}` ({blame.unit.op}){more} deviates from PyTorch by {by} (relative)."
    if blame.kind is Kind.CRASH:
        return f"{title} crashes in `{layer}` ({blame.unit.op}){more}{through}: {plain(blame.message)}"
    if blame.kind is Kind.UNSUPPORTED:
        return f"{title} does not support `{layer}` ({blame.unit.op}){more}: {plain(blame.message)}"
    if blame.kind is Kind.NAN:
        mine, other = ("numbers", "NaN or infinity") if blame.loses_nan else ("NaN or infinity", "numbers")
        return f"{title} gives {mine} in `{layer}` ({blame.unit.op}){more}{through} where {oracle} gives {other}."
    if blame.kind is Kind.SHAPE:
        return f"{title} gives another shape than {oracle} in `{layer}` ({blame.unit.op}){more}{through}."
    if blame.kind is Kind.DTYPE:
        return f"{title} gives another element type than {oracle} in `{layer}` ({blame.unit.op}){more}{through}."
    if blame.kind is Kind.MEMORY:
        tensor = blame.unit.outputs[0]
        return f"{title} runs out of memory in `{layer}` ({blame.unit.op}), tensor `{tensor}`: {plain(blame.message)}"
    if blame.agreeing:
        return (
            f"{oracle[:1].upper()}{oracle[1:]} stands alone in `{layer}` ({blame.unit.op}){more}: independent engines "
            f"agree and differ from it by {number(blame.error)}, so it is the suspect."
        )
    if blame.kind is Kind.COMMON:
        return (
            f"Every engine that ran deviates from {oracle} in `{layer}` ({blame.unit.op}){more}: relative error "
            f"{number(blame.error)} for the same inputs."
        )
    return (
        f"{title} deviates from {oracle} by {number(blame.error)} (relative) in `{layer}` ({blame.unit.op})"
        f"{more}{through}; {problem.hidden or f'rounding explains {blame.floor:.0e}'}."
    )


def _processor(problem: Diagnosis, done: Study) -> str:
    """Why another processor may give another verdict; empty where it may not."""
    runner = next((r for r in done.runners if r.name == problem.backend.name), None)
    counts = problem.blame.kind in (Kind.VALUE, Kind.COMMON)
    return saturation(problem.blame.unit, runner) if runner is not None and counts else ""


def _evidence(problem: Diagnosis, done: Study) -> Evidence:
    blame = problem.blame
    sentences = []
    if blame.kind in (Kind.VALUE, Kind.NAN, Kind.COMMON):
        sentences.append(
            f"Fed the same inputs, {problem.backend.title} and {oracle_title(blame.oracle)} differ by "
            f"{number(blame.error)} of the largest value; changing the inputs by one unit in the last place moves the "
            f"right result by {blame.floor:.1e}, and only more than {noise.MARGIN:.0f} times that counts."
        )
    if blame.how == "splice":
        sentences.append(
            "No layer deviates alone: the float64 reference's prefix spliced with this engine's suffix shows the error "
            "from here."
        )
    if blame.peers:
        others = ", ".join(f"{name} {number(error)}" for name, error in sorted(blame.peers.items()))
        sentences.append(f"The same layer on the other engines: {others}.")
    if problem.hidden:
        sentences.append(f"The model's outputs do not show it: {problem.hidden}.")
    if problem.alike:
        sentences.append(f"The same in {', '.join(f'`{name}`' for name in problem.alike[:12])}.")
    if blame.agreeing:
        sentences.append(
            f"{' and '.join(blame.agreeing)} agree with each other here; a fault of the float64 run is more likely "
            "than the same fault in both."
        )
    if problem.outputs_affected:
        sentences.append(f"At the model's outputs the relative error is {number(problem.outputs_affected)}.")
    if problem.culprit is not None:
        sentences.append(f"Introduced by {problem.culprit.sentence}.")
    if problem.versions is not None:
        sentences.append(f"Versions: {problem.versions.sentence}.")
    if problem.unshown:
        sentences.append(f"No script shows it in a fresh process ({problem.unshown}), so it does not block.")
    if depends := _processor(problem, done):
        sentences.append(depends)
    if problem.known is not None:
        sentences.append(problem.known.sentence)
    if blame.oracle == "majority":
        sentences.append(
            "No float64 run was possible here: two independent engines agree against this one, and both can be wrong."
        )
    if blame.oracle.startswith("none"):
        sentences.append("The float64 reference could not run this layer: which of the two engines is wrong is open.")
    localization = done.localizations.get(blame.backend)
    tables = (_table(localization, blame),) if localization is not None else ()
    data = {
        "backend": problem.backend.name,
        "oracle": blame.oracle,
        "error": json_number(blame.error),
        "floor": json_number(blame.floor),
        "output_error": json_number(problem.outputs_affected),
        "key": problem.key,
        "pass": problem.culprit.name if problem.culprit else None,
        "known": problem.known.id if problem.known else None,
        "nodes": len(problem.reduced.unit.operations),
        "units": len(problem.alike) + 1,
        "hidden": problem.hidden or None,
    }
    return Evidence("deviation", tuple(sentences), tables, done.inputs.assumptions if done.inputs else (), data)


def _table(found: Localization, blame: Blame) -> Table:
    errors = found.errors
    layers = {u.id: u.main.layer or u.main.name for u in found.units}
    worst = sorted(errors.get(blame.backend, {}).items(), key=lambda item: -item[1])[:8]
    names = [n for n in errors if any(u in errors[n] for u, _ in worst)]
    rows = tuple((layers.get(unit, unit), *(number(errors[n].get(unit, math.nan)) for n in names)) for unit, _ in worst)
    return Table(("layer, replayed alone", *names), rows)
