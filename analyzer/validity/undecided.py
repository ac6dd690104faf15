"""What validity could not decide, as notes with the layer, the rule and the size: silence would read as "valid"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from analyzer.configuration.config import TargetConfig
from analyzer.findings import Confidence, Evidence, Finding, Level
from analyzer.validity.architecture import Demand, ModelLayer, Requirements
from analyzer.validity.evaluator import names_of
from analyzer.validity.graph_reader import Reading
from analyzer.validity.terms import Poly


def undecided(program: Requirements, reading: Reading, target: TargetConfig) -> Iterator[Finding]:
    """One note for each place where a size is lost, with every layer whose rules could therefore not be decided."""
    groups: dict[tuple[str, str], list[tuple[ModelLayer, str]]] = {}
    origins = _origins(program, reading)
    for step in program.steps:
        if unnamed(step) and step.condition is not False:
            lost = min((n for n in names_of(step.condition) if "?" in n), key=lambda n: origins.get(n, (0, n, ""))[0])
            _, layer, size = origins.get(lost, (0, "", "a size that the model leaves open"))
            groups.setdefault((layer, size), []).append((step.layer, step.requirement.rule.id))
    for one in reading.architecture.layers:
        if one.name in program.undecided:
            groups.setdefault(("", "a structure that hangs on unknown values"), []).append((one, "structure"))
    for (_, size), places in groups.items():
        first, rule = places[0]
        names = list(dict.fromkeys(layer.name for layer, _ in places))
        more = f" (and for {len(names) - 1} more layers)" if len(names) > 1 else ""
        yield Finding(
            rule="validity/undecided",
            level=Level.NOTE,
            confidence=Confidence.POSSIBLE,
            message=short(f"Not decided for `{first.name}`{more}: the rule `{rule}` depends on {size}."),
            target=target.id,
            **first.place,
            operand=rule,
            evidence=Evidence("core", tuple(f"`{n}` is not decided." for n in names[:20]), data={"layers": names}),
        )


def _origins(program: Requirements, reading: Reading) -> Mapping[str, tuple[int, str, str]]:
    """For each unnamed size the first layer whose output has it: its position, its name and words for the size."""
    found: dict[str, tuple[int, str, str]] = {}
    for position, layer in enumerate(reading.architecture.layers, 1):
        for output in layer.outputs:
            tensor = program.values.get(output)
            for axis, size in enumerate(tensor.shape or () if tensor is not None else ()):
                for name in names_of(size) if isinstance(size, Poly) else ():
                    if "?" in name:
                        words = f"the size of dimension {axis} that `{layer.name}` ({layer.operator}) gives"
                        found.setdefault(name, (position, layer.name, words))
    return found


def unnamed(step: Demand) -> bool:
    """Whether a rule speaks of a size that nothing names: one that data decide, or that a type left open."""
    return any("?" in name for name in names_of(step.condition))


def not_solved(steps: Sequence[Demand], target: TargetConfig) -> Finding:
    """The note that relations between several sizes were too hard to decide."""
    step = steps[-1]
    sizes = ", ".join(f"`{n}`" for n in sorted(frozenset().union(*(names_of(s.condition) for s in steps))))
    return Finding(
        rule="validity/undecided",
        level=Level.NOTE,
        confidence=Confidence.POSSIBLE,
        message=short(f"Not decided for `{step.layer.name}`: whether sizes {sizes} can satisfy all rules at once."),
        target=target.id,
        **step.layer.place,
        operand=step.requirement.rule.id,
        evidence=Evidence("core", tuple(f"`{s.layer.name}`: {s.sentence()}." for s in steps[:20])),
    )


def short(text: str, limit: int = 200) -> str:
    return text if len(text) <= limit else text[: limit - 2].rsplit(" ", 1)[0] + " …"
